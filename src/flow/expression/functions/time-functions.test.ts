import { describe, expect, it } from 'vitest'
import { errorOf, evaluate } from '../sample-bindings.testkit.ts'
import { ExpressionError } from '../values/errors.ts'

const failure = (source: string) => errorOf(ExpressionError, () => evaluate(source)).message

it.each([
  ["date('2026-03-29T10:00:00Z')", '2026-03-29T10:00:00.000Z'],
  ["date('2026-07-01 09:30', 'Europe/Berlin')", '2026-07-01T07:30:00.000Z'],
  ["date('2026-01-01', 'America/New_York')", '2026-01-01T05:00:00.000Z'],
  ["date('2026-07-01T09:30:00+02:00', 'Asia/Tokyo')", '2026-07-01T07:30:00.000Z'],
  ["date('Wed, 01 Jul 2026 09:30:00 GMT', 'Asia/Tokyo')", '2026-07-01T09:30:00.000Z'],
  ['date(0)', '1970-01-01T00:00:00.000Z'],
  // The clocks of Berlin go from 2:00 to 3:00, and from 3:00 back to 2:00.
  ["date('2026-03-29T02:30', 'Europe/Berlin')", '2026-03-29T01:00:00.000Z'],
  ["date('2026-10-25T02:30', 'Europe/Berlin')", '2026-10-25T00:30:00.000Z'],
  ["addTime('2026-01-31T10:00:00Z', { months: 1 })", '2026-02-28T10:00:00.000Z'],
  ["addTime('2024-02-29', { years: -1 })", '2023-02-28T00:00:00.000Z'],
  ["addTime('2026-03-28T11:00:00Z', { days: 1 }, 'Europe/Berlin')", '2026-03-29T10:00:00.000Z'],
  ["addTime('2026-03-28T11:00:00Z', { hours: 24 }, 'Europe/Berlin')", '2026-03-29T11:00:00.000Z'],
  ['addTime(now(), { weeks: 1, days: -7, minutes: 1, seconds: 1, milliseconds: -1 })', '2026-03-04T05:07:08.088Z'],
  ["startOf('2026-03-04T05:06:07Z', 'day')", '2026-03-04T00:00:00.000Z'],
  ["startOf('2026-03-04T05:06:07Z', 'day', 'America/New_York')", '2026-03-04T05:00:00.000Z'],
  ["startOf('2026-03-04T04:06:07Z', 'day', 'America/New_York')", '2026-03-03T05:00:00.000Z'],
  ["startOf('2026-03-01T05:06:07Z', 'week')", '2026-02-23T00:00:00.000Z'],
  ["startOf('2026-03-04T05:06:07Z', 'month', 'Asia/Tokyo')", '2026-02-28T15:00:00.000Z'],
  ["startOf('1969-12-31T23:30:00Z', 'year')", '1969-01-01T00:00:00.000Z'],
  ["startOf('2026-03-04T05:06:07.089Z', 'hour', 'Asia/Kolkata')", '2026-03-04T04:30:00.000Z'],
  ["startOf('2026-03-04T05:06:07.089Z', 'second')", '2026-03-04T05:06:07.000Z'],
])('%s', (source, expected) => expect(evaluate(source)).toBe(expected))

it.each([
  ['yyyy-MM-dd', '2026-03-04'],
  ['yy/M/d H:m:s', '26/3/4 5:6:7'],
  ["EEEE, d MMMM yyyy 'at' h:mm a", 'Wednesday, 4 March 2026 at 5:06 AM'],
  ["EEE dd MMM HH'h'mm''ss.SSS", "Wed 04 Mar 05h06'07.089"],
  ['DDD', '063'],
  ["yyyy-MM-dd'T'HH:mm:ssXXX", '2026-03-04T05:06:07Z'],
  ['x xx xxx', '+00 +0000 +00:00'],
])('writes %s', (pattern, expected) => expect(evaluate(`formatDate(now(), ${JSON.stringify(pattern)})`)).toBe(expected))

it.each([
  ['Asia/Kolkata', '10:36 +0530 +05:30'],
  ['America/New_York', '00:06 -05 -05:00'],
  ['Europe/Berlin', '06:06 +01 +01:00'],
])('writes the time of %s', (zone, expected) =>
  expect(evaluate(`formatDate(now(), 'HH:mm X XXX', '${zone}')`)).toBe(expected),
)

it('writes what the engine writes, in every zone', () => {
  for (const timeZone of Intl.supportedValuesOf('timeZone'))
    for (const at of [0, 1_000_000_000_123, 1_774_746_000_000, 1_800_000_000_000]) {
      const format = new Intl.DateTimeFormat('en-CA', {
        timeZone,
        hourCycle: 'h23',
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
        hour: '2-digit',
        minute: '2-digit',
      })
      expect(evaluate(`formatDate(${at}, 'yyyy-MM-dd, HH:mm', '${timeZone}')`)).toBe(format.format(at))
    }
})

describe('mistakes', () => {
  it.each([
    ["date('yesterday')", 'This is not a valid date'],
    ["date('2026-01-01', 'Europe/Berlinn')", 'There is no time zone "Europe/Berlinn"'],
    ["date('2026-01-01', '+02:00')", 'There is no time zone "+02:00"'],
    ['addTime(now(), { day: 1 })', 'addTime knows no "day"'],
    ['addTime(now(), { days: 0.5 })', 'addTime takes whole numbers, and days is 0.5'],
    ['addTime(now(), { years: 300000 })', 'This is not a valid date'],
    ["startOf(now(), 'decade')", 'startOf knows no "decade"'],
    ["formatDate(now(), 'YYYY')", 'Y is the year of the week in formatDate, which few people mean'],
    ["formatDate(now(), 'yyyyy')", 'formatDate knows no "yyyyy"'],
    ["formatDate(now(), 'dd of')", 'formatDate knows no "o"'],
    ['formatDate(now(), "yyyy \'x")', 'A quote in the pattern of formatDate is not closed'],
    ["formatDate(now(), 'y'.repeat(201))", 'A pattern of formatDate has at most 200 characters'],
  ])('%s', (source, message) => expect(failure(source)).toBe(`${message}, in {{ ${source} }}`))
})
