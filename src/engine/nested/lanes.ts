// Lets parts of a run wait side by side: rounds of a loop, or branches.
import { Parked } from '../walk-signals.ts'

/** What lanes need from the walk that they belong to. */
export interface LaneWalker {
  /** Resolves when all finished work is durable. */
  settled(): Promise<void>
  /** Resolves `done` when it is worth another look, within this process: at `time`, or soon if it is null. */
  sleepUntil(time: number | null): { done: Promise<void>; end(): void }
}

/** A wait for another run has no time, and comes after all others. */
const LATEST = Number.MAX_SAFE_INTEGER

/** Keeps lanes that wait in this process while another lane works. Once all lanes wait, the run is parked. */
export class Lanes {
  readonly #walker: LaneWalker
  readonly #waiting = new Set<{ resumeAt: number | null; looks: boolean; park(looks: boolean): void }>()
  #working = 0

  constructor(walker: LaneWalker) {
    this.#walker = walker
  }

  async run(lane: () => Promise<void>): Promise<void> {
    this.#working++
    try {
      await lane()
    } finally {
      this.#working--
      this.#parkIfAllWait()
    }
  }

  async untilDone(work: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await work()
      } catch (signal) {
        if (!(signal instanceof Parked)) throw signal
        // The wait may be long: finished work and the end of the wait must survive a crash meanwhile.
        await this.#walker.settled()
        await this.#wait(signal)
      }
    }
  }

  async #wait({ resumeAt, looks }: Parked): Promise<void> {
    const sleep = this.#walker.sleepUntil(looks ? null : resumeAt)
    this.#working--
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting = { resumeAt, looks, park: (anyLooks: boolean) => reject(new Parked(resumeAt, anyLooks)) }
        this.#waiting.add(waiting)
        void sleep.done.then(() => {
          this.#waiting.delete(waiting)
          resolve()
        })
        this.#parkIfAllWait()
      })
    } finally {
      sleep.end()
      this.#working++
    }
  }

  #parkIfAllWait(): void {
    if (this.#working > 0) return
    // The earliest comes first, because the run parks with the first signal.
    const all = [...this.#waiting].toSorted((a, b) => (a.resumeAt ?? LATEST) - (b.resumeAt ?? LATEST))
    this.#waiting.clear()
    const looks = all.some((waiting) => waiting.looks)
    for (const waiting of all) waiting.park(looks)
  }
}
