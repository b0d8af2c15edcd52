// Turns valid steps into what the engine runs: templates are parsed once, defaults filled in, nested steps linked.
import type { TSchema } from 'typebox'
import { BareObject } from '../base/bare-object.ts'
import { CODE } from '../base/error-catalogue.ts'
import { checkValue, hasTemplate, oneOrList, type SchemaNode, type Visitor } from './check.ts'
import { type FlowDocument, type KindSchema, type Kinds, Retry, type StepDocument } from './document.ts'
import {
  compileTree,
  type Expression,
  ExpressionError,
  parseTemplate,
  renderCondition,
  renderOptional,
  renderText,
  renderTree,
  renderUrl,
  renderValue,
  type Template,
} from './expression/index.ts'
import type { Bindings } from './expression/values/bindings.ts'
import { Findings } from './issue.ts'
import type { StepListHandle } from './schema.ts'
import type { SecretFlow } from './secret-flow.ts'

/** Returns a setting's value for the bindings. */
export type Resolve = (bindings: Bindings) => unknown

export interface RetryPolicy {
  attempts: number
  delay: number
  backoff: number
  maxDelay: number
  on: readonly string[] | null
}

export interface CompiledStep<K extends KindSchema = KindSchema> {
  id: string
  kind: K
  onError: 'fail' | 'continue'
  retry: RetryPolicy | null
  /** Returns the settings of the kind (docs/flows.md#steps): templates resolved, nested lists as CompiledStep lists. */
  settings(bindings: Bindings): Record<string, unknown>
  /** The connections that the templates read. */
  connections: readonly string[]
  /** The connections whose access token the templates read: the token must be valid when they do. */
  accessTokens: readonly string[]
  /** The steps whose callback URL the templates read. */
  callbacks: readonly string[]
  /** The result may be shown, even if it derives from a secret. */
  reveals: boolean
  /** null: the step uses no secret. */
  secrets: CompiledSecrets | null
  /** Of a test run: the result that the step has without running. */
  pinned: { output: unknown } | null
}

export interface CompiledSecrets {
  /** Returns the settings as they may be shown. */
  shown(bindings: Bindings): Record<string, unknown>
  /** Maps a place in the settings to the sources of the secrets that its template holds. */
  places: ReadonlyMap<string, ReadonlySet<string>>
  /** The places at which a value was derived from a secret. */
  derived: ReadonlySet<string>
  /** Whether the whole result of the step is secret. */
  result: boolean
}

/** Replaces a secret that is not shown. */
export const SECRET_MASK = '[secret]'

/** A nested list for a step: a handle that shows nothing of itself in the run's history. */
export class CompiledSteps implements StepListHandle {
  readonly steps: readonly CompiledStep[]
  constructor(steps: readonly CompiledStep[]) {
    this.steps = steps
  }
  get length(): number {
    return this.steps.length
  }
  toJSON(): undefined {
    return undefined
  }
}

export function compileStep<K extends KindSchema>(
  step: StepDocument,
  kinds: ReadonlyMap<string, K>,
  secretFlow: SecretFlow | null = null,
  pins: FlowDocument['pinned'] = {},
): CompiledStep<K> {
  const kind = kinds.get(step.kind)!
  const { id, kind: _kind, name: _name, onError, retry, reveal, ...own } = step
  const secret = secretFlow?.ofStep(id) ?? null
  const isSecret = secret?.isSecret ?? NEVER
  const around = { kinds, secretFlow, isSecret, pins, parse: parseTemplate }
  const settings = resolver(kind.settings, own, around)
  const references = referencesIn(kind.settings, own)
  return {
    id,
    kind,
    onError: onError ?? 'fail',
    retry: retry ? retryPolicy(retry) : null,
    settings: settings as (bindings: Bindings) => Record<string, unknown>,
    connections: [...new Set(references.filter(([root]) => root === 'connections').map(([, name]) => name!))],
    accessTokens: namesIn(references, 'connections', 'accessToken'),
    callbacks: namesIn(references, 'callbacks', 'url'),
    reveals: reveal === true,
    secrets: secret && {
      ...secret,
      shown: resolver(kind.settings, own, {
        ...around,
        kinds: NO_KINDS,
        parse: (source) => masked(parseTemplate(source), isSecret),
      }) as CompiledSecrets['shown'],
    },
    pinned: Object.hasOwn(pins, id) ? { output: pins[id] } : null,
  }
}

/** The context that compiling a value needs. */
interface Surrounding {
  /** Without kinds, nested steps are left out. */
  kinds: Kinds
  secretFlow: SecretFlow | null
  pins: NonNullable<FlowDocument['pinned']>
  parse(source: string): Template
  isSecret(expression: Expression): boolean
}
const NEVER = () => false
const NO_KINDS: Kinds = new Map()
const NO_STEPS: Surrounding = { kinds: NO_KINDS, secretFlow: null, isSecret: NEVER, pins: {}, parse: parseTemplate }

function masked(template: Template, isSecret: (expression: Expression) => boolean): Template {
  const parts = template.parts.map((part) => (typeof part === 'string' || !isSecret(part) ? part : SECRET_MASK))
  return { ...template, parts }
}

/** Returns the references that have to be prepared before the step runs: of access tokens, and of callbacks. */
function referencesIn(schema: TSchema, settings: unknown): (readonly string[])[] {
  const found: (readonly string[])[] = []
  checkValue(schema, settings, '', new Findings(), {
    ...NO_VISITOR,
    template(source) {
      if (!source.includes('connections') && !source.includes('callbacks')) return
      for (const part of parseTemplate(source).parts)
        if (typeof part !== 'string') found.push(...part.references.map(({ path }) => path))
    },
  })
  return found
}

/** Returns the steps whose callback URL the templates read. */
export const callbacksIn = (schema: TSchema, settings: unknown): string[] =>
  namesIn(referencesIn(schema, settings), 'callbacks', 'url')

/** Returns what stands between the root and the field. */
const namesIn = (references: readonly (readonly string[])[], root: string, field: string): string[] => [
  ...new Set(references.filter((path) => path[0] === root && path[2] === field).map((path) => path[1]!)),
]

function retryPolicy(retry: NonNullable<StepDocument['retry']>): RetryPolicy {
  const filled = resolver(Retry, retry, NO_STEPS)(NO_BINDINGS) as Required<typeof retry>
  return { ...filled, on: filled.on ? filled.on.map(String) : null }
}

/** The bindings of values that cannot hold templates. */
const NO_BINDINGS = {
  roots: Object.create(null),
  now: '',
  uuid: '',
  sha256: () => '',
  hmacSha256: () => '',
  hmacSha512: () => '',
} as Bindings

export function textResolver(value: unknown): (bindings: Bindings) => string {
  const text = String(value)
  if (!hasTemplate(text)) return () => text
  const template = parseTemplate(text)
  return (bindings) => renderText(template, bindings)
}

export function optionalResolver(value: unknown): Resolve {
  const template = parseTemplate(String(value))
  return (bindings) => renderOptional(template, bindings)
}

export function conditionResolver(value: string | boolean): (bindings: Bindings) => boolean {
  if (typeof value === 'boolean') return () => value
  const template = parseTemplate(value)
  return (bindings) => renderCondition(template, bindings)
}

/** Returns the resolver of a setting without nested steps; null if it is not given. */
export const settingResolver = (node: SchemaNode, value: unknown): Resolve | null =>
  value === undefined ? null : resolver(node as TSchema, value, NO_STEPS)

/** Returns the resolver of a value under its schema. Constant parts are built once and shared: nothing changes them. */
function resolver(schema: TSchema, value: unknown, around: Surrounding): Resolve {
  const compiled = node(schema as SchemaNode, value, around)
  return typeof compiled === 'function' ? compiled : () => compiled.constant
}

type Compiled = Resolve | { constant: unknown }

function node(given: SchemaNode, value: unknown, around: Surrounding): Compiled {
  const schema = oneOrList(given, value)
  if (schema['x-apart']) return { constant: undefined }
  if (schema['x-steps'] !== undefined && around.kinds.size === 0) return { constant: undefined }
  if (schema['x-steps'] !== undefined)
    return {
      constant: new CompiledSteps(
        (value as StepDocument[]).map((step) => compileStep(step, around.kinds, around.secretFlow, around.pins)),
      ),
    }
  if (schema['x-lazy'] === 'condition') {
    const holds = conditionResolver(value as string | boolean)
    return (bindings) =>
      (round: Bindings = bindings) =>
        holds(round)
  }
  if (schema['x-lazy'] === 'tree') {
    const compiled = compileTree(value)
    return (bindings) =>
      (round: Bindings = bindings) =>
        renderTree(compiled, round)
  }
  if (schema['x-template'] === 'tree') return tree(value, around)
  if (typeof value === 'string' && schema['x-template']) return templateNode(schema, value, around)
  if (schema['x-template'] === 'text') return { constant: String(value) }
  if (schema['x-template'] === 'value') return node(schema.anyOf![0]!, value, around)
  if (Array.isArray(value) && schema.items) return list(value.map((item) => node(schema.items!, item, around)))
  if (typeof value === 'object' && value !== null) return objectNode(schema, value as Record<string, unknown>, around)
  return { constant: value }
}

function templateNode(schema: SchemaNode, source: string, { parse, isSecret }: Surrounding): Compiled {
  if (!hasTemplate(source)) return { constant: source }
  const template = parse(source)
  // A masked value need not have the type that the step expects: no step sees it.
  if (template.parts.length === 1 && template.parts[0] === SECRET_MASK) return { constant: SECRET_MASK }
  switch (schema['x-template']) {
    case 'text':
      return (bindings) => renderText(template, bindings)
    case 'url':
      // If the beginning is masked, there is no URL to compare values with.
      return template.parts.includes(SECRET_MASK)
        ? (bindings) => renderText(template, bindings)
        : (bindings) => renderUrl(template, bindings)
    default:
      return typedValue(
        schema.anyOf![0]!,
        (bindings) => renderValue(template, bindings),
        source,
        template.parts.some((part) => typeof part !== 'string' && isSecret(part)),
      )
  }
}

/** Returns a resolver that checks the value of a whole-value template against the schema. */
function typedValue(schema: SchemaNode, render: Resolve, source: string, isSecret: boolean): Resolve {
  return (bindings) => {
    const value = render(bindings)
    const findings = new Findings()
    checkValue(schema as TSchema, value, '', findings, NO_VISITOR)
    if (findings.first)
      throw new ExpressionError(
        CODE.expression_failed,
        // The message of the checker quotes the value.
        `${source} gives a value that does not fit${isSecret ? '' : `: ${findings.first.message}`}`,
        'Change the expression.',
      )
    return value
  }
}

const NO_VISITOR: Visitor = { template() {}, steps() {}, secret() {}, connection() {} }

function tree(value: unknown, { parse }: Surrounding): Compiled {
  const compiled = compileTree(value, parse)
  return hasTemplateInside(value) ? (bindings) => renderTree(compiled, bindings) : { constant: value }
}

function hasTemplateInside(value: unknown): boolean {
  if (typeof value === 'string') return hasTemplate(value)
  if (typeof value !== 'object' || value === null) return false
  return Object.values(value).some(hasTemplateInside)
}

function list(items: Compiled[]): Compiled {
  if (items.every((item) => typeof item !== 'function'))
    return { constant: items.map((item) => (item as { constant: unknown }).constant) }
  return (bindings) => items.map((item) => (typeof item === 'function' ? item(bindings) : item.constant))
}

function objectNode(schema: SchemaNode, value: Record<string, unknown>, around: Surrounding): Compiled {
  const option = schema.anyOf?.find((o) => o.properties?.['kind']?.const === value['kind']) ?? schema
  const properties = option.properties ?? {}
  const every = Object.values(option.patternProperties ?? {})[0]
  const constants: Record<string, unknown> = Object.create(null)
  const dynamic: [string, Resolve][] = []
  for (const [key, property] of Object.entries(properties))
    if (!Object.hasOwn(value, key) && defaultOf(property) !== undefined) constants[key] = defaultOf(property)
  for (const [key, item] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : every
    const compiled = property ? node(property, item, around) : { constant: item }
    if (typeof compiled === 'function') dynamic.push([key, compiled])
    else constants[key] = compiled.constant
  }
  if (dynamic.length === 0) return { constant: constants }
  const fixed = Object.entries(constants)
  return (bindings) => {
    const result = new BareObject()
    for (const [key, constant] of fixed) result[key] = constant
    for (const [key, resolve] of dynamic) result[key] = resolve(bindings)
    return result
  }
}

const defaultOf = (schema: SchemaNode): unknown =>
  schema.default ?? (schema['x-template'] === 'value' ? schema.anyOf?.[0]?.default : undefined)
