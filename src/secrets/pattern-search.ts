// Finds any of many texts inside another in a time that hardly depends on how many there are (after Wu and Manber): it looks at
// pairs of characters, and skips ahead by as much as no text that is searched for could begin.

export interface Span {
  start: number
  end: number
}

const PAIRS = 1 << 16
const pairOf = (first: number, second: number): number => ((first << 8) ^ (first >>> 8) ^ second) & (PAIRS - 1)

export class PatternSearch {
  /** The length of the shortest pattern: what is compared of all of them. */
  readonly #window: number
  /** By pair of characters, how far the window may move when it ends in that pair. */
  readonly #shifts = new Uint8Array(PAIRS)
  /** By the pairs at both ends of the window. */
  readonly #candidates = new Map<number, string[]>()

  /** Patterns of two characters or more. */
  constructor(patterns: Iterable<string>) {
    const all = [...new Set(patterns)]
    this.#window = Math.min(255, ...all.map((pattern) => pattern.length))
    this.#shifts.fill(this.#window - 1)
    for (const pattern of all) {
      for (let end = 1; end < this.#window; end++) {
        const pair = pairOf(pattern.charCodeAt(end - 1), pattern.charCodeAt(end))
        this.#shifts[pair] = Math.min(this.#shifts[pair]!, this.#window - 1 - end)
      }
      const key = this.#keyAt(pattern, 0)
      const same = this.#candidates.get(key)
      if (same) same.push(pattern)
      else this.#candidates.set(key, [pattern])
    }
  }

  finds(text: string): boolean {
    return this.#next(text, 0) !== null
  }

  all(text: string): Span[] {
    const spans: Span[] = []
    for (let span = this.#next(text, 0); span; span = this.#next(text, span.start + 1)) spans.push(span)
    return spans
  }

  /** The first match that begins at `from` or later, and the longest of those that begin at its place. */
  #next(text: string, from: number): Span | null {
    if (this.#candidates.size === 0) return null
    const window = this.#window
    const shifts = this.#shifts
    for (let end = from + window - 1; end < text.length; ) {
      const shift = shifts[pairOf(text.charCodeAt(end - 1), text.charCodeAt(end))]!
      if (shift > 0) {
        end += shift
        continue
      }
      const start = end - window + 1
      let longest = 0
      for (const pattern of this.#candidates.get(this.#keyAt(text, start)) ?? [])
        if (pattern.length > longest && text.startsWith(pattern, start)) longest = pattern.length
      if (longest) return { start, end: start + longest }
      end++
    }
    return null
  }

  #keyAt(text: string, start: number): number {
    const end = start + this.#window - 1
    const first = pairOf(text.charCodeAt(start), text.charCodeAt(start + 1))
    return first * PAIRS + pairOf(text.charCodeAt(end - 1), text.charCodeAt(end))
  }
}
