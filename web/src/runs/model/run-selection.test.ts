import { describe, expect, it } from 'vitest'
import { runPageSearch, selectedPath } from './run-selection.ts'
import { failedStep, step } from './sample-steps.testkit.ts'

const failed = {
  error: { step: 'send' },
  steps: [step('all', 0, 9, { kind: 'loop' }), failedStep('all[1]/send', 1, 2), failedStep('all[4]/send', 2, 3)],
}

describe('the selection on the page of a run', () => {
  it('is read from the address, and what is not understood is left out', () => {
    expect(runPageSearch({ step: 'all[3]/send', tab: 'input' })).toEqual({ step: 'all[3]/send', tab: 'input' })
    expect(runPageSearch({ trigger: true })).toEqual({ trigger: true })
    expect(runPageSearch({ step: 7, tab: 'other', x: 1 })).toEqual({})
  })

  it('is the step that failed the run, where the address names none', () => {
    expect(selectedPath({}, failed)).toBe('all[4]/send')
    expect(selectedPath({ step: 'all[1]' }, failed)).toBe('all[1]')
    expect(selectedPath({ trigger: true }, failed)).toBeNull()
  })

  it('is the loop where the round that failed it is not here', () => {
    const loop = failedStep('all', 0, 9, { kind: 'loop', error: { code: 'failed', message: 'no', step: 'send' } })
    expect(selectedPath({}, { error: { step: 'send' }, steps: [loop, step('all[0]/send', 0, 1)] })).toBe('all')
  })

  it('is the webhook where nothing failed, or what failed is not here', () => {
    expect(selectedPath({}, { error: null, steps: failed.steps })).toBeNull()
    expect(selectedPath({}, { error: { step: 'other' }, steps: failed.steps })).toBeNull()
  })
})
