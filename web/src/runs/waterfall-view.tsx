// The timeline of a run: a row for each step, bars on one axis. Arrow keys move, what is looked at stands in the URL.
import { ActionIcon, Tooltip } from '@mantine/core'
import { IconChevronDown, IconChevronLeft, IconChevronRight, IconLifebuoy } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { rowWindow } from '../live/row-window.ts'
import { KindIcon, TriggerMark } from '../step-kinds/kind-icon.tsx'
import { triggerKind } from '../step-kinds/trigger-kinds.ts'
import { formatDuration, plural } from '../ui/format.ts'
import { StatusDot } from '../ui/status.tsx'
import type { RoundPlace } from './model/step-path.ts'
import { roundPath } from './model/step-path.ts'
import type { Bar, Waterfall, WaterfallRow } from './model/waterfall.ts'
import classes from './waterfall-view.module.css'

const ROW_PX = 28
const HEAD_PX = 32

interface WaterfallViewProps {
  waterfall: Waterfall
  /** Null: the trigger. */
  selected: string | null
  /** The kind of the run's trigger. */
  trigger: string
  onSelect: (path: string | null) => void
  /** What the step at a path waits for, in words; null if it does not wait. */
  waitOf: (path: string) => string | null
  /** Rounds of a loop to go to: the first to look at, and the failed ones. */
  roundsOf: (loop: string) => { total: number; failed: number[] } | null
}

export function WaterfallView({ waterfall, selected, trigger, onSelect, waitOf, roundsOf }: WaterfallViewProps) {
  const { axis, rows } = waterfall
  const list = useRef<HTMLDivElement>(null)
  const [view, setView] = useState({ top: 0, height: 600 })
  const at = rows.findIndex((row) => row.path === selected)
  const drawn = rowWindow(rows.length, ROW_PX, view.top, view.height)

  useEffect(() => {
    const box = list.current!
    const measure = () => setView({ top: box.scrollTop, height: box.clientHeight })
    const observer = new ResizeObserver(measure)
    observer.observe(box)
    box.addEventListener('scroll', measure, { passive: true })
    return () => {
      observer.disconnect()
      box.removeEventListener('scroll', measure)
    }
  }, [])
  useEffect(() => {
    const box = list.current!
    if (at < 0) return
    // The head stays in sight, and takes its height from what is seen of the rows.
    const top = at * ROW_PX
    const height = box.clientHeight - HEAD_PX
    if (top < box.scrollTop) box.scrollTo({ top })
    else if (top + ROW_PX > box.scrollTop + height) box.scrollTo({ top: top + ROW_PX - height })
  }, [at])

  const toRound = (loop: string, attempt: number, index: number) => onSelect(roundPath({ loop, attempt, index }))
  const enter = (row: WaterfallRow) => {
    const rounds = row.rounds && roundsOf(row.path!)
    if (rounds && rounds.total > 0) toRound(row.path!, row.rounds!.attempt, rounds.failed[0] ?? 0)
  }
  const turn = ({ loop, attempt, index }: RoundPlace, by: number) => {
    const total = roundsOf(loop)?.total ?? 0
    const next = index + by
    if (next >= 0 && next < total) toRound(loop, attempt, next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const row = rows[at]
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: rows.length - 1 }[event.key]
    if (to !== undefined) {
      event.preventDefault()
      const target = rows[Math.max(0, Math.min(rows.length - 1, to))]
      if (target) onSelect(target.path)
    } else if (event.key === 'ArrowRight' && row) {
      event.preventDefault()
      if (row.round) turn(row.round, 1)
      else enter(row)
    } else if (event.key === 'ArrowLeft' && row?.round) {
      event.preventDefault()
      if (row.round.index === 0) onSelect(row.round.loop)
      else turn(row.round, -1)
    }
  }
  return (
    <div className={classes.waterfall} ref={list}>
      <div className={classes.head}>
        <div className={classes.name}>
          <h2>Timeline</h2>
        </div>
        <div className={classes.axis} aria-hidden="true">
          {axis.ticks.map(({ at: time, left, label }) => (
            <span
              key={time}
              className={classes.tick}
              style={{ left: `${left * 100}%` }}
              data-first={left === 0 || undefined}
            >
              {label}
            </span>
          ))}
          {axis.folds.map(({ from, to, left, right }) => (
            <span key={from} className={classes.tick} data-fold style={{ left: `${((left + right) / 2) * 100}%` }}>
              {formatDuration(to - from)}
            </span>
          ))}
        </div>
        <div className={classes.length} />
      </div>
      <div
        className={classes.rows}
        role="tree"
        aria-label="Timeline"
        tabIndex={0}
        aria-activedescendant={at < 0 ? undefined : rowId(at)}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: drawn.above }} />
        {rows.slice(drawn.first, drawn.end).map((row, i) => (
          <Row
            key={row.path ?? ''}
            id={rowId(drawn.first + i)}
            row={row}
            trigger={trigger}
            waits={row.path === null ? null : waitOf(row.path)}
            selected={drawn.first + i === at}
            axis={axis}
            onSelect={() => onSelect(row.path)}
            onEnter={() => enter(row)}
            open={row.path !== null && rows[drawn.first + i + 1]?.round?.loop === row.path}
            onTurn={(by) => row.round && turn(row.round, by)}
            total={row.round ? (roundsOf(row.round.loop)?.total ?? null) : null}
          />
        ))}
        <div style={{ height: drawn.below }} />
      </div>
    </div>
  )
}

const rowId = (index: number) => `timeline-${index}`

interface RowProps {
  id: string
  row: WaterfallRow
  trigger: string
  waits: string | null
  selected: boolean
  axis: Waterfall['axis']
  /** A loop whose round is shown below it. */
  open: boolean
  total: number | null
  onSelect: () => void
  onEnter: () => void
  onTurn: (by: number) => void
}

function Row({ id, row, trigger, waits, selected, axis, open, total, onSelect, onEnter, onTurn }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the tree takes the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the tree has the focus
    <div
      id={id}
      role="treeitem"
      aria-level={row.depth + 1}
      aria-selected={selected}
      aria-expanded={row.rounds && row.rounds.total > 0 ? open : undefined}
      className={classes.row}
      data-selected={selected || undefined}
      onClick={onSelect}
    >
      <div className={classes.name} style={{ paddingLeft: 24 + row.depth * 16 }}>
        {row.rounds && row.rounds.total > 0 ? (
          <Small label={open ? 'Hide the rounds' : 'Show the rounds'} onClick={open ? onSelect : onEnter}>
            {open ? <IconChevronDown size={13} /> : <IconChevronRight size={13} />}
          </Small>
        ) : (
          <span className={classes.icon}>
            {row.type === 'trigger' && <TriggerMark kind={trigger} size={14} />}
            {row.type === 'handling' && <IconLifebuoy size={14} aria-hidden="true" />}
            {row.kind && <KindIcon kind={row.kind} size={14} />}
          </span>
        )}
        {row.type === 'round' ? (
          <span className={classes.round}>
            <Small label="Previous round" disabled={row.round!.index === 0} onClick={() => onTurn(-1)}>
              <IconChevronLeft size={13} />
            </Small>
            Round {(row.round!.index + 1).toLocaleString('en')}
            {total !== null && <span className={classes.dim}>of {total.toLocaleString('en')}</span>}
            <Small
              label="Next round"
              disabled={total !== null && row.round!.index + 1 >= total}
              onClick={() => onTurn(1)}
            >
              <IconChevronRight size={13} />
            </Small>
          </span>
        ) : (
          <span className={classes.id} data-words={row.id === null || undefined}>
            {row.type === 'trigger' && (triggerKind({ kind: trigger })?.label ?? trigger)}
            {row.type === 'handling' && 'When it failed'}
            {row.id}
          </span>
        )}
        {row.rounds && (
          <span className={classes.rounds}>
            {plural(row.rounds.total, 'round')}
            {row.rounds.failed > 0 && (
              <span className={classes.bad}>{row.rounds.failed.toLocaleString('en')} failed</span>
            )}
          </span>
        )}
        {row.attempt > 1 && <span className={classes.attempt}>{plural(row.attempt, 'attempt')}</span>}
        <span className={classes.status}>{row.status && <StatusDot status={row.status} word={false} />}</span>
      </div>
      <div className={classes.axis}>
        {axis.folds.map(({ from, to, left, right }) => (
          <span
            key={from}
            className={classes.fold}
            style={{ left: `${left * 100}%`, width: `${(right - left) * 100}%` }}
            title={`${formatDuration(to - from)} in which nothing worked, folded`}
          />
        ))}
        {row.bars.map((bar) => (
          <BarView key={bar.kind} bar={bar} status={row.status} said={waits !== null} />
        ))}
        {waits && row.bars[0] && (
          <span className={classes.waits} style={besideBar(row.bars[0])}>
            {waits}
          </span>
        )}
      </div>
      <div className={classes.length}>
        {row.durationMs !== null && row.type !== 'trigger' && formatDuration(row.durationMs)}
      </div>
    </div>
  )
}

/** `said`: words may stand in it. */
function BarView({ bar, status, said }: { bar: Bar; status: WaterfallRow['status']; said: boolean }) {
  return (
    <span
      className={classes.bar}
      data-kind={bar.kind}
      data-status={status ?? undefined}
      data-said={said || undefined}
      style={{ left: `${bar.left * 100}%`, width: `max(2px, ${bar.width * 100}%)` }}
      title={BAR_WORDS[bar.kind]}
    />
  )
}

/** In the bar where that is long, else in the empty time before it. */
const besideBar = ({ left }: Bar) =>
  left < 0.4 ? { left: `${left * 100}%`, right: 0 } : { right: `${(1 - left) * 100}%`, left: 0, justifyContent: 'end' }

const BAR_WORDS: Record<Bar['kind'], string> = {
  queue: 'In line, before the run began',
  work: 'At work',
  wait: 'Waiting',
  retry: 'Earlier attempts, and the waits between them',
  span: 'All that it holds',
}

/** Reached by mouse; the keys are on the tree. */
function Small(props: { label: string; disabled?: boolean; onClick: () => void; children: React.ReactNode }) {
  return (
    <Tooltip label={props.label}>
      <ActionIcon
        size={18}
        tabIndex={-1}
        aria-hidden="true"
        disabled={props.disabled}
        onClick={(event) => {
          event.stopPropagation()
          props.onClick()
        }}
      >
        {props.children}
      </ActionIcon>
    </Tooltip>
  )
}
