// One time axis for all of a run. Long stretches in which nothing works, a wait of days for example, are folded to a fixed width:
// otherwise the work beside them would be thinner than a line.
import { formatDuration } from '../../ui/format.ts'

export type Span = readonly [from: number, to: number]

export interface Fold {
  from: number
  to: number
  /** Shares of the axis, 0 to 1. */
  left: number
  right: number
}

export interface Tick {
  at: number
  /** Share of the axis. */
  left: number
  label: string
}

export interface TimeAxis {
  start: number
  end: number
  folds: Fold[]
  ticks: Tick[]
  /** Where a time stands, as a share of the axis. */
  place(time: number): number
}

const SHORTEST_FOLD_MS = 2000
/** A gap is folded when it is longer than this many times all the work together. */
const FOLD_FACTOR = 3
const FOLD_SHARE = 0.1
/** Of all folds together. */
const MOST_FOLDED = 0.5
const TICKS = 5
const LEAST_BETWEEN_TICKS = 0.11

interface Piece {
  from: number
  to: number
  left: number
  right: number
  folded: boolean
}

export function timeAxis(start: number, end: number, busy: readonly Span[]): TimeAxis {
  const last = Math.max(end, start + 1)
  const pieces = placePieces(cut(start, last, busy))
  const place = (time: number): number => {
    const at = Math.min(Math.max(time, start), last)
    const piece = pieces.find(({ to }) => at <= to)!
    const length = piece.to - piece.from
    return piece.left + (length === 0 ? 0 : (at - piece.from) / length) * (piece.right - piece.left)
  }
  const folds = pieces.filter(({ folded }) => folded).map(({ from, to, left, right }) => ({ from, to, left, right }))
  return { start, end: last, folds, ticks: ticksOf(start, pieces, place), place }
}

/** The axis in pieces: gaps between busy spans that are to be folded, and all that lies between those. */
function cut(start: number, end: number, busy: readonly Span[]): { from: number; to: number; folded: boolean }[] {
  const union = merged(busy, start, end)
  const work = union.reduce((sum, [from, to]) => sum + to - from, 0)
  const least = Math.max(SHORTEST_FOLD_MS, FOLD_FACTOR * work)
  const pieces: { from: number; to: number; folded: boolean }[] = []
  let from = start
  let idleSince = start
  for (const [begin, until] of [...union, [end, end] as const]) {
    if (begin - idleSince > least && union.length > 0) {
      if (idleSince > from) pieces.push({ from, to: idleSince, folded: false })
      pieces.push({ from: idleSince, to: begin, folded: true })
      from = begin
    }
    idleSince = until
  }
  if (end > from || pieces.length === 0) pieces.push({ from, to: end, folded: false })
  return pieces
}

function merged(spans: readonly Span[], start: number, end: number): Span[] {
  const sorted = spans
    .map(([from, to]): Span => [Math.max(from, start), Math.min(to, end)])
    .filter(([from, to]) => to >= from)
    .toSorted((a, b) => a[0] - b[0])
  const union: [number, number][] = []
  for (const [from, to] of sorted) {
    const before = union.at(-1)
    if (before && from <= before[1]) before[1] = Math.max(before[1], to)
    else union.push([from, to])
  }
  return union
}

function placePieces(pieces: { from: number; to: number; folded: boolean }[]): Piece[] {
  const folds = pieces.filter(({ folded }) => folded).length
  const straight = pieces.length - folds
  // With nothing but folds they have it all.
  const foldShare = straight === 0 ? 1 / folds : Math.min(FOLD_SHARE, MOST_FOLDED / Math.max(1, folds))
  const time = pieces.reduce((sum, { from, to, folded }) => sum + (folded ? 0 : to - from), 0)
  const free = 1 - folds * foldShare
  let left = 0
  return pieces.map((piece) => {
    const share = piece.folded ? foldShare : time === 0 ? free / straight : ((piece.to - piece.from) / time) * free
    const placed = { ...piece, left, right: Math.min(1, left + share) }
    left = placed.right
    return placed
  })
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const STEPS_MS = [
  [1, 2, 5, 10, 20, 50, 100, 200, 500],
  [1, 2, 5, 10, 15, 30].map((seconds) => seconds * SECOND),
  [1, 2, 5, 10, 15, 30].map((minutes) => minutes * MINUTE),
  [1, 2, 3, 6, 12, 24, 48, 168].map((hours) => hours * HOUR),
].flat()

function ticksOf(start: number, pieces: Piece[], place: (time: number) => number): Tick[] {
  const straight = pieces.filter(({ folded }) => !folded)
  const time = straight.reduce((sum, { from, to }) => sum + to - from, 0)
  const step = STEPS_MS.find((ms) => ms >= time / TICKS) ?? STEPS_MS.at(-1)!
  const ticks: Tick[] = []
  for (const { from, to } of straight) {
    // After a fold the time since then says more: all since the beginning would look alike.
    for (let at = from; at <= to; at += step) {
      const left = place(at)
      const before = ticks.at(-1)
      if ((at === from && from !== start) || (before && left - before.left < LEAST_BETWEEN_TICKS)) continue
      const passed = formatDuration(at - from)
      ticks.push({ at, left, label: at === start ? '0' : from === start ? passed : `+${passed}` })
    }
  }
  return ticks
}
