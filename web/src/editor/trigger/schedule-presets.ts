// Reads the times of a schedule as one of the usual ones, and writes them; everything else is a list of cron patterns.

export type Timing =
  | { preset: 'every'; seconds: number }
  | { preset: 'daily' | 'weekdays'; time: string }
  | { preset: 'weekly'; time: string; days: readonly string[] }
  | { preset: 'monthly'; time: string; day: string }
  | { preset: 'custom'; patterns: readonly string[] }

export type Preset = Timing['preset']

/** The part of a trigger that says when. */
export interface Times {
  cron?: unknown
  every?: unknown
}

const SIMPLE = /^(\d{1,2}) (\d{1,2}) (\*|L|\d{1,2}) \* (\*|1-5|[0-6](?:,[0-6])*)$/

export function readTiming({ cron, every }: Times): Timing {
  if (typeof every === 'number') return { preset: 'every', seconds: every }
  const patterns = [cron ?? []].flat().map(String)
  const [, minute, hour, day, weekday] = (patterns.length === 1 && SIMPLE.exec(patterns[0]!)) || []
  const custom = { preset: 'custom', patterns } as const
  if (minute === undefined || Number(minute) > 59 || Number(hour) > 23) return custom
  const time = `${hour!.padStart(2, '0')}:${minute.padStart(2, '0')}`
  if (day !== '*') return weekday === '*' ? { preset: 'monthly', time, day: day! } : custom
  if (weekday === '*') return { preset: 'daily', time }
  return weekday === '1-5' ? { preset: 'weekdays', time } : { preset: 'weekly', time, days: weekday!.split(',') }
}

export function timesOf(timing: Timing): Times {
  switch (timing.preset) {
    case 'every':
      return { every: timing.seconds }
    case 'custom':
      return { cron: timing.patterns.length === 1 ? timing.patterns[0] : timing.patterns }
    case 'daily':
      return { cron: `${clock(timing.time)} * * *` }
    case 'weekdays':
      return { cron: `${clock(timing.time)} * * 1-5` }
    case 'weekly':
      return { cron: `${clock(timing.time)} * * ${timing.days.toSorted().join(',')}` }
    case 'monthly':
      return { cron: `${clock(timing.time)} ${timing.day} * *` }
  }
}

/** Returns what a preset begins with, keeping the time of day of the one before. */
export function changedPreset(from: Timing, preset: Preset): Timing {
  const time = 'time' in from ? from.time : '07:00'
  switch (preset) {
    case 'every':
      return { preset, seconds: 900 }
    case 'custom':
      return { preset, patterns: from.preset === 'every' ? ['*/15 * * * *'] : [timesOf(from).cron].flat().map(String) }
    case 'weekly':
      return { preset, time, days: ['1'] }
    case 'monthly':
      return { preset, time, day: '1' }
    default:
      return { preset, time }
  }
}

/** Minute and hour as cron has them. */
function clock(time: string): string {
  const [hour, minute] = time.split(':').map(Number)
  return `${minute} ${hour}`
}

export const zoneOf = ({ timezone }: { timezone?: unknown }): string =>
  typeof timezone === 'string' ? timezone : 'UTC'
