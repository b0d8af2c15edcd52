// Tests kill -9 while one or a few senders wait for each reply: runs are then acknowledged from the log, before they are in the database,
// from their start to their end or, if they call somebody, in two steps.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { finishedRuns } from '../harness/finished-runs.ts'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const KILLS = 4
/** The log begins after 64 deliveries, if the disk is not slow; these are many of its generations. */
const BEFORE_KILL = 300
/** On a slow disk the log is tried again after a thousand deliveries. */
const MOST_BEFORE_KILL = 2_500

const upstream = await startUpstream((request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(request.body)
})
afterAll(() => upstream.close())

const FLOWS = [
  {
    name: 'From few senders',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'note', kind: 'set', vars: { n: '{{ webhook.body.n }}' } }],
  },
  {
    name: 'From few senders, to another service',
    trigger: { kind: 'webhook', response: { mode: 'finished', body: { id: '{{ run.id }}' } } },
    steps: [
      {
        id: 'note',
        kind: 'http',
        method: 'POST',
        url: upstream.url,
        body: { kind: 'json', value: { n: '{{ webhook.body.n }}' } },
      },
    ],
  },
]

it.each([1, 4])(
  'loses no acknowledged run and counts none twice, with so many senders: %i',
  { timeout: 240_000 },
  async (senders) => {
    const folder = temporaryFolder()
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const log = join(folder, 'millrace.runs')
    const isLogUsed = () => existsSync(log) && readFileSync(log).includes('insertRun')
    const sentBefore = upstream.received.length
    const port = await freePort()
    let server = await spawnMillrace(folder, port)
    const flows: { id: string; webhook: { id: string }; acknowledged: Map<string, number> }[] = []
    for (const document of FLOWS)
      flows.push({ ...(await server.publish(document)).flow, acknowledged: new Map<string, number>() })
    let total = 0
    let n = 0
    for (let kill = 0; kill < KILLS; kill++) {
      // At another moment of a generation each time.
      const before = total - 17 * kill
      const send = async () => {
        for (let isUp = true; isUp; ) {
          const count = total - before
          if (count >= MOST_BEFORE_KILL || (count >= BEFORE_KILL && isLogUsed())) server.child.kill('SIGKILL')
          const event = { n: n++ }
          const { webhook, acknowledged } = flows[event.n % 2]!
          const response = await fetch(`${server.url}/api/v1/webhooks/${webhook.id}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(event),
          }).catch(() => null)
          const reply = (await response?.json().catch(() => null)) as { id: string } | null | undefined
          if (reply) {
            acknowledged.set(reply.id, event.n)
            total++
          } else isUp = false
        }
      }
      await Promise.all(Array.from({ length: senders }, send))
      expect(await server.exited).toBe('SIGKILL')
      server = await spawnMillrace(folder, port)
    }

    // At each kill one run of each sender may be stored whose reply was cut off, and one of its requests sent again.
    const inFlight = KILLS * senders
    for (const { id, acknowledged } of flows) await expectAllOnce(server, id, acknowledged, inFlight)
    const requests = await finishedRuns(server, flows[1]!.id)
    expect(upstream.received.length - sentBefore - requests.length).toBeLessThanOrEqual(inFlight)
    server.child.kill('SIGTERM')
    expect(await server.exited).toBe(0)
  },
)

async function expectAllOnce(
  server: MillraceProcess,
  flowId: string,
  acknowledged: ReadonlyMap<string, number>,
  inFlight: number,
): Promise<void> {
  const runs = await finishedRuns(server, flowId)
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  const ids = new Set(runs.map(({ id }) => id))
  expect(ids.size).toBe(runs.length)
  expect([...acknowledged.keys()].filter((id) => !ids.has(id))).toEqual([])
  expect(runs.length - acknowledged.size).toBeLessThanOrEqual(inFlight)
  for (const [id, n] of [...acknowledged].filter((_, i) => i % 50 === 0)) {
    const run = await server.run(id)
    expect(run.webhook.body).toEqual({ n })
    expect(run.steps).toMatchObject([{ id: 'note', status: 'succeeded' }])
    const output = run.steps[0]!.output as { body?: unknown }
    expect(output.body ?? output).toEqual({ n })
  }
  const { totals } = (await server.api('GET', `/stats?flow=${flowId}`)).body
  expect(totals.deliveries.accepted).toBe(runs.length)
  expect(totals.runs).toEqual({ started: runs.length, succeeded: runs.length, failed: 0, cancelled: 0 })
}
