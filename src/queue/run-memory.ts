// Limits the memory of all active runs together: their bodies, the step results that were read when they were taken up, and
// the large replies that arrive later.
import type { ReplyRoom } from '../engine/ports/http-client.ts'
import { SMALL_RUN } from '../engine/ports/run-journal.ts'
import { DENSEST, READING, type Room } from '../operations/ports/queue.ts'

/** Data counts twice: memory holds the bytes as received and the parsed values. */
const TIMES = 2

export class RunMemory implements ReplyRoom {
  readonly #most: number
  #held = 0
  /** The bytes per run, in the order in which the runs began to count. */
  readonly #byRun = new Map<string, number>()
  #line: { runId: string; bytes: number; goOn: () => void }[] = []
  /** The most that each run takes that is being read, which comes in addition. */
  readonly #unread = new Map<string, number>()
  #reading = 0
  /** Is called when runs for which there was no room may begin. */
  onRoom: () => void = () => {}

  constructor(most: number) {
    this.#most = most
  }

  get room(): Room {
    const free = floor((this.#most - this.#held) / TIMES)
    const bytes = Math.min(free, floor((READING - this.#reading) / DENSEST))
    if (this.#unread.size > 0) return { bytes, bytesOfOne: bytes }
    // Whatever its size, one may begin where none is, and be read where none is being read.
    return { bytes, bytesOfOne: this.#byRun.size === 0 ? Number.MAX_SAFE_INTEGER : free }
  }

  fits(bytes: number): boolean {
    return bytes <= this.room.bytesOfOne
  }

  begun(runId: string, bytes: number): void {
    if (bytes <= SMALL_RUN) return
    this.#add(runId, bytes * TIMES)
    this.#unread.set(runId, bytes * DENSEST)
    this.#reading += bytes * DENSEST
  }

  opened(runId: string, weigh: () => Promise<number>): Promise<void> | null {
    return this.#unread.has(runId) ? this.#weighed(runId, weigh) : null
  }

  async #weighed(runId: string, weigh: () => Promise<number>): Promise<void> {
    const bytes = await weigh()
    // The run may have ended meanwhile.
    const counted = this.#byRun.get(runId)
    if (counted === undefined || !this.#unread.has(runId)) return
    this.#read(runId)
    this.#add(runId, Math.max(counted, bytes) - counted)
    this.onRoom()
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
    this.#line = this.#line.filter((waiting) => waiting.runId !== runId)
    const held = this.#byRun.get(runId)
    if (held === undefined) return
    this.#held -= held
    this.#byRun.delete(runId)
    this.#read(runId)
    this.#letOn()
    this.onRoom()
  }

  #read(runId: string): void {
    this.#reading -= this.#unread.get(runId) ?? 0
    this.#unread.delete(runId)
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

const floor = (bytes: number): number => Math.max(0, Math.floor(bytes))
