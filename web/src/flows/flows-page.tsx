import { Button, Skeleton, Stack, Text } from '@mantine/core'
import { IconFileImport, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import { queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { usePageCommands, usePageKeys } from '../shell/commands.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { FlowTable } from './flow-table.tsx'
import { useFlowActions } from './use-flow-actions.ts'

/** Those who have flows do without it. */
const FlowStarts = lazy(async () => ({ default: (await import('./flow-starts.tsx')).FlowStarts }))

const KEYS = [{ keys: ['/'], label: 'Search the flows' }]

export function FlowsPage() {
  const flows = useQuery(queries.flows)
  const mayWrite = useMay('flows:write')
  const actions = useFlowActions()
  const navigate = useNavigate()
  usePageKeys(KEYS)
  usePageCommands(
    useMemo(
      () =>
        mayWrite
          ? [
              { id: 'new', label: 'New blank flow', icon: IconPlus, run: () => void actions.createBlank() },
              {
                id: 'import',
                label: 'Import a flow',
                icon: IconFileImport,
                run: () => void navigate({ to: '/flows/import' }),
              },
            ]
          : [],
      [mayWrite, actions, navigate],
    ),
  )
  return (
    <>
      <PageHeader
        title="Flows"
        actions={
          mayWrite && (
            <>
              <Button variant="default" component={Link} to="/flows/import" leftSection={<IconFileImport size={15} />}>
                Import
              </Button>
              <Button component={Link} to="/flows/new" leftSection={<IconPlus size={15} />}>
                New flow
              </Button>
            </>
          )
        }
      />
      <PageBody>
        {flows.isPending && <Skeleton height={240} />}
        {flows.isError && (
          <ErrorNote
            title="The flows could not be loaded"
            error={flows.error}
            onRetry={() => void flows.refetch({ cancelRefetch: true })}
          />
        )}
        {flows.data?.length === 0 && <NoFlows mayWrite={mayWrite} />}
        {flows.data && flows.data.length > 0 && <FlowTable flows={flows.data} />}
      </PageBody>
    </>
  )
}

function NoFlows({ mayWrite }: { mayWrite: boolean }) {
  return (
    <Stack gap="lg">
      <div>
        <Text size="xl" fw={600}>
          No flows yet
        </Text>
        <Text c="dimmed" mt={4} maw={640}>
          A flow waits for a webhook, and then runs its steps from top to bottom: call an API, decide, repeat, wait.
          {mayWrite ? ' Start from a template, and adapt it to your needs.' : ' An editor can add one.'}
        </Text>
      </div>
      <Suspense fallback={<Skeleton height={148} />}>{mayWrite && <FlowStarts />}</Suspense>
    </Stack>
  )
}
