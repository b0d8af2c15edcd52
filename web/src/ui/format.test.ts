import { expect, it } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatLeft, formatRelative, plural } from './format.ts'

it('writes sizes in binary units', () => {
  expect(formatBytes(0)).toBe('0 B')
  expect(formatBytes(1023)).toBe('1023 B')
  expect(formatBytes(1536)).toBe('1.5 KB')
  expect(formatBytes(10_485_760)).toBe('10 MB')
  expect(formatBytes(157_286_400)).toBe('150 MB')
})

it('writes durations with the two units that matter', () => {
  expect(formatDuration(84.4)).toBe('84 ms')
  expect(formatDuration(1240)).toBe('1.2 s')
  expect(formatDuration(184_000)).toBe('3 min 4 s')
  expect(formatDuration(7_500_000)).toBe('2 h 5 min')
  expect(formatDuration(172_800_000)).toBe('2 d')
})

it('writes times as seen from now, and as a date beyond a week', () => {
  const now = Date.parse('2026-11-15T12:00:00Z')
  const at = (text: string) => formatRelative(Date.parse(text), now)
  expect(at('2026-11-15T11:59:59Z')).toBe('now')
  expect(at('2026-11-15T11:59:48Z')).toBe('12 s ago')
  expect(at('2026-11-15T12:03:00Z')).toBe('in 3 min')
  expect(at('2026-11-13T11:00:00Z')).toBe('2 d ago')
  expect(at('2026-11-05T12:00:00Z')).toBe('5 Nov')
  expect(at('2025-11-05T12:00:00Z')).toBe('5 Nov 2025')
})

it('says how much time is left in the largest unit', () => {
  expect(formatLeft(172_799_000)).toBe('2 days left')
  expect(formatLeft(86_400_000)).toBe('1 day left')
  expect(formatLeft(5_400_000)).toBe('1 hour left')
  expect(formatLeft(3_599_900)).toBe('1 hour left')
  expect(formatLeft(45_000)).toBe('45 seconds left')
  expect(formatLeft(-1)).toBe('no time left')
})

it('writes counts with commas', () => {
  for (const count of [0, 7, 999, 1000, 12_345, 999_999, 1_000_000, 123_456_789])
    expect(formatCount(count)).toBe(count.toLocaleString('en'))
})

it('counts in words', () => {
  expect(plural(1, 'run')).toBe('1 run')
  expect(plural(1200, 'entry', 'entries')).toBe('1,200 entries')
})
