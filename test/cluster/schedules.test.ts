// Tests schedules on two processes that share a database, one of which is stopped for a while and the other killed.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { expectEachTimeOnce, publishStaggered, runBegins } from '../harness/planned-runs.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

const FLOWS = 10

let databases: Databases
const folder = temporaryFolder()
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(async () => {
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('starts exactly one run per planned time without a leader', { timeout: 120_000 }, async () => {
  const environment = { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY }
  const start = async () => spawnMillrace(folder, await freePort(), environment)
  const [killed, paused] = await Promise.all([start(), start()])
  const flows = await publishStaggered(paused, FLOWS)
  await runBegins(killed)
  // The other one carries on alone, and does not know it.
  paused.child.kill('SIGSTOP')
  await runBegins(killed)
  await runBegins(killed)
  const third = await start()
  killed.child.kill('SIGKILL')
  expect(await killed.exited).toBe('SIGKILL')
  await runBegins(third)
  paused.child.kill('SIGCONT')
  await expectEachTimeOnce(third, flows, Date.now())
  for (const { child, exited } of [third, paused]) {
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  }
})
