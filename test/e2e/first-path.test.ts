import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ total: request.url === '/orders/7' ? 150 : 20 }))
  })
  millrace = await startMillrace({ MILLRACE_ENV_SHOP: upstream.url })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const orderAlerts = {
  name: 'Order alerts',
  trigger: { kind: 'webhook' },
  steps: [
    { id: 'order', kind: 'http', method: 'GET', url: '{{ env.SHOP }}/orders/{{ webhook.body.order.id }}' },
    {
      id: 'big',
      kind: 'branch',
      cases: [
        {
          when: '{{ steps.order.body.total > 100 }}',
          steps: [
            {
              id: 'tell',
              kind: 'http',
              method: 'POST',
              url: '{{ env.SHOP }}/alerts',
              body: { kind: 'json', value: { text: 'Order {{ webhook.body.order.id }}' } },
            },
          ],
        },
      ],
    },
  ],
}

describe('the first path', () => {
  it('runs a published flow from a delivery to its end, every step journalled', async () => {
    const { post } = await millrace.publish(orderAlerts)
    const answer = await post({ order: { id: 7 } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({ status: 'success', message: 'Webhook received', id: expect.stringMatching(/^run_/) })
    const run = await millrace.runEnded(answer.body.id)
    expect(run.status).toBe('succeeded')
    expect(run.steps.map((step) => [step.path, step.status])).toEqual([
      ['order', 'succeeded'],
      ['big', 'succeeded'],
      ['big/tell', 'succeeded'],
    ])
    expect(run.steps[0]!.output).toMatchObject({ status: 200, body: { total: 150 } })
    expect(run.steps[1]!.output).toEqual({ case: 0 })
    expect(upstream.received.at(-1)).toMatchObject({ method: 'POST', url: '/alerts', body: '{"text":"Order 7"}' })
  })

  it('takes the other way where the condition is false', async () => {
    const { post } = await millrace.publish(orderAlerts)
    const run = await millrace.runEnded((await post({ order: { id: 8 } })).body.id)
    expect(run.steps.map((step) => step.path)).toEqual(['order', 'big'])
    expect(run.steps[1]!.output).toEqual({ case: null })
  })
})
