import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addSpan, PatternSearch, type Span } from './pattern-search.ts'

describe('PatternSearch', () => {
  // The alphabet is small, so that patterns overlap and share beginnings; some letters exceed one byte.
  const letters = (size: fc.StringConstraints) =>
    fc.string({ ...size, unit: fc.constantFrom('a', 'b', 'c', 'š', '\u0161', '\u{1f424}') })

  it('finds what a plain search for each pattern finds', () => {
    fc.assert(
      fc.property(
        fc.array(letters({ minLength: 2, maxLength: 7 }), { maxLength: 8 }),
        letters({ maxLength: 60 }),
        (patterns, text) => {
          const search = new PatternSearch(patterns)
          expect(search.finds(text)).toBe(patterns.some((pattern) => text.includes(pattern)))
          expect(search.all(text)).toEqual(united(longestByPlainSearch(patterns, text)))
          const each: string[] = []
          search.each(text, (pattern) => each.push(pattern))
          expect(each).toEqual(longestByPlainSearch(patterns, text).map(({ start, end }) => text.slice(start, end)))
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('finds nothing when it looks for nothing', () => {
    expect(new PatternSearch([]).finds('text')).toBe(false)
  })
})

function united(spans: Span[]) {
  const apart: Span[] = []
  for (const span of spans) addSpan(apart, span)
  return apart
}

function longestByPlainSearch(patterns: string[], text: string) {
  return Array.from(text.split(''), (_, start) => {
    const found = patterns.filter((pattern) => text.startsWith(pattern, start)).map((pattern) => pattern.length)
    return { start, end: start + Math.max(0, ...found) }
  }).filter(({ start, end }) => end > start)
}
