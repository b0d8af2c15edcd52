// Tests the metrics of deliveries, runs, steps, requests and the queue.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { type Client, type Millrace, startMillrace } from '../harness/millrace.ts'
import { scrape } from '../harness/scrape.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_CONCURRENCY: '1' })
  upstream = await startUpstream((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/ok' }).end()
    response.writeHead(Number(/\d+/.exec(request.url)?.[0] ?? 200)).end('{}')
  })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const flowOf = (steps: object[], trigger: object = {}) => ({
  name: 'Measured',
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const call = (url: string) => ({ id: 'call', kind: 'http', method: 'GET', url, failOnError: false })

/** Returns how much each sample rose meanwhile. */
async function risen(client: Client, happens: () => Promise<unknown>): Promise<(sample: string) => number> {
  const before = await scrape(client)
  await happens()
  const after = await scrape(client)
  return (sample) => (after.get(sample) ?? Number.NaN) - (before.get(sample) ?? 0)
}

async function queueOf(client: Client) {
  const samples = await scrape(client)
  return {
    queued: samples.get('millrace_runs_queued'),
    running: samples.get('millrace_runs_running'),
    outbound: samples.get('millrace_outbound_in_flight'),
    waited: samples.get('millrace_queue_oldest_seconds')! > 0,
  }
}

describe('metrics', () => {
  it('count what held the event loop, and the log names what was begun last', async () => {
    const holdAndLook = async () => {
      await millrace.api('GET', '/flows?limit=1')
      const until = performance.now() + 300
      while (performance.now() < until);
      await expect.poll(async () => (await scrape(millrace)).get('millrace_event_loop_stalls_total')).toBeGreaterThan(0)
      const said = millrace
        .log()
        .split('\n')
        .findLast((line) => line.includes('the event loop was held'))
      return said && JSON.parse(said)
    }
    // On a busy machine the start held it too, and only one line in ten seconds is written.
    await expect.poll(holdAndLook, { timeout: 30_000 }).toMatchObject({ level: 40, last: 'GET /api/v1/flows' })
    expect((await scrape(millrace)).get('millrace_event_loop_longest_stall_seconds')).toBeGreaterThan(0.2)
  })

  it('count deliveries and runs by how they ended', async () => {
    const good = await millrace.publish(flowOf([], { when: '{{ webhook.body.ok }}' }))
    const bad = await millrace.publish(flowOf([{ id: 'no', kind: 'fail', message: 'never' }]))
    const rose = await risen(millrace, async () => {
      await millrace.runEnded((await good.post({ ok: true })).body.id)
      await good.post({ ok: false })
      await good.post('{')
      await millrace.runEnded((await bad.post({})).body.id)
    })
    expect(rose('millrace_deliveries_total{outcome="accepted",code=""}')).toBe(2)
    expect(rose('millrace_deliveries_total{outcome="filtered",code=""}')).toBe(1)
    expect(rose('millrace_deliveries_total{outcome="rejected",code="bad_request"}')).toBe(1)
    expect(rose('millrace_runs_finished_total{status="succeeded"}')).toBe(1)
    expect(rose('millrace_runs_finished_total{status="failed"}')).toBe(1)
  })

  it('time steps by kind, each once, and rounds of loops not at all', async () => {
    const { post } = await millrace.publish(
      flowOf([
        { id: 'again', kind: 'loop', each: '{{ [1, 2, 3] }}', steps: [{ id: 'note', kind: 'set', vars: { a: 1 } }] },
        { id: 'rest', kind: 'wait', seconds: 0.2 },
        { id: 'no', kind: 'fail', message: 'never' },
      ]),
    )
    const rose = await risen(millrace, async () => millrace.runEnded((await post({})).body.id))
    expect(rose('millrace_step_seconds_count{kind="set",status="succeeded"}')).toBe(3)
    expect(rose('millrace_step_seconds_count{kind="loop",status="succeeded"}')).toBe(1)
    expect(rose('millrace_step_seconds_count{kind="fail",status="failed"}')).toBe(1)
    // The duration of a wait step includes the wait.
    expect(rose('millrace_step_seconds_bucket{le="0.1",kind="wait",status="succeeded"}')).toBe(0)
    expect(rose('millrace_step_seconds_count{kind="wait",status="succeeded"}')).toBe(1)
    expect([...(await scrape(millrace)).keys()].filter((sample) => sample.includes('kind="round"'))).toEqual([])
  })

  it('count outbound requests by the class of the status, or by what went wrong', async () => {
    const rose = await risen(millrace, async () => {
      const closed = `http://127.0.0.1:${await freePort()}`
      const urls = ['/ok', '/moved', '/404', '/503'].map((path) => upstream.url + path)
      for (const url of [...urls, closed, 'http://192.168.0.1/', 'http://b ad/']) {
        const { post } = await millrace.publish(flowOf([call('{{ webhook.body.url }}')]))
        await millrace.runEnded((await post({ url })).body.id)
      }
    })
    const requests = (status: string, error = '') =>
      rose(`millrace_outbound_requests_total{status="${status}",error="${error}"}`)
    expect(requests('2xx')).toBe(2)
    expect(requests('4xx')).toBe(1)
    expect(requests('5xx')).toBe(1)
    expect(requests('none', 'connection_refused')).toBe(1)
    expect(requests('none', 'blocked_address')).toBe(1)
    expect(requests('none', 'invalid_url')).toBe(1)
    expect(rose('millrace_outbound_seconds_count')).toBe(4)
  })

  it.each([
    ['the process', {}],
    ['their flow', { concurrency: 1 }],
  ])('tell how many runs wait for a place in %s, and for how long the first of them', async (_place, trigger) => {
    const gate: Gate = await startGate()
    const { post } = await millrace.publish(flowOf([call(gate.url)], trigger))
    const ids: string[] = []
    for (let i = 0; i < 3; i++) ids.push((await post({})).body.id)
    await gate.count(1)
    // With several processes the value is known a second later.
    await expect
      .poll(() => queueOf(millrace), { timeout: 10_000 })
      .toEqual({ queued: 2, running: 1, outbound: 1, waited: true })
    gate.open()
    for (const id of ids) await millrace.runEnded(id)
    await expect
      .poll(() => queueOf(millrace), { timeout: 10_000 })
      .toEqual({ queued: 0, running: 0, outbound: 0, waited: false })
    await gate.close()
  })

  it('show the database, its commits and the event loop', async () => {
    const { post } = await millrace.publish(flowOf([]))
    const rose = await risen(millrace, async () => millrace.runEnded((await post({})).body.id))
    expect(rose('millrace_commit_seconds_count')).toBeGreaterThan(0)
    expect(rose('millrace_commit_writes_total')).toBeGreaterThan(0)
    const samples = await scrape(millrace)
    expect(samples.get('millrace_database_up')).toBe(1)
    expect(samples.get('millrace_storage_failures_total')).toBe(0)
    expect(samples.get('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThanOrEqual(0)
  })

  it('name no flow, no run and no webhook', async () => {
    const { flow, post } = await millrace.publish(flowOf([call(`${upstream.url}/ok`)]))
    const { id } = (await post({})).body
    await millrace.runEnded(id)
    await post('{')
    const text = [...(await scrape(millrace)).keys()].join('\n')
    for (const secret of [flow.webhook.id, flow.id, id]) expect(text).not.toContain(secret)
  })
})
