import { VisuallyHidden } from '@mantine/core'
import type { NodeProps } from '@xyflow/react'
import { useRef } from 'react'
import { TriggerIcon } from '../../step-kinds/kind-icon.tsx'
import classes from './canvas.module.css'
import { ProblemCount, useFocusOnSelection } from './step-card.tsx'
import type { TriggerCardData } from './use-nodes.ts'

export function TriggerCard({ data }: NodeProps) {
  const trigger = data as TriggerCardData
  const card = useRef<HTMLButtonElement>(null)
  useFocusOnSelection(card, trigger.selected)
  return (
    <button
      ref={card}
      type="button"
      className={classes.card}
      data-selected={trigger.selected || undefined}
      data-problems={trigger.errors > 0 || undefined}
      data-card="trigger"
      tabIndex={trigger.tabbable ? 0 : -1}
      aria-current={trigger.selected || undefined}
      onClick={() => trigger.onOpen(null)}
    >
      <span className={classes.top}>
        <TriggerIcon kind={trigger.kind} />
        <span className={classes.id}>{trigger.kind}</span>
        <VisuallyHidden>, trigger, </VisuallyHidden>
        <span className={classes.name}>{trigger.note}</span>
        <ProblemCount {...trigger} />
      </span>
      <span className={classes.line}>{trigger.line}</span>
    </button>
  )
}
