import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseDate } from './date-value.ts'

describe('reading a date', () => {
  it('agrees with JavaScript on every ISO time', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0000-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(parseDate(date.toISOString())).toBe(date.getTime())
        },
      ),
    )
  })

  it.each([
    ['2024', '2024-01-01T00:00:00.000Z'],
    ['2024-05', '2024-05-01T00:00:00.000Z'],
    ['2024-05-06', '2024-05-06T00:00:00.000Z'],
    ['2024-05-06 07:08', '2024-05-06T07:08:00.000Z'],
    ['2024-05-06T07:08:09', '2024-05-06T07:08:09.000Z'],
    ['2024-05-06T07:08:09.123456789Z', '2024-05-06T07:08:09.123Z'],
    ['2024-05-06T07:08:09.5+02:30', '2024-05-06T04:38:09.500Z'],
    ['2024-05-06T07:08:09-0230', '2024-05-06T09:38:09.000Z'],
    ['2024-05-06T24:00:00Z', '2024-05-07T00:00:00.000Z'],
    ['0050-01-01', '0050-01-01T00:00:00.000Z'],
    ['Mon, 06 May 2024 07:08:09 GMT', '2024-05-06T07:08:09.000Z'],
    ['6 May 2024 07:08 +0200', '2024-05-06T05:08:00.000Z'],
  ])('%s is %s', (text, iso) => {
    expect(new Date(parseDate(text)).toISOString()).toBe(iso)
  })

  it.each([
    '',
    'x',
    '2024-02-30',
    '2024-13-01',
    '2024-00-01',
    '2024-01-01T25:00',
    '2024-01-01T00:60',
    '2024-01-01T00:00:00+25:00',
    '05/06/2024',
    'May 6, 2024',
    '06 May 2024',
    '1715000000',
  ])('%j is not a date everywhere, so it is none', (text) => {
    expect(parseDate(text)).toBeNaN()
  })
})
