import { VisuallyHidden } from '@mantine/core'
import { IconAlertCircle, IconAlertTriangle } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { issueWords } from '../flow-model/issue-words.ts'
import type { FieldIssue } from './field-context.tsx'
import classes from './fields.module.css'

interface FieldFrameProps {
  label: string
  /** Beside the label, in a few words. */
  description?: string | undefined
  issues?: readonly FieldIssue[]
  /** Names the input for people who cannot see the label above it. */
  labelId?: string
  children: ReactNode
}

export function FieldFrame({ label, description, issues = [], labelId, children }: FieldFrameProps) {
  return (
    <div className={classes.field}>
      <div className={classes.head}>
        <span className={classes.label} id={labelId}>
          {label}
        </span>
        {description && (
          <span className={classes.description} title={description}>
            {description}
          </span>
        )}
      </div>
      {children}
      <IssueNotes issues={issues} />
    </div>
  )
}

export function IssueNotes({ issues }: { issues: readonly FieldIssue[] }) {
  return issues.map((issue) => (
    <div
      key={`${issue.path} ${issue.code} ${issue.message}`}
      className={classes.issue}
      data-warning={issue.warning || undefined}
    >
      {issue.warning ? (
        <IconAlertTriangle size={13} aria-hidden="true" />
      ) : (
        <IconAlertCircle size={13} aria-hidden="true" />
      )}
      <span>{issueWords(issue)}</span>
    </div>
  ))
}

/** Says on a tab or a closed section that something in it is wrong; `issues` has at least one. */
export function ProblemMark({ issues }: { issues: readonly FieldIssue[] }) {
  const isBad = issues.some(({ warning }) => !warning)
  const Icon = isBad ? IconAlertCircle : IconAlertTriangle
  return (
    <span className={classes.mark} data-warning={!isBad || undefined} title={issues[0]!.message}>
      <Icon size={13} aria-hidden="true" />
      <VisuallyHidden>{isBad ? ' (has a problem)' : ' (has a warning)'}</VisuallyHidden>
    </span>
  )
}
