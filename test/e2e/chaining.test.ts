import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunSummary } from '../../src/operations/runs/read-runs.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream()
  millrace = await startMillrace({ MILLRACE_CONCURRENCY: '20', MILLRACE_ENV_UP: upstream.url })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const call = (url: string, more: object = {}) => ({
  id: 'call',
  kind: 'http',
  method: 'POST',
  url,
  body: { kind: 'json', value: '{{ webhook.body }}' },
  ...more,
})

describe('webhook chaining', () => {
  it('lets a flow call the webhook of another', async () => {
    const { flow: second } = await millrace.publish({
      name: 'second',
      trigger: { kind: 'webhook', response: { mode: 'finished', body: { twice: '{{ vars.n }}' } } },
      steps: [{ id: 'double', kind: 'set', vars: { n: '{{ webhook.body.n * 2 }}' } }],
    })
    const first = await millrace.publish({
      name: 'first',
      trigger: { kind: 'webhook' },
      steps: [call(second.webhook.url)],
    })
    const run = await millrace.runEnded((await first.post({ n: 21 })).body.id)
    expect(run.steps[0]!.output).toMatchObject({ status: 200, body: { twice: 42 } })
  })

  it('stops a flow that calls itself at the hop limit, whatever headers it sends', async () => {
    const { flow, post } = await millrace.publish({ name: 'loop', trigger: { kind: 'webhook' }, steps: [] })
    const steps = [call(flow.webhook.url, { headers: [{ name: 'X-Millrace-Hops', value: '0' }] })]
    await millrace.api('PUT', `/flows/${flow.id}`, { name: 'loop', trigger: { kind: 'webhook' }, steps })
    expect((await millrace.api('POST', `/flows/${flow.id}/publish`)).status).toBe(200)
    await post({})
    const failed = await new Promise<RunSummary>((resolve) => {
      const look = async () => {
        const { items } = (await millrace.api('GET', `/runs?flow=${flow.id}&status=failed`)).body
        if (items.length) resolve(items[0])
        else setImmediate(() => void look())
      }
      void look()
    })
    expect(failed.error).toMatchObject({ code: 'http_5xx', status: 508, step: 'call' })
    const { items } = (await millrace.api('GET', `/runs?flow=${flow.id}&limit=200`)).body
    expect(items).toHaveLength(11)
  })

  it.each(['/api/v1/flows', '/metrics', '/healthz', '/api/v1/webhooks/../flows', '/api/v1/webhooks/%2e%2e/flows'])(
    'keeps %s of its own from being reached by a flow, although loopback is allowed',
    async (path) => {
      const { post } = await millrace.publish({
        name: 'own',
        trigger: { kind: 'webhook' },
        steps: [call(`${millrace.url}${path}`)],
      })
      const run = await millrace.runEnded((await post({})).body.id)
      expect(run.error).toMatchObject({ code: expect.stringMatching(/^(blocked_address|invalid_url)$/) })
    },
  )
})

describe('when all workers are busy', () => {
  it('still acknowledges deliveries, durably, and runs them afterwards', async () => {
    const held: (() => void)[] = []
    const slow = await startUpstream((_request, response) => {
      held.push(() => response.end('{}'))
    })
    const busy = await startMillrace({ MILLRACE_CONCURRENCY: '2' })
    const { post } = await busy.publish({ name: 'slow', trigger: { kind: 'webhook' }, steps: [call(slow.url)] })
    const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => post({ n })))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([200]))
    await slow.count(2)
    expect(slow.received).toHaveLength(2)
    for (let done = 0; done < 40; done++) {
      await slow.count(done + 1)
      held[done]!()
    }
    for (const { body } of answers) expect((await busy.runEnded(body.id)).status).toBe('succeeded')
    await busy.stop()
    await slow.close()
  })
})
