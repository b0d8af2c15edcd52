// What the runs under way may hold in memory, all together: their bodies, and what their steps had left when they were taken up.

import { SMALL_RUN } from '../engine/run-store.ts'
import type { Room } from '../operations/ports.ts'

/** A body is there as it came and as its values. */
const TIMES = 2

export class RunMemory {
  readonly #most: number
  #held = 0

  constructor(most: number) {
    this.#most = most
  }

  get room(): Room {
    return { bytes: Math.max(0, Math.floor((this.#most - this.#held) / TIMES)), oneAtLeast: this.#held === 0 }
  }

  fits(bytes: number): boolean {
    const { room } = this
    return bytes <= room.bytes || room.oneAtLeast
  }

  begun(bytes: number): void {
    if (bytes > SMALL_RUN) this.#held += bytes * TIMES
  }

  ended(bytes: number): void {
    if (bytes > SMALL_RUN) this.#held -= bytes * TIMES
  }
}
