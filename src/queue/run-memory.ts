// Limits the memory of all active runs together: their bodies, the step results that were read when they were taken up, and
// the large replies that arrive later.
import type { ReplyRoom } from '../engine/ports/http-client.ts'
import { SMALL_RUN } from '../engine/ports/run-journal.ts'
import type { Room } from '../operations/ports/queue.ts'

/** Data counts twice: memory holds the bytes as received and the parsed values. */
const TIMES = 2

export class RunMemory implements ReplyRoom {
  readonly #most: number
  #held = 0
  /** The bytes per run, in the order in which the runs began to count. */
  readonly #byRun = new Map<string, number>()
  #line: { runId: string; bytes: number; goOn: () => void }[] = []

  constructor(most: number) {
    this.#most = most
  }

  get room(): Room {
    return { bytes: Math.max(0, Math.floor((this.#most - this.#held) / TIMES)), oneAtLeast: this.#byRun.size === 0 }
  }

  fits(bytes: number): boolean {
    const { room } = this
    return bytes <= room.bytes || room.oneAtLeast
  }

  begun(runId: string, bytes: number): void {
    if (bytes > SMALL_RUN) this.#add(runId, bytes * TIMES)
  }

  grow(runId: string, bytes: number): true | Promise<void> {
    if (this.#mayGrow(runId, bytes * TIMES)) {
      this.#add(runId, bytes * TIMES)
      return true
    }
    return new Promise((goOn) => this.#line.push({ runId, bytes: bytes * TIMES, goOn }))
  }

  shrink(runId: string, bytes: number): void {
    // The run may have ended meanwhile.
    if (this.#byRun.has(runId)) this.#add(runId, -bytes * TIMES)
    this.#letOn()
  }

  ended(runId: string): void {
    if (this.#byRun.size === 0) return
    this.#held -= this.#byRun.get(runId) ?? 0
    this.#byRun.delete(runId)
    this.#line = this.#line.filter((waiting) => waiting.runId !== runId)
    this.#letOn()
  }

  /** Returns whether the run may grow. The run that has held memory longest always may, so that it ends and frees it. */
  #mayGrow(runId: string, bytes: number): boolean {
    if (this.#held + bytes <= this.#most || this.#byRun.size === 0) return true
    const [oldest] = this.#byRun.keys()
    return oldest === runId
  }

  #add(runId: string, bytes: number): void {
    this.#held += bytes
    const ofRun = (this.#byRun.get(runId) ?? 0) + bytes
    if (ofRun > 0) this.#byRun.set(runId, ofRun)
    else this.#byRun.delete(runId)
  }

  #letOn(): void {
    if (this.#line.length === 0) return
    this.#line = this.#line.filter(({ runId, bytes, goOn }) => {
      if (!this.#mayGrow(runId, bytes)) return true
      this.#add(runId, bytes)
      goOn()
      return false
    })
  }
}
