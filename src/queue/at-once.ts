// Lets fewer runs be under way at once while the process has no time left: more would make all of them slower and end none of them
// sooner, and what each holds in memory is moved about until it ends. Waiting for others leaves time, so it lowers nothing.

/** So many may be under way always. */
const FEW = 32
const LOOK_MS = 100
/** The shares of its time that the event loop was at work: above the first there are fewer, below the second there are more again. */
const NO_TIME = 0.97
const HAS_TIME = 0.8

export interface AtOncePorts {
  /** Returns the share of the time since the last call that the event loop was at work. */
  busy(): number
  /** Is told that more may begin. */
  more(): void
}

export class AtOnce {
  readonly #most: number
  readonly #ports: AtOncePorts
  #limit: number
  #underWay = 0
  #timer: NodeJS.Timeout | null = null

  constructor(most: number, ports: AtOncePorts) {
    this.#most = most
    this.#limit = most
    this.#ports = ports
  }

  get limit(): number {
    return this.#limit
  }

  /** A run that nobody waits for begins as long as there are places at all: its end is stored with its start then. */
  hasPlace(isAwaited: boolean): boolean {
    return this.#underWay < (isAwaited ? this.#limit : this.#most)
  }

  begun(): void {
    this.#underWay++
    if (this.#timer !== null || this.#underWay <= FEW) return
    this.#ports.busy()
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref()
  }

  ended(): void {
    this.#underWay--
  }

  stop(): void {
    if (this.#timer) clearInterval(this.#timer)
    this.#timer = null
    this.#limit = this.#most
  }

  #look(): void {
    const busy = this.#ports.busy()
    const isCrowded = this.#underWay >= Math.min(FEW, this.#limit)
    if (busy > NO_TIME && isCrowded) this.#limit = Math.min(this.#limit, Math.max(FEW, this.#limit >> 1))
    else if (busy < HAS_TIME && this.#isLowered) {
      this.#limit = Math.min(this.#most, this.#limit + (this.#limit >> 2))
      this.#ports.more()
    }
    if (!isCrowded && !this.#isLowered) this.stop()
  }

  get #isLowered(): boolean {
    return this.#limit < this.#most
  }
}
