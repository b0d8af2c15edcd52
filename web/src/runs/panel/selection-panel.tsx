// The panel beside the timeline: the webhook, a step, or a round, whichever is looked at.
import { Skeleton } from '@mantine/core'
import type { Run, RunStep } from '../../api/api-types.ts'
import { ErrorNote } from '../../ui/error-note.tsx'
import { HANDLING } from '../model/handling.ts'
import type { RoundList } from '../model/rounds.ts'
import type { Tab } from '../model/run-selection.ts'
import type { StepNode } from '../model/run-tree.ts'
import { roundOf, roundPath, roundsAlong } from '../model/step-path.ts'
import { callbackAt } from '../model/waits.ts'
import { CallbackNote } from './callback-note.tsx'
import { HandlingPanel } from './handling-panel.tsx'
import classes from './panel.module.css'
import { RoundPanel } from './round-panel.tsx'
import { RoundTurner } from './round-turner.tsx'
import { StepPanel } from './step-panel.tsx'
import { TriggerPanel } from './trigger-panel.tsx'
import type { useRunSteps } from './use-run-steps.ts'

interface SelectionPanelProps {
  run: Run
  selected: string | null
  nodes: ReadonlyMap<string, StepNode<RunStep>>
  roundsOf: (loop: string) => RoundList | null
  roundQuery: ReturnType<typeof useRunSteps>['round']
  tab: Tab | undefined
  onTab: (tab: Tab) => void
  onSelect: (path: string) => void
}

export function SelectionPanel(props: SelectionPanelProps) {
  const { run, selected } = props
  if (selected === null)
    return (
      <div className={classes.panel}>
        <TriggerPanel run={run} />
      </div>
    )
  if (selected === HANDLING && run.onFailure)
    return (
      <div className={classes.panel}>
        <HandlingPanel run={run} handling={run.onFailure} onSelect={props.onSelect} />
      </div>
    )
  const [place] = roundsAlong(selected).values()
  const rounds = place && props.roundsOf(place.loop)
  return (
    <div className={classes.panel}>
      {place && rounds && (
        <RoundTurner
          place={place}
          rounds={rounds}
          rest={selected.slice(roundPath(place).length)}
          onSelect={props.onSelect}
        />
      )}
      <Selected {...props} selected={selected} />
    </div>
  )
}

function Selected({
  run,
  selected,
  nodes,
  roundsOf,
  roundQuery,
  tab,
  onTab,
  onSelect,
}: SelectionPanelProps & { selected: string }) {
  const place = roundOf(selected)
  const loading = roundQuery.isLoading
  if (place) {
    const list = roundsOf(place.loop)
    const row = list?.row(list.positionOf(place.index, false), false)
    if (row)
      return (
        <RoundPanel
          row={row}
          round={nodes.get(place.loop)?.loop?.byPath.get(selected)}
          loading={loading}
          more={roundQuery.hasNextPage && !roundQuery.isFetchingNextPage ? () => void roundQuery.fetchNextPage() : null}
          onSelect={onSelect}
        />
      )
  }
  const node = nodes.get(selected)
  if (node)
    return (
      <StepPanel
        key={node.step.path}
        run={run}
        step={node.step}
        rounds={node.loop && roundsOf(selected)}
        tab={tab}
        onTab={onTab}
        onSelect={onSelect}
      />
    )
  const callback = callbackAt(run.callbacks, selected)
  return (
    <div className={classes.scroll}>
      {callback && <CallbackNote key={callback.id} run={run} callback={callback} output={null} />}
      {loading && <Skeleton height={160} />}
      {roundQuery.isError && (
        <ErrorNote
          title="The steps of this round could not be loaded"
          error={roundQuery.error}
          onRetry={() => void roundQuery.refetch()}
        />
      )}
      {!loading && !roundQuery.isError && !callback && (
        <p className={classes.none}>
          The run has no step at <code>{selected}</code>: it did not get there, or went another way.
        </p>
      )}
    </div>
  )
}
