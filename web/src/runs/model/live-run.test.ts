import { describe, expect, it } from 'vitest'
import { MOST_STEPS, mergeRunEvents, type RunEvent } from './live-run.ts'
import type { TimedStep } from './run-tree.ts'
import { step } from './sample-steps.testkit.ts'

const run = (steps: TimedStep[] = [], status = 'running') => ({ status, steps, flowName: 'Orders' })
const told = (data: TimedStep): RunEvent<TimedStep> => ({ type: 'step', data })

describe('a run that is watched', () => {
  it('replaces a step by its later state, in its place', () => {
    const merged = mergeRunEvents(run([step('a', 0, null), step('b', 1, null)]), [told(step('a', 0, 2))])
    expect(merged.steps.map(({ path, status }) => [path, status])).toEqual([
      ['a', 'succeeded'],
      ['b', 'running'],
    ])
  })

  it('appends steps as they begin', () => {
    const merged = mergeRunEvents(run([step('a', 0, 1)]), [told(step('b', 1, null)), told(step('b', 1, 2))])
    expect(merged.steps.map(({ path, status }) => [path, status])).toEqual([
      ['a', 'succeeded'],
      ['b', 'succeeded'],
    ])
  })

  it('takes the state of the run and keeps what was not told', () => {
    const merged = mergeRunEvents(run([step('a', 0, 1)]), [{ type: 'run', data: { status: 'failed' } }])
    expect(merged).toEqual({ ...run([step('a', 0, 1)]), status: 'failed' })
  })

  it('takes the whole run that a stream begins with, and then its changes', () => {
    const whole = { ...run([step('a', 0, 1)]), flowName: 'Renamed' }
    const merged = mergeRunEvents(run([step('old', 0, 1)]), [
      told(step('lost', 0, 1)),
      { type: 'run', data: whole },
      told(step('b', 1, 2)),
    ])
    expect(merged.flowName).toBe('Renamed')
    expect(merged.steps.map(({ path }) => path)).toEqual(['a', 'b'])
  })

  it('does not begin again once it has finished', () => {
    expect(mergeRunEvents(run([], 'failed'), [{ type: 'run', data: { status: 'running' } }]).status).toBe('failed')
  })

  it('is the same object where nothing was told', () => {
    const before = run()
    expect(mergeRunEvents(before, [])).toBe(before)
  })

  it('does not gather the steps of a hundred thousand rounds, but goes on with what is around them', () => {
    let watched = run([step('all', 0, null, { kind: 'loop' })])
    for (let batch = 0; batch < 100; batch++)
      watched = mergeRunEvents(
        watched,
        Array.from({ length: 1000 }, (_, i) => told(step(`all[${batch * 1000 + i}]/send`, 0, 1))),
      )
    expect(watched.steps).toHaveLength(MOST_STEPS)
    watched = mergeRunEvents(watched, [told(step('all', 0, 9, { kind: 'loop' })), told(step('after', 9, null))])
    expect(watched.steps.at(0)!.status).toBe('succeeded')
    expect(watched.steps.at(-1)!.path).toBe('after')
  })
})
