import { describe, expect, it } from 'vitest'
import { inboxSearch, matchesDelivery } from './delivery-filter.ts'

describe('the filter of the inbox', () => {
  it('is read from the URL, and what is not understood is left out', () => {
    expect(inboxSearch({ flow: 'flow_1', outcome: 'rejected', event: 'invoice.paid', delivery: 'dlv_1' })).toEqual({
      flow: 'flow_1',
      outcome: 'rejected',
      event: 'invoice.paid',
      delivery: 'dlv_1',
    })
    expect(inboxSearch({ flow: 7, outcome: 'lost', event: 7, delivery: '', other: 1 })).toEqual({})
  })

  it('knows the deliveries it shows as the service does', () => {
    const delivery = { flowId: 'flow_1', outcome: 'rejected' as const }
    expect(matchesDelivery({}, delivery)).toBe(true)
    expect(matchesDelivery({ flow: 'flow_1', outcome: 'rejected' }, delivery)).toBe(true)
    expect(matchesDelivery({ flow: 'flow_2' }, delivery)).toBe(false)
    expect(matchesDelivery({ outcome: 'accepted' }, delivery)).toBe(false)
    expect(matchesDelivery({ event: 'invoice.paid' }, { ...delivery, event: 'invoice.paid' })).toBe(true)
    expect(matchesDelivery({ event: 'invoice.paid' }, { ...delivery, event: null })).toBe(false)
  })

  it('shows what was read by a label, and of what is told what has it', () => {
    const delivery = { flowId: 'flow_1', outcome: 'accepted' as const }
    expect(matchesDelivery({ label: 'order=7' }, delivery)).toBe(true)
    expect(matchesDelivery({ label: 'order=7' }, { ...delivery, labels: null })).toBe(false)
    expect(matchesDelivery({ label: 'order=7' }, { ...delivery, labels: { order: '7' } })).toBe(true)
    expect(matchesDelivery({ label: ['order=7', 'customer=ada'] }, { ...delivery, labels: { order: '7' } })).toBe(false)
  })
})
