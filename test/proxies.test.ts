// Tests Millrace behind each proxy that docs/deploy.md configures: the real program, with the printed configuration.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request as secureRequest } from 'node:https'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveries } from './harness/inbox.ts'
import { type Millrace, startMillrace, TOKEN } from './harness/millrace.ts'
import {
  findProxy,
  PROXIES,
  type ProxyName,
  printedConfiguration,
  type StartedProxy,
  startProxy,
} from './harness/proxy.ts'

const SECRET = 'the-value-of-the-sender'
/** This is not the address of the proxy. */
const CLIENT = '127.0.0.2'
const ca = readFileSync(new URL('../src/outbound/certificates.testkit/authority.pem', import.meta.url))

/** Whether a header name for authentication arrives letter by letter, if the sender writes it as configured. */
const EXACT: Record<ProxyName, Record<string, boolean>> = {
  nginx: { 'X-Webhook-Token': true, 'x-webhook-token': true, 'X-API-Key': true },
  caddy: { 'X-Webhook-Token': true, 'x-webhook-token': false, 'X-API-Key': false },
  haproxy: { 'X-Webhook-Token': false, 'x-webhook-token': true, 'X-API-Key': false },
}

interface Sent {
  method?: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** Opens a request as a sender outside would: over TLS, to the public name. */
async function open(
  proxy: StartedProxy,
  { method = 'POST', path, headers = {}, body }: Sent,
): Promise<IncomingMessage> {
  const request = secureRequest({
    host: '127.0.0.1',
    localAddress: CLIENT,
    port: proxy.port,
    servername: 'flows.example.com',
    // The certificate is for localhost.
    checkServerIdentity: () => undefined,
    ca,
    method,
    path,
    headers: { Host: 'flows.example.com', 'Content-Type': 'application/json', ...headers },
    agent: false,
  })
  // A proxy that refuses a body closes the socket while it is being sent.
  request.on('error', () => {})
  request.end(body)
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  return response.setEncoding('utf8')
}

async function send(proxy: StartedProxy, sent: Sent): Promise<{ status: number; text: string }> {
  const response = await open(proxy, sent)
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode!, text }
}

/** Sends until a reply arrives: a proxy that closes its socket during the body may take the reply with it. */
async function sendAgain(proxy: StartedProxy, sent: Sent): ReturnType<typeof send> {
  for (let attempt = 1; ; attempt++)
    try {
      return await send(proxy, sent)
    } catch (error) {
      if (attempt === 10 || !['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    }
}

describe.each(PROXIES)('behind %s', (name) => {
  const isThere = findProxy(name) !== null
  if (!isThere) it.skip(`nothing is tested: ${name} is not installed here`)

  describe.skipIf(!isThere)('with the configuration of docs/deploy.md', () => {
    let millrace: Millrace
    let proxy: StartedProxy
    beforeAll(async () => {
      millrace = await startMillrace({
        MILLRACE_BASE_URL: 'https://flows.example.com',
        MILLRACE_TRUST_PROXY: '127.0.0.1',
        MILLRACE_ENV_SECRET: SECRET,
      })
      proxy = await startProxy(name, millrace.port)
    })
    afterAll(async () => {
      await proxy?.stop()
      await millrace?.stop()
    })

    const published = async (trigger: object = {}) => {
      const { flow } = await millrace.publish({ name, trigger: { kind: 'webhook', ...trigger }, steps: [] })
      expect(flow.webhook.url).toMatch(/^https:\/\/flows\.example\.com\//)
      return { id: flow.id, path: new URL(flow.webhook.url).pathname }
    }

    it('takes a delivery, and knows whose it is, whatever the sender claims', async () => {
      const { path } = await published({ ips: [CLIENT] })
      for (const headers of [{}, { 'X-Forwarded-For': '192.0.2.7' }] as Record<string, string>[]) {
        const { status, text } = await send(proxy, { path, headers, body: '{"a": 1}' })
        expect(status).toBe(200)
        const run = await millrace.runEnded(JSON.parse(text).id)
        expect(run.webhook).toMatchObject({
          body: { a: 1 },
          metadata: { ip: CLIENT },
          headers: { host: 'flows.example.com' },
        })
      }
      const other = await published({ ips: ['192.0.2.7'] })
      const claimed = await send(proxy, { path: other.path, headers: { 'X-Forwarded-For': '192.0.2.7' }, body: '{}' })
      expect(claimed.status).toBe(401)
    })

    it.each(Object.entries(EXACT[name]))(
      'lets the header %s in letter by letter: %s; with anyCase always',
      async (header, fits) => {
        const auth = { kind: 'header', name: header, value: '{{ env.SECRET }}' }
        const exact = await published({ auth })
        const sent = { headers: { [header]: SECRET }, body: '{}' }
        expect((await send(proxy, { path: exact.path, ...sent })).status).toBe(fits ? 200 : 401)
        if (!fits)
          await expect
            .poll(async () => (await deliveries(millrace, exact.id))[0]?.message)
            .toContain('only the letter case differs')
        const any = await published({ auth: { ...auth, anyCase: true } })
        expect((await send(proxy, { path: any.path, ...sent })).status).toBe(200)
        expect((await send(proxy, { path: any.path, headers: { [header]: 'wrong' }, body: '{}' })).status).toBe(401)
      },
    )

    it('takes bodies up to the limit, and none above it', async () => {
      const { path } = await published({ accept: ['text/plain'] })
      const headers = { 'Content-Type': 'text/plain' }
      const limit = 10 * 1024 * 1024
      expect((await send(proxy, { path, headers, body: Buffer.alloc(limit, 'a') })).status).toBe(200)
      expect((await sendAgain(proxy, { path, headers, body: Buffer.alloc(limit + 1, 'a') })).status).toBe(413)
    })

    it('lets events through as they come', async () => {
      const { id, path } = await published()
      const headers = { Authorization: `Bearer ${TOKEN}` }
      const events = await open(proxy, { method: 'GET', path: `/api/v1/flows/${id}/events`, headers })
      expect(events.statusCode).toBe(200)
      const { text } = await send(proxy, { path, body: '{}' })
      let seen = ''
      for await (const chunk of events) {
        seen += chunk
        if (seen.includes(JSON.parse(text).id)) break
      }
      expect(seen).toContain('event: delivery')
    })

    it('sends nothing a second time that got no answer', async () => {
      let received = 0
      const mute = createServer((socket) =>
        socket
          .on('error', () => {})
          .on('data', () => {
            received++
            socket.destroy()
          }),
      ).listen(0, '127.0.0.1')
      await once(mute, 'listening')
      const before = await startProxy(name, (mute.address() as { port: number }).port)
      try {
        const { status } = await send(before, { path: '/api/v1/webhooks/x', body: '{}' })
        expect(status).toBe(502)
        expect(received).toBe(1)
      } finally {
        await before.stop()
        mute.close()
      }
    })
  })

  it('is printed with a wait that is longer than the longest of a reply', () => {
    const waits = [...printedConfiguration(name).matchAll(/(?:proxy_read_timeout|timeout (?:client|server)) (\d+)s/g)]
    expect(waits).toHaveLength({ nginx: 1, caddy: 0, haproxy: 2 }[name])
    for (const [, seconds] of waits) expect(Number(seconds)).toBeGreaterThan(300)
  })
})
