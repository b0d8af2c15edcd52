// What came to the webhook of one flow.
import { getRouteApi } from '@tanstack/react-router'
import { FlowFrame } from '../flows/flow-frame.tsx'
import { Inbox } from './inbox-page.tsx'

const route = getRouteApi('/signed-in/flows/$id/inbox')

export function FlowInboxPage() {
  const { id } = route.useParams()
  const { flow: _flow, ...search } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <FlowFrame id={id}>
      {(flow) => (
        <Inbox
          search={search}
          of={flow}
          onSearch={({ flow: _chosen, ...next }) => void navigate({ search: next, replace: true })}
        />
      )}
    </FlowFrame>
  )
}
