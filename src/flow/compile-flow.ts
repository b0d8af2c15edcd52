// Turns a valid document into what the engine runs.
import { type CompiledCallbacks, compileCallbacks } from './callbacks/compile.ts'
import { type CompiledStep, compileStep } from './compile.ts'
import type { FlowDocument, KindSchema, StepDocument } from './document.ts'
import { type KeptData, keptData } from './document.ts'
import { type IsSecretField, SecretFlow } from './secret-flow.ts'
import { NO_SENDERS, type Senders } from './senders/schema.ts'
import { type CompiledTrigger, compileTrigger } from './triggers/compile-trigger.ts'

export interface CompiledFlow<K extends KindSchema = KindSchema> {
  name: string
  slug: string | null
  trigger: CompiledTrigger
  steps: readonly CompiledStep<K>[]
  /** The steps that run when a run has failed; null if the flow says nothing about that. */
  onFailure: readonly CompiledStep<K>[] | null
  /** null if no step waits for a callback. */
  callbacks: CompiledCallbacks | null
  /** Which runs keep their data after their end. */
  keptData: KeptData
}

/** Expects a document that `validate` found publishable. `isSecretField`: null if secrets need not be followed. */
export function compileFlow<K extends KindSchema>(
  document: FlowDocument,
  kinds: ReadonlyMap<string, K>,
  isSecretField: IsSecretField | null = null,
  senders: Senders = NO_SENDERS,
): CompiledFlow<K> {
  const secrets = isSecretField && new SecretFlow(document, kinds, isSecretField)
  const compiled = (step: StepDocument) => compileStep(step, kinds, secrets, document.pinned)
  const { onFailure } = document
  return {
    name: document.name,
    slug: document.slug ?? null,
    trigger: compileTrigger(document.trigger, senders),
    steps: document.steps.map(compiled),
    onFailure: Array.isArray(onFailure)
      ? onFailure.map(compiled)
      : onFailure
        ? compileFailureCall(onFailure.flow, kinds)
        : null,
    callbacks: compileCallbacks(document, kinds),
    keptData: keptData(document),
  }
}

/** The root that holds what a flow gets that is called for a failed run; templates of documents cannot read it. */
export const HANDED = 'handed'

/** Returns the step that calls a flow for a failed run. */
export function compileFailureCall<K extends KindSchema>(
  flow: string,
  kinds: ReadonlyMap<string, K>,
): readonly CompiledStep<K>[] {
  const { kind } = [...kinds.values()].find(({ startsRun }) => startsRun)!
  const step = compileStep({ id: 'flow', kind, flow }, kinds)
  return [{ ...step, settings: ({ roots }) => ({ flow, input: roots[HANDED], wait: true }) }]
}
