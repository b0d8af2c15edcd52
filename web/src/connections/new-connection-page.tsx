import { useNavigate } from '@tanstack/react-router'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { GuideIcon } from '../ui/text/guide-link.tsx'
import { NewConnection } from './new-connection.tsx'

export function NewConnectionPage() {
  const navigate = useNavigate()
  return (
    <>
      <PageHeader
        title="New connection"
        crumbs={[{ label: 'Connections', to: '/connections' }]}
        actions={<GuideIcon page="connections" label="Connections in the guide" />}
      />
      <PageBody narrow>
        <NewConnection
          onCreated={({ name }) => navigate({ to: '/connections/$name', params: { name } })}
          onCancel={() => navigate({ to: '/connections' })}
        />
      </PageBody>
    </>
  )
}
