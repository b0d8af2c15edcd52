import { getRouteApi } from '@tanstack/react-router'
import { FlowFrame } from '../flows/flow-frame.tsx'
import { PageBody } from '../shell/page-header.tsx'
import { FlowStatsPanel } from './flow-stats-panel.tsx'

const route = getRouteApi('/signed-in/flows/$id/stats')

export function FlowStatsPage() {
  const { id } = route.useParams()
  return (
    <FlowFrame id={id}>
      {() => (
        <PageBody>
          <FlowStatsPanel flowId={id} />
        </PageBody>
      )}
    </FlowFrame>
  )
}
