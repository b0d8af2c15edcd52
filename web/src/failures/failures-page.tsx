// Failed runs by their cause: seven lines in place of ten thousand.
import { Anchor, Button, SegmentedControl, Skeleton, Table } from '@mantine/core'
import { IconCircleCheck, IconRefresh } from '@tabler/icons-react'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Failure } from '../api/api-types.ts'
import { labelsOf } from '../api/label-filter.ts'
import { useMay } from '../api/session.ts'
import { FlowSelect } from '../live/flow-select.tsx'
import { LabelInput } from '../live/label-input.tsx'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import tables from '../ui/table.module.css'
import { RelativeTime } from '../ui/time.tsx'
import { FailureHours, FailureStateDot } from './failure-marks.tsx'
import { failureQueries } from './failure-queries.ts'
import type { FailureSearch } from './failure-search.ts'
import classes from './failures.module.css'
import { ReplayDialog } from './replay-dialog.tsx'
import { ReplayProgress } from './replay-progress.tsx'

const route = getRouteApi('/signed-in/failures')

export function FailuresPage() {
  const { flow, state = 'open', label } = route.useSearch()
  const navigate = route.useNavigate()
  const failures = useInfiniteQuery(
    failureQueries.failures({ flow, state: state === 'all' ? undefined : state, label }),
  )
  const jobs = useQuery(failureQueries.jobs)
  const mayWrite = useMay('runs:replay')
  const [replaying, setReplaying] = useState(false)
  const items = failures.data?.pages.flatMap((page) => page.items) ?? []
  const running = jobs.data?.filter(({ finishedAt }) => finishedAt === null) ?? []
  return (
    <>
      <PageHeader
        title="Failures"
        actions={
          mayWrite &&
          state === 'open' &&
          items.length > 0 && (
            <Button leftSection={<IconRefresh size={15} />} onClick={() => setReplaying(true)}>
              Replay all
            </Button>
          )
        }
      />
      <PageBody>
        {running.map((job) => (
          <ReplayProgress key={job.id} job={job} brief />
        ))}
        <div className={classes.filters}>
          <FlowSelect
            flow={flow}
            onChange={(chosen) => void navigate({ search: (search: FailureSearch) => ({ ...search, flow: chosen }) })}
          />
          <SegmentedControl
            aria-label="State"
            value={state}
            onChange={(value) =>
              void navigate({
                search: (search: FailureSearch) => ({ ...search, state: value as FailureSearch['state'] }),
              })
            }
            data={[
              { value: 'open', label: 'Open' },
              { value: 'muted', label: 'Muted' },
              { value: 'resolved', label: 'Resolved' },
              { value: 'all', label: 'All' },
            ]}
          />
          <LabelInput
            filter={label}
            onChange={(next) => void navigate({ search: (search: FailureSearch) => ({ ...search, label: next }) })}
          />
        </div>
        {failures.isPending && <Skeleton height={240} />}
        {failures.isError && (
          <ErrorNote
            title="The failures could not be loaded"
            error={failures.error}
            onRetry={() => void failures.refetch({ cancelRefetch: true })}
          />
        )}
        {failures.data && items.length === 0 && (
          <EmptyState
            picture={<IconCircleCheck size={40} stroke={1.2} />}
            title={state === 'open' && !label ? 'Nothing is failing' : 'No such failures'}
            guide="failures"
          >
            Failed runs with the same cause are shown here as one line, with what you need to put all of them right.
          </EmptyState>
        )}
        {items.length > 0 && <FailureTable failures={items} />}
        {failures.hasNextPage && (
          <Button
            variant="default"
            mt="md"
            loading={failures.isFetchingNextPage}
            onClick={() => void failures.fetchNextPage()}
          >
            Show more
          </Button>
        )}
      </PageBody>
      {replaying && (
        <ReplayDialog
          filter={{ failure: items.map(({ id }) => id), ...(label && { label: Object.fromEntries(labelsOf(label)) }) }}
          onClose={() => setReplaying(false)}
        >
          The runs of {plural(items.length, 'open failure')}, as listed here
          {label && `, that have ${[label].flat().join(' and ')}`}.
        </ReplayDialog>
      )}
    </>
  )
}

function FailureTable({ failures }: { failures: Failure[] }) {
  return (
    <div className={tables.frame}>
      <Table highlightOnHover verticalSpacing={9} horizontalSpacing="md">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Cause</Table.Th>
            <Table.Th className={classes.number}>Runs</Table.Th>
            <Table.Th className={tables.wideOnly}>3 days</Table.Th>
            <Table.Th>Last</Table.Th>
            <Table.Th className={tables.wideOnly}>Versions</Table.Th>
            <Table.Th className={tables.wideOnly}>State</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {failures.map((failure) => (
            <FailureRow key={failure.id} failure={failure} />
          ))}
        </Table.Tbody>
      </Table>
    </div>
  )
}

function FailureRow({ failure }: { failure: Failure }) {
  const { id, flowName, step, code, status, message, count, lastAt, versions, hours } = failure
  return (
    <Table.Tr>
      <Table.Td className={classes.cause}>
        <Anchor component={Link} to={`/failures/${id}`} className={tables.name} title={message}>
          {message}
        </Anchor>
        <div className={classes.where}>
          {flowName ?? 'Deleted flow'}
          {step !== null && <> › {step}</>} · <code>{code}</code>
          {status !== null && !code.includes(String(status)) && ` ${status}`}
        </div>
      </Table.Td>
      <Table.Td className={classes.number}>{count.toLocaleString('en')}</Table.Td>
      <Table.Td className={tables.wideOnly}>
        <FailureHours hours={hours} />
      </Table.Td>
      <Table.Td className={tables.dim}>
        <RelativeTime at={lastAt} />
      </Table.Td>
      <Table.Td className={`${tables.dim} ${tables.wideOnly}`}>{shownVersions(versions)}</Table.Td>
      <Table.Td className={tables.wideOnly}>
        <FailureStateDot failure={failure} />
      </Table.Td>
    </Table.Tr>
  )
}

const SHOWN = 3

export const shownVersions = (versions: number[]): string =>
  versions.length === 0 ? 'draft' : `${versions.slice(0, SHOWN).join(', ')}${versions.length > SHOWN ? ', …' : ''}`
