import { VisuallyHidden } from '@mantine/core'
import { IconLifebuoy } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { useRef } from 'react'
import { StatusDot } from '../../ui/status.tsx'
import classes from './canvas.module.css'
import { ProblemCount, useFocusOnSelection } from './step-card.tsx'
import type { FailureCardData } from './use-nodes.ts'

/** What is done when a run has failed. Its steps stand below it, apart from the flow: no line leads here. */
export function FailureCard({ data }: NodeProps) {
  const failure = data as FailureCardData
  const card = useRef<HTMLButtonElement>(null)
  useFocusOnSelection(card, failure.selected)
  return (
    <button
      ref={card}
      type="button"
      className={classes.card}
      data-selected={failure.selected || undefined}
      data-problems={failure.errors > 0 || undefined}
      data-unset={failure.unset || undefined}
      data-outcome={failure.status ?? undefined}
      data-card="failure"
      tabIndex={failure.tabbable ? 0 : -1}
      aria-current={failure.selected || undefined}
      onClick={() => failure.onOpenFailure()}
    >
      <span className={classes.top}>
        <IconLifebuoy size={16} className={classes.failureIcon} aria-hidden="true" />
        <span className={classes.title}>When a run fails</span>
        <ProblemCount {...failure} />
        {failure.status && (
          <span className={classes.outcome}>
            <StatusDot status={failure.status} />
          </span>
        )}
      </span>
      <VisuallyHidden>, </VisuallyHidden>
      <span className={classes.line}>{failure.line}</span>
    </button>
  )
}
