// The runs as a dense table: arrow keys move from row to row, Enter opens.
import { Button } from '@mantine/core'
import type { RefObject } from 'react'
import type { RunSummary } from '../../api/api-types.ts'
import { moveRowFocus } from '../../live/row-keys.ts'
import { SpacerRow } from '../../live/spacer-row.tsx'
import table from '../../live/table.module.css'
import { useRowWindow } from '../../live/use-row-window.ts'
import { formatDuration, formatRelative } from '../../ui/format.ts'
import { useNow } from '../../ui/time.tsx'
import { DURATION_TICKS, runDuration } from '../model/duration-bar.ts'
import { isFinished } from '../model/run-filter.ts'
import { RunRow } from './run-row.tsx'
import classes from './run-table.module.css'

/** Thin lines at the ticks of the scale, behind every bar. */
const TICK_LINES = {
  '--ticks': DURATION_TICKS.map(
    ({ share }) => `linear-gradient(var(--mr-control) 0 0) ${(share * 100).toFixed(2)}% 0 / 1px 100% no-repeat`,
  ).join(', '),
} as React.CSSProperties

interface RunTableProps {
  runs: RunSummary[]
  /** Without it the list is that of one flow. */
  withFlow: boolean
  /** What the table scrolls in. */
  box: RefObject<HTMLElement | null>
  older: { has: boolean; loading: boolean; load: () => void }
}

export function RunTable({ runs, withFlow, box, older }: RunTableProps) {
  const now = useNow(1000)
  const { first, end, above, below } = useRowWindow(box, runs.length)
  return (
    <>
      <table
        className={table.table}
        style={TICK_LINES}
        aria-rowcount={runs.length + 1}
        onKeyDown={(event) => moveRowFocus(event, older.load)}
      >
        <thead>
          <tr>
            <th className={classes.statusColumn}>Status</th>
            <th className={classes.flowColumn}>{withFlow ? 'Flow' : 'Run'}</th>
            <th className={classes.startedColumn}>Started</th>
            <th className={classes.durationColumn}>
              <span className={classes.duration}>
                <span className={classes.scale} aria-hidden="true">
                  {DURATION_TICKS.map(({ label, share }) => (
                    <span key={label} style={{ left: `${share * 100}%` }}>
                      {label}
                    </span>
                  ))}
                </span>
                <span className={classes.length}>Duration</span>
              </span>
            </th>
            <th>Error</th>
            <th className={classes.menuColumn}>
              <span className={table.hidden}>Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <SpacerRow height={above} />
          {runs.slice(first, end).map((run, index) => {
            const durationMs = runDuration(run, now)
            // What still runs counts in whole seconds: tenths that hop are hard to read.
            const shown =
              durationMs !== null && !isFinished(run.status) ? Math.floor(durationMs / 1000) * 1000 : durationMs
            return (
              <RunRow
                key={run.id}
                run={run}
                withFlow={withFlow}
                started={formatRelative(Date.parse(run.createdAt), now)}
                duration={
                  shown === null ? null : shown === 0 && !isFinished(run.status) ? '0 s' : formatDuration(shown)
                }
                durationMs={shown}
                focusable={index === 0}
              />
            )
          })}
          <SpacerRow height={below} />
        </tbody>
      </table>
      {older.has && (
        <div className={table.older}>
          <Button variant="default" loading={older.loading} onClick={older.load}>
            Older runs
          </Button>
        </div>
      )}
    </>
  )
}
