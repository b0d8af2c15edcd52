// Draws a line of amounts as bars. It is fetched when a chart is first shown.
import 'uplot/dist/uPlot.min.css'
import { useComputedColorScheme } from '@mantine/core'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { type ChartPoint, formatTick, type StatsRange } from './chart-data.ts'

interface BarChartProps {
  points: ChartPoint[]
  range: StatsRange
  stepSeconds: number
  badColor: '--mr-bad' | '--mr-wait'
  /** The point below the pointer. */
  onPoint: (index: number | null) => void
}

const HEIGHT = 170
const HOUR = 3600
const DAY = 24 * HOUR
/** Where the time may be written, in seconds. */
const TICKS: Record<StatsRange, number[]> = {
  '24h': [3 * HOUR, 6 * HOUR, 12 * HOUR],
  '7d': [DAY, 2 * DAY],
  '30d': [5 * DAY, 10 * DAY],
}
const COUNTS = [1, 2, 5]
  .flatMap((digit) => Array.from({ length: 9 }, (_, power) => digit * 10 ** power))
  .toSorted((a, b) => a - b)
const compact = new Intl.NumberFormat('en', { notation: 'compact' })

export function BarChart({ points, range, stepSeconds, badColor, onPoint }: BarChartProps) {
  const frame = useRef<HTMLDivElement>(null)
  const scheme = useComputedColorScheme()
  const told = useRef(onPoint)
  told.current = onPoint
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colours of the canvas are those of the scheme
  useEffect(() => {
    const element = frame.current!
    const style = getComputedStyle(element)
    const color = (name: string) => style.getPropertyValue(name).trim()
    const font = `11px ${style.fontFamily}`
    const axis: UPlot.Axis = { stroke: color('--mr-dim'), font, ticks: { show: false } }
    const bars = UPlot.paths.bars!({ size: [0.78, 28], align: 1, radius: 0.15 })
    const bar = (fill: string): UPlot.Series => ({ fill, width: 0, paths: bars, points: { show: false } })
    const first = points[0]!.at / 1000
    const last = points.at(-1)!.at / 1000 + stepSeconds
    const most = Math.max(4, ...points.map(({ good, bad }) => good + bad))
    const chart = new UPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        padding: [8, 8, 0, 0],
        legend: { show: false },
        cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { range: [first, last] }, y: { range: [0, most * 1.05] } },
        axes: [
          {
            ...axis,
            grid: { show: false },
            incrs: TICKS[range],
            space: 48,
            size: 24,
            values: (_, splits) => splits.map((at) => (at < last ? formatTick(at * 1000, range) : '')),
          },
          {
            ...axis,
            grid: { stroke: color('--mr-border'), width: 1 },
            incrs: COUNTS,
            space: 36,
            size: 44,
            values: (_, splits) => splits.map((count) => compact.format(count)),
          },
        ],
        // What did not go well stands at the foot of the whole.
        series: [{}, bar(color('--mr-accent')), bar(color(badColor))],
        hooks: { setCursor: [({ cursor }) => told.current(cursor.idx ?? null)] },
      },
      [points.map(({ at }) => at / 1000), points.map(({ good, bad }) => good + bad), points.map(({ bad }) => bad)],
      element,
    )
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [points, range, stepSeconds, badColor, scheme])
  return <div ref={frame} style={{ height: HEIGHT, overflow: 'hidden' }} />
}
