// The data that templates are tried on in the editor: the chosen sample, the results of tests, and names in place of secrets.
import type { StepDocument } from '../../../../src/flow/document.ts'
import {
  type Bindings,
  ExpressionError,
  parseTemplate,
  renderOptional,
  TemplateSyntaxError,
} from '../../../../src/flow/expression/index.ts'
import { sampleFailure } from '../../../../src/flow/sample-failure.ts'
import type { DataShapes } from '../../../../src/flow/shape/data-shapes.ts'
import { stepKind } from '../../step-kinds/index.ts'
import type { EditedFlow } from '../flow-tree.ts'
import type { Visible } from './visible.ts'

export interface SampleData {
  /** `webhook` of the chosen sample. */
  webhook: unknown
  /** `schedule` of a run that begins now, without what only the service knows. */
  schedule?: unknown
  /** What tests of a called flow begin with. */
  input?: unknown
  /** Results of Test Step, by id. */
  steps: Readonly<Record<string, unknown>>
  /** Of all samples, and of those results. */
  shapes: DataShapes
  env: readonly string[]
  config: Readonly<Record<string, string>>
  connections: readonly { name: string; fields: readonly string[] }[]
  flow: { id: string; name: string; version: number | null }
  /** ISO 8601. */
  now: string
}

/** What stands between these two is not text but what the editor knows of it: the name of a secret, or why there is no value. */
const OPEN = '\uE000'
const CLOSE = '\uE001'

export const unknown = (what: string): string => `${OPEN}${what}${CLOSE}`

export interface Segment {
  text: string
  /** Stands for a value that only the server has. */
  unknown: boolean
}

const ENCODED = new RegExp(`${encodeURIComponent(OPEN)}(.*?)${encodeURIComponent(CLOSE)}`, 'g')

/** Splits a rendered text into what it is and what stands for something unknown. */
export function segments(text: string): Segment[] {
  const plain = text.replaceAll(ENCODED, (_, inside: string) => unknown(decodeURIComponent(inside)))
  return plain
    .split(new RegExp(`(${OPEN}[^${CLOSE}]*${CLOSE})`))
    .filter((part) => part !== '')
    .map((part) =>
      part.startsWith(OPEN) ? { text: part.slice(1, -1), unknown: true } : { text: part, unknown: false },
    )
}

/** Thrown where a value is made by the server only. */
export class ComputedLater extends Error {}

export function sampleBindings(document: EditedFlow, visible: Visible, data: SampleData): Bindings {
  const roots: Record<string, unknown> = Object.create(null)
  for (const root of visible.roots) {
    const value = rootValue(root, visible, data)
    if (value !== undefined) roots[root] = value
  }
  const bindings: Bindings = {
    roots,
    now: data.now,
    uuid: '5f0c2a9e-8b41-4d6a-9c1f-3e7d20b4a615',
    sha256: later('sha256'),
    hmacSha256: later('hmacSha256'),
    hmacSha512: later('hmacSha512'),
  }
  addVars(document, visible, data, bindings)
  addLoops(visible, bindings)
  return bindings
}

/** Stands for the URL of a callback, which each run has its own of. */
const CALLBACK_URL = 'https://millrace.example.com/api/v1/callbacks/mrc_of_this_sample'
/** What a condition reads of what came in. */
export const CALLBACK_KEYS = ['body', 'headers', 'query', 'rawBody', 'receivedAt']

const later = (name: string) => (): never => {
  throw new ComputedLater(`${name}() is computed when it runs`)
}

function rootValue(root: string, visible: Visible, data: SampleData): unknown {
  switch (root) {
    case 'webhook':
      return data.webhook ?? undefined
    case 'schedule':
      return data.schedule
    case 'input':
      return data.input
    case 'steps':
      return pick(
        data.steps,
        visible.steps.map(({ id }) => id),
      )
    case 'env':
      return Object.fromEntries(data.env.map((name) => [name, unknown(`env.${name}`)]))
    case 'config':
      return data.config
    case 'connections':
      return Object.fromEntries(
        data.connections.map(({ name, fields }) => [
          name,
          Object.fromEntries(fields.map((field) => [field, unknown(`connections.${name}.${field}`)])),
        ]),
      )
    case 'callbacks':
      return Object.fromEntries(visible.callbacks.map((id) => [id, { url: CALLBACK_URL }]))
    case 'callback':
      return Object.fromEntries(CALLBACK_KEYS.map((key) => [key, unknown('known when one comes in')]))
    case 'run':
      return { id: 'run_of_this_sample', startedAt: data.now, attempt: 1, replayOf: null }
    case 'flow':
      return data.flow
    case 'error':
    case 'failed': {
      const step = visible.steps[0]?.id ?? 'step'
      return sampleFailure(step, 'run_of_this_sample', data.flow.version, data.now)[root]
    }
    default:
      return undefined
  }
}

function pick(from: Readonly<Record<string, unknown>>, names: string[]): Record<string, unknown> {
  const picked: Record<string, unknown> = Object.create(null)
  for (const name of names) if (Object.hasOwn(from, name)) picked[name] = from[name]
  return picked
}

/** What the steps before that set variables left when they were tested; what was not tested is worked out here where that is possible. */
function addVars(document: EditedFlow, visible: Visible, data: SampleData, bindings: Bindings): void {
  if (!visible.roots.includes('vars')) return
  const vars: Record<string, unknown> = Object.create(null)
  ;(bindings.roots as Record<string, unknown>)['vars'] = vars
  for (const name of visible.vars) {
    const setter = setterOf([document.steps, document.onFailure], name)
    const result = setter && Object.hasOwn(data.steps, setter.id) ? data.steps[setter.id] : undefined
    const left = typeof result === 'object' && result !== null ? (result as Record<string, unknown>)[name] : undefined
    const value = left ?? (setter ? tried(setter.value, bindings) : undefined)
    if (value !== undefined) vars[name] = value
  }
}

function setterOf(list: unknown, name: string): { id: string; value: unknown } | null {
  if (typeof list !== 'object' || list === null) return null
  const { id, kind } = list as { id?: unknown; kind?: unknown }
  const vars = stepKind(String(kind)).variables?.(list as StepDocument)
  if (vars && Object.hasOwn(vars, name)) return { id: String(id), value: vars[name] }
  for (const item of Object.values(list)) {
    const found = setterOf(item, name)
    if (found) return found
  }
  return null
}

/** Each loop around the place as its first round would find it. */
function addLoops(visible: Visible, bindings: Bindings): void {
  const roots = bindings.roots as Record<string, unknown>
  if (!visible.roots.includes('loops')) return
  const loops: Record<string, unknown> = Object.create(null)
  roots['loops'] = loops
  for (const { step } of visible.loops) {
    const list = step['each'] === undefined ? null : tried(step['each'], bindings)
    const round = Array.isArray(list)
      ? { ...(list.length ? { item: list[0] as unknown } : {}), index: 0, count: list.length }
      : { ...(step['each'] === undefined ? { item: null, count: 0 } : {}), index: 0 }
    roots['loop'] = round
    loops[step.id] = round
  }
}

/** The value of a literal, or of a template that can be evaluated with what is known. */
function tried(value: unknown, bindings: Bindings): unknown {
  if (typeof value !== 'string' || !value.includes('{{')) return value
  try {
    const result = renderOptional(parseTemplate(value), bindings)
    return typeof result === 'symbol' ? undefined : result
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof TemplateSyntaxError || error instanceof ComputedLater)
      return undefined
    throw error
  }
}
