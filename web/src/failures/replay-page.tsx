// A job that replays runs, as it goes on.
import { Skeleton, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { plural } from '../ui/format.ts'
import { RelativeTime } from '../ui/time.tsx'
import { failureQueries } from './failure-queries.ts'
import classes from './failures.module.css'
import { ReplayProgress } from './replay-progress.tsx'

const route = getRouteApi('/signed-in/replays/$id')

export function ReplayPage() {
  const { id } = route.useParams()
  const job = useQuery(failureQueries.job(id))
  const problems = job.data?.problems ?? []
  return (
    <>
      <PageHeader title="Replay" crumbs={[{ label: 'Failures', to: '/failures' }]} />
      <PageBody narrow>
        {job.isPending && <Skeleton height={120} />}
        {job.isError && (
          <ErrorNote
            title="The replay could not be loaded"
            error={job.error}
            onRetry={() => void job.refetch({ cancelRefetch: true })}
          />
        )}
        {job.data && (
          <>
            <ReplayProgress job={job.data} />
            <Facts
              facts={[
                ['Begun', <RelativeTime key="begun" at={job.data.createdAt} />],
                ['By', job.data.createdBy],
                ['Pace', `${job.data.pace} a second`],
              ]}
            />
          </>
        )}
        {problems.length > 0 && (
          <>
            <Title order={2} size="h3" className={classes.section}>
              Could not be started
            </Title>
            <ul>
              {problems.map(({ message, count }) => (
                <li key={message}>
                  {message} ({plural(count, 'run')})
                </li>
              ))}
            </ul>
          </>
        )}
      </PageBody>
    </>
  )
}
