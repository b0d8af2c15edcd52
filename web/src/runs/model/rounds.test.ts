import { describe, expect, it } from 'vitest'
import { roundList } from './rounds.ts'
import { runTree, type TimedStep } from './run-tree.ts'
import { failedStep, failure, step } from './sample-steps.testkit.ts'

function listOf(steps: TimedStep[], continues = new Set<string>()) {
  const [loop] = runTree(steps, continues)
  return roundList(loop!.step, loop!.loop!, continues)
}

const errors = [2, 4].map((index) => ({ index, item: index, error: failure }))
const over = (count: number) => step('all', 0, 9, { kind: 'loop', output: { count, results: [], errors } })

describe('the rounds of a loop', () => {
  it('are listed in order, with their state and how long they took', () => {
    const list = listOf([step('all', 0, 9, { kind: 'loop' }), step('all[0]/a', 0, 3), step('all[0]/b', 3, 5)])
    expect(list.total).toBe(1)
    expect(list.row(0, false)).toEqual({
      index: 0,
      path: 'all[0]',
      status: 'succeeded',
      durationMs: 5,
      error: null,
    })
  })

  it('are listed with the failed ones first, each once', () => {
    const list = listOf([over(6)])
    const indexes = Array.from({ length: 6 }, (_, position) => list.row(position, true).index)
    expect(indexes).toEqual([2, 4, 0, 1, 3, 5])
    for (const index of indexes) expect(indexes[list.positionOf(index, true)]).toBe(index)
    expect(list.row(0, true)).toMatchObject({ status: 'failed', error: failure })
  })

  it('are known to have ended where the loop has, though their steps are not loaded', () => {
    expect(listOf([over(100_000)]).row(99_999, false)).toMatchObject({ status: 'succeeded', durationMs: null })
    const running = listOf([step('all', 0, null, { kind: 'loop', input: { count: 9 } })])
    expect(running.row(8, false).status).toBeNull()
  })

  it('name the error of a round that failed the loop', () => {
    const list = listOf([
      failedStep('all', 0, 9, { kind: 'loop' }),
      step('all[0]/send', 0, 1),
      failedStep('all[1]/send', 1, 2),
    ])
    expect(list.failed).toEqual([1])
    expect(list.row(1, false)).toMatchObject({ status: 'failed', error: failure })
  })

  it('have no duration while one of their steps runs', () => {
    const list = listOf([step('all', 0, null, { kind: 'loop' }), step('all[0]/send', 0, null)])
    expect(list.row(0, false)).toMatchObject({ status: 'running', durationMs: null })
  })
})
