// Checks what the schema of a schedule cannot express: its patterns, its time zone, and how close its times come.
import { isObject } from '../../../base/is-object.ts'
import { type ClockChange, Zone } from '../../../base/zone.ts'
import { quoted } from '../../issue.ts'
import type { ReportTrigger } from '../trigger-kind.ts'
import { firstDay } from './cron-days.ts'
import { CronSyntaxError } from './cron-fields.ts'
import { CronPattern } from './cron-pattern.ts'
import { LONGEST_PATTERN, MOST_PATTERNS, SMALLEST_GAP_SECONDS } from './schema.ts'
import { smallestGap } from './spacing.ts'

const YEAR_MS = 366 * 86_400_000
/** No jitter is longer. */
const LONGEST_JITTER_SECONDS = 3_600

/** `now`: the time from which unusual times are looked for; without it they are not. */
export function checkSchedule(trigger: Record<string, unknown>, report: ReportTrigger, now: number | undefined): void {
  const { cron, every, timezone = 'UTC', jitter = 0, input } = trigger
  if (cron === undefined && every === undefined)
    report('/cron', 'missing', 'A schedule needs cron, such as "0 7 * * 1-5", or every, in seconds.')
  if (cron !== undefined && every !== undefined)
    report('/every', 'conflicting', 'A schedule has either cron or every, not both.')
  if (input !== undefined && holdsTemplate(input))
    report('/input', 'invalid_format', 'The input of a schedule is plain JSON: it can hold no expressions.')
  const zone = typeof timezone === 'string' ? Zone.named(timezone) : null
  if (typeof timezone === 'string' && timezone !== '' && !zone)
    report(
      '/timezone',
      'unknown_timezone',
      `${quoted(timezone)} is not an IANA time zone, such as Europe/Berlin or America/New_York.`,
    )
  const patterns = patternsOf(cron, report)
  const seconds = typeof jitter === 'number' && jitter <= LONGEST_JITTER_SECONDS ? jitter : 0
  if (patterns.length) checkSpacing(patterns, seconds, report)
  else if (typeof every === 'number' && seconds >= every) tooMuchJitter(every, report)
  const fixed = patterns.filter(({ pattern }) => pattern.fields.hasFixedHours)
  if (!zone || now === undefined || fixed.length === 0) return
  const changes = changesWithinYear(zone, now)
  for (const { pattern, path } of fixed) {
    const unusual = unusualTime(pattern, zone, changes)
    if (unusual) report(path, 'unusual_time', unusual, 'warning')
  }
}

interface PatternAt {
  pattern: CronPattern
  path: string
}

function patternsOf(cron: unknown, report: ReportTrigger): PatternAt[] {
  const isList = Array.isArray(cron)
  const list: unknown[] = isList ? cron : [cron]
  if (list.length > MOST_PATTERNS) return []
  const found: PatternAt[] = []
  for (const [i, source] of list.entries()) {
    const path = isList ? `/cron/${i}` : '/cron'
    if (typeof source !== 'string' || source === '' || source.length > LONGEST_PATTERN) continue
    try {
      const pattern = new CronPattern(source)
      if (firstDay(pattern.fields, 0) !== null) found.push({ pattern, path })
      else report(path, 'never_fires', `${quoted(source)} never comes: no month has such a day.`)
    } catch (error) {
      if (!(error instanceof CronSyntaxError)) throw error
      report(path, 'invalid_cron', `${quoted(source)} is not a cron pattern: ${error.message}.`)
    }
  }
  return found
}

function checkSpacing(patterns: readonly PatternAt[], jitter: number, report: ReportTrigger): void {
  const all = patterns.map(({ pattern }) => pattern)
  // Times without seconds are a minute apart or more.
  const isPlain = all.every(({ fields: { seconds } }) => seconds.length === 1 && seconds[0] === 0)
  if (isPlain && jitter < 60) return
  const gap = smallestGap(all, SMALLEST_GAP_SECONDS)
  if (gap < SMALLEST_GAP_SECONDS)
    report(
      '/cron',
      'too_frequent',
      `Two planned times are ${gap} s apart; they have to be at least ${SMALLEST_GAP_SECONDS} s apart.`,
    )
  else if (jitter >= gap) tooMuchJitter(gap, report)
}

const tooMuchJitter = (gap: number, report: ReportTrigger): void =>
  report(
    '/jitter',
    'out_of_range',
    `The jitter must be less than the smallest time between two runs, which is ${gap} s.`,
  )

function changesWithinYear(zone: Zone, now: number): ClockChange[] {
  const changes: ClockChange[] = []
  for (let from = now; ; from = changes.at(-1)!.at) {
    const change = zone.changeBetween(from, now + YEAR_MS)
    if (!change) return changes
    changes.push(change)
  }
}

/** Returns what becomes of the first time that one of these changes skips or repeats; null if there is none. */
function unusualTime(pattern: CronPattern, zone: Zone, changes: readonly ClockChange[]): string | null {
  for (const change of changes) {
    const [first, end] = [change.at + change.before, change.at + change.offset].toSorted((a, b) => a - b) as [
      number,
      number,
    ]
    const wall = pattern.next(first - 1000)
    if (wall !== null && wall < end) return told(pattern, zone, change, wall)
  }
  return null
}

function told(pattern: CronPattern, zone: Zone, { at, before, offset }: ClockChange, wall: number): string {
  const local = new Date(wall).toISOString().slice(0, 16).replace('T', ' ')
  const instant = (time: number) => new Date(time).toISOString().replace('.000', '')
  const what =
    offset > before
      ? `does not exist, because the clocks go forward: the run is at ${instant(at)}, right after the change`
      : `comes twice, because the clocks go back: the run is at ${instant(wall - before)}, the first of the two`
  return `${quoted(pattern.source)} means ${local} in ${zone.name}, which ${what}.`
}

function holdsTemplate(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('{{')
  if (Array.isArray(value)) return value.some(holdsTemplate)
  return isObject(value) && Object.values(value).some(holdsTemplate)
}
