// Two ways to let others go on: for a time, and in between long work.
import { setImmediate as nextTurn } from 'node:timers/promises'

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The time after which others get theirs. */
const TURN_MS = 8

/** Divides long work among turns of the event loop, so that nobody else waits for all of it. */
export class LoopTurns {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began >= TURN_MS
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
