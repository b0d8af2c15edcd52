// The clock of a test: it stands still, and jumps to the time that somebody waits for.

export class VirtualClock {
  #time: number
  readonly #listeners: ((time: number) => void)[] = []

  constructor(startMs: number) {
    this.#time = startMs
  }

  readonly now = (): number => this.#time

  /** Time never goes back. */
  advanceTo(timeMs: number): void {
    if (timeMs <= this.#time) return
    this.#time = timeMs
    for (const listener of this.#listeners) listener(timeMs)
  }

  onAdvance(listener: (time: number) => void): void {
    this.#listeners.push(listener)
  }

  /** Sleepers never wait: each wakes at the next turn, and finds that its time has come. */
  readonly sleepUntil = (timeMs: number): { done: Promise<void>; end(): void } => {
    let wake: NodeJS.Immediate
    const done = new Promise<void>((resolve) => {
      wake = setImmediate(() => {
        this.advanceTo(timeMs)
        resolve()
      })
    })
    return { done, end: () => clearImmediate(wake) }
  }
}
