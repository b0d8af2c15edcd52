// Tells where the wall clock of a time zone hangs at an instant, and which instants a wall time stands for.
// A wall time is written in milliseconds as if it were UTC.

const DAY_MS = 86_400_000
/** No zone changes its clocks twice within this time. */
const BETWEEN_CHANGES_MS = 7 * DAY_MS

/** A change of the clocks: they hang at `offset` from `at` on, and at `before` until then. */
export interface ClockChange {
  at: number
  before: number
  offset: number
}

/** What a wall time stands for: a gap has no such time, and then `gapEnd` is the first instant after it. */
export type Instants = { at: readonly [first: number, ...second: number[]] } | { gapEnd: number }

export class Zone {
  readonly name: string
  readonly #format: Intl.DateTimeFormat | null

  private constructor(name: string) {
    this.name = name
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
    this.#format = format.resolvedOptions().timeZone === 'UTC' ? null : format
  }

  static readonly #known = new Map<string, Zone>()

  /** Returns null if there is no zone of that name. */
  static named(name: string): Zone | null {
    const known = Zone.#known.get(name)
    if (known) return known
    // Offsets are no names: nobody can say when their clocks change.
    if (!/^[A-Za-z]/.test(name)) return null
    try {
      const zone = new Zone(name)
      // Letter case does not matter in a name, so only the usual spelling is kept: strangers may write the others.
      if (zone.#format === null || zone.#format.resolvedOptions().timeZone === name) Zone.#known.set(name, zone)
      return zone
    } catch {
      return null
    }
  }

  /** Returns how far the wall clock is ahead of UTC. */
  offsetAt(instant: number): number {
    if (this.#format === null) return 0
    const [, sign, hours, minutes = 0, seconds = 0] =
      /GMT(?:([+-])(\d\d):?(\d\d)?:?(\d\d)?)?$/.exec(this.#format.format(instant)) ?? []
    if (sign === undefined) return 0
    const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000
    return sign === '-' ? -offset : offset
  }

  instantsOf(wall: number): Instants {
    if (this.#format === null) return { at: [wall] }
    // The instant lies within a day of the wall time, and with it the change that may make it unusual.
    const before = this.offsetAt(wall - DAY_MS)
    const after = this.offsetAt(wall + DAY_MS)
    if (before === after) return { at: [wall - before] }
    const found = [wall - before, wall - after]
      .filter((instant, i) => this.offsetAt(instant) === (i === 0 ? before : after))
      .toSorted((a, b) => a - b)
    const [first, ...second] = found
    if (first !== undefined) return { at: [first, ...second] }
    return { gapEnd: this.#changeIn(wall - DAY_MS, wall + DAY_MS) }
  }

  /** Returns the first change of the clocks after `after` and not later than `until`. */
  changeBetween(after: number, until: number): ClockChange | null {
    if (this.#format === null) return null
    const before = this.offsetAt(after)
    for (let from = after; from < until; from += BETWEEN_CHANGES_MS) {
      const to = Math.min(from + BETWEEN_CHANGES_MS, until)
      const offset = this.offsetAt(to)
      if (offset !== before) return { at: this.#changeIn(from, to), before, offset }
    }
    return null
  }

  /** Returns the first instant with another offset than at `from`, by halving: the offset at `to` is another one. */
  #changeIn(from: number, to: number): number {
    const before = this.offsetAt(from)
    let [low, high] = [Math.floor(from / 1000), Math.ceil(to / 1000)]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (this.offsetAt(middle * 1000) === before) low = middle
      else high = middle
    }
    return high * 1000
  }
}
