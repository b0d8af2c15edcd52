import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countFields, formEncoded, formPairs, MOST_FIELDS } from './form-pairs.ts'

describe('formPairs', () => {
  // The pieces are ASCII, as senders send: beyond it Node's own function misreads broken escapes.
  const pieces = fc.constantFrom(
    'a',
    '&',
    '=',
    '+',
    '%',
    '%2',
    '%41',
    '%e2%82%ac',
    '%ff',
    '%C3',
    '%zz',
    ' ',
    '?',
    '%EF%BB%BF',
  )

  it('reads whatever there is as URLSearchParams does', () => {
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const text = parts.join('')
        // URLSearchParams removes a question mark, which the query string no longer has.
        expect([...formPairs(text)]).toEqual([...new URLSearchParams(`?${text}`)])
      }),
      { numRuns: 2000 },
    )
  })

  it('leaves what is not encoded as it is', () => {
    expect([...formPairs('é=😀+%C3%A9%zz')]).toEqual([['é', '😀 é%zz']])
  })

  it('counts fields no further than it has to', () => {
    expect(countFields('')).toBe(0)
    expect(countFields('a=1&b')).toBe(2)
    expect(countFields('&'.repeat(3 * MOST_FIELDS))).toBe(MOST_FIELDS + 1)
  })
})

it('writes whatever there is as URLSearchParams does', () => {
  const text = fc.string({ unit: 'binary', maxLength: 20 })
  fc.assert(
    fc.property(fc.array(fc.tuple(text, text), { maxLength: 5 }), (pairs) => {
      expect(formEncoded(pairs)).toBe(new URLSearchParams(pairs).toString())
    }),
    { numRuns: 2000 },
  )
  const all = Array.from({ length: 256 }, (_, code) => String.fromCharCode(code)).join('')
  expect(formEncoded([[all, '\ud800 x']])).toBe(new URLSearchParams([[all, '\ud800 x']]).toString())
})
