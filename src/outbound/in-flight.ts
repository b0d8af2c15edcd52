// The requests under way. It is no Set because of V8: an outgrown table of a Set refers to the next one and to its items, so
// once a table is old, dead tables keep all later items alive until the next full collection.

export interface Placed {
  /** The position in the list; -1 if the item is not there. */
  place: number
}

export class InFlight<T extends Placed> {
  readonly #items: T[] = []

  add(item: T): void {
    item.place = this.#items.push(item) - 1
  }

  /** Removes the item; the last one moves to its position. */
  delete(item: T): void {
    if (item.place === -1) return
    const last = this.#items.pop()!
    if (last !== item) this.#items[item.place] = last
    last.place = item.place
    item.place = -1
  }

  /** Returns a copy of the list. */
  all(): T[] {
    return [...this.#items]
  }
}
