// Checks the rooms of the web UI: their imports, their sizes, and where a step kind is named.
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { STEP_KINDS } from '../web/src/step-kinds/index.ts'

/** The rooms of web/src, lowest first: a file imports, types included, from its own room and from rows before its own. */
const LAYERS: string[][] = [
  // The parts that pages are made of.
  ['theme', 'brand', 'api', 'step-kinds', 'ui/text'],
  // The script of the pages at /docs, which is no part of the app.
  ['guide'],
  ['flow-model', 'ui'],
  ['flow-model/templates', 'flow-model/input', 'flow-model/senders', 'ui/code', 'shell'],
  ['ui/rows', 'ui/data', 'ui/choices', 'shell/palette'],
  ['fields', 'live'],
  // The pages: a run is shown on the editor's canvas, and the inbox shows what runs show.
  ['flows/run', 'account/security', 'connections/tls'],
  ['account', 'approvals', 'connections', 'flows', 'failures', 'runs/model', 'deliveries/model'],
  ['overview', 'settings', 'flows/settings', 'editor/state', 'editor/panel'],
  ['editor/incoming', 'editor/sender'],
  ['settings/access', 'settings/alerts', 'editor/kinds', 'editor/canvas', 'editor/trigger', 'editor/publish'],
  ['editor/step'],
  ['editor'],
  ['runs/actions'],
  ['runs/panel', 'runs/list'],
  ['runs', 'deliveries'],
  // lazy-page.ts, routes.tsx and main.tsx.
  ['.'],
]

/** Rooms that can be tested and read without a browser. */
const PURE = [
  'flow-model',
  'flow-model/templates',
  'flow-model/input',
  'flow-model/senders',
  'runs/model',
  'deliveries/model',
]

const MOST_FILES = 20

/** The rooms that hold everything about a step kind. */
const OF_KINDS = ['step-kinds', 'editor/kinds']

/** Words that are kinds too, and have another meaning there. */
const OTHER_MEANINGS: Record<string, string[]> = {
  // The template of a round reads this root.
  'fields/pick-list.tsx': ['loop'],
  'flow-model/templates/complete.ts': ['loop'],
  'flow-model/templates/preview.ts': ['loop'],
  'flow-model/templates/sample-data.ts': ['loop'],
  'flow-model/templates/visible.ts': ['loop'],
  // The code of an error.
  'deliveries/model/delivery-words.ts': ['code'],
  'editor/state/use-outcomes.ts': ['code'],
  // A value of `onError`.
  'editor/step/error-handling.tsx': ['fail'],
  // A value of `onTimeout`.
  'editor/incoming/wait-end.tsx': ['fail'],
  // A kind of trigger has the same name.
  'editor/trigger/trigger-panel.tsx': ['call'],
  // The colours of waiting.
  'editor/conflict-bar.tsx': ['wait'],
  'runs/model/waterfall.ts': ['wait'],
  'ui/status.tsx': ['wait'],
}

const web = resolve(import.meta.dirname, '../web/src')
const isTest = (file: string) => /\.(test|testkit)\.tsx?$/.test(file)
const sources = globSync('**/*.{ts,tsx}', { cwd: web }).filter((file) => !isTest(file))
const textOf = (file: string) => readFileSync(join(web, file), 'utf8')
const rowOf = (room: string) => LAYERS.findIndex((rooms) => rooms.includes(room))

/** Returns the imports below web/src: values, types and styles. */
const importsOf = (file: string): string[] =>
  [...textOf(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
    .map(([, name]) => relative(web, resolve(web, dirname(file), name!)))
    .filter((target) => !target.startsWith('..'))

/** Returns a path from a file back to itself, or null. */
function cycleIn(graph: ReadonlyMap<string, string[]>): string[] | null {
  const done = new Set<string>()
  const trail: string[] = []
  const visit = (file: string): string[] | null => {
    if (trail.includes(file)) return [...trail.slice(trail.indexOf(file)), file]
    if (done.has(file)) return null
    trail.push(file)
    for (const next of graph.get(file) ?? []) {
      const found = visit(next)
      if (found) return found
    }
    trail.pop()
    done.add(file)
    return null
  }
  for (const file of graph.keys()) {
    const found = visit(file)
    if (found) return found
  }
  return null
}

describe('the rooms of the web UI', () => {
  it('are all in the table, and the table names no other', () => {
    expect([...new Set(sources.map(dirname))].sort()).toEqual(LAYERS.flat().sort())
  })

  it('import only from rooms below them', () => {
    const broken = sources.flatMap((file) =>
      importsOf(file)
        .filter((target) => dirname(target) !== dirname(file) && rowOf(dirname(target)) >= rowOf(dirname(file)))
        .map((target) => `${file} -> ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('hold no files that import each other in a circle, be it for a type', () => {
    expect(cycleIn(new Map(sources.map((file) => [file, importsOf(file)])))).toBeNull()
  })

  it(`hold at most ${MOST_FILES} files side by side`, () => {
    const counts = new Map<string, number>()
    for (const file of globSync('**/*.*', { cwd: web }).filter((one) => !isTest(one)))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > MOST_FILES)).toEqual([])
  })

  it('keep test support to tests', () => {
    const broken = sources.flatMap((file) =>
      importsOf(file)
        .filter(isTest)
        .map((target) => `${file} -> ${target}`),
    )
    expect(broken).toEqual([])
  })

  it('keep React out of what needs no browser', () => {
    const pure = sources.filter((file) => PURE.includes(dirname(file)) || /^step-kinds\/.*\.ts$/.test(file))
    const broken = pure.filter(
      (file) => file.endsWith('.tsx') || /'(react|react-dom|@mantine|@tabler|@tanstack|@xyflow)\b/.test(textOf(file)),
    )
    expect(broken).toEqual([])
  })

  it('name a step kind only where all that is said of it stands', () => {
    const kinds = STEP_KINDS.map(({ kind }) => kind)
    const elsewhere = sources.filter((file) => !OF_KINDS.includes(dirname(file)))
    const broken = elsewhere.flatMap((file) => {
      const text = textOf(file).replaceAll(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
      const quoted = kinds.filter(
        (kind) => !OTHER_MEANINGS[file]?.includes(kind) && new RegExp(`(['"\`])${kind}\\1`).test(text),
      )
      // A table of kinds needs no quotes; one or two such keys are settings or variables.
      const keys = kinds.filter((kind) => new RegExp(`^\\s*${kind}:`, 'm').test(text))
      return [...quoted, ...(keys.length > 2 ? keys : [])].map((kind) => `${file}: ${kind}`)
    })
    expect(broken).toEqual([])
  })

  it('need every exception that is made for a word', () => {
    const idle = Object.entries(OTHER_MEANINGS).flatMap(([file, words]) =>
      words.filter((word) => !new RegExp(`(['"\`])${word}\\1`).test(textOf(file))).map((word) => `${file}: ${word}`),
    )
    expect(idle).toEqual([])
  })
})

describe('the step kinds of the web UI', () => {
  it('each stand in the file of their name', () => {
    const files = globSync('*.ts', { cwd: join(web, 'step-kinds') }).map((file) => basename(file, '.ts'))
    expect(STEP_KINDS.map(({ kind }) => kind).filter((kind) => !files.includes(kind))).toEqual([])
  })
})
