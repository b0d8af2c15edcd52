// The runs as a dense table: arrow keys move from row to row, Enter opens.
import { Button } from '@mantine/core'
import type { KeyboardEvent } from 'react'
import type { RunSummary } from '../api-types.ts'
import { formatDuration, formatRelative } from '../ui/format.ts'
import { useNow } from '../ui/time.tsx'
import { DURATION_TICKS, runDuration } from './model/duration-bar.ts'
import { isFinished } from './model/run-filter.ts'
import { RunRow } from './run-row.tsx'
import classes from './run-table.module.css'

interface RunTableProps {
  runs: RunSummary[]
  older: { has: boolean; loading: boolean; load: () => void }
}

export function RunTable({ runs, older }: RunTableProps) {
  const now = useNow(1000)
  return (
    <>
      <table className={classes.table} onKeyDown={(event) => moveFocus(event, older.load)}>
        <thead>
          <tr>
            <th className={classes.statusColumn}>Status</th>
            <th className={classes.flowColumn}>Flow</th>
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
              <span className={classes.hidden}>Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run, index) => {
            const durationMs = runDuration(run, now)
            // What still runs counts in whole seconds: tenths that hop are hard to read.
            const shown =
              durationMs !== null && !isFinished(run.status) ? Math.floor(durationMs / 1000) * 1000 : durationMs
            return (
              <RunRow
                key={run.id}
                run={run}
                started={formatRelative(Date.parse(run.createdAt), now)}
                duration={
                  shown === null ? null : shown === 0 && !isFinished(run.status) ? '0 s' : formatDuration(shown)
                }
                durationMs={shown}
                focusable={index === 0}
              />
            )
          })}
        </tbody>
      </table>
      {older.has && (
        <div className={classes.older}>
          <Button variant="default" loading={older.loading} onClick={older.load}>
            Older runs
          </Button>
        </div>
      )}
    </>
  )
}

function moveFocus(event: KeyboardEvent<HTMLTableElement>, loadOlder: () => void): void {
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>(`.${classes.link}`)]
  const row = (event.target as HTMLElement).closest('tr')
  const at = links.findIndex((link) => row?.contains(link))
  if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: links.length - 1 }[event.key]
  if (to !== undefined) {
    event.preventDefault()
    if (to >= links.length) loadOlder()
    else links[Math.max(0, to)]!.focus()
  } else if (event.key === 'ArrowRight') row!.querySelector<HTMLElement>('[data-menu]')?.focus()
  else if (event.key === 'ArrowLeft') links[at]!.focus()
}
