// What the command palette and the help of keys offer besides the places: each page adds its own while it is shown.
import type { Icon } from '@tabler/icons-react'
import { useEffect, useSyncExternalStore } from 'react'

export interface Command {
  id: string
  label: string
  description?: string
  /** Other words that people may look for it by. */
  keywords?: string
  /** Steps are many, and have a group of their own. */
  group?: 'steps'
  icon?: Icon
  run: () => void
}

export interface KeyBinding {
  /** As written on the keyboard: ['Alt', '↑']. */
  keys: string[]
  label: string
}

class Registry<T> {
  readonly #lists = new Map<symbol, T[]>()
  readonly #listeners = new Set<() => void>()
  #all: T[] = []

  add(list: T[]): () => void {
    const key = Symbol()
    this.#lists.set(key, list)
    this.#changed()
    return () => {
      this.#lists.delete(key)
      this.#changed()
    }
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  all = (): T[] => this.#all

  #changed(): void {
    this.#all = [...this.#lists.values()].flat()
    for (const listener of this.#listeners) listener()
  }
}

const commands = new Registry<Command>()
const bindings = new Registry<KeyBinding>()

/** Keep the list stable between renders (useMemo). */
export const usePageCommands = (list: Command[]): void => useEffect(() => commands.add(list), [list])

/** Names the keys of a page in the help; the page itself listens for them. */
export const usePageKeys = (list: KeyBinding[]): void => useEffect(() => bindings.add(list), [list])

export const useCommands = (): Command[] => useSyncExternalStore(commands.subscribe, commands.all)
export const useKeyBindings = (): KeyBinding[] => useSyncExternalStore(bindings.subscribe, bindings.all)
