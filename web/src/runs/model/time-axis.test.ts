import { describe, expect, it } from 'vitest'
import { type Span, timeAxis } from './time-axis.ts'

const DAY = 86_400_000
const labels = (start: number, end: number, busy: Span[]) => timeAxis(start, end, busy).ticks.map(({ label }) => label)

describe('the time axis', () => {
  it('is straight while something works', () => {
    const axis = timeAxis(0, 1000, [
      [0, 400],
      [500, 1000],
    ])
    expect(axis.folds).toEqual([])
    expect([0, 250, 500, 1000].map((time) => axis.place(time))).toEqual([0, 0.25, 0.5, 1])
  })

  it('keeps what lies outside within it', () => {
    const axis = timeAxis(100, 200, [[100, 200]])
    expect([axis.place(0), axis.place(300)]).toEqual([0, 1])
  })

  it('folds a wait of days, so that the work on both sides can be seen', () => {
    const axis = timeAxis(0, 2 * DAY + 200, [
      [0, 100],
      [2 * DAY + 100, 2 * DAY + 200],
    ])
    expect(axis.folds).toMatchObject([{ from: 100, to: 2 * DAY + 100 }])
    expect(axis.folds[0]!.left).toBeCloseTo(0.45)
    expect(axis.folds[0]!.right).toBeCloseTo(0.55)
    expect(axis.place(50)).toBeCloseTo(0.225)
    expect(axis.place(2 * DAY + 150)).toBeCloseTo(0.775)
  })

  it('does not fold a short pause', () => {
    const busy: Span[] = [
      [0, 100],
      [1900, 2000],
    ]
    expect(timeAxis(0, 2000, busy).folds).toEqual([])
  })

  it('leaves half of the width to the work, however many waits there are', () => {
    const busy = Array.from({ length: 21 }, (_, i): Span => [i * DAY, i * DAY + 10])
    const axis = timeAxis(0, 20 * DAY + 10, busy)
    expect(axis.folds).toHaveLength(20)
    const folded = axis.folds.reduce((sum, { left, right }) => sum + right - left, 0)
    expect(folded).toBeCloseTo(0.5)
    expect(axis.place(20 * DAY + 10)).toBeCloseTo(1)
  })

  it('has nothing to fold where nothing worked yet', () => {
    const axis = timeAxis(0, DAY, [])
    expect(axis.folds).toEqual([])
    expect(axis.place(DAY / 2)).toBe(0.5)
  })

  it('never goes backwards', () => {
    const axis = timeAxis(0, DAY, [
      [0, 5],
      [1000, 1500],
      [DAY - 10, DAY],
    ])
    const places = Array.from({ length: 200 }, (_, i) => axis.place((i / 199) * DAY))
    expect(places.every((place, i) => i === 0 || place >= places[i - 1]!)).toBe(true)
    expect(places.at(-1)).toBeCloseTo(1)
  })

  it('writes round times at its ticks', () => {
    expect(labels(0, 1000, [[0, 1000]])).toEqual(['0', '200 ms', '400 ms', '600 ms', '800 ms', '1 s'])
    expect(labels(0, 180_000, [[0, 180_000]])).toEqual(['0', '1 min', '2 min', '3 min'])
    expect(labels(50, 50, [])).toEqual(['0', '1 ms'])
  })

  it('counts anew after a fold, where all times since the beginning would look alike', () => {
    const busy: Span[] = [
      [0, 50],
      [DAY, DAY + 50],
    ]
    expect(labels(0, DAY + 50, busy)).toEqual(['0', '20 ms', '40 ms', '+20 ms', '+40 ms'])
  })

  it('crowds no ticks around a fold', () => {
    const { ticks } = timeAxis(0, DAY + 1000, [
      [0, 500],
      [DAY + 500, DAY + 1000],
    ])
    for (const [i, tick] of ticks.entries()) if (i) expect(tick.left - ticks[i - 1]!.left).toBeGreaterThan(0.1)
  })
})
