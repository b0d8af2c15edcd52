import { Anchor, Skeleton, Table } from '@mantine/core'
import { IconArrowsSplit2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { RelativeTime } from '../ui/time.tsx'

export function FlowsPage() {
  const flows = useQuery(queries.flows)
  return (
    <>
      <PageHeader title="Flows" />
      <PageBody>
        {flows.isPending && <Skeleton height={240} />}
        {flows.isError && (
          <ErrorNote
            title="The flows could not be loaded"
            error={flows.error}
            onRetry={() => void flows.refetch({ cancelRefetch: true })}
          />
        )}
        {flows.data?.length === 0 && (
          <EmptyState picture={<IconArrowsSplit2 size={40} stroke={1.2} />} title="No flows yet">
            A flow begins with a webhook and calls HTTP APIs step by step.
          </EmptyState>
        )}
        {flows.data && flows.data.length > 0 && (
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Name</Table.Th>
                <Table.Th>Status</Table.Th>
                <Table.Th>Changed</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {flows.data.map((flow) => (
                <Table.Tr key={flow.id}>
                  <Table.Td>
                    <Anchor component={Link} to={`/flows/${flow.id}`} size="sm">
                      {flow.name}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>
                    <StatusDot status={flow.status} />
                  </Table.Td>
                  <Table.Td>
                    <RelativeTime at={flow.updatedAt} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
      </PageBody>
    </>
  )
}
