// The port to the sandbox, which runs code steps isolated from the process.
import type { CodeErrorCode } from '../../base/error-catalogue.ts'

export interface CodeRequest {
  /** JavaScript or TypeScript with a default export. */
  code: string
  /** Any JSON value. */
  input: unknown
  timeoutMs: number
  memoryBytes: number
  signal: AbortSignal | null
}

export interface CodeResult {
  /** A JSON value that shares nothing with the sandbox. */
  output: unknown
  /** What the code wrote to its console. */
  logs: string[]
}

/** Says why code gave no result. Message and hint are for the user. */
export class CodeError extends Error {
  readonly code: CodeErrorCode
  readonly hint: string
  readonly logs: string[]
  constructor(code: CodeErrorCode, message: string, hint: string, logs: string[] = []) {
    super(message)
    this.code = code
    this.hint = hint
    this.logs = logs
  }
}

export interface Sandbox {
  /** Rejects with CodeError only. */
  run(request: CodeRequest): Promise<CodeResult>
}
