// The state of a failure in a word, and its latest hours as bars.
import type { Failure } from '../api/api-types.ts'
import { formatMoment } from '../ui/format.ts'
import { Sparkline } from '../ui/rows/sparkline.tsx'
import { StatusDot } from '../ui/status.tsx'

const HOURS_PER_BAR = 3

export function FailureStateDot({ failure: { state, until } }: { failure: Failure }) {
  if (state === 'open') return <StatusDot status="failed" word="Open" />
  if (state === 'resolved') return <StatusDot status="succeeded" word="Resolved" />
  return <StatusDot status="queued" word={until ? `Muted until ${formatMoment(Date.parse(until))}` : 'Muted'} />
}

export function FailureHours({ hours }: { hours: number[] }) {
  const bars = Array.from({ length: hours.length / HOURS_PER_BAR }, (_, i) => {
    const failed = hours.slice(i * HOURS_PER_BAR, (i + 1) * HOURS_PER_BAR).reduce((sum, count) => sum + count, 0)
    return { runs: failed, failed }
  })
  return <Sparkline hours={bars} span="3 days" />
}
