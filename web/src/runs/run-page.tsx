import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { queries } from '../queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { DataTree } from '../ui/data-tree.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'

const route = getRouteApi('/signed-in/runs/$id')

export function RunPage() {
  const { id } = route.useParams()
  const run = useQuery(queries.run(id))
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Runs', to: '/runs' }]}
        title={id}
        status={run.data && <StatusDot status={run.data.status} />}
      />
      <PageBody>
        {run.isPending && <Skeleton height={240} />}
        {run.isError && (
          <ErrorNote
            title="The run could not be loaded"
            error={run.error}
            onRetry={() => void run.refetch({ cancelRefetch: true })}
          />
        )}
        {run.data && <DataTree value={run.data} path="" label="The run" />}
      </PageBody>
    </>
  )
}
