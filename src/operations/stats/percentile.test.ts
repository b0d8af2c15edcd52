import { expect, it } from 'vitest'
import { DURATION_BOUNDS_MS } from '../ports/stats.ts'
import { percentile } from './percentile.ts'

const durations = (runs: Record<number, number>) =>
  Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, (_, i) => runs[DURATION_BOUNDS_MS[i] ?? 0] ?? 0)

it('finds the range that holds the share, and spreads its runs evenly', () => {
  expect(percentile(durations({ 100: 90, 1000: 10 }), 0.5)).toBe(87)
  expect(percentile(durations({ 100: 90, 1000: 10 }), 0.95)).toBe(850)
  expect(percentile(durations({ 1: 1 }), 0.95)).toBe(1)
})

it('says nothing without runs, and the last bound for what is longer', () => {
  expect(percentile(durations({}), 0.5)).toBeNull()
  expect(percentile(durations({ 0: 3 }), 0.5)).toBe(86_400_000)
})
