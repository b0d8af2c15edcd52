// What the charts show of the statistics, without React.
import type { Stats } from '../api/api-types.ts'
import { plural } from '../ui/format.ts'

export type StatsRange = Stats['range']

export const RANGES: readonly { value: StatsRange; label: string; words: string }[] = [
  { value: '24h', label: '24 hours', words: 'the last 24 hours' },
  { value: '7d', label: '7 days', words: 'the last 7 days' },
  { value: '30d', label: '30 days', words: 'the last 30 days' },
]

export const wordsOf = (range: StatsRange): string => RANGES.find(({ value }) => value === range)!.words

/** Two amounts at a time: what went well, and below it what did not. */
export interface ChartPoint {
  at: number
  good: number
  bad: number
}

export interface ChartLine {
  title: string
  good: string
  bad: string
  points: ChartPoint[]
  /** What somebody reads who does not see the chart. */
  summary: string
}

export function runsLine({ series, range }: Pick<Stats, 'series' | 'range'>): ChartLine {
  const points = series.map(({ at, runs }) => ({ at: Date.parse(at), good: runs.succeeded, bad: runs.failed }))
  return lineOf('Runs', 'Succeeded', 'Failed', points, range)
}

export function deliveriesLine({ series, range }: Pick<Stats, 'series' | 'range'>): ChartLine {
  const points = series.map(({ at, deliveries: { accepted, duplicate, filtered, rejected } }) => ({
    at: Date.parse(at),
    good: accepted + duplicate + filtered,
    bad: rejected,
  }))
  return lineOf('Deliveries', 'Accepted', 'Rejected', points, range)
}

function lineOf(title: string, good: string, bad: string, points: ChartPoint[], range: StatsRange): ChartLine {
  const sum = (of: 'good' | 'bad') => points.reduce((total, point) => total + point[of], 0)
  const most = points.reduce((first, point) => (amount(point) > amount(first) ? point : first), points[0]!)
  const peak = amount(most) ? `, most of them ${formatStep(most.at, range)}` : ''
  const amounts = `${sum('good').toLocaleString('en')} ${good.toLowerCase()} and ${sum('bad').toLocaleString('en')} ${bad.toLowerCase()}`
  return { title, good, bad, points, summary: `${title} of ${wordsOf(range)}: ${amounts}${peak}.` }
}

const amount = ({ good, bad }: ChartPoint): number => good + bad

export const isEmpty = ({ points }: ChartLine): boolean => points.every((point) => amount(point) === 0)

const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit' })
const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' })

/** The begin of a step, as long as it has to be to be told from the others. */
export const formatStep = (at: number, range: StatsRange): string =>
  range === '24h' ? `from ${TIME.format(at)}` : `from ${DAY_AND_TIME.format(at)}`

/** At the foot of the chart. */
export const formatTick = (at: number, range: StatsRange): string =>
  range === '24h' ? TIME.format(at) : DAY.format(at)

export const formatShare = (share: number): string => {
  // 99.96% must not become 100%: something failed.
  const percent = Math.floor(share * 1000) / 10
  return `${percent}%`
}

export const sumOfDeliveries = ({ accepted, duplicate, filtered, rejected }: Stats['totals']['deliveries']): number =>
  accepted + duplicate + filtered + rejected

export const waitingWords = ({ runs, more }: Stats['waiting']): string =>
  more ? `More than ${plural(runs, 'run')}` : plural(runs, 'run')
