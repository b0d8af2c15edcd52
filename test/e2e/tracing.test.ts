// Tests a trace through Millrace: from the headers of a delivery, through runs and steps, to the APIs that they call.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { leaksOf } from '../harness/leaks.ts'
import {
  type Millrace,
  type MillraceProcess,
  spawnMillrace,
  startMillrace,
  temporaryFolder,
} from '../harness/millrace.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'
import { DELIVERY, newTrace, printSpans, SPAN_ERROR, spansOf, traceOf } from '../harness/spans.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SENDER = 'b7ad6b7169203331'
const traceparent = `00-0af7651916cd43dd8448eb211c80319c-${SENDER}-01`

let upstream: Upstream
beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    const { pathname } = new URL(request.url, 'http://upstream')
    if (pathname === '/moved') return response.writeHead(307, { location: '/there' }).end()
    response.writeHead(Number(/\d+/.exec(pathname)?.[0] ?? 200)).end('{}')
  })
})
afterAll(() => upstream.close())

const flowOf = (steps: object[], trigger: object = {}) => ({
  name: 'Traced',
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const call = (path: string, more: object = {}) => ({
  id: 'call',
  kind: 'http',
  method: 'POST',
  url: upstream.url + path,
  ...more,
})
const lastCall = () => upstream.received.at(-1)!

describe('without an SDK', () => {
  let millrace: Millrace
  beforeAll(async () => {
    millrace = await startMillrace()
  })
  afterAll(() => millrace.stop())

  /** Returns the headers of the last request that a delivery with these headers led to. */
  async function sentAfter(headers: Record<string, string>, steps: object[] = [call('/')]) {
    const { post } = await millrace.publish(flowOf(steps))
    const run = await millrace.runEnded((await post({}, headers)).body.id)
    expect(run.status).toBe('succeeded')
    return lastCall().headers
  }

  it('passes the trace of a delivery on as it came', async () => {
    const headers = await sentAfter({ traceparent, tracestate: 'congo=t61rcWkgMzE, rojo=1' })
    expect(headers).toMatchObject({ traceparent, tracestate: 'congo=t61rcWkgMzE,rojo=1' })
  })

  it('passes it on after a redirect, and after a wait', async () => {
    const wait = { id: 'rest', kind: 'wait', seconds: 0.1 }
    expect(await sentAfter({ traceparent }, [wait, call('/moved')])).toMatchObject({ traceparent })
    expect(lastCall().url).toBe('/there')
    expect(lastCall().headers).not.toHaveProperty('tracestate')
  })

  it('passes it on when the run is replayed', async () => {
    const { post } = await millrace.publish(flowOf([call('/')]))
    const { id } = (await post({}, { traceparent })).body
    await millrace.runEnded(id)
    const before = upstream.received.length
    const replay = await millrace.api('POST', `/runs/${id}/replay`, {})
    await millrace.runEnded(replay.body.id)
    expect(upstream.received.slice(before).map(({ headers }) => headers['traceparent'])).toEqual([traceparent])
  })

  it('adds nothing where the delivery brought nothing that counts', async () => {
    expect(await sentAfter({})).not.toHaveProperty('traceparent')
    const invalid = await sentAfter({ traceparent: `00-${'0'.repeat(32)}-${SENDER}-01`, tracestate: 'a=1' })
    expect(invalid).not.toHaveProperty('traceparent')
    expect(invalid).not.toHaveProperty('tracestate')
  })

  it('leaves a header alone that the step sets', async () => {
    const own = { name: 'TraceParent', value: 'mine' }
    const headers = await sentAfter({ traceparent, tracestate: 'a=1' }, [call('/', { headers: [own] })])
    expect(headers).toMatchObject({ traceparent: 'mine' })
    expect(headers).not.toHaveProperty('tracestate')
  })

  it('shows in the history what the step was told to send', async () => {
    const { post } = await millrace.publish(flowOf([call('/')]))
    const run = await millrace.runEnded((await post({}, { traceparent })).body.id)
    expect(run.steps[0]!.input).toMatchObject({ headers: [] })
  })
})

describe('with an SDK', () => {
  const dataDir = temporaryFolder()
  const SECRETS = {
    header: 's3cret-header/of+sender=x',
    env: 's3cret-env/of+flow=x',
    literal: 's3cret-literal/of+step=x',
    query: 's3cret-query/of+key=x',
    body: 's3cret-payload/of+sender=x',
  }
  let millrace: MillraceProcess
  const start = async () => spawnMillrace(dataDir, await freePort(), { ...printSpans, MILLRACE_ENV_KEY: SECRETS.env })
  beforeAll(async () => {
    millrace = await start()
  })
  afterAll(async () => {
    millrace.child.kill('SIGTERM')
    await millrace.exited
    rmSync(dataDir, { recursive: true })
  })

  it('records delivery, run, steps and requests, each inside the one that led to it', async () => {
    const { traceId, senderId, headers } = newTrace()
    const { flow, post } = await millrace.publish(
      flowOf([
        {
          id: 'all',
          kind: 'loop',
          each: '{{ [1] }}',
          steps: [{ id: 'which', kind: 'branch', cases: [{ when: '{{ true }}', steps: [call('/ok?key=1')] }] }],
        },
      ]),
    )
    const { id } = (await post({}, headers)).body
    await millrace.runEnded(id)
    const span = await traceOf(millrace, traceId, [DELIVERY, 'run Traced'])
    const delivery = span(DELIVERY)
    expect(delivery).toMatchObject({
      kind: 1,
      parent: senderId,
      state: 'congo=1',
      attributes: { 'http.request.method': 'POST', 'http.response.status_code': 200 },
    })
    const run = span('run Traced')
    expect(run).toMatchObject({
      kind: 0,
      parent: delivery.spanId,
      attributes: {
        'millrace.run.id': id,
        'millrace.flow.id': flow.id,
        'millrace.flow.version': 1,
        'millrace.run.state': 'finished',
      },
      status: { code: 0 },
    })
    expect(span('step all').parent).toBe(run.spanId)
    expect(span('step which').parent).toBe(span('step all').spanId)
    const step = span('step call')
    expect(step).toMatchObject({
      parent: span('step which').spanId,
      attributes: {
        'millrace.step.kind': 'http',
        'millrace.step.path': 'all[0]/which/call',
        'millrace.step.outcome': 'done',
      },
    })
    const request = span('POST')
    expect(request).toMatchObject({ kind: 2, parent: step.spanId })
    expect(request.attributes).toEqual({
      'http.request.method': 'POST',
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(upstream.url).port),
      'http.response.status_code': 200,
    })
    expect(lastCall().headers).toMatchObject({
      traceparent: `00-${traceId}-${request.spanId}-01`,
      tracestate: 'congo=1',
    })
  })

  it('begins a trace where none came, or none that counts', async () => {
    const { post } = await millrace.publish(flowOf([call('/')]))
    for (const headers of [{}, { traceparent: 'nonsense' }] as Record<string, string>[]) {
      await millrace.runEnded((await post({}, headers)).body.id)
      const [, traceId] = lastCall().headers['traceparent']!.toString().split('-')
      const span = await traceOf(millrace, traceId!, [DELIVERY, 'run Traced'])
      expect(span(DELIVERY).parent).toBe(null)
      expect(span('run Traced').parent).toBe(span(DELIVERY).spanId)
    }
  })

  it('respects that a trace is not sampled, and says so to the API that is called', async () => {
    const { traceId, senderId, headers } = newTrace()
    const { post } = await millrace.publish(flowOf([call('/')]))
    await millrace.runEnded((await post({}, { ...headers, traceparent: `00-${traceId}-${senderId}-00` })).body.id)
    expect(lastCall().headers['traceparent']).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
    expect(spansOf(millrace).filter((span) => span.traceId === traceId)).toEqual([])
  })

  it('marks what failed, with a code and no message', async () => {
    const { traceId, headers } = newTrace()
    const { post } = await millrace.publish(flowOf([call('/503')]))
    await millrace.runEnded((await post({}, headers)).body.id)
    const span = await traceOf(millrace, traceId, [DELIVERY, 'run Traced'])
    const failed = (type: string) => ({ status: { code: SPAN_ERROR }, attributes: { 'error.type': type } })
    expect(span('POST')).toMatchObject(failed('503'))
    expect(span('step call')).toMatchObject(failed('http_5xx'))
    expect(span('run Traced')).toMatchObject(failed('http_5xx'))
    expect(span(DELIVERY).status.code).toBe(0)
  })

  it('records a delivery that was refused', async () => {
    const { traceId, headers } = newTrace()
    const { post } = await millrace.publish(flowOf([]))
    await post('{', headers)
    const span = await traceOf(millrace, traceId, [DELIVERY])
    expect(span(DELIVERY)).toMatchObject({
      status: { code: 0 },
      attributes: { 'http.response.status_code': 400 },
    })
  })

  it.each([
    ['plain', []],
    ['read by node:http', ['TE: trailers']],
  ])('records whether the sender of a delivery got its reply: %s', async (_what, more) => {
    const gate = await startGate()
    const { flow } = await millrace.publish(flowOf([call('', { url: gate.url })], { response: { mode: 'finished' } }))
    const send = async () => {
      const { traceId, headers } = newTrace()
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
      const sender = await connectRaw(millrace.port)
      sender.write(requestBytes({ target: `/api/v1/webhooks/${flow.webhook.id}`, headers: [...lines, ...more] }))
      return { traceId, sender }
    }
    const [stays, leaves] = [await send(), await send()]
    await gate.count(2)
    leaves.sender.socket.resetAndDestroy()
    const left = await traceOf(millrace, leaves.traceId, [DELIVERY])
    expect(left(DELIVERY).attributes).not.toHaveProperty('http.response.status_code')
    gate.open()
    await stays.sender.reply()
    const stayed = await traceOf(millrace, stays.traceId, [DELIVERY])
    expect(stayed(DELIVERY).attributes).toHaveProperty('http.response.status_code', 200)
    stays.sender.socket.destroy()
    await gate.close()
  })

  it('keeps the trace over a wait and over the end of the process', { timeout: 60_000 }, async () => {
    const gate: Gate = await startGate()
    const { traceId, headers } = newTrace()
    const wait = { id: 'rest', kind: 'wait', seconds: 0.1 }
    const { post } = await millrace.publish(flowOf([wait, call('', { url: gate.url })]))
    const { id } = (await post({}, headers)).body
    await gate.count(1)
    const before = await traceOf(millrace, traceId, [DELIVERY, 'run Traced'])
    const delivery = before(DELIVERY)
    expect(before('run Traced')).toMatchObject({
      parent: delivery.spanId,
      attributes: { 'millrace.run.state': 'parked' },
    })
    millrace.child.kill('SIGKILL')
    await millrace.exited
    millrace = await start()
    await gate.count(2)
    gate.open()
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
    const span = await traceOf(millrace, traceId, ['run Traced'])
    expect(span('run Traced')).toMatchObject({ parent: delivery.spanId, attributes: { 'millrace.run.attempt': 2 } })
    const ids = gate.received.map((request) => String(request.headers['traceparent']).split('-').slice(1, 3))
    expect(ids.map(([trace]) => trace)).toEqual([traceId, traceId])
    expect(ids[1]![1]).toBe(span('POST').spanId)
    await gate.close()
  })

  it('hands over the last spans when it stops', { timeout: 60_000 }, async () => {
    const folder = temporaryFolder()
    const batching = await spawnMillrace(folder, await freePort(), { ...printSpans, TEST_SPANS: 'batch' })
    const { post } = await batching.publish(flowOf([call('/')]))
    const { traceId, headers } = newTrace()
    await batching.runEnded((await post({}, headers)).body.id)
    batching.child.kill('SIGTERM')
    expect(await batching.exited).toBe(0)
    const names = spansOf(batching).map((span) => [span.traceId, span.name])
    expect(names).toContainEqual([traceId, DELIVERY])
    expect(names).toContainEqual([traceId, 'run Traced'])
    rmSync(folder, { recursive: true })
  })

  it('holds no secret, no payload, no URL and no webhook id', async () => {
    const { traceId, headers } = newTrace()
    const { flow, post } = await millrace.publish(
      flowOf(
        [
          call('/path-of-the-call', {
            onError: 'continue',
            url: `${upstream.url}/404/path-of-the-call?own={{ env.KEY }}`,
            headers: [
              { name: 'X-Literal', value: SECRETS.literal },
              { name: 'X-Env', value: '{{ env.KEY }}' },
            ],
            auth: { kind: 'apiKey', name: 'key', value: SECRETS.query, in: 'query' },
            body: { kind: 'json', value: '{{ webhook.body }}' },
          }),
          { id: 'no', kind: 'fail', message: '{{ webhook.body.text }} {{ env.KEY }}' },
        ],
        { auth: { kind: 'header', name: 'X-Secret', value: SECRETS.header } },
      ),
    )
    const secret = { ...headers, 'X-Secret': SECRETS.header }
    const run = await millrace.runEnded((await post({ text: SECRETS.body }, secret, '?q=query-of-sender')).body.id)
    expect(run.status).toBe('failed')
    expect(lastCall().url).toContain(encodeURIComponent(SECRETS.query))
    await post({}, { ...headers, 'X-Secret': SECRETS.body })
    const span = await traceOf(millrace, traceId, [DELIVERY, 'run Traced'])
    expect(span('step no').attributes['error.type']).toBe('failed')
    await expect
      .poll(() => spansOf(millrace).filter(({ attributes }) => attributes['http.response.status_code'] === 401))
      .toHaveLength(1)
    const text = JSON.stringify(spansOf(millrace))
    for (const hidden of [...Object.values(SECRETS), flow.webhook.id, 'path-of-the-call', 'query-of-sender'])
      expect(leaksOf(text, hidden), hidden).toEqual([])
  })
})
