// Sets V8 up for a service: a small heap (docs/decisions/014-memory-of-the-process.md), and compiled code early (043-optimized-early.md).
import { setFlagsFromString } from 'node:v8'

/** So much of the old objects may come on top of them before they are collected: as a rule, and while more comes than can be done. */
const GROWING_PERCENT = 25
const GROWING_PERCENT_IN_A_CROWD = 75

let isTuned = false

export function tuneV8(): void {
  isTuned = true
  growHeapFor(false)
  // Else V8 makes ticks and responses among the old objects, and all that they name stays until the next full collection.
  setFlagsFromString('--no-allocation-site-pretenuring')
  // The launchers set this flag for the heap of the event loop, which exists by now. V8 would put it above the limits of threads.
  setFlagsFromString('--max-semi-space-size=0')
  // The way of a delivery is the same each time: its code is optimized by one compiler, not two.
  setFlagsFromString('--no-maglev')
  // So is that of the interpreter of code steps.
  setFlagsFromString('--wasm-tiering-budget=1300000')
}

/**
 * In a crowd a run waits in line for so long that all it holds becomes old before it is garbage: collecting the old objects as often as
 * usual would take a quarter of the processor time.
 */
export function growHeapFor(crowd: boolean): void {
  // V8 reads this at each collection.
  if (isTuned) setFlagsFromString(`--heap-growing-percent=${crowd ? GROWING_PERCENT_IN_A_CROWD : GROWING_PERCENT}`)
}

let isEarly = false

/**
 * Has code optimized after hundreds of calls, not thousands: when the start is over, whose code will not run again, and before the
 * first delivery, since a function that has begun to count its calls counts up to the former number.
 */
export function optimizeEarly(): void {
  isEarly = true
  optimizeAfter(300, 100)
}

/** Does work whose code will hardly run again: meanwhile functions begin to count up to what V8 is for. */
export async function withoutHurry<T>(work: () => Promise<T>): Promise<T> {
  if (!isEarly) return work()
  optimizeAfter(3_000, 500)
  try {
    return await work()
  } finally {
    optimizeEarly()
  }
}

/** `learned`: the number of calls since V8 has last learned something new about the function. */
function optimizeAfter(calls: number, learned: number): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${calls}`)
  setFlagsFromString(`--minimum-invocations-after-ic-update=${learned}`)
}
