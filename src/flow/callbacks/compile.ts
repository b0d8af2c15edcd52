// Compiles what has to be known of callbacks outside of their runs: where they stand, who may answer, and what is taken.
import { isObject } from '../../base/is-object.ts'
import { checkValue } from '../check.ts'
import { conditionResolver } from '../compile.ts'
import { type FlowDocument, type Kinds, type StepDocument, stepSchema } from '../document.ts'
import { parseTemplate } from '../expression/index.ts'
import type { Bindings } from '../expression/values/bindings.ts'
import { Findings } from '../issue.ts'
import { DEFAULT_ACCEPT } from '../triggers/webhook/compile.ts'
import { type CompiledAuth, compileAuth } from '../triggers/webhook/compile-auth.ts'
import { type ApprovalDocument, type ApprovalField, type CallbackDocument, DEFAULT_ANSWERS } from './schema.ts'

export interface CompiledCallback {
  id: string
  /** The steps around it, the outermost first. */
  around: readonly { id: string; isLoop: boolean }[]
  auth: CompiledAuth
  accept: readonly string[]
  when: ((bindings: Bindings) => boolean) | null
  /** What the condition reads: roots with the names below them. */
  reads: readonly (readonly string[])[]
  /** The connections that its authentication and its condition read. */
  connections: readonly string[]
  /** null: an outside system answers, not a person. */
  approval: CompiledApproval | null
}

export interface CompiledApproval {
  answers: readonly string[]
  fields: readonly Required<ApprovalField>[]
  who: 'link' | 'users'
}

export type CompiledCallbacks = ReadonlyMap<string, CompiledCallback>

/** A person answers with a form or with JSON. */
const APPROVAL_ACCEPT = ['application/x-www-form-urlencoded', 'application/json']

/** Returns the callbacks of a flow by the ids of their steps; null if it has none, as most flows. */
export function compileCallbacks({ steps, onFailure }: FlowDocument, kinds: Kinds): CompiledCallbacks | null {
  const found = new Map<string, CompiledCallback>()
  const visit = (list: readonly unknown[], around: CompiledCallback['around']): void => {
    for (const step of list as StepDocument[]) {
      const { id, callback, approval } = step
      if (isObject(callback)) found.set(id, ofCallback(id, around, callback as CallbackDocument))
      else if (isObject(approval)) found.set(id, ofApproval(id, around, approval as ApprovalDocument))
      checkValue(stepSchema(kinds.get(step.kind)!), step, '', new Findings(), {
        template() {},
        secret() {},
        connection() {},
        steps: (nested, _path, view) => visit(nested, [...around, { id, isLoop: view === 'rounds' }]),
      })
    }
  }
  visit(steps, [])
  if (Array.isArray(onFailure)) visit(onFailure, [])
  return found.size ? found : null
}

function ofCallback(
  id: string,
  around: CompiledCallback['around'],
  { auth, accept, when }: CallbackDocument,
): CompiledCallback {
  const condition = when as unknown as string | boolean | undefined
  return {
    id,
    around,
    auth: compileAuth(auth),
    accept: accept?.map((type) => type.toLowerCase()) ?? DEFAULT_ACCEPT,
    when: condition === undefined ? null : conditionResolver(condition),
    reads: typeof condition === 'string' ? referencesIn(condition) : [],
    connections: connectionsIn([auth, condition]),
    approval: null,
  }
}

const ofApproval = (
  id: string,
  around: CompiledCallback['around'],
  { answers, fields, who }: ApprovalDocument,
): CompiledCallback => ({
  id,
  around,
  auth: { kind: 'none' },
  accept: APPROVAL_ACCEPT,
  when: null,
  reads: [],
  connections: [],
  approval: {
    answers: answers ?? DEFAULT_ANSWERS,
    fields: (fields ?? []).map((field) => ({ label: field.name, type: 'text', required: false, ...field })),
    who: who ?? 'link',
  },
})

const referencesIn = (source: string): string[][] =>
  parseTemplate(source).parts.flatMap((part) =>
    typeof part === 'string' ? [] : part.references.map(({ path }) => path),
  )

const textsIn = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value ?? {}).flatMap(textsIn)

const connectionsIn = (settings: unknown): string[] => {
  const references = textsIn(settings).flatMap(referencesIn)
  return [...new Set(references.flatMap(([root, name]) => (root === 'connections' && name !== undefined ? name : [])))]
}
