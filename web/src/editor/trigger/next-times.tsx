// The next times of the schedule as it stands in the draft, by its own clock and by the reader's.
import { Text } from '@mantine/core'
import { useMemo } from 'react'
import { compileSchedule } from '../../../../src/flow/triggers/schedule/compile.ts'
import type { ScheduleDocument } from '../../../../src/flow/triggers/schedule/schema.ts'
import { browserZone } from '../../step-kinds/trigger-kinds.ts'
import { useNow } from '../../ui/time.tsx'
import { useEditor } from '../state/editor-context.tsx'
import { zoneOf } from './schedule-presets.ts'
import classes from './trigger.module.css'

const SHOWN = 5
const LOOK_EVERY_MS = 10_000

export function NextTimes() {
  const { document } = useEditor()
  const now = useNow(LOOK_EVERY_MS)
  const zone = zoneOf(document.trigger)
  const own = browserZone()
  const times = useMemo(() => upcoming(document.trigger, now), [document.trigger, now])
  return (
    <section aria-label="Next times" className={classes.listen}>
      {times === null || times.length === 0 ? (
        <Text size="sm" c="dimmed">
          No times yet: complete the settings above.
        </Text>
      ) : (
        <table className={classes.times}>
          <thead>
            <tr>
              <th scope="col">Next times, {zone}</th>
              {own !== zone && <th scope="col">Here, {own}</th>}
            </tr>
          </thead>
          <tbody>
            {times.map((at) => (
              <tr key={at}>
                <td>
                  <time dateTime={new Date(at).toISOString()}>{shownIn(zone, at)}</time>
                </td>
                {own !== zone && <td>{shownIn(own, at)}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}

/** Returns null while the settings make no schedule. */
function upcoming(trigger: Record<string, unknown>, now: number): number[] | null {
  try {
    const { times } = compileSchedule(trigger as unknown as ScheduleDocument)
    const found: number[] = []
    for (let at = times.next(now); at !== null && found.length < SHOWN; at = times.next(at)) found.push(at)
    return found
  } catch {
    return null
  }
}

const shownIn = (timeZone: string, at: number): string =>
  new Intl.DateTimeFormat(undefined, {
    timeZone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(new Date(at).getUTCFullYear() !== new Date().getUTCFullYear() && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...(at % 60_000 !== 0 && { second: '2-digit' }),
  }).format(at)
