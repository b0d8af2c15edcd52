// Estimates the memory that parsed data takes. The text does not tell: a kilobyte of JSON takes one to three where it is mostly text, and
// fifty where it is nothing but braces.
import type { LoopTurns } from '../../base/waiting.ts'

const EMPTY = 56
const SLOT = 8
const TEXT = 24
/** A few fields whose names are small numbers take as much as a list up to that number would. */
const NUMBERED = 300

/** Counts no further than `most` bytes. */
export function weigh(value: unknown, most: number): number {
  const weighing = weighingOf(value)
  lookInto(weighing, Number.POSITIVE_INFINITY, most)
  return weighing.bytes
}

/** So many are looked into between two looks at the clock. */
const PART = 1_000

/** Counts all, in several turns of the event loop: for what may be large. */
export async function weighInTurns(value: unknown, turns: LoopTurns): Promise<number> {
  const weighing = weighingOf(value)
  while (weighing.open.length > 0) {
    if (turns.isOver) await turns.next()
    lookInto(weighing, PART, Number.POSITIVE_INFINITY)
  }
  return weighing.bytes
}

interface Weighing {
  bytes: number
  /** A list in place of recursion: what a run has stored may be nested deeply. */
  open: object[]
}

const weighingOf = (value: unknown): Weighing => ({
  bytes: SLOT + (typeof value === 'string' ? TEXT + value.length : 0),
  open: typeof value === 'object' && value !== null ? [value] : [],
})

function lookInto(weighing: Weighing, mostOpened: number, most: number): void {
  const { open } = weighing
  let { bytes } = weighing
  const add = (part: unknown): void => {
    bytes += SLOT
    if (typeof part === 'string') bytes += TEXT + part.length
    else if (typeof part === 'object' && part !== null) open.push(part)
  }
  for (let opened = 0; opened < mostOpened && open.length > 0 && bytes <= most; opened++) {
    const at = open.pop()!
    bytes += EMPTY
    // A handle, such as that of a step's own steps, is no data.
    if (typeof (at as { toJSON?: unknown }).toJSON === 'function') continue
    if (Array.isArray(at))
      for (const part of at) {
        if (bytes > most) break
        add(part)
      }
    else
      for (const name in at) {
        if (bytes > most) break
        if (name.charCodeAt(0) <= 0x39) bytes += NUMBERED
        add((at as Record<string, unknown>)[name])
      }
  }
  weighing.bytes = bytes
}
