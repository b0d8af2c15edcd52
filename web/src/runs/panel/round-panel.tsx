// A round of a loop: its steps, and why it failed.
import { Button, Skeleton } from '@mantine/core'
import { IconRepeat } from '@tabler/icons-react'
import type { RunStep } from '../../api/api-types.ts'
import { KindIcon } from '../../step-kinds/kind-icon.tsx'
import { formatDuration } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import type { RoundRow } from '../model/rounds.ts'
import type { Round } from '../model/run-tree.ts'
import classes from './panel.module.css'
import { PanelHead } from './panel-head.tsx'
import { StepErrorNote } from './step-error-note.tsx'

interface RoundPanelProps {
  row: RoundRow
  round: Round<RunStep> | undefined
  loading: boolean
  more: (() => void) | null
  onSelect: (path: string) => void
}

export function RoundPanel({ row, round, loading, more, onSelect }: RoundPanelProps) {
  return (
    <>
      <PanelHead
        icon={<IconRepeat size={17} aria-hidden="true" />}
        title={`Round ${(row.index + 1).toLocaleString('en')}`}
        status={row.status && <StatusDot status={row.status} />}
      />
      <div className={classes.scroll}>
        {row.error && <StepErrorNote error={row.error} />}
        <h3 className={classes.section}>Steps of this round</h3>
        {loading && <Skeleton height={84} />}
        {!loading && !round && (
          <p className={classes.none}>There is no data for this round: it has not begun, or ran no step.</p>
        )}
        {round?.steps.map(({ step }) => (
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
        {more && (
          <Button size="xs" variant="default" mt={8} onClick={more}>
            More steps
          </Button>
        )}
      </div>
    </>
  )
}
