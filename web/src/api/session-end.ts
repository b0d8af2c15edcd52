// Whether the session has ended under a page that must not be left for it, since it holds what is not saved yet.
import { useSyncExternalStore } from 'react'

type Listener = () => void

class SessionEnd {
  #ended = false
  #keepers = 0
  readonly #listeners = new Set<Listener>()

  get ended(): boolean {
    return this.#ended
  }

  /** A page stays, and asks for the password itself. */
  get isKept(): boolean {
    return this.#keepers > 0
  }

  /** Returns what ends the keeping. */
  keep = (): (() => void) => {
    this.#keepers++
    return () => {
      this.#keepers--
      if (!this.isKept) this.#set(false)
    }
  }

  /** The service did not know who asked. */
  refused(): void {
    if (this.isKept) this.#set(true)
  }

  /** Somebody has signed in again. */
  begun(): void {
    this.#set(false)
  }

  subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #set(ended: boolean): void {
    if (this.#ended === ended) return
    this.#ended = ended
    for (const listener of this.#listeners) listener()
  }
}

export const sessionEnd = new SessionEnd()

export const useSessionEnded = (): boolean => useSyncExternalStore(sessionEnd.subscribe, () => sessionEnd.ended)
