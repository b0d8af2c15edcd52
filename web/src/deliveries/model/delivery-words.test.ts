import { describe, expect, it } from 'vitest'
import { OUTCOMES } from './delivery-filter.ts'
import { callerGot, deliveryAdvice, deliveryReason } from './delivery-words.ts'

const rejected = { outcome: 'rejected' as const, code: 'unauthorized', message: 'X-Key is missing.', status: 401 }

describe('the words about a delivery', () => {
  it('say why it was rejected as the caller was told', () => {
    expect(deliveryReason(rejected)).toBe('X-Key is missing.')
    expect(deliveryReason({ ...rejected, message: null })).toContain('unauthorized')
    expect(callerGot(rejected)).toBe('401')
  })

  it('know every outcome, and rejections that have no words of their own', () => {
    for (const outcome of OUTCOMES) {
      const delivery = { outcome, code: null, message: null, status: 200 }
      expect(deliveryReason(delivery)).toMatch(/\S/)
      expect(deliveryAdvice(delivery)).toMatch(/\.$/)
    }
    expect(deliveryAdvice({ ...rejected, code: 'something_new' })).toMatch(/\.$/)
  })

  it('say that the reply comes from the run where it does', () => {
    expect(callerGot({ outcome: 'accepted', code: null, message: null, status: null })).toBe('the reply of the run')
  })
})
