import { describe, expect, it } from 'vitest'
import type { Alert } from '../../api/api-types.ts'
import { draftOf, isScoped, requestOf } from './alert-draft.ts'
import { ruleInWords, scopeInWords } from './alert-words.ts'

const ALERT: Alert = {
  id: 'alr_1',
  rule: 'failures',
  count: 3,
  minutes: 1,
  flow: null,
  tag: 'billing',
  target: { kind: 'webhook', url: 'https://chat.example.com' },
  createdAt: '2026-11-16T08:20:00.000Z',
  sentAt: null,
  problem: null,
}

describe('the form of an alert', () => {
  it('sends back what the alert was, without its secret', () => {
    const { rule, count, minutes, tag, target } = ALERT
    expect(requestOf(draftOf(ALERT))).toEqual({ rule, count, minutes, tag, target })
  })

  it('sends only what the rule takes', () => {
    const target = { kind: 'email' as const, to: ['a@example.com'] }
    const draft = { ...draftOf(ALERT), rule: 'storage' as const, kind: 'email' as const, to: target.to }
    expect(requestOf(draft)).toEqual({ rule: 'storage', target })
    const late = { ...draft, rule: 'schedule_late' as const, scope: 'all' as const }
    expect(requestOf({ ...late, numbers: { ...late.numbers, seconds: '' } })).toEqual({ rule: 'schedule_late', target })
  })

  it('is not done while the tag or the flow is missing', () => {
    const draft = draftOf(null)
    expect(isScoped(draft)).toBe(true)
    expect(isScoped({ ...draft, scope: 'tag' })).toBe(false)
    expect(isScoped({ ...draft, scope: 'flow', flow: 'flow_1' })).toBe(true)
    expect(isScoped({ ...draft, scope: 'tag', rule: 'storage' })).toBe(true)
  })
})

describe('an alert', () => {
  it('is named in words', () => {
    expect(ruleInWords(ALERT)).toBe('3 failures within 1 minute')
    expect(ruleInWords({ ...ALERT, rule: 'rejections', count: 1 })).toBe('1 delivery rejected in a row')
    expect(scopeInWords(ALERT)).toBe('Flows with the tag billing')
    expect(scopeInWords({ ...ALERT, tag: null, flow: { id: 'flow_1', name: null } })).toBe('A deleted flow')
  })
})
