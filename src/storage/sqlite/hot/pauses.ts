// The pauses that the writing thread makes while it puts the runs of the log into the tables. Nobody waits for that, as a rule, and it takes a
// few milliseconds: so long, others on the same processor would not get it, such as a proxy or a sender on the same machine.

const WORK_MS = 0.2
/** Systems make more of it: Linux 0.07 ms. */
const PAUSE_MS = 0.02

export class Pauses {
  /** Holds 1 while somebody waits. */
  readonly #awaited: Int32Array
  readonly #pauseMs: number
  #workingSince = 0

  constructor(awaited: Int32Array, pauseMs = PAUSE_MS) {
    this.#awaited = awaited
    this.#pauseMs = pauseMs
  }

  /** Work begins. */
  begin(): void {
    this.#workingSince = performance.now()
  }

  /** Pauses if it is time to, and nobody waits or begins to. */
  pause(): void {
    if (performance.now() - this.#workingSince < WORK_MS) return
    Atomics.wait(this.#awaited, 0, 0, this.#pauseMs)
    this.begin()
  }
}
