// Tests a canary secret in every place that can hold one: flows use its true value, and it is shown nowhere.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type EventStream, openEvents } from '../harness/event-stream.ts'
import { freePort, NOBODY_LISTENS } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import {
  type Client,
  type Millrace,
  spawnMillrace,
  startMillrace,
  TOKEN,
  temporaryFolder,
} from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const CANARY = `c4n4ry "s'cret"/+?=\\ of the flow`
const ENV_CANARY = 'c4n4ry-0f+the/environment?1'

let upstream: Upstream
let gate: Gate
let millrace: Millrace
let refusedPort: number

beforeAll(async () => {
  // Sends back all that it receives, in the body and in headers; `/status/401` with that status.
  upstream = await startUpstream((request, response) => {
    const status = Number(/^\/status\/(\d+)/.exec(request.url)?.[1] ?? 200)
    const { authorization = '', 'x-key': key = '' } = request.headers
    response.writeHead(status, {
      'content-type': 'application/json',
      'x-echo': `${authorization} ${String(key)}`,
      'x-echo-url': request.url,
    })
    response.end(JSON.stringify({ authorization, key, url: request.url, body: request.body }))
  })
  gate = await startGate()
  refusedPort = NOBODY_LISTENS
  millrace = await startMillrace({ MILLRACE_ENV_CANARY: ENV_CANARY })
})
afterAll(async () => {
  gate.open()
  await millrace.stop()
  await upstream.close()
  await gate.close()
})

/** Returns every reply that a reader of the API can get about a flow and its runs. */
async function everyReply(client: Client, flowId: string): Promise<string> {
  const { items: runs } = (await client.api('GET', `/runs?flow=${flowId}`)).body as { items: { id: string }[] }
  const paths = [
    '/flows',
    '/runs',
    '/openapi.json',
    `/flows/${flowId}`,
    `/flows/${flowId}/versions`,
    `/flows/${flowId}/versions/1`,
    `/flows/${flowId}/deliveries`,
    `/flows/${flowId}/samples`,
    ...runs.map(({ id }) => `/runs/${id}`),
  ]
  const replies = await Promise.all(paths.map(async (path) => JSON.stringify((await client.api('GET', path)).body)))
  const metrics = await fetch(`${client.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return [...replies, await metrics.text()].join('\n')
}

async function expectHidden(flowId: string, ...more: string[]): Promise<void> {
  for (const secret of [CANARY, ENV_CANARY]) {
    for (const text of [await everyReply(millrace, flowId), millrace.log(), ...more])
      expect(leaksOf(text, secret)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, secret)).toEqual([])
  }
}

const PLACES = {
  basic: { auth: { kind: 'basic', username: 'me', password: CANARY } },
  bearer: { auth: { kind: 'bearer', token: CANARY } },
  'apiKey in a header': { auth: { kind: 'apiKey', name: 'X-Key', value: CANARY } },
  'apiKey in the query': { auth: { kind: 'apiKey', name: 'key', value: CANARY, in: 'query' } },
  env: {
    headers: [{ name: 'X-Key', value: '{{ env.CANARY }}' }],
    query: [{ name: 'key', value: '{{ env.CANARY }}' }],
  },
}

const OUTCOMES = {
  'a reply that echoes it': () => `${upstream.url}/echo`,
  'a 401 that echoes it': () => `${upstream.url}/status/401`,
  'a refused connection': () => `http://127.0.0.1:${refusedPort}/`,
  'a URL that is none': () => 'http://127.0.0.1:x/{{ raw(env.CANARY) }}',
}

describe('a secret of an http step', () => {
  const cases = Object.entries(PLACES).flatMap(([place, settings]) =>
    Object.entries(OUTCOMES).map(([outcome, url]) => [place, outcome, settings, url] as const),
  )
  it.each(cases)('%s, and %s', async (place, outcome, settings, url) => {
    const { flow, post } = await millrace.publish({
      name: place,
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
      steps: [
        { id: 'call', kind: 'http', method: 'GET', url: url(), ...settings, onError: 'continue' },
        { id: 'keep', kind: 'set', vars: { got: '{{ steps.call }}' } },
        {
          id: 'later',
          kind: 'http',
          method: 'POST',
          url: `${upstream.url}/later`,
          body: { kind: 'json', value: { got: '{{ vars.got.body ?? null }}' } },
        },
        { id: 'end', kind: 'fail', message: 'It was {{ vars.got.body?.key ?? "" }}{{ env.CANARY }}' },
      ],
    })
    const events = await openEvents(`${millrace.url}/api/v1/flows/${flow.id}/events`)
    const answer = await post({})
    expect(answer.status).toBe(500)
    const ended = await events.next(({ data }) => data.status === 'failed')
    await events.close()

    // The flow itself had the true value.
    const later = JSON.parse(upstream.received.at(-1)!.body)
    const secret = place === 'env' ? ENV_CANARY : CANARY
    if (outcome.includes('echoes')) expect(trueValues(later.got)).toContain(secret)
    const tested = await millrace.api('POST', `/flows/${flow.id}/steps/call/test`, {})
    expect(tested.status).toBe(200)
    const run = await millrace.api('POST', `/flows/${flow.id}/test`, {})
    const testRun = await millrace.runEnded(run.body.id)
    await expectHidden(flow.id, ...[answer.body, ended, tested.body, testRun].map((one) => JSON.stringify(one)))
  })
})

/** Extracts the values that the upstream received from its echo. */
function trueValues(got: { authorization: string; key: string; url: string }): string[] {
  const [, basic] = /^Basic (.+)/.exec(got.authorization) ?? []
  const query = new URL(got.url, 'http://upstream').searchParams.get('key')
  return [
    got.key,
    got.authorization.replace(/^Bearer /, ''),
    Buffer.from(basic ?? '', 'base64')
      .toString()
      .replace(/^me:/, ''),
    query ?? '',
  ]
}

describe('the secret of a trigger', () => {
  it.each([
    ['header', { 'X-Key': CANARY }, ''],
    ['query', {}, `?X-Key=${encodeURIComponent(CANARY)}`],
  ])('lets callers in by %s, and is kept nowhere, wherever they repeat it', async (kind, headers, query) => {
    const auth = { kind, name: 'X-Key', value: CANARY }
    const { flow, post } = await millrace.publish({
      name: 'Trigger',
      trigger: { kind: 'webhook', auth, dedupe: { key: '{{ webhook.body.copy }}' } },
      steps: [
        {
          id: 'call',
          kind: 'http',
          method: 'POST',
          url: `${upstream.url}/copy`,
          body: {
            kind: 'text',
            value: '{{ webhook.body.copy }} {{ webhook.headers["x-copy"] }} {{ webhook.rawBody }}',
          },
        },
      ],
    })
    const body = { copy: `${kind} ${CANARY}`, basic: Buffer.from(`me:${CANARY}`).toString('base64') }
    const withCopy = { ...headers, 'x-copy': CANARY }
    const answer = await post(body, withCopy, query)
    expect(answer.status).toBe(200)
    expect((await millrace.runEnded(answer.body.id)).status).toBe('succeeded')
    expect(upstream.received.at(-1)!.body).toBe(`${body.copy} ${CANARY} ${JSON.stringify(body)}`)

    expect((await post(body, withCopy, query)).body.id).toBe(answer.body.id)
    expect((await post(body, { 'x-copy': CANARY }, '?X-Key=wrong')).status).toBe(401)
    expect((await post(body, { ...withCopy, 'content-type': `text/${CANARY}` }, query)).status).toBe(400)
    const sample = await fetch(flow.webhook.testUrl.replace(/^http:\/\/[^/]+/, millrace.url) + query, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...withCopy },
      body: JSON.stringify(body),
    })
    expect(sample.status).toBe(200)
    await expectHidden(flow.id)
  })
})

describe('events', () => {
  it('show steps and runs without secrets, as they happen', async () => {
    const { flow, post } = await millrace.publish({
      name: 'Watched',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'held', kind: 'http', method: 'GET', url: gate.url },
        { id: 'call', kind: 'http', method: 'GET', url: upstream.url, auth: { kind: 'bearer', token: CANARY } },
        { id: 'keep', kind: 'set', vars: { got: '{{ steps.call }}', env: '{{ env.CANARY }}' } },
      ],
    })
    const { id } = (await post({ env: ENV_CANARY })).body
    const events: EventStream = await openEvents(`${millrace.url}/api/v1/runs/${id}/events`)
    const seen: unknown[] = [await events.next()]
    await gate.letOne()
    for (let over = false; !over; ) {
      const event = await events.next()
      seen.push(event)
      over = event.type === 'run' && event.data.status === 'succeeded'
    }
    await events.close()
    const text = JSON.stringify(seen)
    expect(text).toContain('[secret]')
    await expectHidden(flow.id, text)
  })
})

describe('kill -9', () => {
  it('a resumed run goes on with the true values', { timeout: 60_000 }, async () => {
    const dataDir = temporaryFolder()
    const port = await freePort()
    const environment = { MILLRACE_ENV_CANARY: ENV_CANARY }
    const first = await spawnMillrace(dataDir, port, environment)
    const { flow, post } = await first.publish({
      name: 'Resumed',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'call', kind: 'http', method: 'GET', url: upstream.url, auth: { kind: 'bearer', token: CANARY } },
        { id: 'keep', kind: 'set', vars: { env: '{{ env.CANARY }}' } },
        { id: 'hang', kind: 'http', method: 'GET', url: gate.url },
        {
          id: 'later',
          kind: 'http',
          method: 'POST',
          url: `${upstream.url}/resumed`,
          body: {
            kind: 'json',
            value: ['{{ steps.call.body.authorization }}', '{{ vars.env }}', '{{ webhook.body.copy }}'],
          },
        },
      ],
    })
    const { id } = (await post({ copy: CANARY })).body
    await gate.count(gate.received.length + 1 - gate.held())
    first.child.kill('SIGKILL')
    await first.exited
    for (const secret of [CANARY, ENV_CANARY]) expect(leaksInFolder(dataDir, secret)).toEqual([])

    gate.open()
    const second = await spawnMillrace(dataDir, port, environment)
    const run = await second.runEnded(id)
    expect(run.status).toBe('succeeded')
    const resumed = upstream.received.filter(({ url }) => url === '/resumed').at(-1)!
    expect(JSON.parse(resumed.body)).toEqual([`Bearer ${CANARY}`, ENV_CANARY, CANARY])
    second.child.kill('SIGTERM')
    expect(await second.exited).toBe(0)
    for (const secret of [CANARY, ENV_CANARY]) {
      expect(leaksOf(JSON.stringify([run, flow]) + first.output() + second.output(), secret)).toEqual([])
      expect(leaksInFolder(dataDir, secret)).toEqual([])
    }
    rmSync(dataDir, { recursive: true })
  })
})
