// Tests planned times: against another library where clocks never change, and by hand where they do.
import { CronExpressionParser } from 'cron-parser'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Zone } from '../../../base/zone.ts'
import { compileSchedule } from './compile.ts'
import { previousTime } from './planned-times.ts'
import type { ScheduleDocument } from './schema.ts'

const HOUR_MS = 3_600_000
const timesOf = (settings: Omit<ScheduleDocument, 'kind'>) => compileSchedule({ kind: 'schedule', ...settings }).times

/** Returns the planned times from `from` on, before `to`, without milliseconds. */
function between(settings: Omit<ScheduleDocument, 'kind'>, from: string, to: string): string[] {
  const times = timesOf(settings)
  const found: string[] = []
  for (let at = times.next(Date.parse(from) - 1); at !== null && at < Date.parse(to); at = times.next(at))
    found.push(new Date(at).toISOString().replace('.000', ''))
  return found
}

/** Zones whose clocks have not changed for years, and will not by today's rules. */
const STEADY = ['UTC', 'Asia/Tokyo', 'Asia/Kolkata', 'America/Bogota', 'Pacific/Kiritimati', 'Asia/Kathmandu']

const field = (least: number, most: number, more: fc.Arbitrary<string>[] = []) => {
  const number = fc.integer({ min: least, max: most })
  const range = fc.tuple(number, number).map(([a, b]) => `${Math.min(a, b)}-${Math.max(a, b)}`)
  const step = fc.integer({ min: 1, max: Math.min(20, most) })
  const part = fc.oneof(
    number.map(String),
    range,
    fc.tuple(range, step).map(([of, by]) => `${of}/${by}`),
    step.map((by) => `*/${by}`),
    ...more,
  )
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant('*') },
    { weight: 4, arbitrary: fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(',')) },
  )
}

const pattern = fc
  .tuple(
    fc.option(fc.integer({ min: 0, max: 59 }).map(String), { nil: null }),
    field(0, 59),
    field(0, 23),
    field(1, 31),
    field(1, 12, [fc.constantFrom('JAN', 'feb', 'MAR', 'Dec')]),
    field(0, 7, [fc.constantFrom('SUN', 'mon', 'FRI')]),
  )
  .map((fields) => fields.filter((part) => part !== null).join(' '))

/** The reference refuses a number that a field names twice, and gives up long searches. */
function referenceFor(cron: string, tz: string, from: number) {
  try {
    return CronExpressionParser.parse(cron, { currentDate: new Date(from), tz })
  } catch {
    return null
  }
}

describe('planned times', () => {
  it('are those of another library where the clocks never change', { timeout: 60_000 }, () => {
    let compared = 0
    const check = fc.property(
      pattern,
      fc.constantFrom(...STEADY),
      fc.integer({ min: Date.UTC(2020, 0, 1), max: Date.UTC(2035, 0, 1) }),
      (cron, timezone, from) => {
        const reference = referenceFor(cron, timezone, from)
        if (!reference) return
        const times = timesOf({ cron, timezone })
        for (let [i, at] = [0, from]; i < 5; i++) {
          let expected: number
          try {
            expected = reference.next().getTime()
          } catch {
            return
          }
          const next = times.next(at)
          expect({ cron, timezone, at: next }).toEqual({ cron, timezone, at: expected })
          expect(previousTime(times, expected + 1)).toBe(expected)
          at = expected
          compared++
        }
      },
    )
    fc.assert(check, { numRuns: 800, seed: 20 })
    expect(compared).toBeGreaterThan(1_000)
  })

  it('know the last day of a month, the last and the nth weekday, leap days and the end of the year', () => {
    expect(between({ cron: '0 0 L 2 *' }, '2027-01-01T00:00:00Z', '2029-01-01T00:00:00Z')).toEqual([
      '2027-02-28T00:00:00Z',
      '2028-02-29T00:00:00Z',
    ])
    expect(between({ cron: '0 12 * 3 5L' }, '2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z')).toEqual([
      '2027-03-26T12:00:00Z',
    ])
    expect(between({ cron: '0 12 * 3 MON#2' }, '2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z')).toEqual([
      '2027-03-08T12:00:00Z',
    ])
    expect(between({ cron: '0 0 29 2 *' }, '2096-01-01T00:00:00Z', '2105-01-01T00:00:00Z')).toEqual([
      '2096-02-29T00:00:00Z',
      '2104-02-29T00:00:00Z',
    ])
    expect(between({ cron: '59 59 23 31 12 *' }, '2026-12-01T00:00:00Z', '2028-01-01T00:00:00Z')).toEqual([
      '2026-12-31T23:59:59Z',
      '2027-12-31T23:59:59Z',
    ])
    expect(between({ cron: '0 0 * 2 1#5' }, '2073-01-01T00:00:00Z', '2113-01-01T00:00:00Z')).toEqual([
      '2112-02-29T00:00:00Z',
    ])
  })

  it('combine the day of month and the weekday by OR, and the patterns of a list without doubles', () => {
    expect(between({ cron: '0 0 1 * 1' }, '2027-02-27T00:00:00Z', '2027-03-16T00:00:00Z')).toEqual([
      '2027-03-01T00:00:00Z',
      '2027-03-08T00:00:00Z',
      '2027-03-15T00:00:00Z',
    ])
    expect(
      between({ cron: ['0 7 * * *', '0 7 * * 1', '30 7 * * *'] }, '2027-03-01T00:00:00Z', '2027-03-02T00:00:00Z'),
    ).toEqual(['2027-03-01T07:00:00Z', '2027-03-01T07:30:00Z'])
  })

  it('of every are counted from 1970, whenever one asks', () => {
    expect(between({ every: 300 }, '2027-01-01T00:01:00Z', '2027-01-01T00:11:00Z')).toEqual([
      '2027-01-01T00:05:00Z',
      '2027-01-01T00:10:00Z',
    ])
  })
})

/** Zones that change their clocks, with the hour that is skipped and the one that comes twice in 2027, in minutes of the day. */
const CHANGING = [
  'Europe/Berlin',
  'Europe/London',
  'Europe/Lisbon',
  'Europe/Athens',
  'Europe/Chisinau',
  'America/New_York',
  'America/Chicago',
  'America/Denver',
  'America/Los_Angeles',
  'America/St_Johns',
  'America/Havana',
  'America/Santiago',
  'America/Nuuk',
  'Atlantic/Azores',
  'Australia/Sydney',
  'Australia/Adelaide',
  'Australia/Lord_Howe',
  'Pacific/Auckland',
  'Pacific/Chatham',
  'Asia/Jerusalem',
  'Asia/Beirut',
]

describe.each(CHANGING)('in %s, where the clocks change', (timezone) => {
  const zone = Zone.named(timezone)!
  const year = [Date.UTC(2027, 0, 1), Date.UTC(2028, 0, 1)] as const
  const first = zone.changeBetween(...year)!
  const second = zone.changeBetween(first.at, year[1])!
  const [forward, back] = first.offset > first.before ? [first, second] : [second, first]
  const clock = (wall: number) => new Date(wall).toISOString().slice(11, 16).split(':').map(Number)
  const near = (at: number) =>
    [new Date(at - 30 * HOUR_MS).toISOString(), new Date(at + 30 * HOUR_MS).toISOString()] as const

  it('has one change each way a year', () => {
    expect(forward.offset).toBeGreaterThan(forward.before)
    expect(back.offset).toBeLessThan(back.before)
  })

  it('runs a fixed time that does not exist once, right after the gap', () => {
    const [hour, minute] = clock(forward.at + forward.before + 10 * 60_000)
    const found = between({ cron: `${minute} ${hour} * * *`, timezone }, ...near(forward.at)).map((at) =>
      Date.parse(at),
    )
    expect(found.filter((at) => Math.abs(at - forward.at) < 12 * HOUR_MS)).toEqual([forward.at])
    // Several times of the gap are one.
    const list = between({ cron: `${minute! - 5},${minute} ${hour} * * *`, timezone }, ...near(forward.at))
    expect(list.filter((at) => Math.abs(Date.parse(at) - forward.at) < 12 * HOUR_MS)).toHaveLength(1)
  })

  it('runs a fixed time that comes twice at the first of the two', () => {
    const wall = back.at + back.offset + 10 * 60_000
    const [hour, minute] = clock(wall)
    const found = between({ cron: `${minute} ${hour} * * *`, timezone }, ...near(back.at)).map((at) => Date.parse(at))
    expect(found.filter((at) => Math.abs(at - back.at) < 12 * HOUR_MS)).toEqual([wall - back.before])
    // Asked between the two, it is the next day's.
    expect(timesOf({ cron: `${minute} ${hour} * * *`, timezone }).next(wall - back.before)).toBe(
      wall - back.offset + 24 * HOUR_MS,
    )
  })

  it('follows real time with a wildcard in the hour, neither losing nor doubling', () => {
    for (const change of [forward, back]) {
      const found = between({ cron: '*/10 * * * *', timezone }, ...near(change.at)).map((at) => Date.parse(at))
      const gaps = new Set(found.slice(1).map((at, i) => at - found[i]!))
      expect([...gaps]).toEqual([600_000])
    }
  })
})

it('crosses a whole day that a zone has skipped', () => {
  expect(
    between({ cron: '0 12 * * *', timezone: 'Pacific/Apia' }, '2011-12-29T00:00:00Z', '2012-01-01T00:00:00Z'),
  ).toEqual(['2011-12-29T22:00:00Z', '2011-12-30T10:00:00Z', '2011-12-30T22:00:00Z', '2011-12-31T22:00:00Z'])
})
