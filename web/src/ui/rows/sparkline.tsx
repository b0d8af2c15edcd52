// Runs of the last hours as bars, failures in their own colour at the foot.
import { plural } from '../format.ts'
import classes from './sparkline.module.css'

const BAR = 3
const GAP = 1
const HEIGHT = 20
/** Any run at all can be seen. */
const LEAST = 2

interface SparklineProps {
  hours: { runs: number; failed: number }[]
  /** The time that all bars stand for. */
  span?: string
}

/** All bars of a color are one path: a list has hundreds of bars. */
export function Sparkline({ hours, span = '24 hours' }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ runs }) => runs))
  const total = hours.reduce((sum, { runs }) => sum + runs, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const said = total === 0 ? `No runs in ${span}` : `${plural(total, 'run')} in ${span}, ${failed} failed`
  const width = hours.length * (BAR + GAP) - GAP
  let none = ''
  let runs = ''
  let bad = ''
  for (const [i, hour] of hours.entries()) {
    const height = hour.runs ? Math.max(LEAST, (hour.runs / most) * HEIGHT) : 1
    if (hour.runs) runs += bar(i, height)
    else none += bar(i, height)
    if (hour.failed) bad += bar(i, Math.max(LEAST, (hour.failed / hour.runs) * height))
  }
  return (
    <svg className={classes.spark} width={width} height={HEIGHT} role="img" aria-label={said}>
      <title>{said}</title>
      {none && <path d={none} className={classes.none} />}
      {runs && <path d={runs} className={classes.runs} />}
      {bad && <path d={bad} className={classes.failed} />}
    </svg>
  )
}

const bar = (at: number, height: number): string => `M${at * (BAR + GAP)} ${HEIGHT}v${-height}h${BAR}v${height}z`
