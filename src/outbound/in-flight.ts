// What is under way. A Set would do, were it not for V8: an outgrown table of a Set names the next one and what it held,
// so once one of them is old, dead tables keep all that comes and goes alive until the next full collection.

export interface Placed {
  /** Returns its position; -1 if it is not there. */
  place: number
}

export class InFlight<T extends Placed> {
  readonly #items: T[] = []

  add(item: T): void {
    item.place = this.#items.push(item) - 1
  }

  /** The last one takes its place. */
  delete(item: T): void {
    if (item.place === -1) return
    const last = this.#items.pop()!
    if (last !== item) this.#items[item.place] = last
    last.place = item.place
    item.place = -1
  }

  /** Those of this moment. */
  all(): T[] {
    return [...this.#items]
  }
}
