// The rounds of a loop as a list: as many as there are, drawn where they are looked at.
import { Switch } from '@mantine/core'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { rowWindow } from '../../live/row-window.ts'
import { formatDuration, plural } from '../../ui/format.ts'
import { StatusDot } from '../../ui/status.tsx'
import type { RoundList } from '../model/rounds.ts'
import classes from './panel.module.css'

const ROW_PX = 28
/** Browsers cannot scroll higher boxes. */
const MOST_ROWS = 500_000

export function RoundBrowser({ rounds, onSelect }: { rounds: RoundList; onSelect: (path: string) => void }) {
  const [failedFirst, setFailedFirst] = useState(true)
  const box = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  useEffect(() => {
    const list = box.current!
    const measure = () => setView({ top: list.scrollTop, height: list.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(list)
    list.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      list.removeEventListener('scroll', measure)
    }
  }, [])
  const count = Math.min(rounds.total, MOST_ROWS)
  const { first, end, above, below } = rowWindow(count, ROW_PX, view.top, view.height)
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    const row = (event.target as HTMLElement).closest('button')
    const next = step === 1 ? row?.nextElementSibling : row?.previousElementSibling
    if (!(next instanceof HTMLButtonElement)) return
    event.preventDefault()
    next.focus()
  }
  return (
    <div className={classes.list}>
      <div className={classes.listBar}>
        <span className={classes.dim}>
          {plural(rounds.total, 'round')}
          {rounds.failed.length > 0 && `, ${rounds.failed.length.toLocaleString('en')} failed`}
        </span>
        {rounds.failed.length > 0 && (
          <Switch
            size="xs"
            label="Failed first"
            checked={failedFirst}
            onChange={({ currentTarget }) => setFailedFirst(currentTarget.checked)}
          />
        )}
      </div>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the arrow keys move between its buttons */}
      <div className={classes.listRows} ref={box} onKeyDown={onKeyDown}>
        {rounds.total === 0 && <p className={classes.scroll}>No round has begun.</p>}
        <div style={{ height: above }} />
        {Array.from({ length: end - first }, (_, i) => {
          const row = rounds.row(first + i, failedFirst)
          return (
            <button key={row.index} type="button" className={classes.roundRow} onClick={() => onSelect(row.path)}>
              {row.status ? <StatusDot status={row.status} word={false} /> : <span />}
              <span>Round {(row.index + 1).toLocaleString('en')}</span>
              <span className={classes.dim}>{row.durationMs === null ? '' : formatDuration(row.durationMs)}</span>
              <span title={row.error?.message}>{row.error?.message}</span>
            </button>
          )
        })}
        <div style={{ height: below }} />
      </div>
    </div>
  )
}
