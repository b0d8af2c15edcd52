import { VisuallyHidden } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle, IconPin } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { useEffect, useRef } from 'react'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { StatusDot } from '../../ui/status.tsx'
import classes from './canvas.module.css'
import type { Problems, StepCardData } from './use-nodes.ts'

export function StepCard({ data }: NodeProps) {
  const step = data as StepCardData
  const card = useRef<HTMLButtonElement>(null)
  useFocusOnSelection(card, step.selected)
  return (
    <button
      ref={card}
      type="button"
      className={classes.card}
      data-selected={step.selected || undefined}
      data-dragged={step.dragged || undefined}
      data-problems={step.errors > 0 || undefined}
      data-marked={step.marked || undefined}
      data-taken={step.taken ?? undefined}
      data-outcome={step.ended && step.status ? step.status : undefined}
      data-card={step.cardKey}
      tabIndex={step.tabbable ? 0 : -1}
      aria-current={step.selected || undefined}
      onClick={({ ctrlKey, metaKey, shiftKey }) =>
        step.onOpen(step.cardKey, ctrlKey || metaKey ? 'toggle' : shiftKey ? 'range' : undefined)
      }
    >
      <span className={classes.top}>
        <KindIcon kind={step.kind} />
        <span className={classes.id}>{step.id || '—'}</span>
        <VisuallyHidden>, {step.kindLabel}, </VisuallyHidden>
        <span className={classes.name}>{step.name}</span>
        <ProblemCount {...step} />
        {step.status && (
          <span
            className={classes.outcome}
            data-old={step.note === 'old' || undefined}
            title={step.note === 'old' ? 'Edited since this test' : undefined}
          >
            {step.note === 'pinned' ? (
              <span className={classes.pinned} title="Tests use the pinned result in place of running the step">
                <IconPin size={13} aria-hidden="true" />
                {step.result}
              </span>
            ) : (
              <StatusDot status={step.status} word={step.result || true} />
            )}
            {step.note === 'old' && <VisuallyHidden>, edited since</VisuallyHidden>}
          </span>
        )}
      </span>
      <span className={classes.line}>{step.line}</span>
      <VisuallyHidden>
        {step.where}
        {step.taken === false && ', not reached'}
        {step.marked && ', chosen'}
      </VisuallyHidden>
    </button>
  )
}

export function ProblemCount({ errors, warnings, problem }: Problems) {
  if (errors + warnings === 0) return null
  return (
    <span className={classes.problems} data-warning={errors === 0 || undefined} title={problem}>
      {errors ? <IconAlertCircle size={14} aria-hidden="true" /> : <IconAlertTriangle size={14} aria-hidden="true" />}
      {errors || warnings}
      <VisuallyHidden> {errors ? 'problems' : 'warnings'}, </VisuallyHidden>
    </span>
  )
}

/** Keys move the selection; the focus follows it while it is on the canvas. */
export function useFocusOnSelection(card: React.RefObject<HTMLButtonElement | null>, selected: boolean): void {
  useEffect(() => {
    const active = document.activeElement
    // Whoever writes on the canvas, in its search or in a note, goes on writing.
    const onCanvas = active !== null && active.closest('[data-canvas]') !== null && !active.matches('input, textarea')
    if (selected && onCanvas && active !== card.current) card.current?.focus({ preventScroll: true })
  }, [card, selected])
}
