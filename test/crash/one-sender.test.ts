// Tests kill -9 while a single sender waits for each reply: runs are then acknowledged from the log, before they are in the database.
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { finishedRuns } from '../harness/finished-runs.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

const KILLS = 4
/** The log begins after 64 deliveries, if the disk is not slow; these are many of its generations. */
const BEFORE_KILL = 300
/** On a slow disk the log is tried again after a thousand deliveries. */
const MOST_BEFORE_KILL = 2_500

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const log = join(folder, 'millrace.runs')
const isLogUsed = () => existsSync(log) && readFileSync(log).includes('insertRun')

it('loses no acknowledged run and counts none twice', { timeout: 240_000 }, async () => {
  const port = await freePort()
  let server = await spawnMillrace(folder, port)
  const { flow } = await server.publish({
    name: 'From one sender',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'note', kind: 'set', vars: { n: '{{ webhook.body.n }}' } }],
  })
  const acknowledged = new Map<string, number>()
  let n = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const url = `${server.url}/api/v1/webhooks/${flow.webhook.id}`
    // At another moment of a generation each time.
    const before = acknowledged.size - 17 * kill
    for (let sending = true; sending; n++) {
      const count = acknowledged.size - before
      if (count >= MOST_BEFORE_KILL || (count >= BEFORE_KILL && isLogUsed())) server.child.kill('SIGKILL')
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ n }),
      }).catch(() => null)
      const reply = (await response?.json().catch(() => null)) as { id: string } | null | undefined
      if (reply) acknowledged.set(reply.id, n)
      else sending = false
    }
    expect(await server.exited).toBe('SIGKILL')
    server = await spawnMillrace(folder, port)
  }

  const runs = await finishedRuns(server, flow.id)
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  const ids = new Set(runs.map(({ id }) => id))
  expect(ids.size).toBe(runs.length)
  expect([...acknowledged.keys()].filter((id) => !ids.has(id))).toEqual([])
  // A run may be stored whose reply the kill cut off.
  expect(runs.length - acknowledged.size).toBeLessThanOrEqual(KILLS)
  for (const [id, sent] of [...acknowledged].filter((_, i) => i % 50 === 0)) {
    const run = await server.run(id)
    expect(run.webhook.body).toEqual({ n: sent })
    expect(run.steps).toMatchObject([{ id: 'note', status: 'succeeded', output: { n: sent } }])
  }
  const { totals } = (await server.api('GET', `/stats?flow=${flow.id}`)).body
  expect(totals.deliveries.accepted).toBe(runs.length)
  expect(totals.runs).toEqual({ started: runs.length, succeeded: runs.length, failed: 0, cancelled: 0 })
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})
