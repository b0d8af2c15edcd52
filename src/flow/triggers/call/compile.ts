import { compileLabels } from '../compile-labels.ts'
import type { CompiledCommon } from '../trigger-kind.ts'
import { CALL, type CallDocument } from './schema.ts'

export interface CompiledCall extends CompiledCommon {
  kind: typeof CALL
  /** null: any input is accepted. */
  input: object | boolean | null
}

export const compileCall = ({ input, concurrency, labels }: CallDocument): CompiledCall => ({
  kind: CALL,
  input: (input as object | boolean | undefined) ?? null,
  concurrency: concurrency ?? null,
  labels: compileLabels(labels),
  finalReply: null,
  keepsReply: true,
})
