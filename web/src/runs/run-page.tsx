// One run: what it did and when, and whatever is looked at beside it. Live while it runs.
import { Skeleton } from '@mantine/core'
import { IconFileOff } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useCallback, useMemo } from 'react'
import { ApiError } from '../api/api-client.ts'
import type { FlowDocument, Run, RunStep } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { allSteps } from '../flow-model/flow-tree.ts'
import { usePageKeys } from '../shell/commands.ts'
import { PageBody, PageHeader } from '../shell/page-header.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorNote } from '../ui/error-note.tsx'
import { PanelSplit } from '../ui/panel-split.tsx'
import { StatusDot } from '../ui/status.tsx'
import { useNow } from '../ui/time.tsx'
import { RunActions } from './actions/run-actions.tsx'
import { useReplayRun } from './actions/use-run-actions.ts'
import { isHandling, isUnderWay } from './model/handling.ts'
import { type RoundList, roundList } from './model/rounds.ts'
import { type RunPageSearch, selectedPath, type Tab } from './model/run-selection.ts'
import { runTree, type StepNode } from './model/run-tree.ts'
import { roundOf } from './model/step-path.ts'
import { waitWords } from './model/waits.ts'
import { waterfall } from './model/waterfall.ts'
import { SelectionPanel } from './panel/selection-panel.tsx'
import { useRunSteps } from './panel/use-run-steps.ts'
import { RunCanvas } from './run-canvas.tsx'
import { RunFacts } from './run-facts.tsx'
import classes from './run-page.module.css'
import { useWatchedRun } from './use-watched-run.ts'
import { WaterfallView } from './waterfall-view.tsx'

const route = getRouteApi('/signed-in/runs/$id')

const KEYS = [
  { keys: ['↑', '↓'], label: 'Next or previous step of the timeline' },
  { keys: ['→', '←'], label: 'Into the rounds of a loop, and from round to round' },
]

/** Its head, and some room below. */
const TIMELINE_PX = 60

export function RunPage() {
  const { id } = route.useParams()
  // Another run is another page: nothing of the one before stays.
  return <LoadedRun key={id} id={id} />
}

function LoadedRun({ id }: { id: string }) {
  const run = useWatchedRun(id)
  usePageKeys(KEYS)
  if (run.data) return <RunView run={run.data} />
  return (
    <>
      <PageHeader crumbs={[{ label: 'Runs', to: '/runs' }]} title="Run" />
      <PageBody>
        {run.isPending ? (
          <Skeleton height={320} />
        ) : (
          <ErrorNote
            title="The run could not be loaded"
            error={run.error}
            hint="Finished runs are deleted when their retention ends."
            onRetry={() => void run.refetch({ cancelRefetch: true })}
          />
        )}
      </PageBody>
    </>
  )
}

function RunView({ run }: { run: Run }) {
  const search = route.useSearch()
  const navigate = route.useNavigate()
  const replay = useReplayRun()
  const document = useQuery(queries.runDocument(run.id))
  const continues = useMemo(() => continuing(document.data?.document), [document.data])
  const { steps, round } = useRunSteps(run, document.data?.document, search.step ?? null)
  const selected = useMemo(() => selectedPath(search, { error: run.error, steps }), [search, run.error, steps])
  const tree = useMemo(() => runTree(steps, continues), [steps, continues])
  const handling = useMemo(
    () => run.onFailure && { status: run.onFailure.status, tree: runTree(run.onFailure.steps, continues) },
    [run.onFailure, continues],
  )
  const nodes = useMemo(() => nodesByPath([...tree, ...(handling?.tree ?? [])]), [tree, handling])
  const now = useNow(isUnderWay(run) ? 500 : 60_000)
  const drawn = useMemo(
    () => waterfall(run, tree, selected, now, continues, handling),
    [run, tree, selected, now, continues, handling],
  )
  const roundsOf = useMemo(() => {
    const lists = new Map<string, RoundList>()
    return (loop: string): RoundList | null => {
      const node = nodes.get(loop)
      if (!node?.loop) return null
      const list = lists.get(loop) ?? roundList(node.step, node.loop, continues)
      lists.set(loop, list)
      return list
    }
  }, [nodes, continues])

  const waitOf = (path: string): string | null => {
    const node = nodes.get(path)
    return node ? waitWords(node.step, run.callbacks, now) : null
  }
  const go = (next: RunPageSearch) => void navigate({ search: next, replace: true })
  const select = useCallback(
    (path: string | null) =>
      void navigate({ search: path === null ? { trigger: true } : { step: path }, replace: true }),
    [navigate],
  )
  // What is done because the run failed is no part of a replay.
  const isStep = selected !== null && !roundOf(selected) && !isHandling(selected)
  const step = isStep ? (nodes.get(selected)?.step ?? null) : null
  return (
    <>
      <PageHeader
        crumbs={[{ label: 'Runs', to: '/runs' }]}
        title={
          run.flowName === null ? (
            <span className={classes.deleted}>Deleted flow</span>
          ) : (
            <Link to="/flows/$id" params={{ id: run.flowId }} className={classes.flow}>
              {run.flowName}
            </Link>
          )
        }
        windowTitle={`Run of ${run.flowName ?? 'a deleted flow'}`}
        status={<StatusDot status={run.status} />}
        actions={<RunActions run={run} step={step} replay={replay} />}
      />
      <RunFacts run={run} />
      {replay.isError && (
        <div className={classes.note}>
          <ErrorNote title="The run could not be replayed" error={replay.error} />
        </div>
      )}
      <PanelSplit
        name="run-panel"
        side="right"
        initial={440}
        least={320}
        leastRest={420}
        narrow="stack"
        label="Details"
        panel={
          <SelectionPanel
            run={run}
            selected={selected}
            nodes={nodes}
            roundsOf={roundsOf}
            roundQuery={round}
            tab={search.tab}
            onTab={(tab: Tab) => go({ ...(selected === null ? { trigger: true } : { step: selected }), tab })}
            onSelect={select}
          />
        }
      >
        <PanelSplit
          name="run-timeline"
          side="bottom"
          initial={Math.min(300, TIMELINE_PX + drawn.rows.length * 28)}
          least={120}
          leastRest={document.isError ? 56 : 160}
          narrow="stack"
          label="Timeline"
          panel={
            <WaterfallView
              waterfall={drawn}
              selected={selected}
              trigger={run.trigger.kind}
              onSelect={select}
              waitOf={waitOf}
              roundsOf={roundsOf}
            />
          }
        >
          {document.data && (
            <RunCanvas
              document={document.data.document}
              steps={steps}
              handling={run.onFailure}
              selected={selected}
              onSelect={select}
            />
          )}
          {document.isPending && <Skeleton m={24} height={120} />}
          {document.isError && <NoDocument error={document.error} />}
        </PanelSplit>
      </PanelSplit>
    </>
  )
}

function NoDocument({ error }: { error: unknown }) {
  const gone = error instanceof ApiError && error.status === 404
  return (
    <div className={classes.gone}>
      {gone ? (
        <EmptyState picture={<IconFileOff size={36} stroke={1.2} />} title="The flow was deleted">
          The flow was deleted with its versions. The timeline below still shows every step of the run.
        </EmptyState>
      ) : (
        <ErrorNote title="The flow of this run could not be loaded" error={error} />
      )}
    </div>
  )
}

/** Steps that may fail while the flow goes on. */
function continuing(document: FlowDocument | undefined): ReadonlySet<string> {
  if (!document) return new Set()
  return new Set(
    allSteps(document)
      .filter(({ step }) => step['onError'] === 'continue')
      .map(({ step }) => step.id),
  )
}

function nodesByPath(tree: readonly StepNode<RunStep>[]): Map<string, StepNode<RunStep>> {
  const nodes = new Map<string, StepNode<RunStep>>()
  const visit = (list: readonly StepNode<RunStep>[]) => {
    for (const node of list) {
      nodes.set(node.step.path, node)
      visit(node.children)
      for (const round of node.loop?.rounds ?? []) visit(round.steps)
    }
  }
  visit(tree)
  return nodes
}
