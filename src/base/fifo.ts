// A queue, first in, first out, that does not move the remaining items at each take.
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #head = 0

  get size(): number {
    return this.#items.length - this.#head
  }

  peek(): T | undefined {
    return this.#items[this.#head]
  }

  get last(): T | undefined {
    return this.#items.at(-1)
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** Puts an item that was taken back to the front. */
  unshift(item: T): void {
    if (this.#head > 0) this.#items[--this.#head] = item
    else this.#items.unshift(item)
  }

  shift(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#head]
    this.#items[this.#head++] = undefined
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) this.#compact()
    return item
  }

  /** Returns all items that match. */
  filter(matches: (item: T) => boolean): T[] {
    this.#compact()
    return (this.#items as T[]).filter(matches)
  }

  /** Removes and returns all items that match, at any position. */
  remove(matches: (item: T) => boolean): T[] {
    const removed: T[] = []
    const left: T[] = []
    for (let i = this.#head; i < this.#items.length; i++) {
      const item = this.#items[i] as T
      if (matches(item)) removed.push(item)
      else left.push(item)
    }
    this.#items = left
    this.#head = 0
    return removed
  }

  #compact(): void {
    this.#items = this.#items.slice(this.#head)
    this.#head = 0
  }
}
