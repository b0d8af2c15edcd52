import { VisuallyHidden } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import type { FieldIssue } from '../../fields/field-context.tsx'
import { StatusDot } from '../../ui/status.tsx'
import { KindIcon } from '../kind-look.tsx'
import { describeStep } from '../model/describe-step.ts'
import { isInside, nestedLists, type StepPlace } from '../model/flow-tree.ts'
import type { Outcome } from '../model/outcomes.ts'
import classes from './canvas.module.css'
import { useCanvas } from './canvas-context.tsx'

export interface StepCardData extends Record<string, unknown> {
  place: StepPlace
  cardKey: string
  outcome: Outcome | undefined
  selected: boolean
  /** The one card that Tab leads to; the arrow keys lead to the others. */
  tabbable: boolean
  dragged: boolean
  issues: readonly FieldIssue[]
}

export function StepCard({ data }: NodeProps) {
  const { place, cardKey, outcome, selected, tabbable, dragged, issues } = data as StepCardData
  const { openStep, kinds, readOnly } = useCanvas()
  const card = useRef<HTMLButtonElement>(null)
  const { step } = place
  const kind = kinds.find((one) => one.kind === step.kind)?.label ?? step.kind
  const line = describeStep(step)
  useFocusOnSelection(card, selected)
  return (
    <button
      ref={card}
      type="button"
      className={classes.card}
      data-selected={selected || undefined}
      data-dragged={dragged || undefined}
      data-problems={issues.some(({ warning }) => !warning) || undefined}
      data-outcome={readOnly && outcome ? outcome.status : undefined}
      data-card={cardKey}
      tabIndex={tabbable ? 0 : -1}
      aria-current={selected || undefined}
      onClick={() => openStep(cardKey)}
    >
      <span className={classes.top}>
        <KindIcon kind={step.kind} />
        <span className={classes.id}>{step.id || '—'}</span>
        <VisuallyHidden>, {kind}, </VisuallyHidden>
        <span className={classes.name}>{step.name}</span>
        <ProblemCount issues={issues} />
        {outcome && (
          <span className={classes.outcome}>
            <StatusDot status={outcome.status} word={outcome.text || true} />
          </span>
        )}
      </span>
      <span className={classes.line}>{line}</span>
      <VisuallyHidden>{placeWords(place)}</VisuallyHidden>
    </button>
  )
}

export function ProblemCount({ issues }: { issues: readonly FieldIssue[] }) {
  const errors = issues.filter(({ warning }) => !warning).length
  if (issues.length === 0) return null
  return (
    <span className={classes.problems} data-warning={errors === 0 || undefined} title={issues[0]!.message}>
      {errors === 0 ? (
        <IconAlertTriangle size={14} aria-hidden="true" />
      ) : (
        <IconAlertCircle size={14} aria-hidden="true" />
      )}
      {errors || issues.length}
      <VisuallyHidden>{errors ? 'problems' : 'warnings'}, </VisuallyHidden>
    </span>
  )
}

/** Keys move the selection; the focus follows it while it is on the canvas. */
export function useFocusOnSelection(card: React.RefObject<HTMLButtonElement | null>, selected: boolean): void {
  useEffect(() => {
    const active = document.activeElement
    const onCanvas = active?.closest('[data-canvas]') !== null && active !== document.body
    if (selected && onCanvas && active !== card.current) card.current?.focus({ preventScroll: true })
  }, [card, selected])
}

function placeWords({ parent }: StepPlace): string {
  if (!parent) return ''
  const { place, nested } = parent
  if (nested.role === 'body') return `, in the loop ${place.step.id}`
  return nested.role === 'otherwise'
    ? `, otherwise in ${place.step.id}`
    : `, in case ${nested.index + 1} of ${place.step.id}`
}

/** Problems of the step itself; those of the steps inside it are shown on theirs. */
export function issuesOf(place: StepPlace, issues: readonly FieldIssue[]): FieldIssue[] {
  const inner = nestedLists(place.step).map(({ key }) => place.path + key)
  return issues.filter(
    ({ path }) => isInside(path, place.path) && !inner.some((list) => path !== list && isInside(path, list)),
  )
}
