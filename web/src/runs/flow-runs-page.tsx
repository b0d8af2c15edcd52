// The runs of one flow, as they happen.
import { getRouteApi } from '@tanstack/react-router'
import { FlowFrame } from '../flows/flow-frame.tsx'
import { RunList } from './list/runs-page.tsx'

const route = getRouteApi('/signed-in/flows/$id/runs')

export function FlowRunsPage() {
  const { id } = route.useParams()
  const { flow: _flow, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <FlowFrame id={id}>
      {(flow) => (
        <RunList
          // Another filter is another list: it begins at its top.
          key={JSON.stringify({ id, search })}
          search={search}
          of={flow}
          onSearch={({ flow: _chosen, ...next }) => void navigate({ search: next, replace: true })}
        />
      )}
    </FlowFrame>
  )
}
