import { expect, it } from 'vitest'
import { sampleFlow } from '../sample-flow.testkit.ts'
import { sampleBody, sampleXml } from './sample-body.ts'

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

it('is XML where the trigger parses that and takes no JSON', () => {
  const steps = [{ id: 'a', kind: 'set', vars: { x: "{{ webhook.body.order['@id'] }}" } }]
  const flow = (trigger: Record<string, unknown>) => ({ name: 'F', trigger, steps })
  const accept = ['application/*+xml', 'application/xml']
  expect(sampleXml(flow({ parse: 'xml', accept }))).toEqual({
    text: expect.stringMatching(/^<order id="[^"]+"\/>$/),
    type: 'application/xml',
  })
  expect(sampleXml(flow({ parse: 'xml', accept: ['application/json', 'text/xml'] }))).toBe(null)
  expect(sampleXml(flow({ accept }))).toBe(null)
  const odd = [{ id: 'a', kind: 'set', vars: { x: '{{ webhook.body.a }} {{ webhook.body.b }}' } }]
  expect(sampleXml({ ...flow({ parse: 'xml', accept: ['text/*'] }), steps: odd })).toEqual({
    text: '<hello>world</hello>',
    type: 'text/xml',
  })
})
