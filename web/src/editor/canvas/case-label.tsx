import type { NodeProps } from '@xyflow/react'
import classes from './canvas.module.css'
import type { CaseLabelData } from './use-nodes.ts'

/** What has to hold for a column to be taken; leads to the branch, where it is edited. */
export function CaseLabel({ data }: NodeProps) {
  const { text, isCase, branch, onOpen } = data as CaseLabelData
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes.label}
      data-otherwise={!isCase || undefined}
      title={text}
      onClick={() => onOpen(branch)}
    >
      <span>{text}</span>
    </button>
  )
}
