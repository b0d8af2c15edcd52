// Examples of callbacks and approvals.
import type { TSchema } from 'typebox'
import { example } from '../example.ts'
import {
  ApprovalAnsweredBody,
  ApprovalAnswerRequest,
  ApprovalBody,
  CallbackAnsweredBody,
  CallbackAnswerRequest,
  CallbackUrlBody,
} from './callback-bodies.ts'

const ID = 'cbk_01m7h4zv0n1k5g7c8m2q4r6t8w'
const RUN = 'run_01m7h4zv0n1k5g7c8m2q4r6t8w'

export const CALLBACK_EXAMPLES: readonly [TSchema, unknown][] = [
  example(ApprovalBody, {
    id: ID,
    run: RUN,
    step: 'approval',
    flow: { id: 'flow_01m7h4zv0n1k5g7c8m2q4r6t8w', name: 'Refund' },
    title: 'Refund 80 EUR to Ada?',
    text: 'Order **4711** was returned.',
    answers: ['approve', 'reject'],
    fields: [{ name: 'reason', label: 'Why', type: 'text', required: false }],
    who: 'users',
    createdAt: '2026-11-16T08:20:00.000Z',
    expiresAt: '2026-11-17T08:20:00.000Z',
  }),
  example(ApprovalAnswerRequest, { answer: 'approve', fields: { reason: 'as agreed' } }),
  example(ApprovalAnsweredBody, { id: ID, run: RUN, answer: 'approve' }),
  example(CallbackAnswerRequest, { body: { state: 'done' }, headers: { 'X-Sent-By': 'hand' } }),
  example(CallbackAnsweredBody, { run: RUN, step: 'printed' }),
  example(CallbackUrlBody, {
    step: 'printed',
    url: 'https://millrace.example.com/api/v1/callbacks/mrc_vJx3Q0zT8kq1n5W7c9e2r4t6y8u0i2o4',
  }),
]
