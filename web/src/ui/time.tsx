import { useEffect, useState } from 'react'
import { formatDuration, formatMoment, formatRelative } from './format.ts'

/** The time now, again every so often. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [everyMs])
  return now
}

const RECENT_MS = 60_000

export function RelativeTime({ at }: { at: string }) {
  const time = Date.parse(at)
  const now = useNow(Math.abs(Date.now() - time) < RECENT_MS ? 1000 : 30_000)
  return (
    <time dateTime={at} title={formatMoment(time)}>
      {formatRelative(time, now)}
    </time>
  )
}

/** From `since` until `until`; counts on while that is null. */
export function Duration({ since, until }: { since: string; until: string | null }) {
  return until === null ? (
    <CountingDuration since={since} />
  ) : (
    <span>{formatDuration(Date.parse(until) - Date.parse(since))}</span>
  )
}

function CountingDuration({ since }: { since: string }) {
  const now = useNow(1000)
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000))
  return <span>{seconds === 0 ? '0 s' : formatDuration(seconds * 1000)}</span>
}
