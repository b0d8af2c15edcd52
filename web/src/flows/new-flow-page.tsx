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
          Start blank or from a template, and change what is different with you. A file you have can be{' '}
          <Link to="/flows/import">imported</Link>.
        </Text>
        <FlowStarts />
      </PageBody>
    </>
  )
}
