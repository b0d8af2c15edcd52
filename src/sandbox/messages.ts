// The messages between the pool and its workers: flat lists of texts and numbers, which cost little to copy.
import type { JSValuePointer } from '@jitl/quickjs-ffi-types'
import type { CodeErrorCode } from '../base/error-catalogue.ts'
import type { Image } from './quickjs/guest-memory.ts'
import type { Handles } from './quickjs/quickjs.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'

/** A text that is ready to run: an image, and what the host needs to know of it. */
export interface Prepared {
  image: Image
  handles: Handles
  /** Functions of guest/prelude.js. */
  drive: JSValuePointer
  reportUnawaited: JSValuePointer
}

export interface RunRequest {
  /** Counts the requests to a worker, from 1. */
  turn: number
  code: string
  /** The input as JSON, or `=` and a text, which the guest need not parse then. */
  input: string
  timeoutMs: number
  memoryBytes: number
  /** Whether the reply shall bring the prepared text along. */
  wantsPrepared: boolean
}

export interface Failure {
  code: CodeErrorCode
  message: string
  hint: string
}

export type RunReply = { logs: string[]; tookMs: number; prepared?: Prepared } & (
  | { output: string }
  /** `broken`: the instance can no longer be trusted. */
  | { failure: Failure; broken: boolean }
)

/** What a worker is started with, and what it says when it is ready. */
export interface WorkerStart {
  offers: SharedArrayBuffer
  /** QuickJS as another worker has compiled it. */
  compiled: CompiledModule | null
}
export interface WorkerReady {
  compiled: CompiledModule
}

/**
 * A worker receives its next request before it has answered the last, so that it need not wait for the pool. Shared memory
 * decides who has a request: `offer` writes its number into a place, and the side that takes the number out has it.
 */
export class Offers {
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

  /** Returns whether the request was still available. */
  take(turn: number): boolean {
    return Atomics.compareExchange(this.#places, turn & 1, turn, 0) === turn
  }
}
