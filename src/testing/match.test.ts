import { describe, expect, it } from 'vitest'
import { ABSENT, differences } from './match.ts'
import { matchesWildcard } from './wildcard.ts'

const found = (expected: unknown, actual: unknown) => differences(expected, actual, 'at').map(({ path }) => path)

describe('what came', () => {
  it('may have more keys than are expected, and every difference has its place', () => {
    expect(found({ a: { b: 1 } }, { a: { b: 1, c: 2 }, d: 3 })).toEqual([])
    expect(differences({ a: { b: 1 }, c: null }, { a: { b: 2 } }, '')).toEqual([
      { path: 'a.b', expected: 1, actual: 2 },
      { path: 'c', expected: null, actual: ABSENT },
    ])
    expect(found({ a: 1 }, 'text')).toEqual(['at'])
    expect(found({ toString: 1 }, {})).toEqual(['at.toString'])
  })

  it('has exactly the items of a list that are expected', () => {
    expect(found([1, { a: 1 }], [1, { a: 1, b: 2 }])).toEqual([])
    expect(found([1, 2], [1])).toEqual(['at[1]'])
    expect(found([1], [1, 2])).toEqual(['at[1]'])
    expect(found([], {})).toEqual(['at'])
  })

  it('is anything, or matches, where the test says so', () => {
    expect(found({ a: { $any: true } }, { a: null })).toEqual([])
    expect(found({ a: { $any: true } }, {})).toEqual(['at.a'])
    expect(found({ $matches: '^run_\\w+$' }, 'run_1')).toEqual([])
    expect(found({ $matches: '^run_' }, 'flow_1')).toEqual(['at'])
    expect(found({ $matches: '^1' }, 1)).toEqual(['at'])
    // With other keys beside it, it is a key like any other.
    expect(found({ $any: true, a: 1 }, { $any: true, a: 1 })).toEqual([])
  })
})

it('takes * in a URL for any text, and everything else literally', () => {
  expect(matchesWildcard('https://a.example.com/*?q=(1)', 'https://a.example.com/x/y?q=(1)')).toBe(true)
  expect(matchesWildcard('https://a.example.com/x', 'https://aXexample.com/x')).toBe(false)
  expect(matchesWildcard('https://a.example.com', 'https://a.example.com/x')).toBe(false)
  expect(matchesWildcard('*', '')).toBe(true)
})
