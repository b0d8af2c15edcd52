import { Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { FlowStarts } from './flow-starts.tsx'

export function NewFlowPage() {
  return (
    <>
      <PageHeader title="New flow" crumbs={[{ label: 'Flows', to: '/flows' }]} />
      <PageBody>
        <Text c="dimmed" mb="md">
          Start blank or from a template, and adapt it to your needs. You can also{' '}
          <Link to="/flows/import">import a file</Link>.
        </Text>
        <FlowStarts />
      </PageBody>
    </>
  )
}
