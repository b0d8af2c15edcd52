// Finds any of many patterns in a text, in a time that hardly depends on their number (after Wu and Manber): it looks at
// pairs of characters, and skips as far as no pattern can begin.

export interface Span {
  start: number
  end: number
}

/** Adds a span to ordered spans, none of which begins after it; spans that overlap or touch are merged. */
export function addSpan(spans: Span[], { start, end }: Span): void {
  const last = spans.at(-1)
  if (last && start <= last.end) last.end = Math.max(last.end, end)
  else spans.push({ start, end })
}

/** The limit bounds the work at each place of a text, however the text and the patterns repeat themselves. */
export const LONGEST_PATTERN = 64

const PAIRS = 1 << 16
const pairOf = (first: number, second: number): number => ((first << 8) ^ (first >>> 8) ^ second) & (PAIRS - 1)
/** Searches with few patterns may be many, so their tables are small. */
const FEW = 300
const BITS_FOR_FEW = 12
const BITS_FOR_MANY = 16
/** The multiplication mixes all lower bits into the upper bits of the product. */
const folded = (key: number, bits: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - bits)

/** Patterns that begin alike, by length, the longest first. */
interface Candidates {
  lengths: number[]
  patterns: Set<string>
}

export class PatternSearch {
  /** The length of the shortest pattern, which is how much of every pattern is compared. */
  readonly #window: number
  /** Maps a pair of characters to how far the window may move if it ends in that pair. */
  readonly #shifts: Uint8Array
  /** Tells whether a key may have candidates, faster than a map says no. */
  readonly #mayBegin: Uint8Array
  readonly #bits: number
  /** Maps the pairs at both ends of the window to the patterns. */
  readonly #candidates = new Map<number, Candidates>()

  /** Expects patterns of at least two characters and at most LONGEST_PATTERN. */
  constructor(patterns: Iterable<string>) {
    const all = new Set(patterns)
    this.#bits = all.size > FEW ? BITS_FOR_MANY : BITS_FOR_FEW
    this.#shifts = new Uint8Array(1 << this.#bits)
    this.#mayBegin = new Uint8Array(1 << this.#bits)
    this.#window = LONGEST_PATTERN
    for (const pattern of all) this.#window = Math.min(this.#window, pattern.length)
    this.#shifts.fill(this.#window - 1)
    for (const pattern of all) {
      for (let end = 1; end < this.#window; end++) {
        const pair = folded(pairOf(pattern.charCodeAt(end - 1), pattern.charCodeAt(end)), this.#bits)
        this.#shifts[pair] = Math.min(this.#shifts[pair]!, this.#window - 1 - end)
      }
      const key = this.#keyAt(pattern, 0)
      this.#mayBegin[folded(key, this.#bits)] = 1
      const same = this.#candidates.get(key)
      if (!same) this.#candidates.set(key, { lengths: [pattern.length], patterns: new Set([pattern]) })
      else {
        same.patterns.add(pattern)
        if (!same.lengths.includes(pattern.length)) same.lengths.push(pattern.length)
      }
    }
    for (const { lengths } of this.#candidates.values()) lengths.sort((a, b) => b - a)
  }

  finds(text: string): boolean {
    return this.#next(text, 0) !== null
  }

  /** Returns where the text contains patterns, in order; spans that overlap or touch are merged. */
  all(text: string): Span[] {
    const spans: Span[] = []
    for (let span = this.#next(text, 0); span; span = this.#next(text, span.start + 1)) addSpan(spans, span)
    return spans
  }

  /** Calls `found` with each pattern in the text, unless a longer one begins at the same place. */
  each(text: string, found: (pattern: string) => void): void {
    for (let span = this.#next(text, 0); span; span = this.#next(text, span.start + 1))
      found(text.slice(span.start, span.end))
  }

  /** Returns the first match that begins at `from` or later, and the longest of those that begin there. */
  #next(text: string, from: number): Span | null {
    if (this.#candidates.size === 0) return null
    const window = this.#window
    const shifts = this.#shifts
    const bits = this.#bits
    for (let end = from + window - 1; end < text.length; ) {
      const shift = shifts[folded(pairOf(text.charCodeAt(end - 1), text.charCodeAt(end)), bits)]!
      if (shift > 0) {
        end += shift
        continue
      }
      const start = end - window + 1
      const key = this.#keyAt(text, start)
      const length = this.#mayBegin[folded(key, bits)] ? this.#longestAt(text, start, key) : 0
      if (length) return { start, end: start + length }
      end++
    }
    return null
  }

  #longestAt(text: string, start: number, key: number): number {
    const { lengths = [], patterns } = this.#candidates.get(key) ?? {}
    for (const length of lengths)
      if (start + length <= text.length && patterns!.has(text.slice(start, start + length))) return length
    return 0
  }

  #keyAt(text: string, start: number): number {
    const end = start + this.#window - 1
    const first = pairOf(text.charCodeAt(start), text.charCodeAt(start + 1))
    // Returns a small integer, which a map finds fastest; keys that collide share their candidates.
    return (Math.imul(first, 0x9e35) ^ pairOf(text.charCodeAt(end - 1), text.charCodeAt(end))) & 0x3fffffff
  }
}
