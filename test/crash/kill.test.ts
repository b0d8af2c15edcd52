// Tests kill -9 under load, again and again: every acknowledged delivery must end, exactly once as a run.
import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { afterAll, describe, expect, it } from 'vitest'
import { finishedRuns } from '../harness/finished-runs.ts'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const KILLS = 5
const CONNECTIONS = 16
/** The acknowledged deliveries before each kill: the test must not pass on an idle server. */
const ACKNOWLEDGED_BEFORE_KILL = 400

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('kill -9 under load', () => {
  it('loses no acknowledged delivery, starts no second run, and never repeats a journalled step', {
    timeout: 300_000,
  }, async () => {
    const sink = await startUpstream()
    const port = await freePort()
    let server = await spawnMillrace(folder, port, { MILLRACE_ENV_SINK: sink.url })
    const { flow } = await server.publish({
      name: 'To the sink',
      trigger: { kind: 'webhook' },
      steps: [
        {
          id: 'first',
          kind: 'http',
          method: 'POST',
          url: '{{ env.SINK }}/first',
          body: { kind: 'json', value: { id: '{{ webhook.body.id }}' } },
        },
        {
          id: 'second',
          kind: 'http',
          method: 'POST',
          url: '{{ env.SINK }}/second',
          body: { kind: 'json', value: { id: '{{ webhook.body.id }}' } },
        },
      ],
    })
    const target = new URL(`/api/v1/webhooks/${flow.webhook.id}`, server.url)

    /** Maps acknowledged ids to the runs that the replies named. */
    const acknowledged = new Map<string, string>()
    let next = 0
    for (let kill = 0; kill < KILLS; kill++) {
      const until = acknowledged.size + ACKNOWLEDGED_BEFORE_KILL
      await postUntilKilled(target, server, () => `event-${next++}`, acknowledged, until)
      expect(await server.exited).toBe('SIGKILL')
      server = await spawnMillrace(folder, port, { MILLRACE_ENV_SINK: sink.url })
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(KILLS * ACKNOWLEDGED_BEFORE_KILL)

    const runs = await finishedRuns(server, flow.id)
    expect(runs.filter((run) => run.status !== 'succeeded')).toEqual([])
    const runIds = new Set(runs.map((run) => run.id))
    expect(runIds.size).toBe(runs.length)
    expect([...acknowledged.values()].filter((id) => !runIds.has(id))).toEqual([])
    expect(new Set(acknowledged.values()).size).toBe(acknowledged.size)

    // The counters commit with what they count: they are the sums of the rows, whatever the kills cut off.
    const { totals } = (await server.api('GET', `/stats?flow=${flow.id}`)).body
    const counted = { accepted: runs.length, duplicate: 0, filtered: 0, rejected: 0 }
    expect(totals.deliveries).toEqual(counted)
    expect(totals.runs).toEqual({ started: runs.length, succeeded: runs.length, failed: 0, cancelled: 0 })
    expect((await server.api('GET', '/stats')).body.totals.deliveries).toEqual(counted)

    // Every acknowledged id reached the sink, at both steps; there is one run each, so no id has two different runs.
    const idsAt = (path: string) =>
      sink.received.filter((r) => r.url === path).map((r) => JSON.parse(r.body).id as string)
    const first = new Set(idsAt('/first'))
    const second = new Set(idsAt('/second'))
    for (const id of acknowledged.keys()) expect([id, first.has(id), second.has(id)]).toEqual([id, true, true])
    const runsOfId = new Map<string, number>()
    for (const run of runs) {
      const id = ((await server.run(run.id)).webhook.body as { id: string }).id
      runsOfId.set(id, (runsOfId.get(id) ?? 0) + 1)
    }
    expect([...runsOfId].filter(([, count]) => count > 1)).toEqual([])

    // The second request leaves only after the first's result is in the journal: from then on the first is never sent again.
    const seenSecond = new Set<string>()
    const repeated: string[] = []
    for (const { url, body } of sink.received) {
      const { id } = JSON.parse(body) as { id: string }
      if (url === '/second') seenSecond.add(id)
      else if (seenSecond.has(id)) repeated.push(id)
    }
    expect(repeated).toEqual([])
    // Only requests in flight at a kill may have been sent twice.
    const inFlight = KILLS * 256
    expect(idsAt('/first').length - first.size).toBeLessThanOrEqual(inFlight)

    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
    await sink.close()
  })
})

/** Posts over keep-alive sockets; kills the server once enough deliveries are acknowledged, with requests under way. */
async function postUntilKilled(
  target: URL,
  server: MillraceProcess,
  nextId: () => string,
  acknowledged: Map<string, string>,
  until: number,
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  let killed = false
  const connection = async () => {
    while (!killed) {
      const id = nextId()
      const runId = await post(target, agent, id)
      if (runId !== null) acknowledged.set(id, runId)
      if (acknowledged.size >= until && !killed) {
        killed = true
        server.child.kill('SIGKILL')
      }
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, connection))
  agent.destroy()
}

/** Resolves with the run's id of a 2xx; null if no answer came. */
function post(target: URL, agent: Agent, id: string): Promise<string | null> {
  return new Promise((resolve) => {
    const outgoing = request(
      target,
      { method: 'POST', agent, headers: { 'content-type': 'application/json' } },
      (response) => {
        let text = ''
        response.on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => resolve(response.statusCode === 200 ? JSON.parse(text).id : null))
        response.on('error', () => resolve(null))
      },
    )
    outgoing.on('error', () => resolve(null))
    outgoing.end(JSON.stringify({ id }))
  })
}
