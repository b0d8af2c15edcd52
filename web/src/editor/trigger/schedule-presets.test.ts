import { expect, it } from 'vitest'
import { changedPreset, readTiming, type Times, timesOf } from './schedule-presets.ts'

it.each<[Times, object]>([
  [{ every: 300 }, { preset: 'every', seconds: 300 }],
  [{ cron: '5 7 * * *' }, { preset: 'daily', time: '07:05' }],
  [{ cron: '30 17 * * 1-5' }, { preset: 'weekdays', time: '17:30' }],
  [{ cron: '0 9 * * 1,4' }, { preset: 'weekly', time: '09:00', days: ['1', '4'] }],
  [{ cron: '0 9 L * *' }, { preset: 'monthly', time: '09:00', day: 'L' }],
  [{ cron: '*/5 * * * *' }, { preset: 'custom', patterns: ['*/5 * * * *'] }],
  [{ cron: '0 9 1 * 1' }, { preset: 'custom', patterns: ['0 9 1 * 1'] }],
  [{ cron: '0 24 * * *' }, { preset: 'custom', patterns: ['0 24 * * *'] }],
  [{ cron: ['0 9 * * *', '0 17 * * *'] }, { preset: 'custom', patterns: ['0 9 * * *', '0 17 * * *'] }],
])('reads %j as one of the usual times, and writes it as it was', (times, timing) => {
  expect(readTiming(times)).toEqual(timing)
  expect(timesOf(readTiming(times))).toEqual(times)
})

it('keeps the time of day when another preset is chosen, and the pattern when it becomes a custom one', () => {
  const daily = readTiming({ cron: '5 8 * * *' })
  expect(timesOf(changedPreset(daily, 'monthly'))).toEqual({ cron: '5 8 1 * *' })
  expect(timesOf(changedPreset(daily, 'custom'))).toEqual({ cron: '5 8 * * *' })
  expect(timesOf(changedPreset(daily, 'every'))).toEqual({ every: 900 })
})

it('reads what is not finished', () => {
  expect(readTiming({})).toEqual({ preset: 'custom', patterns: [] })
})
