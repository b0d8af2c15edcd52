// Runs of the last hours as bars, failures in their own colour at the foot.
import { plural } from './format.ts'
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

export function Sparkline({ hours, span = '24 hours' }: SparklineProps) {
  const most = Math.max(1, ...hours.map(({ runs }) => runs))
  const total = hours.reduce((sum, { runs }) => sum + runs, 0)
  const failed = hours.reduce((sum, hour) => sum + hour.failed, 0)
  const said = total === 0 ? `No runs in ${span}` : `${plural(total, 'run')} in ${span}, ${failed} failed`
  const width = hours.length * (BAR + GAP) - GAP
  return (
    <svg className={classes.spark} width={width} height={HEIGHT} role="img" aria-label={said}>
      <title>{said}</title>
      {hours.map((hour, i) => {
        const x = i * (BAR + GAP)
        const height = hour.runs ? Math.max(LEAST, (hour.runs / most) * HEIGHT) : 1
        const bad = hour.failed ? Math.max(LEAST, (hour.failed / hour.runs) * height) : 0
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the hours have no other name
          <g key={i}>
            <rect
              x={x}
              y={HEIGHT - height}
              width={BAR}
              height={height}
              className={hour.runs ? classes.runs : classes.none}
            />
            {bad > 0 && <rect x={x} y={HEIGHT - bad} width={BAR} height={bad} className={classes.failed} />}
          </g>
        )
      })}
    </svg>
  )
}
