// The flow that a run followed, coloured by what became of its steps.
import { useQuery } from '@tanstack/react-query'
import { type KeyboardEvent, useMemo } from 'react'
import type { FlowDocument, Run, RunStep } from '../api/api-types.ts'
import { queries } from '../api/queries.ts'
import { FlowCanvas } from '../editor/canvas/canvas.tsx'
import type { CanvasValue } from '../editor/canvas/canvas-context.tsx'
import { findStep, ON_FAILURE, stepAt } from '../flow-model/flow-tree.ts'
import { neighbour } from '../flow-model/select-step.ts'
import { takenPath } from '../flow-model/taken-path.ts'
import { useNow } from '../ui/time.tsx'
import { HANDLING, isHandling } from './model/handling.ts'
import { outcomeOnCard, stepOutcomes } from './model/step-outcomes.ts'
import { roundOf, stepIdOf } from './model/step-path.ts'
import classes from './run-page.module.css'

interface RunCanvasProps {
  document: FlowDocument
  steps: readonly RunStep[]
  /** What is done because the run failed, if anything. */
  handling: Run['onFailure']
  /** Null: the trigger. */
  selected: string | null
  onSelect: (path: string | null) => void
}

const NOTHING: ReadonlySet<string> = new Set()

/** How often the time that a wait has left is written anew. */
const LEFT_EVERY_MS = 15_000

const DIRECTIONS = { ArrowUp: 'up', ArrowDown: 'down', ArrowLeft: 'left', ArrowRight: 'right' } as const

export function RunCanvas({ document, steps: ofRun, handling, selected, onSelect }: RunCanvasProps) {
  // A flow that is called has no card: its call is the card of what is done.
  const hasSteps = Array.isArray(document.onFailure)
  const steps = useMemo(
    () => (handling && hasSteps ? [...ofRun, ...handling.steps] : ofRun),
    [ofRun, handling, hasSteps],
  )
  const kinds = useQuery(queries.stepKinds).data?.items
  const outcomes = useMemo(() => stepOutcomes(steps, selected), [steps, selected])
  const now = useNow(LEFT_EVERY_MS)
  const cards = useMemo(
    () => new Map([...outcomes].map(([id, outcome]) => [id, outcomeOnCard(outcome, now)])),
    [outcomes, now],
  )
  const taken = useMemo(() => takenPath(document, steps), [document, steps])
  const place = useMemo(
    () =>
      selected === null || (isHandling(selected) && !hasSteps)
        ? null
        : (findStep(document, stepIdOf(selected)) ?? null),
    [document, selected, hasSteps],
  )
  const showsFailure = document.onFailure !== undefined || handling !== null
  const failureSelected = place === null && selected !== null && isHandling(selected)
  const value = useMemo<CanvasValue>(() => {
    const inRound = selected !== null && (roundOf(selected) !== null || selected.includes(']/'))
    const openStep = (key: string) => {
      const outcome = outcomes.get(key)
      // Of many rounds the one that failed is wanted, unless one is looked at already.
      onSelect((inRound ? null : outcome?.firstFailure) ?? outcome?.path ?? key)
    }
    return {
      document,
      readOnly: true,
      leastZoom: 0.75,
      kinds: kinds ?? [],
      issues: [],
      outcomes: cards,
      taken,
      selected: place,
      marked: NOTHING,
      triggerSelected: selected === null,
      failure: showsFailure
        ? { selected: failureSelected, instead: 'calls the failure flow', status: handling?.status ?? null }
        : null,
      triggerNote: '',
      openStep,
      mark: openStep,
      openTrigger: () => onSelect(null),
      openFailure: () => onSelect(HANDLING),
      moveTo: () => {},
      changeNotes: () => {},
      adding: null,
      setAdding: () => {},
    }
  }, [document, kinds, cards, taken, outcomes, place, selected, showsFailure, failureSelected, handling, onSelect])
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = DIRECTIONS[event.key as keyof typeof DIRECTIONS]
    if (!direction || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    const next = neighbour(document, place?.path ?? (failureSelected ? ON_FAILURE : null), direction, showsFailure)
    if (next === null) onSelect(null)
    else if (next === ON_FAILURE) onSelect(HANDLING)
    else value.openStep(stepAt(document, next)!.step.id)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys lead from card to card
    <div className={classes.canvas} onKeyDown={onKeyDown}>
      <FlowCanvas value={value} />
    </div>
  )
}
