import { describe, expect, it } from 'vitest'
import { failedStep, step } from './sample-steps.ts'
import { stepOutcomes } from './step-outcomes.ts'

const rounds = [
  step('all', 0, 9, { kind: 'loop' }),
  step('all[0]/send', 0, 1),
  failedStep('all[1]/send', 1, 3),
  failedStep('all[2]/send', 3, 4),
  step('all[3]/send', 4, 9),
]

describe('the outcomes of steps', () => {
  it('are the latest of each, with how often it ran and failed', () => {
    const outcomes = stepOutcomes(rounds)
    expect(outcomes.get('all')).toMatchObject({ status: 'succeeded', count: 1, failed: 0, firstFailure: null })
    expect(outcomes.get('send')).toEqual({
      status: 'succeeded',
      path: 'all[3]/send',
      attempt: 1,
      durationMs: 5,
      count: 4,
      failed: 2,
      firstFailure: 'all[1]/send',
    })
    expect(outcomes.has('never')).toBe(false)
  })

  it('are those of the round that is looked at', () => {
    for (const within of ['all[1]', 'all[1]/send'])
      expect(stepOutcomes(rounds, within).get('send')).toMatchObject({
        status: 'failed',
        path: 'all[1]/send',
        durationMs: 2,
        count: 4,
      })
    expect(stepOutcomes(rounds, 'all').get('send')!.path).toBe('all[3]/send')
  })

  it('have no duration while the step runs', () => {
    expect(stepOutcomes([step('order', 0, null)]).get('order')).toMatchObject({ status: 'running', durationMs: null })
  })
})
