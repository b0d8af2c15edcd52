import { describe, expect, it } from 'vitest'
import { runTree, type TimedStep } from './run-tree.ts'
import { at, failedStep, step, T0 } from './sample-steps.testkit.ts'
import { waterfall } from './waterfall.ts'

const ended = { status: 'succeeded', createdAt: at(0), startedAt: at(0), finishedAt: at(1000) }
const rowsOf = (steps: TimedStep[], selected: string | null = null, run: Parameters<typeof waterfall>[0] = ended) =>
  waterfall(run, runTree(steps), selected, T0 + 5000).rows

describe('the waterfall', () => {
  it('puts each step where it ran on the axis', () => {
    const [, order, tell] = rowsOf([step('order', 100, 400), step('tell', 400, 1000)])
    expect(order).toMatchObject({ path: 'order', durationMs: 300, bars: [{ kind: 'work', left: 0.1 }] })
    expect(order!.bars[0]!.width).toBeCloseTo(0.3)
    expect(tell!.bars[0]).toMatchObject({ kind: 'work', left: 0.4 })
  })

  it('begins with the trigger, and with the time that the run stood in line', () => {
    const [trigger] = rowsOf([step('order', 500, 1000)], null, { ...ended, startedAt: at(500) })
    expect(trigger).toMatchObject({ type: 'trigger', path: null, durationMs: 500, status: null })
    expect(trigger!.bars).toEqual([{ kind: 'queue', left: 0, width: 0.5 }])
  })

  it('says that a run is queued which has not begun', () => {
    const [trigger] = rowsOf([], null, { status: 'queued', createdAt: at(0), startedAt: null, finishedAt: null })
    expect(trigger).toMatchObject({ status: 'queued', durationMs: 5000, bars: [{ kind: 'queue', left: 0, width: 1 }] })
  })

  it('tells a wait from work', () => {
    const [, rest] = rowsOf([step('rest', 0, 900, { kind: 'wait' }), step('tell', 900, 1000)])
    expect(rest!.bars.map(({ kind }) => kind)).toEqual(['wait'])
  })

  it('tells the last attempt, whose length the reply says, from those before it', () => {
    const [, order] = rowsOf([step('order', 0, 1000, { attempt: 3, output: { durationMs: 200 } })])
    expect(order!.attempt).toBe(3)
    expect(order!.bars).toMatchObject([
      { kind: 'retry', left: 0 },
      { kind: 'work', left: 0.8 },
    ])
  })

  it('folds long waits between attempts, and leaves short ones as they are', () => {
    const foldsAfter = (ms: number) =>
      waterfall(
        { ...ended, finishedAt: at(ms) },
        runTree([step('order', 0, ms, { attempt: 3, output: { durationMs: 20 } })]),
        null,
        T0,
      ).axis.folds.length
    expect(foldsAfter(5000)).toBe(0)
    expect(foldsAfter(3_600_000)).toBe(1)
  })

  it('shows a step that waits for its next attempt as retrying, up to now', () => {
    const running = { status: 'waiting', createdAt: at(0), startedAt: at(0), finishedAt: null }
    const [, order] = rowsOf([step('order', 1000, null, { status: 'waiting' })], null, running)
    expect(order!.bars).toMatchObject([{ kind: 'retry', left: 0.2 }])
    expect(order!.durationMs).toBe(4000)
  })

  it('lets what still runs grow to now', () => {
    const running = { status: 'running', createdAt: at(0), startedAt: at(0), finishedAt: null }
    const tree = runTree([step('order', 0, 1000), step('tell', 1000, null)])
    const widths = [2000, 4000].map((now) => waterfall(running, tree, null, T0 + now).rows[2]!)
    expect(widths.map(({ durationMs }) => durationMs)).toEqual([1000, 3000])
    expect(widths.map(({ bars }) => bars[0]!.left)).toEqual([0.5, 0.25])
  })

  it('stays right when the clock of the browser is behind that of the service', () => {
    const running = { status: 'running', createdAt: at(0), startedAt: at(0), finishedAt: null }
    const { rows, axis } = waterfall(running, runTree([step('a', 0, 800), step('b', 800, null)]), null, T0 - 60_000)
    expect(axis.end).toBe(T0 + 800)
    expect(rows.every(({ durationMs }) => durationMs === null || durationMs >= 0)).toBe(true)
  })

  it('nests the steps of a branch below it', () => {
    const rows = rowsOf([step('big', 0, 500, { kind: 'branch' }), step('big/tell', 0, 500), step('end', 500, 1000)])
    expect(rows.map(({ path, depth }) => [path, depth])).toEqual([
      [null, 0],
      ['big', 0],
      ['big/tell', 1],
      ['end', 0],
    ])
    expect(rows[1]!.bars[0]!.kind).toBe('span')
  })

  const loop = [
    step('all', 0, 1000, { kind: 'loop', input: { count: 300 }, output: { count: 300, results: [], errors: [] } }),
    ...Array.from({ length: 300 }, (_, i) =>
      i === 7 ? failedStep(`all[${i}]/send`, i * 3, i * 3 + 3) : step(`all[${i}]/send`, i * 3, i * 3 + 3),
    ),
  ]

  it('shows a loop as one row with the count of its rounds', () => {
    const rows = rowsOf(loop)
    expect(rows.map(({ path }) => path)).toEqual([null, 'all'])
    expect(rows[1]!.rounds).toEqual({ total: 300, failed: 1, attempt: 1 })
  })

  it('shows the round that is looked at below its loop', () => {
    for (const selected of ['all[7]', 'all[7]/send']) {
      const rows = rowsOf(loop, selected)
      expect(rows.map(({ type, path, depth, status }) => [type, path, depth, status])).toEqual([
        ['trigger', null, 0, null],
        ['step', 'all', 0, 'succeeded'],
        ['round', 'all[7]', 1, 'failed'],
        ['step', 'all[7]/send', 2, 'failed'],
      ])
    }
  })

  it('keeps a place for a round whose steps are still to be loaded', () => {
    const rows = rowsOf(loop, 'all[299999]')
    expect(rows[2]).toMatchObject({ type: 'round', path: 'all[299999]', status: null, bars: [] })
  })

  it('keeps the axis when another round is looked at', () => {
    const axes = ['all[0]', 'all[299]'].map((selected) => waterfall(ended, runTree(loop), selected, T0).axis)
    expect(axes[0]!.ticks).toEqual(axes[1]!.ticks)
  })
})
