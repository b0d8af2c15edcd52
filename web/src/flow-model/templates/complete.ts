// What can be written at the cursor of a template: what any sample had there, with the values of the one in use beside the names.
import type { StepDocument } from '../../../../src/flow/document.ts'
import {
  CONSTANT_NAMES,
  ExpressionError,
  FUNCTION_NAMES,
  METHOD_NAMES,
  type MethodOwner,
  parseTemplate,
  renderOptional,
  TemplateSyntaxError,
  takesFunction,
} from '../../../../src/flow/expression/index.ts'
import { dataPath, type LoopLists, listPath, lookUpReference } from '../../../../src/flow/shape/data-shapes.ts'
import type { Shape } from '../../../../src/flow/shape/shape.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { TRIGGER_KINDS } from '../../step-kinds/trigger-kinds.ts'
import { isObject } from '../is-object.ts'
import type { PreviewContext } from './preview.ts'
import { expressionBefore, readTyping, type Typing } from './read-expression.ts'
import { CALLBACK_KEYS, ComputedLater, segments } from './sample-data.ts'

export interface Suggestion {
  label: string
  /** What replaces the typed text; `cursor` characters before its end the cursor stands afterwards. */
  insert: string
  cursor: number
  /** Characters before the typed text that go too: the dot, where brackets take its place. */
  back: number
  kind: 'data' | 'step' | 'secret' | 'function' | 'method'
  /** The sample's value, in short. */
  detail: string
}

export interface Suggestions {
  /** The typed text begins here. */
  from: number
  options: Suggestion[]
}

export function complete(text: string, cursor: number, context: PreviewContext): Suggestions | null {
  const expression = expressionBefore(text, cursor)
  const typing = expression && readTyping(expression.source)
  if (!typing) return null
  const options = typing.kind === 'name' ? names(typing, context) : keys(typing, text.slice(cursor), context)
  return { from: cursor - typing.typed.length, options }
}

function names({ locals }: Typing & { kind: 'name' }, context: PreviewContext): Suggestion[] {
  const { visible, bindings } = context
  const offered = visible.roots.filter(
    (root) =>
      (root !== 'steps' || visible.steps.length) &&
      (root !== 'vars' || visible.vars.length) &&
      (root !== 'env' || context.data.env.length) &&
      (root !== 'config' || Object.keys(context.data.config).length) &&
      (root !== 'connections' || context.data.connections.length),
  )
  return [
    ...[...locals].map(([name, stands]) => suggestion(name, 'data', evaluated(stands, context).value)),
    ...offered.map((root) => suggestion(root, 'data', bindings.roots[root])),
    ...FUNCTION_NAMES.map((name) => call(name, 'function', name === 'now' || name === 'uuid')),
    ...CONSTANT_NAMES.map((name) => ({ ...suggestion(name, 'function', undefined), detail: '' })),
  ]
}

const suggestion = (label: string, kind: Suggestion['kind'], value: unknown): Suggestion => ({
  label,
  insert: label,
  cursor: 0,
  back: 0,
  kind,
  detail: inShort(value),
})

function call(name: string, kind: 'function' | 'method', withoutArguments = false): Suggestion {
  const inside = kind === 'method' && takesFunction(name) && name !== 'sort' ? 'item => ' : ''
  return {
    label: `${name}()`,
    insert: `${name}(${inside})`,
    cursor: withoutArguments ? 0 : 1,
    back: 0,
    kind,
    detail: '',
  }
}

function keys(typing: Typing & { kind: 'key' }, after: string, context: PreviewContext): Suggestion[] {
  const { value, path } = evaluated(typing.base, context)
  const known = path ? knownKeys(path, context) : []
  const full = path && dataPath(path, loopLists(context))
  const seen = full && lookUpReference(context.data.shapes, full)
  const shape = seen?.kind === 'seen' ? seen.shape : null
  const found = isObject(value) ? Object.keys(value) : []
  const names = [...new Set([...known.map(({ name }) => name), ...found, ...(shape?.keys.keys() ?? [])])]
  const options = names.slice(0, MOST_KEYS).map((name): Suggestion => {
    const kind = known.find((one) => one.name === name)?.kind ?? 'data'
    const own = found.includes(name)
      ? suggestion(name, kind, (value as Record<string, unknown>)[name])
      : { ...suggestion(name, kind, undefined), detail: elsewhere(shape?.keys.get(name)) }
    return { ...own, ...keyInsertion(name, typing, after) }
  })
  if (typing.access === '[') return options
  const isDate = /^new\s+Date\b/.test(typing.base)
  const owner = isDate ? 'date' : (ownerOf(value) ?? ownerIn(shape))
  const list = Array.isArray(value) ? value : []
  if (owner === 'list' || owner === 'text')
    options.push(suggestion('length', 'data', (value as string | undefined)?.length))
  if (owner === 'list' && (list.length || shape?.items))
    options.unshift({
      ...suggestion('[0]', 'data', list[0]),
      insert: '[0]',
      back: typing.access === '.' ? 1 : 0,
    })
  if (owner) options.push(...METHOD_NAMES[owner].map((name) => call(name, 'method', NO_ARGUMENTS.has(name) || isDate)))
  return options
}

const MOST_KEYS = 300
const NO_ARGUMENTS = new Set(['trim', 'trimStart', 'trimEnd', 'toLowerCase', 'toUpperCase', 'reverse', 'toReversed'])

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

function keyInsertion(name: string, { access, quote }: Typing & { kind: 'key' }, after: string) {
  if (access === '[') {
    const escaped = name.replaceAll('\\', '\\\\').replaceAll(quote, `\\${quote}`)
    return { insert: after.startsWith(quote) ? escaped : `${escaped}${quote}]` }
  }
  if (IDENTIFIER.test(name)) return {}
  return { insert: `[${quoted(name)}]`, back: access === '.' ? 1 : 0 }
}

export const quoted = (name: string): string => `'${name.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function ownerOf(value: unknown): MethodOwner | null {
  if (typeof value === 'string') return 'text'
  if (Array.isArray(value)) return 'list'
  return typeof value === 'number' ? 'number' : null
}

function loopLists({ visible }: PreviewContext): LoopLists {
  const lists = new Map<string, readonly string[] | null>()
  for (const { step } of visible.loops) lists.set(step.id, listPath(step['each'], lists))
  return lists
}

/** Of a value that the sample in use does not have. */
function ownerIn(shape: Shape | null): MethodOwner | null {
  const [type, ...others] = [...(shape?.types ?? [])].filter((one) => one !== 'null')
  return others.length === 0 && (type === 'text' || type === 'list' || type === 'number') ? type : null
}

const elsewhere = (shape: Shape | undefined): string =>
  shape ? `${[...shape.types].join(' or ')}, in other samples` : ''

/** The value of an expression with the sample, and its path where it is a plain reference. */
function evaluated(source: string, { bindings }: PreviewContext): { value: unknown; path: string[] | null } {
  let path: string[] | null = null
  try {
    const template = parseTemplate(`{{ ${source} }}`)
    const [expression] = template.parts
    if (typeof expression === 'object') {
      const whole = expression.references.find(({ start, end }) => start === expression.start && end === expression.end)
      path = whole?.path ?? null
    }
    const value = renderOptional(template, bindings)
    return { value: typeof value === 'symbol' ? undefined : value, path }
  } catch (error) {
    if (error instanceof ExpressionError || error instanceof TemplateSyntaxError || error instanceof ComputedLater)
      return { value: undefined, path }
    throw error
  }
}

interface KnownKey {
  name: string
  kind: Suggestion['kind']
}

const data = (...names: string[]): KnownKey[] => names.map((name) => ({ name, kind: 'data' }))

/** What is there whatever the sample holds. */
function knownKeys([root, name, ...rest]: string[], { visible, data: known }: PreviewContext): KnownKey[] {
  if (name === undefined)
    switch (root) {
      case 'steps':
        return visible.steps.map(({ id }) => ({ name: id, kind: 'step' }))
      case 'vars':
        return data(...visible.vars)
      case 'env':
        return known.env.map((one) => ({ name: one, kind: 'secret' }))
      case 'connections':
        return known.connections.map((one) => ({ name: one.name, kind: 'secret' }))
      case 'loop':
        return data('item', 'index', 'count')
      case 'callbacks':
        return visible.callbacks.map((id) => ({ name: id, kind: 'step' }))
      case 'callback':
        return data(...CALLBACK_KEYS)
      case 'loops':
        return visible.loops.map(({ step }) => ({ name: step.id, kind: 'step' }))
      default:
        return data(...(TRIGGER_KINDS.find((info) => info.root === root)?.keys ?? []))
    }
  if (rest.length) return []
  if (root === 'steps') {
    const step = visible.steps.find(({ id }) => id === name)
    return step ? data(...outputKeys(step)) : []
  }
  if (root === 'loops') return data('item', 'index', 'count')
  if (root === 'callbacks') return data('url')
  return root === 'connections'
    ? (known.connections.find((one) => one.name === name)?.fields ?? []).map((one) => ({ name: one, kind: 'secret' }))
    : []
}

/** What a step of that kind leaves, tested or not. */
function outputKeys(step: StepDocument): string[] {
  const own = stepKind(step.kind).outputs?.(step) ?? []
  return step.onError === 'continue' ? [...own, 'error'] : own
}

const LONGEST = 40

/** A value beside its name: short, on one line. */
export function inShort(value: unknown): string {
  if (value === undefined) return ''
  if (Array.isArray(value)) return value.length === 1 ? 'list of 1' : `list of ${value.length}`
  if (typeof value === 'object' && value !== null) {
    const names = Object.keys(value)
    const list = names.slice(0, 3).join(', ')
    return `{ ${cut(names.length > 3 ? `${list}, …` : list)} }`
  }
  if (typeof value === 'string') {
    const [only, ...others] = segments(value)
    return only?.unknown && others.length === 0 ? 'secret' : cut(JSON.stringify(value))
  }
  return JSON.stringify(value)
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text)
