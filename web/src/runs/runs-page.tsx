import { Anchor, Button, Group, Skeleton, Table } from '@mantine/core'
import { IconPlayerPlay } from '@tabler/icons-react'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { queries } from '../queries.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { Duration, RelativeTime } from '../ui/time.tsx'

export function RunsPage() {
  const list = useInfiniteQuery(queries.runs({}))
  const runs = list.data?.pages.flatMap(({ items }) => items) ?? []
  return (
    <>
      <PageHeader title="Runs" />
      <PageBody>
        {list.isError && (
          <ErrorNote
            title="The runs could not be loaded"
            error={list.error}
            onRetry={() => void list.refetch({ cancelRefetch: true })}
          />
        )}
        {list.isPending && <Skeleton height={240} />}
        {list.isSuccess && runs.length === 0 && (
          <EmptyState picture={<IconPlayerPlay size={40} stroke={1.2} />} title="No runs yet">
            A run appears here as soon as a published flow's webhook is called.
          </EmptyState>
        )}
        {runs.length > 0 && (
          <Table highlightOnHover>
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Status</Table.Th>
                <Table.Th>Run</Table.Th>
                <Table.Th>Flow</Table.Th>
                <Table.Th>Created</Table.Th>
                <Table.Th>Duration</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {runs.map((run) => (
                <Table.Tr key={run.id}>
                  <Table.Td>
                    <StatusDot status={run.status} />
                  </Table.Td>
                  <Table.Td>
                    <Anchor component={Link} to={`/runs/${run.id}`} size="sm" ff="monospace">
                      {run.id}
                    </Anchor>
                  </Table.Td>
                  <Table.Td>{run.flowName}</Table.Td>
                  <Table.Td>
                    <RelativeTime at={run.createdAt} />
                  </Table.Td>
                  <Table.Td>{run.startedAt && <Duration since={run.startedAt} until={run.finishedAt} />}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        )}
        {list.hasNextPage && (
          <Group justify="center" mt="md">
            <Button variant="default" loading={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
              Show more
            </Button>
          </Group>
        )}
      </PageBody>
    </>
  )
}
