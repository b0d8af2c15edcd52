// Examples of alerts and of the failure flow.
import type { TSchema } from 'typebox'
import { AlertRequest, AlertsBody, AlertTestBody, CreatedAlertBody } from './alert-bodies.ts'
import { example } from './example.ts'
import { FailureFlowBody, FailureFlowRequest } from './failure-flow-bodies.ts'

const ALERT = {
  id: 'alr_01m7h4zv0n1k5g7c8m2q4r6t8w',
  rule: 'failures' as const,
  count: 10,
  minutes: 5,
  flow: null,
  tag: 'orders',
  target: { kind: 'webhook' as const, url: 'https://chat.example.com/alerts' },
  createdAt: '2026-11-16T08:20:00.000Z',
  sentAt: null,
  problem: null,
}

export const ALERT_EXAMPLES: readonly [TSchema, unknown][] = [
  example(FailureFlowRequest, { flow: 'tell-the-team' }),
  example(FailureFlowBody, {
    flow: { id: 'flow_01m7h4zv0n1k5g7c8m2q4r6t8w', name: 'Tell the team', slug: 'tell-the-team' },
  }),
  example(AlertRequest, { rule: 'failures', count: 10, minutes: 5, tag: 'orders', target: ALERT.target }),
  example(CreatedAlertBody, { ...ALERT, secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw' }),
  example(AlertsBody, { items: [ALERT] }),
  example(AlertTestBody, { sent: true, message: null }),
]
