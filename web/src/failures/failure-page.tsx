// One cause of failures: where, how often, its latest runs, and what to do about it.
import { Anchor, Button, Menu, Skeleton, Table, Title } from '@mantine/core'
import { IconBellOff, IconCheck, IconChevronDown, IconPencil, IconRefresh } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Failure, RunSummary } from '../api/api-types.ts'
import { useMay } from '../api/session.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { Facts } from '../ui/facts.tsx'
import { plural } from '../ui/format.ts'
import { StatusDot } from '../ui/status.tsx'
import tables from '../ui/table.module.css'
import { RelativeTime } from '../ui/time.tsx'
import { FailureHours, FailureStateDot } from './failure-marks.tsx'
import { failureQueries, useFailureState } from './failure-queries.ts'
import classes from './failures.module.css'
import { ReplayDialog } from './replay-dialog.tsx'

const route = getRouteApi('/signed-in/failures/$id')

export function FailurePage() {
  const { id } = route.useParams()
  const failure = useQuery(failureQueries.failure(id))
  const runs = useQuery(failureQueries.latestRuns(id))
  return (
    <>
      <PageHeader
        title={
          failure.data
            ? `${failure.data.flowName ?? 'Deleted flow'} › ${failure.data.step ?? failure.data.code}`
            : 'Failure'
        }
        crumbs={[{ label: 'Failures', to: '/failures' }]}
        status={failure.data && <FailureStateDot failure={failure.data} />}
        actions={failure.data && <FailureActions failure={failure.data} />}
      />
      <PageBody>
        {failure.isPending && <Skeleton height={240} />}
        {failure.isError && (
          <ErrorNote
            title="The failure could not be loaded"
            error={failure.error}
            onRetry={() => void failure.refetch({ cancelRefetch: true })}
          />
        )}
        {failure.data && <FailureFacts failure={failure.data} />}
        {runs.data && runs.data.length > 0 && <LatestRuns runs={runs.data} />}
      </PageBody>
    </>
  )
}

function FailureFacts({ failure }: { failure: Failure }) {
  const { message, count, firstAt, lastAt, versions, code, status, hours } = failure
  return (
    <>
      <p className={classes.message}>{message}</p>
      <Facts
        facts={[
          ['Runs', count.toLocaleString('en')],
          ['First', <RelativeTime key="first" at={firstAt} />],
          ['Last', <RelativeTime key="last" at={lastAt} />],
          ['Versions', versions.length ? versions.join(', ') : 'draft'],
          ['Code', <code key="error">{code}</code>],
          ['Status', status === null ? '–' : String(status)],
          ['3 days', <FailureHours key="hours" hours={hours} />],
        ]}
      />
    </>
  )
}

const HOUR_MS = 3_600_000
const MUTES = [
  ['for an hour', HOUR_MS],
  ['for a day', 24 * HOUR_MS],
  ['for a week', 168 * HOUR_MS],
] as const

function FailureActions({ failure }: { failure: Failure }) {
  const mayWrite = useMay('runs:replay')
  const change = useFailureState(failure.id)
  const [replaying, setReplaying] = useState(false)
  if (!mayWrite) return null
  return (
    <>
      {change.isError && <ErrorNote error={change.error} />}
      {failure.flowName !== null && (
        <Button
          variant="default"
          component={Link}
          // As the component of a button the link does not know the addresses of this router.
          to="/flows/$id"
          params={{ id: failure.flow } as never}
          search={(failure.step === null ? {} : { step: failure.step }) as never}
          leftSection={<IconPencil size={15} />}
        >
          Open in the editor
        </Button>
      )}
      <Menu position="bottom-end" width={220}>
        <Menu.Target>
          <Button variant="default" rightSection={<IconChevronDown size={14} />} loading={change.isPending}>
            {failure.state === 'open' ? 'Resolve or mute' : 'Change state'}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {failure.state !== 'open' && (
            <Menu.Item onClick={() => change.mutate({ state: 'open' })}>Open again</Menu.Item>
          )}
          {failure.state !== 'resolved' && (
            <Menu.Item leftSection={<IconCheck size={15} />} onClick={() => change.mutate({ state: 'resolved' })}>
              Resolve
            </Menu.Item>
          )}
          {MUTES.map(([words, ms]) => (
            <Menu.Item
              key={words}
              leftSection={<IconBellOff size={15} />}
              onClick={() => change.mutate({ state: 'muted', until: new Date(Date.now() + ms).toISOString() })}
            >
              Mute {words}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Button leftSection={<IconRefresh size={15} />} onClick={() => setReplaying(true)}>
        Replay all
      </Button>
      {replaying && (
        <ReplayDialog filter={{ failure: failure.id }} onClose={() => setReplaying(false)}>
          The runs with this cause: {plural(failure.count, 'failure')}, those of replays included.
        </ReplayDialog>
      )}
    </>
  )
}

function LatestRuns({ runs }: { runs: RunSummary[] }) {
  return (
    <>
      <Title order={2} size="h3" className={classes.section}>
        Latest runs
      </Title>
      <div className={tables.frame}>
        <Table highlightOnHover verticalSpacing={9} horizontalSpacing="md">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Run</Table.Th>
              <Table.Th>Started</Table.Th>
              <Table.Th>Version</Table.Th>
              <Table.Th>Replayed</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Table.Tr key={run.id}>
                <Table.Td className={tables.dim}>
                  <Anchor component={Link} to={`/runs/${run.id}`} className={tables.name}>
                    …{run.id.slice(-8)}
                  </Anchor>
                </Table.Td>
                <Table.Td className={tables.dim}>
                  <RelativeTime at={run.createdAt} />
                </Table.Td>
                <Table.Td className={tables.dim}>{run.version ?? 'draft'}</Table.Td>
                <Table.Td>
                  {run.replayedAs ? (
                    <Anchor component={Link} to={`/runs/${run.replayedAs.run}`} size="sm">
                      <StatusDot status={run.replayedAs.status} />
                    </Anchor>
                  ) : (
                    <span className={tables.dim}>–</span>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </div>
    </>
  )
}
