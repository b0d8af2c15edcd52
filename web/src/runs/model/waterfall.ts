// A run as rows on one time axis. Work, waits and retries are told apart; a loop is one row, and the round that is looked at stands below it.
import type { StepStatus } from '../../api/api-types.ts'
import { isObject } from '../../flow-model/is-object.ts'
import { stepKind } from '../../step-kinds/index.ts'
import { HANDLING } from './handling.ts'
import { isFinished } from './run-filter.ts'
import { numberAt, type Round, roundStatus, type StepNode, type TimedStep } from './run-tree.ts'
import { type RoundPlace, roundPath, roundsAlong } from './step-path.ts'
import { type Span, type TimeAxis, timeAxis } from './time-axis.ts'

export interface TimedRun {
  status: string
  createdAt: string
  startedAt: string | null
  finishedAt: string | null
}

/** queue: before the run began; work; wait: a wait step; retry: attempts before the last and the waits between; span: what a branch, loop or round took. */
export type BarKind = 'queue' | 'work' | 'wait' | 'retry' | 'span'

export interface Bar {
  kind: BarKind
  /** Shares of the axis, 0 to 1. */
  left: number
  width: number
}

export interface WaterfallRow {
  type: 'trigger' | 'step' | 'round' | 'handling'
  /** Null for the trigger. */
  path: string | null
  /** The step's id; null for what is no step. */
  id: string | null
  kind: string | null
  depth: number
  status: StepStatus | 'queued' | null
  attempt: number
  durationMs: number | null
  bars: Bar[]
  rounds: { total: number; failed: number; attempt: number } | null
  round: RoundPlace | null
}

export interface Waterfall {
  axis: TimeAxis
  rows: WaterfallRow[]
}

interface Piece {
  kind: BarKind
  from: number
  to: number
}

/** What is done because the run failed. */
export interface Handling<S extends TimedStep> {
  status: StepStatus | 'queued'
  tree: readonly StepNode<S>[]
}

/** `selected`: the path whose rounds are shown. `now` ends what still runs. */
export function waterfall<S extends TimedStep>(
  run: TimedRun,
  tree: readonly StepNode<S>[],
  selected: string | null,
  now: number,
  continues: ReadonlySet<string> = new Set(),
  handling: Handling<S> | null = null,
): Waterfall {
  const created = Date.parse(run.createdAt)
  const started = run.startedAt === null ? null : Date.parse(run.startedAt)
  // The clocks of the service and of the browser may differ: what has begun has not ended before it began.
  const ended = run.finishedAt === null ? Math.max(now, latestTime(tree, created)) : Date.parse(run.finishedAt)
  const latest = handling ? latestOf(handling, ended, now) : ended
  const chosen = selected === null ? new Map<string, RoundPlace>() : roundsAlong(selected)
  const rows: (Omit<WaterfallRow, 'bars'> & { pieces: Piece[] })[] = []

  const add = (nodes: readonly StepNode<S>[], depth: number): void => {
    for (const { step, children, loop } of nodes) {
      const pieces = piecesOf(step, latest)
      rows.push({
        type: 'step',
        path: step.path,
        id: step.id,
        kind: step.kind,
        depth,
        status: step.status,
        attempt: step.attempt,
        durationMs: lengthOf(pieces),
        pieces,
        rounds: loop && { total: loop.total, failed: loop.failed, attempt: step.attempt },
        round: null,
      })
      const place = chosen.get(step.path)
      if (loop && place) addRound(loop.byPath.get(roundPath(place)), place, depth + 1)
      add(children, depth + 1)
    }
  }
  const addRound = (round: Round<S> | undefined, place: RoundPlace, depth: number): void => {
    const pieces = round ? spanOf(round.steps, latest) : []
    rows.push({
      type: 'round',
      path: roundPath(place),
      id: null,
      kind: null,
      depth,
      status: round ? roundStatus(round, continues) : null,
      attempt: 1,
      durationMs: lengthOf(pieces),
      pieces,
      rounds: null,
      round: place,
    })
    if (round) add(round.steps, depth + 1)
  }

  const queued: Piece = { kind: 'queue', from: created, to: started ?? latest }
  rows.push({
    type: 'trigger',
    path: null,
    id: null,
    kind: null,
    depth: 0,
    status: started === null && run.finishedAt === null ? 'queued' : null,
    attempt: 1,
    durationMs: queued.to - queued.from,
    pieces: [queued],
    rounds: null,
    round: null,
  })
  add(tree, 0)
  if (handling) {
    const pieces = spanOf(handling.tree, latest)
    rows.push({
      type: 'handling',
      path: HANDLING,
      id: null,
      kind: null,
      depth: 0,
      status: handling.status,
      attempt: 1,
      durationMs: lengthOf(pieces),
      pieces,
      rounds: null,
      round: null,
    })
    add(handling.tree, 1)
  }
  const busy = [...busySpans(tree, latest), ...busySpans(handling?.tree ?? [], latest)]
  const axis = timeAxis(created, latest, busy)
  return { axis, rows: rows.map(({ pieces, ...row }) => ({ ...row, bars: pieces.map((piece) => barOf(piece, axis)) })) }
}

function latestOf(handling: Handling<TimedStep>, ended: number, now: number): number {
  const latest = latestTime(handling.tree, ended)
  return isFinished(handling.status) ? latest : Math.max(now, latest)
}

function barOf({ kind, from, to }: Piece, axis: TimeAxis): Bar {
  const left = axis.place(from)
  return { kind, left, width: axis.place(to) - left }
}

const lengthOf = (pieces: Piece[]): number | null => (pieces.length ? pieces.at(-1)!.to - pieces[0]!.from : null)

const isContainer = (step: TimedStep): boolean => stepKind(step.kind).nestedLists !== undefined

function piecesOf(step: TimedStep, latest: number): Piece[] {
  const from = Date.parse(step.startedAt)
  const to = Math.max(from, step.finishedAt === null ? latest : Date.parse(step.finishedAt))
  if (isContainer(step)) return [{ kind: 'span', from, to }]
  if (stepKind(step.kind).waits) return [{ kind: 'wait', from, to }]
  if (step.attempt === 1 && step.status !== 'waiting') return [{ kind: 'work', from, to }]
  // Of earlier attempts the journal keeps no times; how long the last one took, the reply says.
  const lastMs = step.finishedAt === null ? 0 : lastAttemptMs(step)
  const last = Math.max(from, to - lastMs)
  return lastMs === 0
    ? [{ kind: 'retry', from, to }]
    : [
        { kind: 'retry', from, to: last },
        { kind: 'work', from: last, to },
      ]
}

const lastAttemptMs = ({ output }: TimedStep): number => (isObject(output) ? numberAt(output, 'durationMs') : 0)

function spanOf(nodes: readonly StepNode[], latest: number): Piece[] {
  const pieces = nodes.flatMap(({ step }) => piecesOf(step, latest))
  if (pieces.length === 0) return []
  return [
    { kind: 'span', from: Math.min(...pieces.map(({ from }) => from)), to: Math.max(...pieces.map(({ to }) => to)) },
  ]
}

/** Attempts that follow one another so soon count as work; between others there are waits to be folded. */
const SOON_MS = 60_000

/** When something worked, in all rounds. */
function* busySpans(nodes: readonly StepNode[], latest: number): Generator<Span> {
  for (const { step, children, loop } of nodes) {
    if (!isContainer(step))
      for (const { kind, from, to } of piecesOf(step, latest))
        if (kind === 'work' || (kind === 'retry' && to - from < SOON_MS)) yield [from, to]
    yield* busySpans(children, latest)
    for (const round of loop?.rounds ?? []) yield* busySpans(round.steps, latest)
  }
}

function latestTime(nodes: readonly StepNode[], least: number): number {
  let latest = least
  for (const { step, children, loop } of nodes) {
    latest = Math.max(latest, Date.parse(step.finishedAt ?? step.startedAt))
    latest = Math.max(latest, latestTime(children, latest))
    for (const round of loop?.rounds ?? []) latest = Math.max(latest, latestTime(round.steps, latest))
  }
  return latest
}
