// The versions of one flow, compared with its draft.
import { Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { keys } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { FlowFrame } from '../flows/flow-frame.tsx'
import { PageBody } from '../shell/page-header.tsx'
import { notifyDone } from '../ui/notify.tsx'
import { VersionList } from './publish/version-list.tsx'

const route = getRouteApi('/signed-in/flows/$id/versions')

export function FlowVersionsPage() {
  const { id } = route.useParams()
  const readOnly = !useMay('flows:write')
  const queryClient = useQueryClient()
  return (
    <FlowFrame id={id}>
      {(flow) => (
        <PageBody narrow>
          {flow.published ? (
            <VersionList
              flow={flow}
              document={flow.draft}
              readOnly={readOnly}
              onRestored={(restored, version) => {
                queryClient.setQueryData(keys.flow(id), restored)
                notifyDone(`The draft is version ${version} now.`)
              }}
            />
          ) : (
            <Text c="dimmed">There is no version yet. Each time you publish the flow, its draft becomes one.</Text>
          )}
        </PageBody>
      )}
    </FlowFrame>
  )
}
