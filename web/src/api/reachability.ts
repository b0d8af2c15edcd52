// Whether the service answers. A failed call or stream says that it does not; then it is asked again until it does.
import { useSyncExternalStore } from 'react'

type Listener = () => void

const FIRST_DELAY_MS = 1000
const LONGEST_DELAY_MS = 15_000

class Reachability {
  #reachable = true
  #delayMs = FIRST_DELAY_MS
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #listeners = new Set<Listener>()

  get reachable(): boolean {
    return this.#reachable
  }

  lost(): void {
    if (this.#timer === null) this.#askLater()
    if (!this.#reachable) return
    this.#reachable = false
    this.#tell()
  }

  found(): void {
    if (this.#reachable) return
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    this.#delayMs = FIRST_DELAY_MS
    this.#reachable = true
    this.#tell()
  }

  /** Asks now, for users who do not want to wait. */
  ask = (): void => void this.answers()

  async answers(): Promise<boolean> {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    const answers = await fetch('/healthz', { cache: 'no-store' }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (answers) this.found()
    else this.lost()
    return answers
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #askLater(): void {
    this.#timer = setTimeout(this.ask, this.#delayMs)
    this.#delayMs = Math.min(this.#delayMs * 2, LONGEST_DELAY_MS)
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

export const reachability = new Reachability()

export const useReachable = (): boolean => useSyncExternalStore(reachability.subscribe, () => reachability.reachable)
