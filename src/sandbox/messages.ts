// What the pool and its workers say to each other: flat lists of texts and numbers, which cost little to copy.
import type { CodeErrorCode } from '../engine/sandbox.ts'

export interface RunRequest {
  code: string
  /** JSON. */
  input: string
  timeoutMs: number
  memoryBytes: number
}

export interface Failure {
  code: CodeErrorCode
  message: string
  hint: string
}

export type RunReply =
  | { output: string; logs: string[] }
  /** `broken`: the worker can no longer be trusted. */
  | { failure: Failure; logs: string[]; broken: boolean }
