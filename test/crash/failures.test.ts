// Tests kill -9 while many failed runs are replayed: seven causes are seven groups with exact counts, and each run is replayed
// once. TEST_FAILING_RUNS=10000 makes it the size of an outage and says how long it took.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, type PublishedFlow, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const RUNS = Number(process.env['TEST_FAILING_RUNS'] ?? 700)
const CAUSES = [400, 401, 403, 404, 500, 502, 503]
const KILLS = 5
const SENDERS = 16

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('replays every failed run exactly once, under kills', { timeout: 600_000 }, async () => {
  let isUp = false
  const upstream = await startUpstream(({ url }, response) => {
    response.writeHead(isUp ? 200 : Number(url.slice(1)), { 'content-type': 'application/json' })
    response.end('{}')
  })
  const port = await freePort()
  const environment = { MILLRACE_ENV_UP: upstream.url }
  let server = await spawnMillrace(folder, port, environment)
  const flow = await server.publish({
    name: 'To the API',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'send', kind: 'http', method: 'POST', url: '{{ env.UP }}/{{ webhook.body.status }}' }],
  })
  const failing = await timed(() => fail(flow))
  const groups = await groupsOf(server, flow)
  expect(groups.map(({ status }) => status)).toEqual(CAUSES)
  expect(groups.map(({ count }) => count)).toEqual(CAUSES.map((_, i) => Math.ceil((RUNS - i) / CAUSES.length)))

  isUp = true
  const { body: job } = await server.api('POST', '/replays', { filter: { flow: flow.flow.id }, pace: 500 })
  expect(job.total).toBe(RUNS)
  const replaying = await timed(async () => {
    for (let kill = 1; kill <= KILLS; kill++) {
      await reached(server, job.id, ({ started }) => started >= (RUNS * kill) / (KILLS + 1))
      server.child.kill('SIGKILL')
      expect(await server.exited).toBe('SIGKILL')
      server = await spawnMillrace(folder, port, environment)
    }
    await reached(server, job.id, ({ finishedAt }) => finishedAt !== null)
  })
  const ended = (await server.api('GET', `/replays/${job.id}`)).body
  expect(ended).toMatchObject({ state: 'done', total: RUNS, started: RUNS, done: RUNS, failed: 0, problems: [] })
  // A kill between the end of a run and its count would show here.
  expect((await groupsOf(server, flow)).map(({ count }) => count)).toEqual(groups.map(({ count }) => count))
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await upstream.close()
  const db = new DatabaseSync(join(folder, 'millrace.db'), { readOnly: true })
  const replays = db
    .prepare(
      `select count(*) as runs, count(distinct replay_of) as originals, sum(status = 'succeeded') as succeeded
       from run where replay_of is not null`,
    )
    .get()
  db.close()
  expect({ ...replays }).toEqual({ runs: RUNS, originals: RUNS, succeeded: RUNS })
  if (process.env['TEST_FAILING_RUNS']) console.info({ runs: RUNS, failingS: failing, replayingS: replaying })
})

async function fail({ post }: PublishedFlow): Promise<void> {
  let next = 0
  const send = async () => {
    for (let n = next++; n < RUNS; n = next++)
      expect((await post({ status: CAUSES[n % CAUSES.length] })).status).toBe(200)
  }
  await Promise.all(Array.from({ length: SENDERS }, send))
}

interface Group {
  status: number
  count: number
}

/** Resolves when every run has failed. */
async function groupsOf(server: MillraceProcess, { flow }: PublishedFlow): Promise<Group[]> {
  for (;;) {
    const { items } = (await server.api('GET', `/failures?flow=${flow.id}`)).body as { items: Group[] }
    if (items.reduce((sum, { count }) => sum + count, 0) >= RUNS)
      return items.toSorted((a, b) => a.status - b.status).map(({ status, count }) => ({ status, count }))
  }
}

interface Progress {
  started: number
  finishedAt: string | null
}

async function reached(server: MillraceProcess, id: string, is: (progress: Progress) => boolean): Promise<void> {
  const events = await openEvents(`${server.url}/api/v1/replays/${id}/events`)
  await events.next(({ data }) => is(data as Progress))
  await events.close()
}

async function timed(work: () => Promise<void>): Promise<number> {
  const started = performance.now()
  await work()
  return Math.round((performance.now() - started) / 100) / 10
}
