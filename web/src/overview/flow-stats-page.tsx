import { Button } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { queries } from '../api/queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { FlowStatsPanel } from './flow-stats-panel.tsx'

const route = getRouteApi('/signed-in/flows/$id/stats')

export function FlowStatsPage() {
  const { id } = route.useParams()
  const name = useQuery(queries.stats('24h', id)).data?.flow?.name ?? 'Flow'
  return (
    <>
      <PageHeader
        title={name}
        crumbs={[{ label: 'Overview', to: '/overview' }]}
        actions={
          <Button variant="default" component={Link} to={`/flows/${id}`}>
            Open flow
          </Button>
        }
      />
      <PageBody>
        <FlowStatsPanel flowId={id} />
      </PageBody>
    </>
  )
}
