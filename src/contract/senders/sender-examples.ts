// Examples of senders.
import type { TSchema } from 'typebox'
import { example } from '../example.ts'
import { SenderBody, SendersBody, SenderWithSamplesBody, SendSampleRequest, SentSampleBody } from './sender-bodies.ts'

const RUN = 'run_01m7h4zv0n1k5g7c8m2q4r6t8w'

const stripe = {
  name: 'stripe',
  title: 'Stripe',
  aliases: [],
  words: ['payments'],
  color: '#635bff',
  letters: 'St',
  fields: [{ name: 'secret' as const, label: 'Signing secret', hint: 'Workbench, Webhooks, your endpoint' }],
  console: ['Paste {url} as the endpoint URL.'],
  handshake: false,
  handsOver: [],
  accept: ['application/json'],
  signs: 'HMAC-SHA-256',
  covers: { body: true, time: true },
  events: ['invoice.paid'],
  notes: null,
}

export const SENDER_EXAMPLES: readonly [TSchema, unknown][] = [
  example(SenderBody, stripe),
  example(SendersBody, { senders: [stripe] }),
  example(SenderWithSamplesBody, {
    ...stripe,
    samples: [{ event: 'invoice.paid', body: { id: 'evt_1', type: 'invoice.paid' } }],
  }),
  example(SendSampleRequest, { event: 'invoice.paid', test: false }),
  example(SentSampleBody, {
    event: 'invoice.paid',
    status: 200,
    body: { status: 'success', message: 'Webhook received', id: RUN },
    delivery: 'dlv_01m7h4zv0n1k5g7c8m2q4r6t8w',
    runId: RUN,
  }),
]
