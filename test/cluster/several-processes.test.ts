// Tests two processes that take deliveries and two that run them, on one real PostgreSQL: a change by one applies to all.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Cluster, startCluster } from '../harness/cluster.ts'
import { openEvents } from '../harness/event-stream.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { type Answer, createClient, type MillraceProcess } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let databases: Databases
let cluster: Cluster
let upstream: Upstream
let gate: Gate
let one: MillraceProcess
let other: MillraceProcess

beforeAll(async () => {
  databases = await startDatabases()
  upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ path: request.url, body: request.body }))
  })
  gate = await startGate()
  cluster = await startCluster(
    await databases.createEmpty(),
    { web: 2, workers: 2 },
    { MILLRACE_ENV_UP: upstream.url, MILLRACE_ENV_GATE: gate.url },
  )
  ;[one, other] = cluster.web as [MillraceProcess, MillraceProcess]
}, 120_000)
afterAll(async () => {
  gate.open()
  expect(await cluster.stop()).toEqual([0, 0, 0, 0])
  await upstream.close()
  await gate.close()
  await databases.stop()
}, 60_000)

const documentOf = (steps: object[], trigger: object = {}, name = 'Shared') => ({
  name,
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n }}', timeout: 120 }

/** Posts to a webhook at one of the processes. */
async function postTo(
  at: { url: string },
  webhookId: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const response = await fetch(`${at.url}/api/v1/webhooks/${webhookId}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text.startsWith('{') ? JSON.parse(text) : text }
}

const webhookOf = (published: { flow: { webhook: { id: string } } }) => published.flow.webhook.id

describe('roles', () => {
  it('lets a worker serve nothing but health and metrics', async () => {
    const [worker] = cluster.workers as [MillraceProcess]
    expect((await fetch(`${worker.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${worker.url}/readyz`)).status).toBe(200)
    expect((await fetch(`${worker.url}/metrics`)).status).toBe(401)
    const { flow } = await one.publish(documentOf([]))
    expect((await postTo(worker, flow.webhook.id, {})).status).toBe(404)
    expect((await worker.api('GET', '/flows')).status).toBe(404)
  })

  it('never runs a run where deliveries are taken', async () => {
    const published = await one.publish(
      documentOf([{ id: 'call', kind: 'http', method: 'GET', url: '{{ env.UP }}/x' }]),
    )
    for (const at of cluster.web) {
      const { body } = await postTo(at, webhookOf(published), {})
      expect((await at.runEnded(body.id)).status).toBe('succeeded')
    }
    const finished = async (at: MillraceProcess) => {
      const response = await fetch(`${at.url}/metrics`, {
        headers: { authorization: 'Bearer test-admin-token-0123456789' },
      })
      return Number(/runs_finished_total\{status="succeeded"\} (\d+)/.exec(await response.text())?.[1] ?? 0)
    }
    expect(await finished(one)).toBe(0)
    expect(await finished(other)).toBe(0)
    expect((await finished(cluster.workers[0]!)) + (await finished(cluster.workers[1]!))).toBeGreaterThanOrEqual(2)
  })
})

describe('replies of runs that end in another process', () => {
  it('reach the caller that waits, whatever their size', async () => {
    const published = await one.publish(
      documentOf([{ id: 'call', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' }], {
        response: {
          mode: 'finished',
          status: 201,
          body: { got: '{{ steps.call.body.path }}', long: '{{ webhook.body.long }}' },
        },
      }),
    )
    const long = 'é\u0000'.repeat(20_000)
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        postTo(n % 2 ? one : other, webhookOf(published), { n, long: n % 5 === 0 ? long : 'short' }),
      ),
    )
    for (const [n, answer] of answers.entries()) {
      expect(answer.status).toBe(201)
      expect(answer.body).toEqual({ got: `/${n}`, long: n % 5 === 0 ? long : 'short' })
    }
  })

  it('come from a respond step as soon as it speaks, and from a run that fails', async () => {
    const published = await one.publish(
      documentOf(
        [
          { id: 'say', kind: 'respond', status: 202, body: { early: true } },
          { id: 'no', kind: 'fail', message: 'too late to matter' },
        ],
        { response: { mode: 'finished' } },
      ),
    )
    expect(await postTo(other, webhookOf(published), {})).toMatchObject({ status: 202, body: { early: true } })
    const failing = await one.publish(
      documentOf([{ id: 'no', kind: 'fail', message: 'no luck' }], { response: { mode: 'finished' } }),
    )
    expect(await postTo(other, webhookOf(failing), {})).toMatchObject({ status: 500, body: { message: 'no luck' } })
  })
})

describe('what one process changes', () => {
  it('is in force in the other when the call returns: publish, new version, unpublish, delete', async () => {
    const flow = (await one.api('POST', '/flows', documentOf([], { response: { body: { version: 1 } } }))).body
    const post = (body: object = {}) => postTo(other, flow.webhook.id, body)
    expect((await post()).status).toBe(404)
    for (let version = 1; version <= 5; version++) {
      await one.api('PUT', `/flows/${flow.id}`, documentOf([], { response: { body: { version } } }))
      expect((await one.api('POST', `/flows/${flow.id}/publish`)).body.version).toBe(version)
      expect(await post()).toMatchObject({ status: 200, body: { version } })
    }
    await one.api('POST', `/flows/${flow.id}/unpublish`)
    expect((await post()).status).toBe(404)
    await other.api('POST', `/flows/${flow.id}/publish`)
    expect((await postTo(one, flow.webhook.id, {})).status).toBe(200)
    await one.api('DELETE', `/flows/${flow.id}`)
    expect((await post()).status).toBe(404)
  })

  it('takes the old URL away at once, again and again, while deliveries come in at both', async () => {
    const published = await one.publish(documentOf([]))
    const { id } = published.flow
    let current = webhookOf(published)
    for (let round = 0; round < 10; round++) {
      const before = current
      const [changer, sender] = round % 2 ? [one, other] : [other, one]
      const storm = Promise.all(Array.from({ length: 5 }, () => postTo(sender, before, {})))
      current = (await changer.api('POST', `/flows/${id}/webhook/regenerate`)).body.webhook.id
      const old = await Promise.all([postTo(sender, before, {}), postTo(changer, before, {})])
      expect(old.map(({ status }) => status)).toEqual([404, 404])
      const fresh = await Promise.all([postTo(sender, current, {}), postTo(changer, current, {})])
      expect(fresh.map(({ status }) => status)).toEqual([200, 200])
      for (const { status } of await storm) expect([200, 404]).toContain(status)
    }
  })

  it('asks for the new secret once a version with another one is live', async () => {
    const withSecret = (value: string) => documentOf([], { auth: { kind: 'query', name: 'key', value } })
    const published = await one.publish(withSecret('{{ env.UP }}'))
    const { id } = published.flow
    const at = (key: string) => postTo(other, `${webhookOf(published)}?key=${encodeURIComponent(key)}`, {})
    expect((await at(upstream.url)).status).toBe(200)
    await one.api('PUT', `/flows/${id}`, withSecret('{{ env.GATE }}'))
    await one.api('POST', `/flows/${id}/publish`)
    expect((await at(upstream.url)).status).toBe(401)
    expect((await at(gate.url)).status).toBe(200)
  })
})

describe('who may come in', () => {
  it('is decided alike everywhere: a token counts from the moment it is made until it is revoked', async () => {
    for (let round = 0; round < 5; round++) {
      const { id, token } = (await one.api('POST', '/tokens', { name: `t${round}`, scope: 'read' })).body
      const asked = async (at: MillraceProcess) =>
        (await fetch(`${at.url}/api/v1/flows`, { headers: { authorization: `Bearer ${token}` } })).status
      expect([await asked(other), await asked(one)]).toEqual([200, 200])
      expect((await other.api('DELETE', `/tokens/${id}`)).status).toBe(204)
      expect([await asked(one), await asked(other)]).toEqual([401, 401])
    }
  })

  it('takes one set-up code, whichever process it comes to', async () => {
    const codes = cluster.web.map((process) => /setup#code=([\w-]+)/.exec(process.output())?.[1])
    expect(codes[0]).toMatch(/^[\w-]{32,}$/)
    expect(codes[1]).toBe(codes[0])
  })
})

describe('connections', () => {
  it('are known to the process that runs a flow as soon as the call that changed them has returned', async () => {
    const call = {
      id: 'call',
      kind: 'http',
      method: 'POST',
      url: '{{ env.UP }}/connected',
      auth: { kind: 'bearer', token: '{{ connections.shop.token }}' },
    }
    const make = (token: string) => ({ name: 'shop', kind: 'bearer', fields: { token } })
    expect((await one.api('POST', '/connections', make('first-secret-token'))).status).toBe(201)
    const published = await one.publish(
      documentOf([call], { response: { mode: 'finished', body: '{{ steps.call.status }}' } }),
    )
    for (const token of ['second-secret-token', 'third-secret-token', 'fourth-secret-token']) {
      expect((await one.api('PUT', '/connections/shop', { fields: { token } })).status).toBe(200)
      expect((await postTo(other, webhookOf(published), {})).status).toBe(200)
      expect(upstream.received.at(-1)!.headers.authorization).toBe(`Bearer ${token}`)
    }
  })

  it('fetch one OAuth token, however many runs want it at once in however many processes', async () => {
    let fetched = 0
    const server = await startUpstream((request, response) => {
      response.setHeader('content-type', 'application/json')
      if (request.url !== '/token') return response.end('{}')
      fetched++
      setTimeout(
        () =>
          response.end(JSON.stringify({ access_token: `token-${fetched}`, token_type: 'bearer', expires_in: 3600 })),
        300,
      )
      return
    })
    const fields = {
      grant: 'client_credentials',
      tokenUrl: `${server.url}/token`,
      clientId: 'millrace',
      clientSecret: 'client-secret-value',
    }
    expect((await one.api('POST', '/connections', { name: 'oauth', kind: 'oauth2', fields })).status).toBe(201)
    const call = {
      id: 'call',
      kind: 'http',
      method: 'GET',
      url: `${server.url}/api`,
      auth: { kind: 'oauth2', connection: 'oauth' },
    }
    const published = await one.publish(documentOf([call], { response: { mode: 'finished' } }))
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, i) => postTo(i % 2 ? one : other, webhookOf(published), {})),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(fetched).toBe(1)
    const used = server.received.filter(({ url }) => url === '/api').map(({ headers }) => headers.authorization)
    expect(new Set(used)).toEqual(new Set(['Bearer token-1']))
    await server.close()
  })
})

describe('what must happen once', () => {
  it('starts one run per dedupe key, however many come at once and wherever', async () => {
    const published = await one.publish(documentOf([], { dedupe: { key: '{{ webhook.body.key }}', window: 600 } }))
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, i) => postTo(i % 2 ? one : other, webhookOf(published), { key: `k${i % 3}` })),
    )
    const ids = answers.map(({ body }) => body.id as string)
    expect(new Set(ids).size).toBe(3)
    const { items } = (await one.api('GET', `/runs?flow=${published.flow.id}&limit=200`)).body
    expect(items.map((run: { id: string }) => run.id).toSorted()).toEqual([...new Set(ids)].toSorted())
  })

  it('adds a key of the store once, and loses no increment, in whichever process', async () => {
    const published = await one.publish(
      documentOf(
        [
          { id: 'add', kind: 'store', op: 'add', key: 'first', value: '{{ run.id }}' },
          { id: 'count', kind: 'store', op: 'increment', key: 'count' },
        ],
        { response: { mode: 'finished', body: { added: '{{ steps.add.added }}', count: '{{ steps.count.value }}' } } },
      ),
    )
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, i) => postTo(i % 2 ? one : other, webhookOf(published), {})),
    )
    expect(answers.filter(({ body }) => body.added === true)).toHaveLength(1)
    const counts = answers.map(({ body }) => body.count as number).toSorted((a, b) => a - b)
    expect(counts).toEqual(Array.from({ length: 40 }, (_, i) => i + 1))
  })

  it('runs no more of a flow at once than it allows, in the order in which they came', {
    timeout: 60_000,
  }, async () => {
    const published = await one.publish(documentOf([held], { concurrency: 2 }))
    const ids: string[] = []
    const before = gate.received.length
    for (let n = 0; n < 8; n++)
      ids.push((await postTo(n % 2 ? one : other, webhookOf(published), { n: `line-${n}` })).body.id)
    const order: string[] = []
    for (let n = 0; n < 8; n++) {
      await gate.count(before + Math.min(n + 2, 8))
      expect(gate.held()).toBe(Math.min(2, 8 - n))
      order.push((await gate.letOne()).url)
    }
    // The first two run at once, in two processes: either may arrive first.
    expect(order.slice(0, 2).toSorted()).toEqual(['/line-0', '/line-1'])
    expect(order.slice(2)).toEqual(Array.from({ length: 6 }, (_, n) => `/line-${n + 2}`))
    for (const id of ids) expect((await one.runEnded(id)).status).toBe('succeeded')
  })

  it('keeps the place of a run that waits', { timeout: 60_000 }, async () => {
    const published = await one.publish(
      documentOf(
        [
          { id: 'pause', kind: 'wait', seconds: 1.5 },
          { ...held, id: 'after' },
        ],
        { concurrency: 1 },
      ),
    )
    const before = gate.received.length
    const first = (await postTo(one, webhookOf(published), { n: 'first' })).body.id
    const second = (await postTo(other, webhookOf(published), { n: 'second' })).body.id
    await one.runEnded(first, ['waiting'])
    expect((await one.run(second)).status).toBe('queued')
    await gate.count(before + 1)
    expect((await one.run(second)).status).toBe('queued')
    expect((await gate.letOne()).url).toBe('/first')
    expect((await gate.letOne()).url).toBe('/second')
    expect((await one.runEnded(second)).status).toBe('succeeded')
  })
})

describe('a run that another process runs', () => {
  it('is cancelled from here: its request ends, its caller is told, nothing more leaves', async () => {
    const published = await one.publish(
      documentOf([held, { id: 'next', kind: 'http', method: 'GET', url: '{{ env.UP }}/never-after-cancel' }], {
        response: { mode: 'finished' },
      }),
    )
    const before = gate.received.length
    const answer = postTo(one, webhookOf(published), { n: 'cancel' })
    await gate.count(before + 1)
    const { items } = (await other.api('GET', `/runs?flow=${published.flow.id}`)).body
    const cancelled = await other.api('POST', `/runs/${items[0].id}/cancel`)
    expect(cancelled.body.status).toBe('cancelled')
    expect(await answer).toMatchObject({ status: 500, body: { message: 'The run was cancelled.' } })
    await gate.letOne()
    expect((await one.run(items[0].id)).status).toBe('cancelled')
    expect(upstream.received.some(({ url }) => url === '/never-after-cancel')).toBe(false)
  })

  it('is watched from here, step by step, to its end', async () => {
    const published = await one.publish(documentOf([{ id: 'note', kind: 'set', vars: { a: 1 } }, held]))
    const before = gate.received.length
    const { id } = (await postTo(one, webhookOf(published), { n: 'watched' })).body
    await gate.count(before + 1)
    const events = await openEvents(`${other.url}/api/v1/runs/${id}/events`)
    expect((await events.next()).type).toBe('run')
    await gate.letOne({ let: true })
    const step = await events.next(
      ({ type, data }) => type === 'step' && data.id === 'held' && data.status === 'succeeded',
    )
    expect(step.data.output.body).toEqual({ let: true })
    await events.next(({ type, data }) => type === 'run' && data.status === 'succeeded')
    await events.close()
  })

  it('shows up for who watches its flow, with what arrives there', async () => {
    const labels = { order: '{{ webhook.body.id }}' }
    const published = await one.publish({ ...documentOf([]), trigger: { kind: 'webhook', labels } })
    const events = await openEvents(`${other.url}/api/v1/flows/${published.flow.id}/events`)
    const seen: unknown[] = []
    const client = createClient(one.url)
    // The other processes know of a watcher a moment after it came.
    for (let tries = 0; !seen.some(Boolean) && tries < 20; tries++) {
      const { body } = await postTo(one, webhookOf(published), { id: 'A-7' })
      await client.runEnded(body.id)
      const next = await Promise.race([
        events.next(({ type }) => type === 'delivery').then(({ data }) => data.labels),
        new Promise<null>((resolve) => setTimeout(resolve, 500, null)),
      ])
      seen.push(next)
    }
    expect(seen.at(-1)).toEqual({ order: 'A-7' })
    await events.close()
  })

  it('is heard here by who listens to its flow, as it is stored', async () => {
    const auth = { kind: 'header', name: 'X-Token', value: 'sent-by-the-sender' }
    const published = await one.publish({ ...documentOf([]), trigger: { kind: 'webhook', auth } })
    const { id, webhook } = published.flow
    const events = await openEvents(`${other.url}/api/v1/flows/${id}/deliveries/listen`)
    const next = events.next(({ type }) => type === 'delivery')
    const send = () =>
      fetch(`${one.url}${new URL(webhook.url).pathname}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'X-Token': 'sent-by-the-sender' },
        body: '{ "n": 1.0 }',
      })
    // The other processes know of a listener a moment after it came.
    const heard = await vi.waitUntil(async () => {
      expect((await send()).status).toBe(200)
      return Promise.race([next, new Promise<null>((resolve) => setTimeout(resolve, 500, null))])
    }, 20_000)
    expect(heard!.data).toMatchObject({ outcome: 'accepted', masked: true, body: '{ "n": 1.0 }' })
    expect(heard!.data.headers).toContainEqual(['x-token', '[masked]'])
    await events.close()
  })
})
