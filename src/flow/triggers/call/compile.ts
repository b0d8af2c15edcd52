import type { CompiledCommon } from '../trigger-kind.ts'
import { CALL, type CallDocument } from './schema.ts'

export interface CompiledCall extends CompiledCommon {
  kind: typeof CALL
  /** null: any input is accepted. */
  input: object | boolean | null
}

export const compileCall = ({ input, concurrency }: CallDocument): CompiledCall => ({
  kind: CALL,
  input: (input as object | boolean | undefined) ?? null,
  concurrency: concurrency ?? null,
  finalReply: null,
  keepsReply: true,
})
