// Lets many answers to the same callback be looked at one after the other: the first decides, and those behind it need no
// transaction, which would wait for the same rows.

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>()

  /** Does the work after everything that was given for this key before. */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve()
    const done = before.then(work)
    const settled = done.catch(() => {})
    this.#last.set(key, settled)
    try {
      return await done
    } finally {
      if (this.#last.get(key) === settled) this.#last.delete(key)
    }
  }
}
