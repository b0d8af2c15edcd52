// How far a job is that replays runs: a bar, counts, and what can be done with it.
import { Anchor, Button, Group, Progress } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReplayJob } from '../api/api-types.ts'
import { useMay } from '../api/session.ts'
import { useEvents } from '../api/use-events.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { failureQueries, useChangeReplays } from './failure-queries.ts'
import classes from './failures.module.css'

const number = (count: number): string => count.toLocaleString('en')

/** `brief`: above a list, where it leads to its own page. */
export function ReplayProgress({ job: first, brief = false }: { job: ReplayJob; brief?: boolean }) {
  const client = useQueryClient()
  const query = failureQueries.job(first.id)
  const job = useQuery({ ...query, initialData: first }).data
  const hasEnded = job.finishedAt !== null
  useEvents(hasEnded ? null : `/replays/${job.id}/events`, ({ type, data }) => {
    if (type === 'replay') client.setQueryData(query.queryKey, (held) => ({ ...held, ...(data as ReplayJob) }))
  })
  const share = (count: number) => (job.total === 0 ? 0 : (count / job.total) * 100)
  const label = `${number(job.done + job.failed)} of ${number(job.total)} replayed`
  return (
    <section className={classes.job} aria-label="Replay">
      <div className={classes.line}>
        <span>
          <StateDot job={job} />{' '}
          {brief ? (
            <Anchor component={Link} to={`/replays/${job.id}`} size="sm">
              {label}
            </Anchor>
          ) : (
            label
          )}
        </span>
        <Controls job={job} />
      </div>
      <Progress.Root size="lg">
        <Progress.Section value={share(job.done)} aria-label={`${number(job.done)} succeeded`} color="teal" />
        <Progress.Section value={share(job.failed)} aria-label={`${number(job.failed)} failed`} color="red" />
      </Progress.Root>
      <div className={classes.counts} role="status">
        {number(job.done)} succeeded, {number(job.failed)} failed, {number(job.started - job.done - job.failed)} under
        way, {number(job.total - job.started)} to start
        {job.alreadyReplayed > 0 && `; ${number(job.alreadyReplayed)} replayed with success before`}
      </div>
    </section>
  )
}

function StateDot({ job: { state, failed } }: { job: ReplayJob }) {
  if (state === 'running') return <StatusDot status="running" word="Replaying" />
  if (state === 'paused') return <StatusDot status="waiting" word="Paused" />
  if (state === 'cancelled') return <StatusDot status="cancelled" />
  return failed > 0 ? (
    <StatusDot status="failed" word="Done, some failed" />
  ) : (
    <StatusDot status="succeeded" word="Done" />
  )
}

function Controls({ job }: { job: ReplayJob }) {
  const mayWrite = useMay('runs:replay')
  const change = useChangeReplays(job.id)
  if (!mayWrite || job.state === 'done' || job.state === 'cancelled') return null
  const isPaused = job.state === 'paused'
  return (
    <Group gap="xs">
      {change.isError && <ErrorNote error={change.error} />}
      <Button
        size="compact-sm"
        variant="default"
        loading={change.isPending}
        onClick={() => change.mutate(isPaused ? 'resume' : 'pause')}
      >
        {isPaused ? 'Resume' : 'Pause'}
      </Button>
      <Button size="compact-sm" variant="default" disabled={change.isPending} onClick={() => change.mutate('cancel')}>
        Cancel
      </Button>
    </Group>
  )
}
