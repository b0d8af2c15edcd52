// Tests webhooks on a separate origin. The base URL is http://localhost, that of the webhooks http://127.0.0.1.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { answerOf, createClient, type Millrace, startMillrace, TOKEN } from '../harness/millrace.ts'
import { connectRaw, requestBytes, sendRaw } from '../harness/raw-request.ts'

let millrace: Millrace
let api: string
let hooks: string

beforeAll(async () => {
  const port = await freePort()
  api = `http://localhost:${port}`
  hooks = `http://127.0.0.1:${port}`
  const started = await startMillrace({
    MILLRACE_PORT: String(port),
    MILLRACE_BASE_URL: api,
    MILLRACE_WEBHOOK_BASE_URL: hooks,
  })
  millrace = { ...started, ...createClient(api) }
})
afterAll(() => millrace.stop())

const flow = (steps: object[] = []) => millrace.publish({ name: 'Apart', trigger: { kind: 'webhook' }, steps })
const deliver = async (url: string, body: object = {}, headers: object = {}) =>
  answerOf(
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    }),
  )

describe('webhooks on an origin of their own', () => {
  it('have URLs there, and are answered there', async () => {
    const { webhook } = (await flow()).flow
    expect(webhook.url).toBe(`${hooks}/api/v1/webhooks/${webhook.id}`)
    expect(webhook.testUrl).toBe(`${webhook.url}/test`)
    expect((await deliver(webhook.url)).status).toBe(200)
    expect((await deliver(webhook.testUrl)).status).toBe(200)
    expect((await millrace.api('GET', '/settings')).body).toMatchObject({ baseUrl: api, webhookBaseUrl: hooks })
  })

  it.each(['/', '/index.html', '/healthz', '/readyz', '/metrics', '/api/v1/flows', '/api/docs', '/api/auth/state'])(
    'leave no room for %s there',
    async (path) => {
      for (const method of ['GET', 'POST']) {
        const response = await fetch(hooks + path, { method, headers: { authorization: `Bearer ${TOKEN}` } })
        expect(response.status).toBe(404)
        expect(response.headers.get('content-security-policy')).toBe('sandbox')
        expect(await response.json()).toMatchObject({ code: 'not_found' })
      }
      expect((await fetch(api + path)).status).not.toBe(404)
    },
  )

  it('are not answered at the API, where only test requests are', async () => {
    const { webhook } = (await flow()).flow
    const elsewhere = await deliver(`${api}/api/v1/webhooks/${webhook.id}`)
    expect(elsewhere.status).toBe(404)
    expect(elsewhere.body.message).toContain(hooks)
    expect((await deliver(`${api}/api/v1/webhooks/${webhook.id}/test`)).status).toBe(200)
    expect((await deliver(`${api}/api/v1/webhooks/${webhook.id}?/test`)).status).toBe(404)
  })

  it.each([
    ['127.0.0.1', 200],
    ['127.0.0.1.:443', 200],
    ['localhost', 404],
    ['evil.example.com', 404],
    ['127.0.0.1.evil.example.com', 404],
    ['127.0.0.1, localhost', 404],
    ['', 404],
  ])('are found by the host "%s": %i', async (host, status) => {
    const { webhook } = (await flow()).flow
    const answer = await sendRaw(
      millrace.port,
      requestBytes({ target: `/api/v1/webhooks/${webhook.id}`, headers: [`Host: ${host}`] }),
    )
    expect(answer.status).toBe(status)
  })

  it('do not ask for a body that nobody wants', async () => {
    const connection = await connectRaw(millrace.port)
    connection.write(
      'POST /api/v1/flows HTTP/1.1\r\nHost: 127.0.0.1\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
    )
    expect((await connection.reply()).status).toBe(404)
    connection.socket.destroy()
  })

  it('call one another there', async () => {
    const json = { kind: 'json', value: {} }
    const call = { id: 'call', kind: 'http', method: 'POST', url: '{{ webhook.body.url }}', body: json }
    const second = await flow()
    const first = await flow([call])
    const run = (await deliver(first.flow.webhook.url, { url: `${hooks}/api/v1/flows` })).body.id
    expect(await millrace.runEnded(run)).toMatchObject({ status: 'failed', error: { code: 'blocked_address' } })
    const chained = (await deliver(first.flow.webhook.url, { url: second.flow.webhook.url })).body.id
    expect((await millrace.runEnded(chained)).status).toBe('succeeded')
    const [called] = (await millrace.api('GET', `/runs?flow=${second.flow.id}`)).body.items
    expect((await millrace.runEnded(called.id)).webhook.headers['x-millrace-hops']).toBe('1')
  })

  it('are sent to by the command line, which finds out where they are', async () => {
    const { flow: made } = await flow()
    const env = { MILLRACE_ADMIN_TOKEN: TOKEN }
    const sent = await callCli(['send', made.id, '--data', '{}', '--server', api], { env })
    expect(sent).toMatchObject({ exit: 0, stdout: expect.stringContaining('200 Webhook received') })
    const { stdout } = await callCli(['doctor', '--server', api], { env })
    expect(stdout).toContain(`${hooks} leads to the webhooks.`)
  })
})

describe('cookies of ours', () => {
  it('do not get into deliveries and samples', async () => {
    const { flow: made } = await flow()
    const cookie = 'a=1; __Host-millrace_session=s3cr3t; b=2;millrace_oauth_0123=s3cr3t; millrace_session=s3cr3t'
    const reply = await deliver(made.webhook.url, {}, { cookie })
    expect((await millrace.runEnded(reply.body.id)).webhook.headers['cookie']).toBe('a=1; b=2')
    await deliver(made.webhook.testUrl, {}, { cookie: 'millrace_session=s3cr3t' })
    const [sample] = (await millrace.api('GET', `/flows/${made.id}/samples`)).body.items
    expect(sample.webhook.headers).not.toHaveProperty('cookie')
    expect(JSON.stringify((await millrace.api('GET', `/flows/${made.id}/deliveries`)).body)).not.toContain('s3cr3t')
  })
})
