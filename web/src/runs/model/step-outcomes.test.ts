import { describe, expect, it } from 'vitest'
import type { TimedStep } from './run-tree.ts'
import { at, failedStep, step, T0 } from './sample-steps.testkit.ts'
import { outcomeOnCard, stepOutcomes } from './step-outcomes.ts'

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
      waitsUntil: null,
      attempt: 1,
      durationMs: 5,
      result: '',
      troubled: false,
      count: 4,
      failed: 2,
      ofRound: false,
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

  it('are told on a card in few words', () => {
    const cardOf = (id: string, ...steps: TimedStep[]) => outcomeOnCard(stepOutcomes(steps).get(id)!)
    expect(cardOf('send', ...rounds)).toEqual({ status: 'failed', text: '2 of 4 failed' })
    expect(outcomeOnCard(stepOutcomes(rounds, 'all[3]').get('send')!)).toEqual({ status: 'succeeded', text: '5 ms' })
    expect(cardOf('a', step('l[0]/a', 0, 1), step('l[1]/a', 0, 1))).toEqual({ status: 'succeeded', text: '2 times' })
    expect(cardOf('a', step('a', 0, 84, { output: { status: 200 } }))).toEqual({
      status: 'succeeded',
      text: '200 · 84 ms',
    })
    expect(cardOf('a', failedStep('a', 0, 84))).toEqual({ status: 'failed', text: 'http_500' })
    expect(cardOf('a', step('a', 0, 5038, { output: { status: 200 } })).text).toBe('200 · 5 s')
    expect(cardOf('a', step('a', 0, null))).toEqual({ status: 'running', text: '' })
  })

  it('are not green where not all went well', () => {
    const cardOf = (id: string, ...steps: TimedStep[]) => outcomeOnCard(stepOutcomes(steps).get(id)!)
    const loop = (output: object) => step('all', 0, 9, { kind: 'loop', output })
    const error = { index: 1, item: 2, error: { code: 'http_500', message: 'x', step: 'send' } }
    expect(cardOf('all', loop({ count: 7, results: [], errors: [error, error] }))).toEqual({
      status: 'troubled',
      text: '2 of 7 failed · 9 ms',
    })
    expect(cardOf('all', loop({ count: 7, results: [], errors: [] }))).toEqual({
      status: 'succeeded',
      text: '7 rounds · 9 ms',
    })
    expect(cardOf('a', step('a', 0, 84, { output: { status: 503 } }))).toEqual({
      status: 'troubled',
      text: '503 · 84 ms',
    })
    expect(cardOf('a', step('a', 0, 1, { kind: 'branch', output: { case: null } })).text).toBe('otherwise · 1 ms')
    const parallel = { finished: ['one'], errors: [{ branch: 'two', error: { code: 'http_500', message: 'x' } }] }
    expect(cardOf('a', step('a', 0, 1, { kind: 'parallel', output: parallel }))).toEqual({
      status: 'troubled',
      text: '1 finished · 1 ms',
    })
  })

  it('say how long a step still waits', () => {
    const waiting = step('pause', 0, null, { kind: 'wait', status: 'waiting', resumeAt: at(7_200_000) })
    const outcome = stepOutcomes([waiting]).get('pause')!
    expect(outcomeOnCard(outcome, T0)).toEqual({ status: 'waiting', text: 'Waiting, 2 hours left' })
    expect(outcomeOnCard(outcome)).toEqual({ status: 'waiting', text: '' })
  })

  it('count all rounds of a loop, also those whose steps are not here', () => {
    const error = { code: 'http_500', message: 'x', step: 'send' }
    const errors = Array.from({ length: 10 }, (_, index) => ({ index, item: null, error }))
    const steps = [
      step('all', 0, 9, { kind: 'loop', input: { count: 5000 }, output: { count: 5000, results: [], errors } }),
      ...Array.from({ length: 4999 }, (_, i) => (i < 10 ? failedStep : step)(`all[${i}]/send`, i, i + 1)),
    ]
    expect(outcomeOnCard(stepOutcomes(steps).get('send')!)).toEqual({ status: 'failed', text: '10 of 5,000 failed' })
  })
})
