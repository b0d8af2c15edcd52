// Finds any of many texts inside another in a time that hardly depends on how many there are (after Wu and Manber): it looks at
// pairs of characters, and skips ahead by as much as no text that is searched for could begin.

export interface Span {
  start: number
  end: number
}

/** To spans in order, one that does not begin before the last of them; those that overlap or touch are one. */
export function addSpan(spans: Span[], { start, end }: Span): void {
  const last = spans.at(-1)
  if (last && start <= last.end) last.end = Math.max(last.end, end)
  else spans.push({ start, end })
}

/** No pattern is longer: so what is done at one place of a text is bounded, however the text and the patterns repeat themselves. */
export const LONGEST_PATTERN = 64

const PAIRS = 1 << 16
const pairOf = (first: number, second: number): number => ((first << 8) ^ (first >>> 8) ^ second) & (PAIRS - 1)
/** A table for few patterns, of which there may be many, is small. */
const FEW = 300
const BITS_FOR_FEW = 12
const BITS_FOR_MANY = 16
/** The upper bits of the product are those in which all the lower ones are mixed. */
const folded = (key: number, bits: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - bits)

/** Patterns that begin alike, by their length, the longest first. */
interface Candidates {
  lengths: number[]
  patterns: Set<string>
}

export class PatternSearch {
  /** The length of the shortest pattern: what is compared of all of them. */
  readonly #window: number
  /** By pair of characters, how far the window may move when it ends in that pair. */
  readonly #shifts: Uint8Array
  /** Whether there may be candidates under a key: a map takes longer to say no. */
  readonly #mayBegin: Uint8Array
  readonly #bits: number
  /** By the pairs at both ends of the window. */
  readonly #candidates = new Map<number, Candidates>()

  /** Patterns of two characters or more, and of LONGEST_PATTERN at most. */
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

  /** Where patterns stand, in order; those that overlap or touch are one. */
  all(text: string): Span[] {
    const spans: Span[] = []
    for (let span = this.#next(text, 0); span; span = this.#next(text, span.start + 1)) addSpan(spans, span)
    return spans
  }

  /** Each pattern that stands in the text, if none that is longer begins at its place. */
  each(text: string, found: (pattern: string) => void): void {
    for (let span = this.#next(text, 0); span; span = this.#next(text, span.start + 1))
      found(text.slice(span.start, span.end))
  }

  /** The first match that begins at `from` or later, and the longest of those that begin at its place. */
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
    // A small integer, which a map finds fastest; two keys that fall together only share their candidates.
    return (Math.imul(first, 0x9e35) ^ pairOf(text.charCodeAt(end - 1), text.charCodeAt(end))) & 0x3fffffff
  }
}
