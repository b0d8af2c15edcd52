// Tests two processes on one database that replay many runs and send alerts; one is killed and the other stands still for a while.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, query, startDatabases } from '../harness/postgres.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const FAILED = 300
const SOME = 40

let databases: Databases
let url: string
let shop: Upstream
let receiver: Upstream
let isUp = false
const folder = temporaryFolder()
const alive: MillraceProcess[] = []

const start = async () => {
  const settings = { DATABASE_URL: url, MILLRACE_SECRET_KEY: TEST_KEY, MILLRACE_ENV_SHOP: shop.url }
  const one = await spawnMillrace(folder, await freePort(), { ...settings, MILLRACE_ALERT_WINDOW: '3600' })
  alive.push(one)
  return one
}

beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.create()
  shop = await startUpstream((_request, response) => response.writeHead(isUp ? 200 : 503).end('{}'))
  receiver = await startUpstream((_request, response) => response.writeHead(204).end())
  await Promise.all([start(), start()])
}, 120_000)
afterAll(async () => {
  for (const { child, exited } of alive) {
    child.kill('SIGTERM')
    await exited
  }
  await shop.close()
  await receiver.close()
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

const FLOW = {
  name: 'Orders',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'send', kind: 'http', method: 'POST', url: '{{ env.SHOP }}/' }],
}

it('sends an alert once, and that of the recovery also if another process ends the run', async () => {
  const [one, other] = alive as [MillraceProcess, MillraceProcess]
  for (const rule of ['first_failure', 'recovered']) {
    const target = { kind: 'webhook', url: `${receiver.url}/${rule}` }
    expect((await one.api('POST', '/alerts', { rule, target })).status).toBe(201)
  }
  const { flow, post } = await one.publish(FLOW)
  const failed = await one.runEnded((await post({})).body.id)
  expect(failed.status).toBe('failed')
  isUp = true
  const answer = await fetch(`${other.url}/api/v1/webhooks/${flow.webhook.id}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  const { id } = (await answer.json()) as { id: string }
  expect((await other.runEnded(id)).status).toBe('succeeded')
  await receiver.count(2)
  isUp = false
  await one.runEnded((await post({})).body.id)
  // Two alerts: on a busy machine both are due at one look, and are sent at the same time.
  expect(receiver.received).toHaveLength(2)
  const messages = receiver.received.map(({ url: path, body }) => [path, JSON.parse(body).run])
  expect(Object.fromEntries(messages)).toEqual({ '/first_failure': failed.id, '/recovered': id })
}, 60_000)

it('replays each run exactly once, whichever process is killed or stands still', { timeout: 180_000 }, async () => {
  const [killed, paused] = alive as [MillraceProcess, MillraceProcess]
  const { flow, post } = await killed.publish({ ...FLOW, name: 'Many orders' })
  isUp = false
  let left = FAILED
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      while (left-- > 0) expect((await post({})).status).toBe(200)
    }),
  )
  const failures = async () => (await paused.api('GET', `/failures?flow=${flow.id}`)).body.items[0]?.count
  await expect.poll(failures, { timeout: 60_000 }).toBe(FAILED)
  isUp = true
  const before = shop.received.length
  const made = await killed.api('POST', '/replays', { filter: { flow: flow.id }, pace: 60 })
  expect(made.body).toMatchObject({ total: FAILED })
  await shop.count(before + SOME)
  paused.child.kill('SIGSTOP')
  await shop.count(before + 2 * SOME)
  const third = await start()
  killed.child.kill('SIGKILL')
  expect(await killed.exited).toBe('SIGKILL')
  alive.splice(alive.indexOf(killed), 1)
  await shop.count(before + 4 * SOME)
  paused.child.kill('SIGCONT')
  const job = async () => (await third.api('GET', `/replays/${made.body.id}`)).body
  await expect.poll(async () => (await job()).state, { timeout: 90_000, interval: 500 }).toBe('done')
  expect(await job()).toMatchObject({ total: FAILED, done: FAILED, failed: 0 })
  const rows = await query(
    url,
    `select count(*)::int as replays, count(distinct replay_of)::int as runs, count(*) filter (where status = 'succeeded')::int as good
     from run where flow_id = $1 and replay_of is not null`,
    [flow.id],
  )
  expect(rows).toEqual([{ replays: FAILED, runs: FAILED, good: FAILED }])
})
