// Each attempt of a step that was tried again.
import type { RunStep } from '../../api/api-types.ts'
import { formatDuration, formatMoment } from '../../ui/format.ts'
import classes from './attempts.module.css'

type Attempt = NonNullable<RunStep['attempts']>[number]

export function Attempts({ attempts }: { attempts: readonly Attempt[] }) {
  return (
    <section className={classes.attempts} aria-label="Attempts">
      <ol>
        {attempts.map((attempt, i) => (
          <li key={attempt.number} value={attempt.number}>
            {i > 0 && attempt.number > attempts[i - 1]!.number + 1 && (
              <span className={classes.gap}>
                {(attempt.number - attempts[i - 1]!.number - 1).toLocaleString('en')} attempts not kept
              </span>
            )}
            <span className={classes.number}>{attempt.number}</span>
            <span className={classes.outcome} data-bad={isBad(attempt) || undefined}>
              {outcomeOf(attempt)}
            </span>
            <time className={classes.dim} dateTime={attempt.startedAt}>
              {formatMoment(Date.parse(attempt.startedAt))}
            </time>
            <span className={classes.dim}>
              {attempt.durationMs === null ? 'under way' : formatDuration(attempt.durationMs)}
            </span>
            {attempt.error && <span className={classes.message}>{attempt.error.message}</span>}
          </li>
        ))}
      </ol>
    </section>
  )
}

const isBad = ({ status, error }: Attempt): boolean => error !== undefined || (status ?? 0) >= 400

function outcomeOf({ status, error, durationMs }: Attempt): string {
  if (status !== undefined) return String(status)
  if (error) return error.code
  return durationMs === null ? 'running' : 'succeeded'
}
