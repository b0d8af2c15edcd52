// Turns a valid document into what the engine runs.
import { type CompiledStep, compileStep } from './compile.ts'
import type { FlowDocument, KindSchema } from './document.ts'
import { type IsSecretField, SecretFlow } from './secret-flow.ts'
import { type CompiledTrigger, compileTrigger } from './triggers/compile-trigger.ts'

export interface CompiledFlow<K extends KindSchema = KindSchema> {
  name: string
  trigger: CompiledTrigger
  steps: readonly CompiledStep<K>[]
}

/** Expects a document that `validate` found publishable. `isSecretField`: null if secrets need not be followed. */
export function compileFlow<K extends KindSchema>(
  document: FlowDocument,
  kinds: ReadonlyMap<string, K>,
  isSecretField: IsSecretField | null = null,
): CompiledFlow<K> {
  const secrets = isSecretField && new SecretFlow(document, kinds, isSecretField)
  return {
    name: document.name,
    trigger: compileTrigger(document.trigger),
    steps: document.steps.map((step) => compileStep(step, kinds, secrets, document.pinned)),
  }
}
