// How sizes, durations and times are written.

const UNITS = ['B', 'KB', 'MB', 'GB'] as const

/** Binary, as everywhere in Millrace: 10 MB are 10,485,760 bytes. */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : trim(value)} ${UNITS[unit]}`
}

const trim = (value: number): string => String(Math.round(value * 10) / 10)

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

export function formatDuration(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < MINUTE) return `${trim(ms / SECOND)} s`
  const pair = (big: number, bigName: string, small: number, smallName: string) => {
    const rest = Math.floor((ms % big) / small)
    return `${Math.floor(ms / big)} ${bigName}${rest ? ` ${rest} ${smallName}` : ''}`
  }
  if (ms < HOUR) return pair(MINUTE, 'min', SECOND, 's')
  if (ms < DAY) return pair(HOUR, 'h', MINUTE, 'min')
  return pair(DAY, 'd', HOUR, 'h')
}

/** "12 s ago", "in 3 min"; beyond a week the date says more. */
export function formatRelative(time: number, now: number): string {
  const distance = Math.abs(now - time)
  if (distance < 2 * SECOND) return 'now'
  if (distance >= 7 * DAY) return formatDate(time, now)
  const [size, unit] =
    distance < MINUTE ? [SECOND, 's'] : distance < HOUR ? [MINUTE, 'min'] : distance < DAY ? [HOUR, 'h'] : [DAY, 'd']
  const amount = `${Math.floor(distance / size)} ${unit}`
  return time <= now ? `${amount} ago` : `in ${amount}`
}

/** "2 days left", in the largest unit; what is hardly less than two days is two. */
export function formatLeft(ms: number): string {
  const units = [
    [DAY, 'day'],
    [HOUR, 'hour'],
    [MINUTE, 'minute'],
    [SECOND, 'second'],
  ] as const
  for (const [size, unit] of units) {
    const count = Math.floor(ms / size + NEARLY)
    if (count > 0) return `${plural(count, unit)} left`
  }
  return 'no time left'
}

const NEARLY = 0.02

/** A format takes as long to make as a row of a list to draw: each is made once, when it is first needed. */
function madeOnce<T>(make: () => T): () => T {
  let made: T | undefined
  return () => (made ??= make())
}

const dayFormat = madeOnce(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' }))
const dateFormat = madeOnce(() => new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' }))
const momentFormat = madeOnce(() => new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' }))

function formatDate(time: number, now: number): string {
  const sameYear = new Date(time).getFullYear() === new Date(now).getFullYear()
  return (sameYear ? dayFormat : dateFormat)().format(time)
}

/** The exact moment, in the reader's time zone. */
export const formatMoment = (time: number): string => momentFormat().format(time)

/** With commas. The browser's own formats take longer to make than a page has numbers. */
export const formatCount = (count: number): string => String(count).replaceAll(/\B(?=(\d{3})+$)/g, ',')

export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`
