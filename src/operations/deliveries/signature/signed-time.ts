// Reads the time that a sender signs, and holds it against the clock.
import { Refusal } from './refusal.ts'

const SECONDS = /^\d{1,11}$/
const MILLISECONDS = /^\d{12,15}$/
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d)$/

/** Returns milliseconds since 1970. Throws if the text is no time. */
export function readTime(text: string): number {
  if (SECONDS.test(text)) return Number(text) * 1000
  if (MILLISECONDS.test(text)) return Number(text)
  const time = ISO.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(time)) throw new Refusal('the timestamp is not seconds, milliseconds or an ISO 8601 time')
  return time
}

/** Throws if the time is too far from now, in either direction. */
export function requireNear(timeMs: number, toleranceSeconds: number, nowMs: number): void {
  // The negated comparison also refuses NaN.
  if (!(Math.abs(nowMs - timeMs) <= toleranceSeconds * 1000))
    throw new Refusal(`the timestamp is more than ${toleranceSeconds} s away from now`)
}
