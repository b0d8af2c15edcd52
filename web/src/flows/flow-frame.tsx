// The head of a flow's pages besides the editor, and the flow for the page below it.
import { Group, Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import type { Flow } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { PausedNote } from '../ui/paused-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { FlowTabs } from './flow-tabs.tsx'
import { RunButton } from './run/run-button.tsx'

export function FlowFrame({ id, children }: { id: string; children: (flow: Flow) => ReactNode }) {
  const flow = useQuery(queries.flow(id))
  const { data } = flow
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Flows', to: '/flows' }]}
        title={data?.name ?? 'Flow'}
        actions={data && <RunButton flow={data} />}
        status={
          data && (
            <Group gap={12} wrap="nowrap">
              <StatusDot status={data.status} word={data.published ? `Published v${data.published.version}` : true} />
              {data.paused && <PausedNote paused={data.paused} />}
            </Group>
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
