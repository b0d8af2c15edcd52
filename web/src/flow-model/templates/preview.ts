// What a template gives with the current sample: its value, why there is none yet, or what is wrong with it.
import {
  type Bindings,
  type Expression,
  ExpressionError,
  parseTemplate,
  renderCondition,
  renderOptional,
  renderText,
  renderUrl,
  renderValue,
  type Template,
  TemplateSyntaxError,
} from '../../../../src/flow/expression/index.ts'
import type { EditedFlow } from '../flow-tree.ts'
import { ComputedLater, type SampleData, sampleBindings, unknown } from './sample-data.ts'
import { type Visible, visibleAt } from './visible.ts'

export type Preview =
  | { kind: 'value'; value: unknown }
  /** Nothing is wrong; the value is only known once more was tested, or when the flow runs. */
  | { kind: 'later'; reason: string }
  | { kind: 'error'; message: string; hint: string }

/** optional: as a dedupe key, which may come out missing. */
export type PreviewMode = 'value' | 'text' | 'url' | 'tree' | 'condition' | 'optional'

export interface PreviewContext {
  visible: Visible
  bindings: Bindings
  data: SampleData
}

export function previewContext(document: EditedFlow, path: string, data: SampleData): PreviewContext {
  const visible = visibleAt(document, path)
  return { visible, bindings: sampleBindings(document, visible, data), data }
}

/** Null for text without a template: it is what it is. */
export function preview(text: string, mode: PreviewMode, context: PreviewContext): Preview | null {
  if (!text.includes('{{')) return null
  let template: Template
  try {
    template = parseTemplate(text)
  } catch (error) {
    if (!(error instanceof TemplateSyntaxError)) throw error
    return { kind: 'error', message: error.message, hint: error.hint }
  }
  const expressions = template.parts.filter((part): part is Expression => typeof part !== 'string')
  if (expressions.some(usesSecret)) return { kind: 'later', reason: 'Works with a secret: computed when it runs' }
  if (expressions.some(({ references }) => references.some(({ path }) => path[0] === 'callback')))
    return { kind: 'later', reason: 'Known when a callback comes in' }
  const missing = reasonForMissing(expressions, context)
  try {
    const value = rendered(template, mode, context.bindings)
    if (typeof value === 'symbol') return missing ?? { kind: 'later', reason: 'Missing in this sample' }
    return mode === 'condition' && missing ? missing : { kind: 'value', value }
  } catch (error) {
    if (error instanceof ComputedLater) return { kind: 'later', reason: error.message }
    if (!(error instanceof ExpressionError)) throw error
    if (error.code === 'missing_value' && missing) return missing
    // In a host only the true value can be judged.
    if (error.code === 'invalid_url' && expressions.some(namesSecret))
      return { kind: 'later', reason: 'Works with a secret: computed when it runs' }
    return { kind: 'error', message: error.message, hint: error.hint }
  }
}

function rendered(template: Template, mode: PreviewMode, bindings: Bindings): unknown {
  switch (mode) {
    case 'url':
      return urlRendered(template, bindings)
    case 'text':
      return renderText(template, bindings)
    case 'condition':
      return renderCondition(template, bindings)
    case 'optional':
      return renderOptional(template, bindings)
    default:
      return renderValue(template, bindings)
  }
}

/** A secret that supplies the start of the URL is taken to hold an origin: what follows is then encoded as it will be. */
function urlRendered(template: Template, bindings: Bindings): string {
  const [first] = template.parts
  if (typeof first === 'string' || first === undefined || !namesSecret(first)) return renderUrl(template, bindings)
  const prefixed = (value: unknown): unknown =>
    typeof value === 'string'
      ? `https://${value}`
      : Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, prefixed(item)]))
  const roots = Object.assign(Object.create(null), bindings.roots)
  for (const root of ['env', 'connections']) if (roots[root]) roots[root] = prefixed(roots[root])
  return renderUrl(template, { ...bindings, roots }).replaceAll(/https(?:%3A%2F%2F|:\/\/)(?=\uE000|%EE%80%80)/g, '')
}

/** JSON with templates in its strings; what is not known yet stands in it as such. */
export function previewTree(value: unknown, context: PreviewContext): Preview | null {
  if (typeof value === 'string') return preview(value, 'tree', context)
  let templates = 0
  const visit = (node: unknown): unknown => {
    if (typeof node === 'string') {
      const result = preview(node, 'tree', context)
      if (!result) return node
      templates++
      if (result.kind === 'error') throw new PreviewFailed(result)
      return result.kind === 'value' ? result.value : unknown(result.reason)
    }
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    return Object.fromEntries(Object.entries(node).map(([key, item]) => [key, visit(item)]))
  }
  try {
    const result = visit(value)
    return templates === 0 ? null : { kind: 'value', value: result }
  } catch (error) {
    if (error instanceof PreviewFailed) return error.preview
    throw error
  }
}

class PreviewFailed extends Error {
  readonly preview: Preview
  constructor(failed: Preview) {
    super()
    this.preview = failed
  }
}

const isSecret = (path: readonly string[]): boolean => path[0] === 'env' || path[0] === 'connections'
const namesSecret = ({ references }: Expression): boolean => references.some(({ path }) => isSecret(path))

/** More than inserting it: then the name cannot stand for the value. */
const usesSecret = (expression: Expression): boolean =>
  expression.references.some(
    ({ path, start, end }) =>
      isSecret(path) &&
      !(start === expression.start && end === expression.end && path.length === (path[0] === 'env' ? 2 : 3)),
  )

/** Why data may be missing that will be there when the flow runs. */
function reasonForMissing(expressions: Expression[], { visible, bindings, data }: PreviewContext): Preview | null {
  for (const { path } of expressions.flatMap(({ references }) => references)) {
    const [root, name] = path
    if (root === 'webhook' && data.webhook == null)
      return { kind: 'later', reason: 'Send a test request to see the value' }
    if (root === 'schedule' && name === 'previous') return { kind: 'later', reason: 'Known when it runs' }
    if (root === 'steps' && name && visible.steps.some(({ id }) => id === name)) {
      if (!Object.hasOwn(data.steps, name)) return { kind: 'later', reason: `Test ${name} to see the value` }
      if (path.length > 2 && path[2] !== 'error' && hasOnlyError(data.steps[name]))
        return { kind: 'later', reason: `${name} failed when it was tested; test it again to see the value` }
    }
    if ((root === 'loop' || root === 'loops') && visible.loops.length) {
      const round =
        root === 'loop' ? bindings.roots['loop'] : (bindings.roots['loops'] as Record<string, object>)[name!]
      const wantsItem = path[root === 'loop' ? 1 : 2] === 'item'
      if (wantsItem && typeof round === 'object' && round !== null && !Object.hasOwn(round, 'item'))
        return { kind: 'later', reason: 'The first item of the loop is not known yet' }
    }
    if (
      root === 'vars' &&
      name &&
      visible.vars.includes(name) &&
      !Object.hasOwn(bindings.roots['vars'] as object, name)
    )
      return { kind: 'later', reason: `Test the step that sets ${name} to see the value` }
  }
  return null
}

/** A step that failed before it gave anything. */
const hasOnlyError = (result: unknown): boolean =>
  typeof result === 'object' && result !== null && Object.keys(result).join() === 'error'
