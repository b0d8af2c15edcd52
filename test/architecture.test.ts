// Checks src/ against the rules of ARCHITECTURE.md: its layers, the order of the rooms inside them, and what files contain.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stepKinds } from '../src/steps/index.ts'
import { cyclesOf, importsOf } from './harness/imports.ts'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')

/** What adapters may import from the rooms that they serve: the words and types of their ports, and shared files. */
const PORTS = [
  'engine/content-encodings.ts',
  'engine/ids.ts',
  'engine/outbound-rules.ts',
  'engine/step-kind.ts',
  'engine/trace-context.ts',
  'engine/webhook-data.ts',
]
const isPort = (file: string) => PORTS.includes(file) || /^(engine|operations)\/ports\//.test(file)

/** Each room of src/ and the rooms that it may import from; 'ports' stands for the files above. */
const ROOMS: Record<string, string[]> = {
  base: [],
  flow: ['base'],
  contract: ['flow', 'base'],
  engine: ['flow', 'base'],
  steps: ['engine', 'flow', 'base'],
  operations: ['engine', 'flow', 'base'],
  storage: ['ports', 'flow', 'base'],
  queue: ['ports', 'base'],
  outbound: ['ports', 'base'],
  oauth: ['ports', 'base'],
  sandbox: ['ports', 'flow', 'base'],
  tracing: ['ports', 'base'],
  secrets: ['ports', 'base'],
  mcp: ['contract', 'flow', 'base'],
  http: ['operations', 'mcp', 'contract', 'engine', 'flow', 'base'],
  testing: ['operations', 'engine', 'contract', 'flow', 'base'],
  // The wiring names every adapter; only the command line imports it.
  app: [
    'http',
    'operations',
    'engine',
    'steps',
    'storage',
    'queue',
    'outbound',
    'oauth',
    'sandbox',
    'tracing',
    'secrets',
    'testing',
    'contract',
    'flow',
    'base',
  ],
  cli: ['app', 'mcp', 'testing', 'contract', 'flow', 'base'],
}

/** Rooms inside rooms, the lowest first: each may import those before it. */
const ORDER: Record<string, string[]> = {
  operations: [
    'ports',
    'events',
    'access',
    'connections',
    'flows',
    'runs',
    'alerts',
    'failures',
    'schedules',
    'deliveries',
    'callbacks',
    'search',
    'upkeep',
    'stats',
  ],
  storage: ['rows', 'migrations', 'files', 'stores', 'sqlite', 'postgres'],
  'flow/expression': ['values', 'patterns', 'functions', 'compile'],
}

/** The files on the way from a delivery to its reply. */
const HOT_PATH =
  /^(http\/webhooks|operations\/(deliveries|runs\/start-run)|queue|engine|storage\/(rows\/gathering|sqlite\/(run-journal|hot\/)|postgres\/(run-|record-|accept|batches)))/

/** Tests, and what only tests use, have these names and no others. */
const isTest = (file: string) => /\.test\.ts$|\.testkit\.ts$/.test(file)
const everything = globSync('**/*.ts', { cwd: src })
/** Without declarations of packages, which nobody imports by their file. */
const sources = everything.filter((file) => !isTest(file) && !file.endsWith('.d.ts'))
const textOf = (file: string) => readFileSync(join(src, file), 'utf8')

/** Returns the code without comments, and without strings other than those of imports. */
const codeOf = (file: string): string =>
  textOf(file)
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/(from )?(['"`])(?:\\.|(?!\2).)*\2/g, (text, from) => (from ? text : "''"))

const localImports = (file: string): string[] =>
  importsOf(join(src, file))
    .map((target) => relative(src, target))
    .filter((target) => !target.startsWith('..'))

const roomOf = (file: string): string => file.split('/')[0]!

const broken = (isAllowed: (file: string, target: string) => boolean): string[] =>
  sources.flatMap((file) =>
    localImports(file)
      .filter((target) => !isAllowed(file, target))
      .map((target) => `${file} -> ${target}`),
  )

describe('the rooms of src', () => {
  it('are those that have a rule', () => {
    expect([...new Set(sources.map(roomOf))].toSorted()).toEqual(Object.keys(ROOMS).toSorted())
  })

  it('import only what they may', () => {
    const isAllowed = (file: string, target: string) => {
      const allowed = ROOMS[roomOf(file)]!
      if (roomOf(file) === roomOf(target) || allowed.includes(roomOf(target))) return true
      return allowed.includes('ports') && isPort(target)
    }
    expect(broken(isAllowed)).toEqual([])
  })

  it.each(Object.keys(ORDER))('inside %s import only those below them', (place) => {
    const order = ORDER[place]!
    const rank = (file: string) => {
      const [first, ...rest] = file.slice(place.length + 1).split('/')
      return rest.length ? order.indexOf(first!) : order.length
    }
    const inside = (file: string) => file.startsWith(`${place}/`)
    // A file beside the rooms is either below all of them (it imports none) or above.
    const isBelow = (file: string) =>
      localImports(file).every((target) => !inside(target) || rank(target) === order.length)
    const isAllowed = (file: string, target: string) =>
      !inside(file) || !inside(target) || rank(target) <= rank(file) || isBelow(target)
    expect(sources.filter((file) => inside(file) && rank(file) === -1)).toEqual([])
    expect(broken(isAllowed)).toEqual([])
  })

  it('have no import cycles, by value or by type', () => {
    expect(cyclesOf(sources, localImports)).toEqual([])
  })

  it('hold at most 20 files side by side, of at most 400 lines each, and 250 on the way of a delivery', () => {
    const counts = new Map<string, number>()
    for (const file of sources) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 20)).toEqual([])
    const lines = (file: string) => textOf(file).split('\n').length - 1
    expect(sources.filter((file) => lines(file) > (HOT_PATH.test(file) ? 250 : 400))).toEqual([])
  })

  it('use nothing that is made for tests', () => {
    expect(broken((_file, target) => !isTest(target))).toEqual([])
    const inProduction = new Set(sources.flatMap(localImports))
    // The files that are started, as a thread, as a process or by a script.
    const entries = [
      'cli/reference.ts',
      'cli/millrace.ts',
      'outbound/tls/check-process.ts',
      'sandbox/worker.ts',
      'storage/sqlite/vacuum-into.ts',
      'storage/sqlite/hot/writer-thread.ts',
    ]
    expect(sources.filter((file) => !inProduction.has(file) && !entries.includes(file))).toEqual([])
  })
})

describe('the code', () => {
  it('keeps a step kind from importing another', () => {
    const kind = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '')
    const isAllowed = (file: string, target: string) =>
      !file.startsWith('steps/') ||
      !target.startsWith('steps/') ||
      file === 'steps/index.ts' ||
      kind(target) === kind(file)
    expect(broken(isAllowed)).toEqual([])
  })

  it('names a step kind in its file and the list only', () => {
    const names = [...stepKinds.keys()].join('|')
    const named = new RegExp(`\\bkind['"]?\\]?\\s*(?:[!=]==|:)\\s*'(?:${names})'`)
    expect(sources.filter((file) => !file.startsWith('steps/') && named.test(textOf(file))).toSorted()).toEqual([
      'contract/examples.ts',
      'flow/http-kind.ts',
      // The flow that runs in place of a called one, in tests.
      'testing/call-stubs.ts',
    ])
  })

  it('reads the environment in the configuration', () => {
    const reads = /process\s*\??\.\s*env\b|process\s*\[|\benv\b[^}\n]*\}\s*=\s*process\b|from 'node:process'/
    // The exception passes the environment on to the process that takes its place.
    expect(sources.filter((file) => reads.test(codeOf(file))).toSorted()).toEqual([
      'app/config.ts',
      'cli/return-freed-memory.ts',
    ])
  })

  it('keeps clocks, randomness and node modules out of flow/ and out of what decides in engine/', () => {
    const impure = /Date\.now|Math\.random|new Date\(\)|from 'node:|performance\.now|setTimeout|setInterval/
    const timers = ['engine/engine.ts']
    const decides = (file: string) => /^(flow|engine)\//.test(file) && !timers.includes(file)
    expect(sources.filter((file) => decides(file) && impure.test(codeOf(file)))).toEqual([])
  })

  it('evaluates nothing outside of the sandbox', () => {
    const evaluates = /\beval\(|new Function\(|from 'node:vm'/
    // The exception: Node gives the function that collects garbage only to a new context.
    expect(sources.filter((file) => !file.startsWith('sandbox/') && evaluates.test(textOf(file)))).toEqual([
      'storage/files/young-memory.ts',
    ])
  })

  it('recognises errors by their class, not by their name', () => {
    const byName = /\(?error(?: as \w+)?\)?\??\.name\s*[!=]==/
    // The HTTP parser's error has no class that could be imported.
    expect(sources.filter((file) => byName.test(textOf(file)))).toEqual(['outbound/failures.ts'])
  })

  it('speaks of one database only where it is that database', () => {
    const allowed = /^(storage\/(sqlite|postgres)\/|app\/)/
    const speaks = sources.filter((file) => !allowed.test(file) && /sqlite/i.test(codeOf(file)))
    // The exceptions: the folder of the database file, and the transfer to the other database.
    expect(speaks.toSorted()).toEqual(['base/data-folder.ts', 'storage/transfer.ts'])
  })
})
