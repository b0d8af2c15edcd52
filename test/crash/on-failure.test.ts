// Kills the process while the failures of runs are handled: each handler ends, and none is lost or begun twice.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { handledRun } from '../harness/handled-run.ts'
import { type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { startDatabases } from '../harness/postgres.ts'
import { startUpstream } from '../harness/upstream.ts'

const KILLS = 3
const RUNS_PER_KILL = 4

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const failing = (url: string) => ({
  name: 'Orders',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'oops', kind: 'fail', message: 'no such order' }],
  onFailure: [
    { id: 'count', kind: 'store', op: 'increment', key: 'failures' },
    { id: 'pause', kind: 'wait', seconds: 0.05 },
    { id: 'tell', kind: 'http', method: 'GET', url: `${url}/{{ failed.run }}` },
  ],
})

async function provoke(spawn: () => Promise<MillraceProcess>): Promise<void> {
  const upstream = await startUpstream()
  let server = await spawn()
  const { flow } = await server.publish(failing(upstream.url))
  const started: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const before = upstream.received.length
    for (let i = 0; i < RUNS_PER_KILL; i++) {
      const response = await fetch(`${server.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      started.push(((await response.json()) as { id: string }).id)
    }
    await upstream.count(before + 1)
    server.child.kill('SIGKILL')
    await server.exited
    server = await spawn()
  }
  const counts = new Set<unknown>()
  for (const id of started) {
    const run = await handledRun(server, id)
    expect(run.status).toBe('failed')
    expect(run.onFailure.status).toBe('succeeded')
    counts.add(run.onFailure.steps.find((step) => step.id === 'count')!.output)
    expect(upstream.received.some(({ url }) => url === `/${id}`)).toBe(true)
  }
  // Each handler has counted once.
  expect(counts.size).toBe(started.length)
  expect(JSON.stringify([...counts])).toContain(`${started.length}`)
  server.child.kill('SIGTERM')
  await server.exited
  await upstream.close()
}

describe('kill -9 while failures are handled', () => {
  it('loses no handler, on the embedded database', { timeout: 60_000 }, async () => {
    const port = await freePort()
    await provoke(() => spawnMillrace(folder, port))
  })

  it('loses no handler, on PostgreSQL', { timeout: 90_000 }, async () => {
    const databases = await startDatabases()
    const environment = { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY }
    const port = await freePort()
    await provoke(() => spawnMillrace(folder, port, environment))
    await databases.stop()
  })
})
