import { Link } from '@tanstack/react-router'
import { memo } from 'react'
import type { RunSummary } from '../../api/api-types.ts'
import { followRow } from '../../live/row-keys.ts'
import table from '../../live/table.module.css'
import { formatMoment } from '../../ui/format.ts'
import { StatusDot, statusWord } from '../../ui/status.tsx'
import { RunMenu } from '../actions/run-menu.tsx'
import { durationShare } from '../model/duration-bar.ts'
import { shortId } from '../model/short-id.ts'
import classes from './run-table.module.css'

interface RunRowProps {
  run: RunSummary
  /** On the page of a flow its name says nothing: there a run goes by its id. */
  withFlow: boolean
  /** As text, so that a row is drawn again only when what it says changes. */
  started: string
  duration: string | null
  durationMs: number | null
  focusable: boolean
}

export const RunRow = memo(function RunRow({ run, withFlow, started, duration, durationMs, focusable }: RunRowProps) {
  const flow = run.flowName ?? 'Deleted flow'
  const name = withFlow ? flow : shortId(run.id)
  return (
    <tr className={table.row} data-run={run.id} onClick={followRow}>
      <td className={classes.statusCell}>
        <StatusDot status={run.status} />
      </td>
      <td className={classes.flowCell}>
        <Link
          to="/runs/$id"
          params={{ id: run.id }}
          className={table.link}
          data-row
          data-deleted={(withFlow && run.flowName === null) || undefined}
          tabIndex={focusable ? 0 : -1}
          aria-label={`${name}, ${statusWord(run.status)}, started ${started}`}
          preload={false}
        >
          {name}
        </Link>
        {run.test && <span className={table.mark}>Test</span>}
        {run.replayOf && <span className={table.mark}>Replay</span>}
        {run.edited && <span className={table.mark}>Edited</span>}
        {run.replayedAs && <span className={table.mark}>Replayed</span>}
        {run.trigger.admitted && <span className={table.mark}>Admitted</span>}
        {run.labels && <RowLabels labels={run.labels} />}
      </td>
      <td className={`${table.dim} ${classes.startedCell}`}>
        <time className={table.tip} dateTime={run.createdAt} title={formatMoment(Date.parse(run.createdAt))}>
          {started}
        </time>
      </td>
      <td className={classes.durationCell}>
        <span className={classes.duration}>
          <span className={classes.track} aria-hidden="true">
            {durationMs !== null && (
              <span
                className={classes.bar}
                data-status={run.status}
                style={{ width: `${Math.max(1, durationShare(durationMs) * 100)}%` }}
              />
            )}
          </span>
          <span className={classes.length}>{duration ?? '–'}</span>
        </span>
      </td>
      <td className={classes.error} data-quiet={run.status === 'cancelled' || undefined}>
        {run.error && (
          <span className={table.tip} title={run.error.message}>
            {run.error.step && <span className={classes.step}>{run.error.step}</span>}
            {run.error.message}
          </span>
        )}
      </td>
      <td className={`${table.menu} ${classes.menuCell}`}>
        <RunMenu run={run} label={`Actions for the run ${withFlow ? `of ${flow}` : name}`} />
      </td>
    </tr>
  )
})

function RowLabels({ labels }: { labels: Record<string, string> }) {
  const text = Object.entries(labels)
    .map(([name, value]) => `${name}=${value}`)
    .join('  ')
  return (
    <span className={classes.labels} title={text}>
      {text}
    </span>
  )
}
