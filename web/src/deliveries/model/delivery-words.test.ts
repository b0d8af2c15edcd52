import { describe, expect, it } from 'vitest'
import { OUTCOMES } from './delivery-filter.ts'
import { callerGot, deliveryAdvice, deliveryReason, wasAdmitted } from './delivery-words.ts'

const rejected = {
  outcome: 'rejected' as const,
  code: 'unauthorized',
  message: 'X-Key is missing.',
  status: 401,
  runId: null,
}

describe('the words about a delivery', () => {
  it('say why it was rejected as the caller was told', () => {
    expect(deliveryReason(rejected)).toBe('X-Key is missing.')
    expect(deliveryReason({ ...rejected, message: null })).toContain('unauthorized')
    expect(callerGot(rejected)).toBe('401')
  })

  it('know every outcome, and rejections that have no words of their own', () => {
    for (const outcome of OUTCOMES) {
      const delivery = { outcome, code: null, message: null, status: 200, runId: null }
      expect(deliveryReason(delivery)).toMatch(/\S/)
      expect(deliveryAdvice(delivery)).toMatch(/\.$/)
    }
    expect(deliveryAdvice({ ...rejected, code: 'something_new' })).toMatch(/\.$/)
  })

  it('say of a callback that its run waits on, not that nothing was started', () => {
    const filtered = { outcome: 'filtered' as const, code: null, message: null, status: 200, runId: 'run_01' }
    expect(deliveryReason(filtered)).toContain('waits on')
    expect(deliveryReason({ ...filtered, runId: null })).toContain('nothing was started')
    expect(deliveryAdvice(filtered)).toContain('of the step')
  })

  it('tell what was admitted later from what was meant for a run that waited', () => {
    const delivery = { id: 'dlv_01b', outcome: 'rejected' as const }
    expect(wasAdmitted({ ...delivery, runId: 'run_01c' })).toBe(true)
    expect(wasAdmitted({ ...delivery, runId: 'run_01a' })).toBe(false)
    expect(wasAdmitted({ ...delivery, runId: null })).toBe(false)
  })

  it('say that the reply comes from the run where it does', () => {
    expect(callerGot({ outcome: 'accepted', code: null, message: null, status: null, runId: null })).toBe(
      'the reply of the run',
    )
  })
})
