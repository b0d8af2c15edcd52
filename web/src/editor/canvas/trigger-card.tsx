import { VisuallyHidden } from '@mantine/core'
import { IconWebhook } from '@tabler/icons-react'
import type { NodeProps } from '@xyflow/react'
import { useRef } from 'react'
import { describeTrigger } from '../model/describe-step.ts'
import { isInside } from '../model/flow-tree.ts'
import classes from './canvas.module.css'
import { useCanvas } from './canvas-context.tsx'
import { ProblemCount, useFocusOnSelection } from './step-card.tsx'

export function TriggerCard({ data }: NodeProps) {
  const { selected, tabbable } = data as { selected: boolean; tabbable: boolean }
  const { document, openTrigger, issues, triggerNote } = useCanvas()
  const card = useRef<HTMLButtonElement>(null)
  useFocusOnSelection(card, selected)
  const line = describeTrigger(document.trigger)
  const own = issues.filter(({ path }) => isInside(path, '/trigger'))
  return (
    <button
      ref={card}
      type="button"
      className={classes.card}
      data-selected={selected || undefined}
      data-problems={own.some(({ warning }) => !warning) || undefined}
      data-card="trigger"
      tabIndex={tabbable ? 0 : -1}
      aria-current={selected || undefined}
      onClick={openTrigger}
    >
      <span className={classes.top}>
        <IconWebhook size={16} aria-hidden="true" />
        <span className={classes.id}>webhook</span>
        <VisuallyHidden>, trigger, </VisuallyHidden>
        <span className={classes.name}>{triggerNote}</span>
        <ProblemCount issues={own} />
      </span>
      <span className={classes.line}>{line}</span>
    </button>
  )
}
