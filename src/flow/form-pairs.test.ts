import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { countFields, formPairs, MOST_FIELDS } from './form-pairs.ts'

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
