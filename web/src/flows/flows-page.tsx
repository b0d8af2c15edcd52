import { Button, Group, SegmentedControl, Skeleton, Stack, Table, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconFileImport, IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import type { Flow, FlowStats } from '../api/api-types.ts'
import { keys, queries } from '../api/queries.ts'
import { useMay } from '../api/session.ts'
import { useEvents } from '../api/use-events.ts'
import { usePageCommands, usePageKeys } from '../shell/commands.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { useSearchKey } from '../shell/use-search-key.ts'
import { ErrorNote } from '../ui/error-note.tsx'
import { plural } from '../ui/format.ts'
import { type FlowListState, type FlowSort, listFlows } from './flow-list.ts'
import { FlowRow } from './flow-row.tsx'
import { FlowStarts } from './flow-starts.tsx'
import classes from './flows-page.module.css'
import { useFlowActions } from './use-flow-actions.ts'

const route = getRouteApi('/signed-in/flows')
const PAGE = 100
const KEYS = [{ keys: ['/'], label: 'Search the flows' }]

export function FlowsPage() {
  const flows = useQuery(queries.flows)
  const mayWrite = useMay('write')
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
      {mayWrite && <FlowStarts />}
    </Stack>
  )
}

function FlowTable({ flows }: { flows: Flow[] }) {
  const state = route.useSearch()
  const navigate = route.useNavigate()
  const set = (change: FlowListState) => void navigate({ search: { ...state, ...change }, replace: true })
  const stats = useFlowStats()
  const [shown, setShown] = useState(PAGE)
  const search = useRef<HTMLInputElement>(null)
  useSearchKey(search)
  const [text, setText] = useSearchText(state.q ?? '', search)
  const listed = useMemo(() => listFlows(flows, stats, { ...state, q: text }), [flows, stats, state, text])
  const count = (status: Flow['status']) => flows.filter((flow) => flow.status === status).length
  return (
    <>
      <Group mb="md" gap="sm">
        <TextInput
          ref={search}
          w={280}
          leftSection={<IconSearch size={15} />}
          placeholder="Search by name"
          aria-label="Search the flows by name"
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            set({ q: event.currentTarget.value })
          }}
        />
        <SegmentedControl
          aria-label="Which flows"
          size="xs"
          value={state.status ?? 'all'}
          onChange={(value) => set({ status: value === 'all' ? undefined : (value as Flow['status']) })}
          data={[
            { value: 'all', label: `All ${flows.length}` },
            { value: 'published', label: `Published ${count('published')}` },
            { value: 'draft', label: `Drafts ${count('draft')}` },
          ]}
        />
      </Group>
      {listed.length === 0 ? (
        <Text c="dimmed" py="xl" ta="center">
          No flow has that in its name. <Link to="/flows">Show all</Link>
        </Text>
      ) : (
        <div className={classes.frame}>
          <Table highlightOnHover verticalSpacing={9} horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <SortedTh sort="name" label="Name" state={state} onSort={set} />
                <Table.Th>Published</Table.Th>
                <SortedTh sort="run" label="Last run" state={state} onSort={set} />
                <Table.Th>Last 24 hours</Table.Th>
                <SortedTh sort="changed" label="Changed" state={state} onSort={set} className={classes.changed} />
                <Table.Th aria-label="More" />
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {listed.slice(0, shown).map(({ flow, stats }) => (
                <FlowRow key={flow.id} flow={flow} stats={stats} />
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {listed.length > shown && (
        <Group justify="center" mt="md">
          <Button variant="default" onClick={() => setShown(shown + PAGE)}>
            Show more: {plural(listed.length - shown, 'flow')} left
          </Button>
        </Group>
      )}
    </>
  )
}

/** The field is ahead of the address while somebody types, and follows it otherwise. */
function useSearchText(inAddress: string, field: RefObject<HTMLInputElement | null>) {
  const [text, setText] = useState(inAddress)
  useEffect(() => {
    if (document.activeElement !== field.current) setText(inAddress)
  }, [inAddress, field])
  return [text, setText] as const
}

interface SortedThProps {
  sort: FlowSort
  label: string
  state: FlowListState
  onSort: (change: FlowListState) => void
  className?: string
}

function SortedTh({ sort, label, state, onSort, className }: SortedThProps) {
  const active = (state.sort ?? 'changed') === sort
  return (
    <Table.Th className={className} aria-sort={active ? (sort === 'name' ? 'ascending' : 'descending') : undefined}>
      <UnstyledButton className={classes.sort} data-active={active || undefined} onClick={() => onSort({ sort })}>
        {label}
        <IconArrowDown size={12} aria-hidden="true" className={classes.arrow} data-up={sort === 'name' || undefined} />
      </UnstyledButton>
    </Table.Th>
  )
}

const REFRESH_MS = 2000
const NO_STATS: FlowStats[] = []

/** Fresh while runs come in, but not asked for at each of many. */
function useFlowStats() {
  const queryClient = useQueryClient()
  const waiting = useRef(false)
  useEvents('/events', ({ type }) => {
    if (type !== 'run' || waiting.current) return
    waiting.current = true
    setTimeout(() => {
      waiting.current = false
      void queryClient.invalidateQueries({ queryKey: keys.flowStats })
    }, REFRESH_MS)
  })
  return useQuery(queries.flowStats).data ?? NO_STATS
}
