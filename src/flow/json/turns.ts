// Divides long work among turns of the event loop, so that nobody else waits for all of it.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The time after which others get theirs. */
const TURN_MS = 8

export class Turns {
  #began = performance.now()

  get isOver(): boolean {
    return performance.now() - this.#began >= TURN_MS
  }

  async next(): Promise<void> {
    await nextTurn()
    this.#began = performance.now()
  }
}
