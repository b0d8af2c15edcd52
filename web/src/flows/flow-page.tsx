import { Skeleton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { formatFlowYaml } from '../../../src/flow/flow-text.ts'
import { queries } from '../queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { CodeEditor } from '../ui/code-editor.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'

const route = getRouteApi('/signed-in/flows/$id')

export function FlowPage() {
  const { id } = route.useParams()
  const flow = useQuery(queries.flow(id))
  const crumbs = [{ label: 'Flows', to: '/flows' }]
  if (flow.isError)
    return (
      <>
        <PageHeader crumbs={crumbs} title="Flow" />
        <PageBody narrow>
          <ErrorNote
            title="The flow could not be loaded"
            error={flow.error}
            onRetry={() => void flow.refetch({ cancelRefetch: true })}
          />
        </PageBody>
      </>
    )
  if (!flow.data) return <Skeleton m={24} height={320} />
  return (
    <>
      <PageHeader crumbs={crumbs} title={flow.data.name} status={<StatusDot status={flow.data.status} />} />
      <PageBody narrow>
        <CodeEditor value={formatFlowYaml(flow.data.draft)} mode="yaml" label="The flow's document" readOnly />
      </PageBody>
    </>
  )
}
