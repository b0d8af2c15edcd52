// Detects what held the event loop for long: code announces work that it begins, and a timer ticks in between. If neither
// happens for a while, the work that was announced last held the loop.

export interface LoopWatchPorts {
  /** Reports that the loop was held. `last` is the work that was announced last, `runId` the run that it was for. */
  held(ms: number, last: string, runId: string | null): void
  clock?(): number
}

const HELD_MS = 200
const TICK_MS = 50

export class LoopWatch {
  readonly #held: LoopWatchPorts['held']
  readonly #clock: () => number
  #since: number
  #last = 'the start'
  #runId: string | null = null
  #timer: NodeJS.Timeout | null = null

  constructor({ held, clock = () => performance.now() }: LoopWatchPorts) {
    this.#held = held
    this.#clock = clock
    this.#since = clock()
  }

  /** Announces work. `what` is logged: the pattern of a route or the kind of a step, never data from outside. */
  begin(what: string, runId: string | null = null): void {
    this.tick()
    this.#last = what
    this.#runId = runId
  }

  tick(): void {
    const now = this.#clock()
    const heldMs = now - this.#since
    this.#since = now
    if (heldMs >= HELD_MS) this.#held(heldMs, this.#last, this.#runId)
  }

  start(): void {
    this.#since = this.#clock()
    this.#timer = setInterval(() => this.tick(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
  }
}
