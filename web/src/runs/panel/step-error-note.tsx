// Why a step or a run failed: code, message, what to do about it.
import type { ReactNode } from 'react'
import type { RunSummary } from '../../api/api-types.ts'
import classes from './panel.module.css'

interface StepErrorNoteProps {
  error: NonNullable<RunSummary['error']>
  /** It is tried again: not the end of it. */
  retrying?: boolean
  actions?: ReactNode
}

export function StepErrorNote({ error, retrying = false, actions }: StepErrorNoteProps) {
  return (
    <div
      className={classes.error}
      data-quiet={error.code === 'cancelled' || undefined}
      data-retry={retrying || undefined}
      role={retrying ? 'status' : 'alert'}
    >
      <div>
        <span className={classes.code}>{error.code}</span>
        {error.message}
      </div>
      {error.hint && <p className={classes.hint}>{error.hint}</p>}
      {actions && <div className={classes.actions}>{actions}</div>}
    </div>
  )
}
