import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { type Refusal, Refusals } from './refusals.ts'

/** What it takes to write one. */
const EACH_MS = 0.1
const sent: string[] = []
const crowds: boolean[] = []
let nowMs = 0
let refusals: Refusals

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  sent.length = 0
  crowds.length = 0
  nowMs = 1_000
  refusals = new Refusals(
    ({ requestId }) => {
      sent.push(requestId)
      nowMs += EACH_MS
    },
    (isThere) => crowds.push(isThere),
    () => nowMs,
  )
})
afterEach(() => {
  vi.useRealTimers()
})

function refuse(count: number, name = 'req'): string[] {
  const names = Array.from({ length: count }, (_, i) => `${name}_${i}`)
  for (const requestId of names) refusals.refuse({ requestId } as Refusal)
  return names
}

/** Lets time pass, of which the process has all. */
function pass(ms: number): void {
  for (let passed = 0; passed < ms; passed += 10) {
    nowMs += 10
    vi.advanceTimersByTime(10)
  }
}

it('answers a burst at once, and what comes now and then', () => {
  refuse(100)
  expect(sent).toHaveLength(100)
  for (let i = 0; i < 50; i++) {
    pass(10)
    refuse(4)
  }
  expect(sent).toHaveLength(300)
  expect(vi.getTimerCount()).toBe(0)
  expect(crowds).toEqual([])
})

it('takes a share of the time for more, in the order in which they came', () => {
  const names = refuse(1_000)
  const atOnce = sent.length
  expect(atOnce).toBeLessThan(110)
  pass(1_000)
  // Of the time that passed, 0.05 is for refusals.
  const took = (sent.length - atOnce) * EACH_MS
  expect(took).toBeGreaterThan(0.045 * 1_000)
  expect(took).toBeLessThan(0.07 * 1_000)
  pass(2_000)
  expect(sent).toEqual(names)
  expect(vi.getTimerCount()).toBe(0)
})

it('lets nobody wait for long, and holds nothing up for long', () => {
  refuse(5_000)
  pass(1_800)
  expect(sent.length).toBeLessThan(1_200)
  pass(200)
  for (let before = sent.length; sent.length < 5_000; before = sent.length) {
    vi.advanceTimersByTime(10)
    const more = sent.length - before
    expect(more).toBeGreaterThan(0)
    expect(more * EACH_MS).toBeLessThan(10.2)
  }
  // All came at once, and half of the time was for others.
  expect(nowMs).toBeLessThan(1_000 + 2_800)
})

it('keeps no more than 5,000 waiting', () => {
  refuse(5_000 + 200)
  const before = sent.length
  refuse(300, 'late')
  expect(sent.length - before).toBeGreaterThanOrEqual(290)
  expect(sent.at(-1)).toBe('late_299')
})

it('lets nobody wait any more when the service stops', () => {
  const names = refuse(1_000)
  refusals.stop()
  for (let i = 0; i < 10; i++) vi.advanceTimersByTime(10)
  expect(sent).toEqual(names)
  const late = refuse(500, 'late')
  expect(sent.slice(1_000)).toEqual(late)
  expect(vi.getTimerCount()).toBe(0)
})

it('tells of a crowd once, and of its end', () => {
  refuse(500)
  expect(crowds).toEqual([true])
  pass(10_000)
  expect(sent).toHaveLength(500)
  expect(crowds).toEqual([true, false])
  refuse(500)
  refusals.stop()
  pass(100)
  expect(crowds).toEqual([true, false, true, false])
})
