// The head of a flow's pages besides the editor, and the flow for the page below it.
import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Flow } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { FlowTabs } from './flow-tabs.tsx'

export function FlowFrame({ id, children }: { id: string; children: (flow: Flow) => ReactNode }) {
  const flow = useQuery(queries.flow(id))
  const { data } = flow
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Flows', to: '/flows' }]}
        title={data?.name ?? 'Flow'}
        status={
          data && (
            <StatusDot status={data.status} word={data.published ? `Published v${data.published.version}` : true} />
          )
        }
      />
      <FlowTabs id={id} />
      {data ? (
        children(data)
      ) : (
        <PageBody narrow>
          {flow.isError ? (
            <ErrorNote
              title="The flow could not be loaded"
              error={flow.error}
              onRetry={() => void flow.refetch({ cancelRefetch: true })}
            />
          ) : (
            <Skeleton height={200} />
          )}
        </PageBody>
      )}
    </>
  )
}
