// Holds the code to the import rules of ARCHITECTURE.md.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '..')
const src = join(root, 'src')

/** What adapters may import of the folders they serve: the words and types of their ports, and what both sides build on. */
const PORTS = [
  'engine/connections.ts',
  'engine/content-encodings.ts',
  'engine/http-client.ts',
  'engine/outbound-rules.ts',
  'engine/run-store.ts',
  'engine/sandbox.ts',
  'engine/step-kind.ts',
  'engine/trace-context.ts',
  'engine/tracing.ts',
  'engine/webhook-data.ts',
  'engine/ids.ts',
  'operations/ports.ts',
  'operations/oauth-client.ts',
]

/** Folder of src/ → the folders it may import from; 'ports' stands for the files above. */
const RULES: Record<string, string[]> = {
  flow: [],
  contract: ['flow'],
  engine: ['flow'],
  steps: ['engine', 'flow'],
  operations: ['engine', 'flow'],
  storage: ['ports', 'flow', 'data-folder.ts', 'package-files.ts'],
  queue: ['ports', 'fifo.ts'],
  outbound: ['ports'],
  oauth: ['ports'],
  sandbox: ['ports', 'flow', 'fifo.ts', 'package-files.ts'],
  tracing: ['ports'],
  secrets: ['ports', 'data-folder.ts'],
  mcp: ['contract', 'flow'],
  http: ['operations', 'mcp', 'contract', 'engine', 'flow', 'package-files.ts'],
  testing: ['operations', 'engine', 'contract', 'flow'],
  cli: ['app.ts', 'flow-bench.ts', 'config.ts', 'data-folder.ts', 'mcp', 'testing', 'contract', 'flow'],
  'config.ts': ['outbound', 'secrets'],
  'data-folder.ts': [],
  'fifo.ts': [],
  'package-files.ts': [],
}

/** What names adapters: for the service, and for tests of flows. */
const WIRING = ['app.ts', 'backend.ts', 'flow-bench.ts', 'on-postgres.ts', 'on-sqlite.ts']

const isTest = (file: string) => /\.test\.ts$|test-|-contract\.ts$/.test(file)
const sources = globSync('**/*.ts', { cwd: src }).filter((file) => !isTest(file))

function importsOf(file: string): string[] {
  const text = readFileSync(join(src, file), 'utf8')
  return [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map((match) => match[1]!)
}

/** Without comments, and without strings other than those of imports. */
const codeOf = (file: string): string =>
  readFileSync(join(src, file), 'utf8')
    .replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    .replaceAll(/(from )?(['"`])(?:\\.|(?!\2).)*\2/g, (text, from) => (from ? text : "''"))

const localImports = (file: string): string[] =>
  importsOf(file)
    .filter((name) => name.startsWith('.'))
    .map((name) => relative(src, resolve(src, dirname(file), name)))

const placeOf = (file: string): string => file.split('/')[0]!

describe('architecture', () => {
  it('knows every folder and file at the top of src', () => {
    const places = new Set(sources.map(placeOf))
    expect([...places].filter((place) => !WIRING.includes(place) && !RULES[place])).toEqual([])
  })

  it('lets each folder import only what it may', () => {
    const broken: string[] = []
    for (const file of sources) {
      const place = placeOf(file)
      if (WIRING.includes(place)) continue
      for (const target of localImports(file)) {
        if (target.startsWith('..')) continue
        const allowed = RULES[place]!
        const isPort = allowed.includes('ports') && PORTS.includes(target)
        if (placeOf(target) !== place && !isPort && !allowed.includes(placeOf(target)))
          broken.push(`${file} -> ${target}`)
      }
    }
    expect(broken).toEqual([])
  })

  it('lets the web UI import the contract and what a flow is, and nothing else of src', () => {
    const web = join(root, 'web/src')
    const pages = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !isTest(file))
    const broken = pages.flatMap((file) =>
      [...readFileSync(join(web, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
        .map(([, name]) => relative(root, resolve(web, dirname(file), name!)))
        .filter((target) => !/^(web\/src|src\/contract|src\/flow)\//.test(target))
        .map((target) => `${file} -> ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('keeps a step kind from importing another', () => {
    const kind = (file: string) => file.split('/')[1]!.replace(/\.ts$/, '')
    const broken = sources
      .filter((file) => file.startsWith('steps/') && file !== 'steps/index.ts')
      .flatMap((file) =>
        localImports(file)
          .filter((target) => target.startsWith('steps/') && kind(target) !== kind(file))
          .map((target) => `${file} -> ${target}`),
      )
    expect(broken).toEqual([])
  })

  it('reads the environment in config.ts only', () => {
    const readers = sources.filter((file) => /process\s*\.\s*env/.test(readFileSync(join(src, file), 'utf8')))
    expect(readers).toEqual(['config.ts'])
  })

  it('keeps clocks, randomness and node modules out of flow/ and out of what decides in engine/', () => {
    const impure = /Date\.now|Math\.random|new Date\(\)|from 'node:|performance\.now|setTimeout|setInterval/
    const timers = ['engine/engine.ts']
    const broken = sources.filter(
      (file) => /^(flow|engine)\//.test(file) && !timers.includes(file) && impure.test(codeOf(file)),
    )
    expect(broken).toEqual([])
  })

  it('evaluates nothing outside of the sandbox', () => {
    const evaluators = sources.filter(
      (file) =>
        !file.startsWith('sandbox/') &&
        /\beval\(|new Function\(|from 'node:vm'/.test(readFileSync(join(src, file), 'utf8')),
    )
    expect(evaluators).toEqual([])
  })
})
