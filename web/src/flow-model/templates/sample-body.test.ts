import { expect, it } from 'vitest'
import { sampleFlow } from '../sample-flow.testkit.ts'
import { sampleBody } from './sample-body.ts'

it('holds what the templates read', () => {
  const steps = [
    {
      id: 'a',
      kind: 'set',
      vars: {
        x: '{{ webhook.body.order.id }} {{ webhook.body.customer.email }} {{ webhook.body.items.length }}',
        y: ['{{ webhook.body.order.total > 100 }}', '{{ webhook.headers.x }}', '{{ broken'],
      },
    },
  ]
  expect(sampleBody({ name: 'F', trigger: {}, steps })).toEqual({
    order: { id: 1042, total: 120 },
    customer: { email: 'ada@example.com' },
    items: ['example'],
  })
})

it('says hello where nothing is read', () => {
  expect(sampleBody({ ...sampleFlow(), trigger: {}, steps: [] })).toEqual({ hello: 'world' })
})
