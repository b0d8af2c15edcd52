// What was done because the run failed: how it went, its steps, and the run of the flow that was called.
import { IconLifebuoy } from '@tabler/icons-react'
import type { Run } from '../../api/api-types.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { formatDuration } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import { HANDLING, isHandling } from '../model/handling.ts'
import classes from './panel.module.css'
import { PanelHead } from './panel-head.tsx'
import { RunLink } from './run-link.tsx'
import { StepErrorNote } from './step-error-note.tsx'

interface HandlingPanelProps {
  run: Run
  handling: NonNullable<Run['onFailure']>
  onSelect: (path: string) => void
}

export function HandlingPanel({ run, handling, onSelect }: HandlingPanelProps) {
  const { status, steps, error } = handling
  const called = run.children.filter(({ step }) => isHandling(step))
  // Those inside branches and loops are found from theirs, and in the timeline.
  const top = steps.filter(({ path }) => !path.slice(HANDLING.length + 1).includes('/'))
  return (
    <>
      <PanelHead
        icon={<IconLifebuoy size={17} aria-hidden="true" />}
        title="When it failed"
        what={called.length > 0 && steps.length === 1 ? 'a flow was called' : ''}
        status={<StatusDot status={status} />}
      />
      <div className={classes.scroll}>
        {called.length > 0 && (
          <dl className={classes.facts}>
            {called.map(({ run: id, step, status: outcome }) => (
              <div key={id}>
                <dt>Called run</dt>
                <dd>
                  <RunLink id={id} /> ({step.slice(HANDLING.length + 1)}, {outcome})
                </dd>
              </div>
            ))}
          </dl>
        )}
        {error && <StepErrorNote error={error} />}
        {top.length === 0 && (
          <p className={classes.none}>
            {error ? 'No step has run.' : 'Nothing has run yet: it begins when its turn comes.'}
          </p>
        )}
        {top.length > 0 && <h3 className={classes.section}>Steps</h3>}
        {top.map((step) => (
          <button
            key={step.path}
            type="button"
            className={`${classes.roundRow} ${classes.stepRow}`}
            onClick={() => onSelect(step.path)}
          >
            <KindIcon kind={step.kind} size={14} />
            <code>{step.id}</code>
            <StatusDot status={step.status} />
            <span>{step.finishedAt && formatDuration(Date.parse(step.finishedAt) - Date.parse(step.startedAt))}</span>
          </button>
        ))}
      </div>
    </>
  )
}
