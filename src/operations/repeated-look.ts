// Looks for work again and again: at once when it is woken, else after the time that the last look asked for.

export class RepeatedLook {
  readonly #look: () => Promise<number>
  /** The time until the next look after one that failed. */
  readonly #idleMs: number
  readonly #failed: (error: Error) => void
  #timer: NodeJS.Timeout | null = null
  #looking: Promise<void> | null = null
  #lookAgain = false
  #stopped = false

  constructor(look: () => Promise<number>, idleMs: number, failed: (error: Error) => void) {
    this.#look = look
    this.#idleMs = idleMs
    this.#failed = failed
  }

  get isStopped(): boolean {
    return this.#stopped
  }

  /** Resolves when a look that is under way has ended. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#looking
  }

  wake(): void {
    if (this.#stopped) return
    if (this.#looking) {
      this.#lookAgain = true
      return
    }
    if (this.#timer) clearTimeout(this.#timer)
    this.#looking = this.#lookAndSleep()
  }

  async #lookAndSleep(): Promise<void> {
    let sleepMs = this.#idleMs
    try {
      do {
        this.#lookAgain = false
        sleepMs = await this.#look()
      } while (!this.#stopped && (this.#lookAgain || sleepMs === 0))
    } catch (error) {
      this.#failed(error as Error)
    }
    this.#looking = null
    if (!this.#stopped) this.#timer = setTimeout(() => this.wake(), sleepMs)
  }
}
