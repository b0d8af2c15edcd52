// Tests load on two processes while workers are killed and paused, the database restarts every few seconds, and the API that
// the runs call closes sockets.
import { Agent, request } from 'node:http'
import { expect, it } from 'vitest'
import { startCluster } from '../harness/cluster.ts'
import type { MillraceProcess } from '../harness/millrace.ts'
import { query, startPostgres } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

const SECONDS = 50
const CONNECTIONS = 12
/** The test must not pass on a system that accepts hardly anything. */
const ACKNOWLEDGED_AT_LEAST = 300
const RESTART_EVERY_MS = 4_000
/** Longer than the time after which a worker counts as dead. */
const PAUSE_MS = 18_000
/** One in this number of requests to the sink gets no reply at its first try. */
const CUT_EVERY = 10

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

it('keeps every acknowledged delivery, each with exactly one run that succeeds', { timeout: 240_000 }, async () => {
  // The sink keeps no socket: each request dials anew, so that more of them are about to leave at any moment.
  const cut = new Set<string>()
  const sink = await startUpstream(({ url, body }, response) => {
    if (sink.received.length % CUT_EVERY === 0 && !cut.has(url + body)) {
      cut.add(url + body)
      response.destroy()
      return
    }
    response.writeHead(200, { connection: 'close', 'content-type': 'application/json' }).end('{}')
  })
  const postgres = await startPostgres()
  const url = await postgres.createEmpty()
  const cluster = await startCluster(
    url,
    { web: 2, workers: 2 },
    // The queue is short enough to be worked off soon afterwards, even on a slow machine.
    { MILLRACE_ENV_SINK: sink.url, MILLRACE_MAX_QUEUE: '300' },
  )
  const [one, other] = cluster.web as [MillraceProcess, MillraceProcess]
  const call = (id: string) => ({
    id,
    kind: 'http',
    method: 'POST',
    url: `{{ env.SINK }}/${id}`,
    body: { kind: 'json', value: { id: '{{ webhook.body.id }}' } },
    retry: { attempts: 5, delay: 0.2 },
  })
  const { flow } = await one.publish({
    name: 'To the sink',
    trigger: { kind: 'webhook' },
    steps: [call('first'), { id: 'count', kind: 'store', op: 'increment', key: 'runs' }, call('second')],
  })

  /** Maps acknowledged ids to the runs that the replies named. */
  const acknowledged = new Map<string, string>()
  const refused = new Map<number, number>()
  let loading = true
  let next = 0
  const load = async (at: MillraceProcess) => {
    const target = new URL(`/api/v1/webhooks/${flow.webhook.id}`, at.url)
    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS / 2 })
    const connection = async () => {
      while (loading) {
        const id = `event-${next++}`
        const { status, runId } = await post(target, agent, id)
        if (runId !== null) acknowledged.set(id, runId)
        else {
          refused.set(status, (refused.get(status) ?? 0) + 1)
          await pause(50)
        }
      }
    }
    await Promise.all(Array.from({ length: CONNECTIONS / 2 }, connection))
    agent.destroy()
  }
  const restarts = async () => {
    let count = 0
    while (loading) {
      await pause(RESTART_EVERY_MS)
      await postgres.halt()
      await postgres.start()
      count++
    }
    return count
  }
  const workersTrouble = async () => {
    await pause(5_000)
    cluster.workers[0]!.child.kill('SIGKILL')
    // A start may find the database away; an operator would start the process again.
    await startedAtLast(() => cluster.add('worker'))
    const sleeper = cluster.workers[1]!
    sleeper.child.kill('SIGSTOP')
    await pause(PAUSE_MS)
    sleeper.child.kill('SIGCONT')
    await pause(2_000)
    // The worker takes other runs, and is paused once more, at another moment.
    sleeper.child.kill('SIGSTOP')
    await pause(PAUSE_MS)
    sleeper.child.kill('SIGCONT')
  }
  const loads = [load(one), load(other)]
  const troubles = [restarts(), workersTrouble()] as const
  await Promise.all([pause(SECONDS * 1000), troubles[1]])
  loading = false
  await Promise.all(loads)
  expect(await troubles[0]).toBeGreaterThan(4)

  const open = () =>
    query(url, `select count(*)::int as n from run where flow_id = $1 and finished_at is null`, [flow.id])
  const deadline = Date.now() + 90_000
  while ((await open())[0].n > 0 && Date.now() < deadline) await pause(250)
  const runs: { id: string; event: string; status: string }[] = await query(
    url,
    `select id, convert_from(raw_body, 'UTF8')::json->>'id' as event, status from run where flow_id = $1`,
    [flow.id],
  )
  expect(acknowledged.size).toBeGreaterThanOrEqual(ACKNOWLEDGED_AT_LEAST)
  // Every refusal was a 503.
  expect([...refused.keys()].filter((status) => status !== 503 && status !== 0)).toEqual([])
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  const runOf = new Map(runs.map(({ event, id }) => [event, id]))
  // Each delivery has one run, and it is the one that the reply named.
  expect(runs.length).toBe(runOf.size)
  expect([...acknowledged].filter(([event, runId]) => runOf.get(event) !== runId)).toEqual([])
  for (const path of ['/first', '/second']) {
    const arrived = new Set(sink.received.filter((r) => r.url === path).map((r) => JSON.parse(r.body).id as string))
    expect([...acknowledged.keys()].filter((event) => !arrived.has(event))).toEqual([])
  }
  // Each run raised the counter of the flow once, whatever happened to the sockets.
  const [counter] = await query(url, `select value from key_value where flow_id = $1 and key = 'runs'`, [flow.id])
  expect(Number(counter.value)).toBe(runs.length)
  // Once a second request has left, the first is in the journal and is never sent again.
  const seenSecond = new Set<string>()
  const repeated = sink.received.filter(({ url: path, body }) => {
    if (path === '/second') seenSecond.add(body)
    return path === '/first' && seenSecond.has(body)
  })
  expect(repeated).toEqual([])

  await cluster.stop()
  await postgres.stop()
  await sink.close()
})

async function startedAtLast<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 20; ; tries--)
    try {
      return await start()
    } catch (error) {
      if (tries === 0 || !/cannot be (used|reached)/.test((error as Error).message)) throw error
    }
}

/** Resolves with the run's id of a 2xx; status 0 if no answer came. */
function post(target: URL, agent: Agent, id: string): Promise<{ status: number; runId: string | null }> {
  return new Promise((resolve) => {
    const none = () => resolve({ status: 0, runId: null })
    const outgoing = request(
      target,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          const status = response.statusCode!
          resolve({ status, runId: status === 200 ? JSON.parse(text).id : null })
        })
        response.on('error', none)
      },
    )
    outgoing.on('error', none)
    outgoing.end(JSON.stringify({ id }))
  })
}
