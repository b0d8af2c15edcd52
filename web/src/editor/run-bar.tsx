// The test run that is followed: how it stands, and where to read it in full.
import { ActionIcon, Anchor } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { ApiError } from '../api/api-client.ts'
import { messageOf } from '../ui/error-note.tsx'
import { StatusDot } from '../ui/status.tsx'
import { Duration } from '../ui/time.tsx'
import classes from './editor.module.css'
import { useEditor } from './state/editor-context.tsx'

export function RunBar() {
  const { tests, open, search } = useEditor()
  const { run, refusal, forgetRun } = tests
  if (refusal) {
    const problems = refusal instanceof ApiError ? refusal.issues : []
    return (
      <div className={classes.bar} data-tone="bad" role="alert">
        <span style={{ flex: 1 }}>
          The flow could not be tested. {problems.length ? '' : messageOf(refusal)}
          {problems.length > 0 && (
            <Anchor size="sm" onClick={() => open({ publish: true, ...(search.view ? { view: search.view } : {}) })}>
              {problems.length === 1 ? 'One problem has' : `${problems.length} problems have`} to be fixed first.
            </Anchor>
          )}
        </span>
        <Dismiss onClick={forgetRun} />
      </div>
    )
  }
  if (!run) return null
  const began = run.startedAt ?? run.createdAt
  return (
    <div className={classes.bar} role="status">
      <StatusDot status={run.status} word={`Test run ${run.status}`} />
      <span style={{ color: 'var(--mr-dim)' }}>
        <Duration since={began} until={run.finishedAt ?? null} />
      </span>
      <span style={{ flex: 1, color: 'var(--mr-bad)' }}>{run.error?.message}</span>
      <Anchor size="sm" component={Link} to={`/runs/${run.id}`}>
        See the run
      </Anchor>
      <Dismiss onClick={forgetRun} />
    </div>
  )
}

function Dismiss({ onClick }: { onClick: () => void }) {
  return (
    <ActionIcon size="sm" aria-label="Dismiss" onClick={onClick}>
      <IconX size={15} />
    </ActionIcon>
  )
}
