import { useNavigate } from '@tanstack/react-router'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { NewConnection } from './new-connection.tsx'

export function NewConnectionPage() {
  const navigate = useNavigate()
  return (
    <>
      <PageHeader title="New connection" crumbs={[{ label: 'Connections', to: '/connections' }]} />
      <PageBody narrow>
        <NewConnection
          onCreated={({ name }) => navigate({ to: '/connections/$name', params: { name } })}
          onCancel={() => navigate({ to: '/connections' })}
        />
      </PageBody>
    </>
  )
}
