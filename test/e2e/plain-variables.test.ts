// Tests MILLRACE_VAR_…: flows read them as `config`, and what they hold is shown as it is.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = 'c4n4ry-in-two-places'

let upstream: Upstream
let millrace: Millrace

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => response.end('{}'))
  millrace = await startMillrace({
    MILLRACE_VAR_SHOP_URL: upstream.url,
    MILLRACE_VAR_REGION: 'eu-1',
    MILLRACE_VAR_SHARED: SECRET,
    MILLRACE_ENV_SHARED: SECRET,
  })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

describe('plain variables', () => {
  it('are shown in the run, its labels, its code and the reply as they are', async () => {
    const { flow, post } = await millrace.publish({
      name: 'Plain',
      trigger: {
        kind: 'webhook',
        when: "{{ config.REGION == 'eu-1' }}",
        labels: { region: '{{ config.REGION }}' },
        response: { mode: 'finished', body: { from: '{{ config.SHOP_URL }}', code: '{{ steps.code }}' } },
      },
      steps: [
        { id: 'order', kind: 'http', method: 'GET', url: '{{ config.SHOP_URL }}/orders/{{ webhook.body.id }}' },
        { id: 'code', kind: 'code', input: '{{ config.REGION }}', code: 'export default (region) => `in ${region}`' },
      ],
    })
    const answer = await post({ id: 7 })
    expect(answer.body).toEqual({ from: upstream.url, code: 'in eu-1' })
    const [run] = (await millrace.api('GET', `/runs?flow=${flow.id}`)).body.items
    expect(run.labels).toEqual({ region: 'eu-1' })
    const { steps } = await millrace.run(run.id)
    expect(steps[0]).toMatchObject({ input: { url: `${upstream.url}/orders/7` } })
    const { config, tests } = (await millrace.api('GET', `/runs/${run.id}/fixture`)).body
    expect(config).toEqual({ REGION: 'eu-1', SHOP_URL: upstream.url })
    expect(tests[0].expect.requests[0].url).toBe(`${upstream.url}/orders/7`)
  })

  it('are in an immediate reply, and in the labels of other triggers', async () => {
    const { post } = await millrace.publish({
      name: 'At once',
      trigger: { kind: 'webhook', response: { body: '{{ config.REGION }}' } },
      steps: [],
    })
    expect((await post({})).body).toBe('eu-1')
    const called = await millrace.publish({
      name: 'Called',
      trigger: { kind: 'call', labels: { region: '{{ config.REGION }}' } },
      steps: [],
    })
    const { id } = (await millrace.api('POST', `/flows/${called.flow.id}/runs?wait=10`, { input: {} })).body
    expect((await millrace.run(id)).labels).toEqual({ region: 'eu-1' })
  })

  it('are masked where the same text is a secret that the flow uses', async () => {
    const vars = { plain: '{{ config.SHARED }}', secret: '{{ env.SHARED }}' }
    const { post } = await millrace.publish({
      name: 'Both',
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
      steps: [{ id: 'note', kind: 'set', vars }],
    })
    const { body } = await post({})
    const run = JSON.stringify((await millrace.api('GET', `/runs/${body.id}`)).body)
    expect(run).toContain('[secret]')
    expect(run).not.toContain(SECRET)
  })

  it('are listed with their values, secrets by their names only', async () => {
    const { env, config } = (await millrace.api('GET', '/settings')).body
    expect(env).toEqual(['SHARED'])
    expect(config).toMatchObject({ REGION: 'eu-1', SHOP_URL: upstream.url })
  })
})
