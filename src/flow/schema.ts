// Schema constructors for flow documents: TypeBox JSON Schemas that say where templates may be and when they are evaluated.
import Type, { type Static, type TSchema } from 'typebox'
import type { Bindings } from './expression/values/bindings.ts'
import { CONNECTION_NAME, wantsTls } from './validate/connection-use.ts'

/**
 * How a templated setting is evaluated:
 * value: one template may stand for the whole value and keeps its type; text: always text; url: the URL rule;
 * tree: any JSON with templates in its strings.
 */
export type TemplateMode = 'value' | 'text' | 'url' | 'tree'

/** When and how a setting is resolved, read by check.ts and compile.ts. */
export interface Annotation {
  'x-template'?: TemplateMode
  /** The setting resolves to a function that the step calls when it needs the value. */
  'x-lazy'?: 'condition' | 'tree'
  /** A nested list of steps; the view says which results its steps see (docs/flows.md#steps). */
  'x-steps'?: StepListView
  /** A secret when typed literally: sealed at rest, with a warning at publish. */
  'x-secret'?: true
  /** The name of a connection of one of these kinds; of `tls` alone: of one with TLS settings. */
  'x-connection'?: readonly string[]
  /** The id or slug of a flow that can be called. */
  'x-flow'?: true
  /** The step itself does not get the setting: others read it, outside of the run. */
  'x-apart'?: true
}

/** `none`: no view of its own (branch); `beside`: lists that run at once; `rounds`: a loop's, of `each` or `while`. */
export type StepListView = 'none' | 'beside' | 'rounds'

const ANY_TEMPLATE = { type: 'string', pattern: '\\{\\{' }

/** Returns the schema of a setting of the given type, or of a template that gives it. */
export function templated<T extends TSchema>(schema: T): Type.TUnsafe<Static<T>> {
  return Type.Unsafe<Static<T>>({ anyOf: [schema, ANY_TEMPLATE], 'x-template': 'value' })
}

/** Returns the schema of text with templates; literal numbers and booleans become text. */
export function text(options: { minLength?: number; description?: string } = {}): Type.TUnsafe<string> {
  return Type.Unsafe<string>({ type: ['string', 'number', 'boolean'], ...options, 'x-template': 'text' })
}

/** Returns the schema of text that is sealed at rest if it is typed literally. */
export function secretText(description?: string): Type.TUnsafe<string> {
  return Type.Unsafe<string>({
    type: ['string', 'number', 'boolean'],
    minLength: 1,
    description,
    'x-template': 'text',
    'x-secret': true,
  })
}

/** Returns the schema of one secret, or of a list of those that are valid during a rotation. */
export function secretTexts(): Type.TUnsafe<string | string[]> {
  return Type.Unsafe<string | string[]>({ anyOf: [secretText(), Type.Array(secretText(), { minItems: 1 })] })
}

/** Returns the schema of a name, never a template: publishing has to know which connections a flow uses. */
export function connectionName(kinds: readonly string[]): Type.TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    pattern: CONNECTION_NAME.source,
    description: `The name of a connection ${wantsTls(kinds) ? 'with TLS settings' : `of the kind ${kinds.join(', ')}`}.`,
    'x-connection': kinds,
  })
}

/** Returns the schema of the id or slug of a flow, never a template: publishing has to know which flows a flow calls. */
export function flowName(): Type.TUnsafe<string> {
  return Type.Unsafe<string>({
    type: 'string',
    minLength: 1,
    maxLength: 100,
    description: 'The id or slug of a published flow whose trigger has the kind call.',
    'x-flow': true,
  })
}

export function urlText(): Type.TUnsafe<string> {
  return Type.Unsafe<string>({ type: 'string', minLength: 1, 'x-template': 'url' })
}

/** Returns the schema of any JSON value with templates in its strings. */
export function json(description?: string): Type.TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ description, 'x-template': 'tree' })
}

/** Returns the schema of a condition that is evaluated when the step asks for it. */
export function condition(): Type.TUnsafe<() => boolean> {
  return Type.Unsafe<() => boolean>({ type: ['string', 'boolean'], minLength: 1, 'x-lazy': 'condition' })
}

/** Returns the schema of a condition that is evaluated with the bindings of a round. */
export function roundCondition(): Type.TUnsafe<(round: Bindings) => boolean> {
  return Type.Unsafe<(round: Bindings) => boolean>({ type: ['string', 'boolean'], minLength: 1, 'x-lazy': 'condition' })
}

/** Returns the schema of JSON with templates that are evaluated with the bindings of a round. */
export function roundTree(description: string): Type.TUnsafe<(round: Bindings) => unknown> {
  return Type.Unsafe<(round: Bindings) => unknown>({ description, 'x-lazy': 'tree' })
}

/** Returns the schema of a nested list of steps, which the step runs through its context. */
export function stepList(view: StepListView): Type.TUnsafe<StepListHandle> {
  return Type.Unsafe<StepListHandle>({ type: 'array', items: { $ref: '#/$defs/step' }, 'x-steps': view })
}

/** A nested list of steps for a kind: only a handle that it passes to `runSteps`. */
export interface StepListHandle {
  readonly length: number
}

export const NameValueList = Type.Array(
  Type.Object({ name: text({ minLength: 1 }), value: text() }, { additionalProperties: false }),
  { maxItems: 1_000 },
)
