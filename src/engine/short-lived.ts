// A map for things that come and go by the thousand each second. A plain Map's outgrown tables point to their successors; once one of them
// has grown old, the collector takes all that follow for alive, with whatever they held. Here they hold an emptied slot.

interface Slot<T> {
  value: T | null
}

export class ShortLived<T> {
  readonly #slots = new Map<string, Slot<T>>()

  get size(): number {
    return this.#slots.size
  }

  set(key: string, value: T): void {
    this.#slots.set(key, { value })
  }

  get(key: string): T | undefined {
    return this.#slots.get(key)?.value ?? undefined
  }

  /** Removes and returns. */
  take(key: string): T | undefined {
    const slot = this.#slots.get(key)
    if (!slot) return undefined
    const { value } = slot
    slot.value = null
    this.#slots.delete(key)
    return value!
  }

  *values(): Iterable<T> {
    for (const { value } of this.#slots.values()) if (value !== null) yield value
  }
}
