// Tests workers that die or stand still, and a database that goes away: nothing is lost, and no process needs a person.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Cluster, startCluster } from '../harness/cluster.ts'
import { startGate } from '../harness/gate.ts'
import { type PostgresServer, query, startPostgres } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

let postgres: PostgresServer
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres.stop())

/** The promise of docs/scale.md#what-holds-among-processes. */
const RECOVERED_WITHIN_MS = 15_000

const callTwice = {
  name: 'Twice',
  trigger: { kind: 'webhook' },
  steps: [
    { id: 'first', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n }}', timeout: 120 },
    { id: 'second', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' },
  ],
}

async function setUp(workers: number) {
  const gate = await startGate()
  const upstream = await startUpstream()
  const url = await postgres.createEmpty()
  const cluster = await startCluster(
    url,
    { web: 1, workers },
    { MILLRACE_ENV_GATE: gate.url, MILLRACE_ENV_UP: upstream.url },
  )
  return {
    gate,
    upstream,
    url,
    cluster,
    web: cluster.web[0]!,
    async tearDown() {
      gate.open()
      expect(await cluster.stop()).toEqual(expect.not.arrayContaining([1]))
      await gate.close()
      await upstream.close()
    },
  }
}

describe('a worker that is killed', { timeout: 120_000 }, () => {
  it('has its runs carried on by another within 15 seconds, and what it had journalled is not repeated', async () => {
    const { gate, upstream, cluster, web, tearDown } = await setUp(1)
    const { post } = await web.publish({
      ...callTwice,
      steps: [
        { id: 'before', kind: 'http', method: 'GET', url: '{{ env.UP }}/before-{{ webhook.body.n }}' },
        ...callTwice.steps,
      ],
    })
    const ids = [(await post({ n: 1 })).body.id, (await post({ n: 2 })).body.id]
    await gate.count(2)
    await cluster.add('worker')
    const killed = performance.now()
    cluster.workers[0]!.child.kill('SIGKILL')
    await gate.count(4)
    expect(performance.now() - killed).toBeLessThan(RECOVERED_WITHIN_MS)
    gate.open()
    for (const id of ids) expect((await web.runEnded(id)).status).toBe('succeeded')
    expect(upstream.received.map(({ url }) => url).toSorted()).toEqual(['/1', '/2', '/before-1', '/before-2'])
    await tearDown()
  })

  it('that stops in good order hands over at once', async () => {
    const { gate, cluster, web, tearDown } = await setUp(1)
    const { post } = await web.publish(callTwice)
    const { id } = (await post({ n: 1 })).body
    await gate.count(1)
    await cluster.add('worker')
    cluster.workers[0]!.child.kill('SIGTERM')
    expect(await cluster.workers[0]!.exited).toBe(0)
    await gate.count(2)
    gate.open()
    expect((await web.runEnded(id)).status).toBe('succeeded')
    await tearDown()
  })
})

describe('a worker that stands still and wakes up after others have its runs', { timeout: 120_000 }, () => {
  it('changes nothing, sends nothing more for them, and works on as before', async () => {
    const { gate, upstream, cluster, web, url, tearDown } = await setUp(1)
    const { post } = await web.publish(callTwice)
    const { id } = (await post({ n: 'paused' })).body
    await gate.count(1)
    const paused = cluster.workers[0]!
    paused.child.kill('SIGSTOP')
    const other = await cluster.add('worker')
    await gate.count(2)
    // The reply to the sleeper is there when it wakes; that of the second worker comes later.
    await gate.letOne({ to: 'sleeper' })
    paused.child.kill('SIGCONT')
    await vi.waitFor(
      async () => expect(await query(url, 'select count(*)::int as n from worker')).toEqual([{ n: 2 }]),
      {
        timeout: 20_000,
        interval: 200,
      },
    )
    await gate.letOne({ to: 'successor' })
    const run = await web.runEnded(id)
    expect(run.status).toBe('succeeded')
    expect((run.steps[0]!.output as { body: object }).body).toEqual({ to: 'successor' })
    expect(upstream.received.map(({ url: path }) => path)).toEqual(['/paused'])

    other.child.kill('SIGTERM')
    await other.exited
    gate.open()
    const next = (await post({ n: 'afterwards' })).body.id
    expect((await web.runEnded(next)).status).toBe('succeeded')
    await tearDown()
  })
})

describe('a run that is cancelled before its first request', { timeout: 120_000 }, () => {
  it('sends nothing, although its worker did not hear of it', async () => {
    const { gate, cluster, web, tearDown } = await setUp(1)
    // The step before takes its time in the worker, which then stands still while the run is cancelled.
    const { post } = await web.publish({
      ...callTwice,
      steps: [
        {
          id: 'busy',
          kind: 'code',
          timeout: 30,
          code: 'export default () => { const end = Date.now() + 1500; while (Date.now() < end); }',
        },
        ...callTwice.steps,
      ],
    })
    const { id } = (await post({ n: 'cancelled' })).body
    await web.runEnded(id, ['running'])
    const worker = cluster.workers[0]!
    worker.child.kill('SIGSTOP')
    expect((await web.api('POST', `/runs/${id}/cancel`)).body.status).toBe('cancelled')
    worker.child.kill('SIGCONT')
    const after = (await post({ n: 'after' })).body.id
    gate.open()
    expect((await web.runEnded(after)).status).toBe('succeeded')
    expect(gate.received.map(({ url }) => url)).toEqual(['/after'])
    await tearDown()
  })
})

describe('a database that goes away', { timeout: 120_000 }, () => {
  it('makes webhooks answer 503 with Retry-After, and everything goes on by itself when it is back', async () => {
    const server = await startPostgres()
    const gate = await startGate()
    const upstream = await startUpstream()
    const environment = { MILLRACE_ENV_GATE: gate.url, MILLRACE_ENV_UP: upstream.url }
    const cluster: Cluster = await startCluster(await server.createEmpty(), { web: 1, workers: 1 }, environment)
    const [web] = cluster.web
    const { flow, post } = await web!.publish(callTwice)
    const { id } = (await post({ n: 'under-way' })).body
    await gate.count(1)
    // Whether the connection is for the flow is read before each use.
    const shop = { name: 'shop', kind: 'basic', fields: { username: 'ada', password: 'hers' }, tags: ['shop'] }
    expect((await web!.api('POST', '/connections', shop)).status).toBe(201)
    const limited = await web!.publish({
      ...callTwice,
      tags: ['shop'],
      steps: [callTwice.steps[0]!, { id: 'who', kind: 'set', vars: { who: '{{ connections.shop.username }}' } }],
    })
    const { id: using } = (await limited.post({ n: 'limited' })).body
    await gate.count(2)

    await server.halt()
    const refused = await post({ n: 'refused' })
    expect(refused).toMatchObject({ status: 503, body: { status: 'error', code: 'unavailable' } })
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    const listed = await web!.api('GET', '/flows')
    expect(listed.status).toBe(503)
    expect(listed.headers.get('retry-after')).toBeTruthy()
    for (const process of [web!, cluster.workers[0]!]) {
      expect((await fetch(`${process.url}/healthz`)).status).toBe(200)
      expect((await fetch(`${process.url}/readyz`)).status).toBe(503)
    }
    // The reply arrives while nothing can be written.
    await gate.letOne({ kept: true })
    await gate.letOne({})
    await vi.waitFor(() => expect(cluster.workers[0]!.output()).toContain('runs wait and try again'), {
      timeout: 30_000,
      interval: 100,
    })

    await server.start()
    const run = await vi.waitFor(() => web!.runEnded(id), { timeout: 30_000, interval: 200 })
    expect(run.status).toBe('succeeded')
    expect((run.steps[0]!.output as { body: object }).body).toEqual({ kept: true })
    expect(await web!.runEnded(using)).toMatchObject({ status: 'succeeded', steps: [{}, { output: { who: 'ada' } }] })
    gate.open()
    const next = await vi.waitFor(
      async () => {
        const answer = await post({ n: 'next' })
        expect(answer.status).toBe(200)
        return answer.body.id as string
      },
      { timeout: 30_000, interval: 200 },
    )
    expect((await web!.runEnded(next)).status).toBe('succeeded')
    const { items } = (await web!.api('GET', `/runs?flow=${flow.id}`)).body
    expect(items.map((one: { id: string }) => one.id)).toEqual([next, id])
    // There is one request each: nothing was sent twice.
    expect(gate.received.map(({ url }) => url)).toEqual(['/under-way', '/limited', '/next'])
    expect(await cluster.stop()).toEqual([0, 0])
    await gate.close()
    await upstream.close()
    await server.stop()
  })
})
