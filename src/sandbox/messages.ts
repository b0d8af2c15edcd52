// What the pool and its workers say to each other: flat lists of texts and numbers, which cost little to copy.
import type { CodeErrorCode } from '../base/error-catalogue.ts'

export interface RunRequest {
  /** Counts the requests to a worker, from 1. */
  turn: number
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

/**
 * A worker has its next request at hand before it has answered the last, so that it need not wait for the pool. Which
 * of them it may begin is in memory that both see, in the place of the turn: the side that takes the number out has the request.
 */
export class Claims {
  readonly #places: Int32Array<SharedArrayBuffer>

  constructor(memory = new SharedArrayBuffer(8)) {
    this.#places = new Int32Array(memory)
  }

  get memory(): SharedArrayBuffer {
    return this.#places.buffer
  }

  offer(turn: number): void {
    Atomics.store(this.#places, turn & 1, turn)
  }

  /** Whether it was still to be had. */
  take(turn: number): boolean {
    return Atomics.compareExchange(this.#places, turn & 1, turn, 0) === turn
  }
}
