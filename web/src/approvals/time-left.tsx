import { formatLeft, formatMoment } from '../ui/format.ts'
import { useNow } from '../ui/time.tsx'

const NEAR_MS = 3_600_000

/** "2 days left". */
export function TimeLeft({ until }: { until: string }) {
  const time = Date.parse(until)
  const now = useNow(time - Date.now() < NEAR_MS ? 1000 : 30_000)
  return (
    <time dateTime={until} title={formatMoment(time)}>
      {formatLeft(time - now)}
    </time>
  )
}
