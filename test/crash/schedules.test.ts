// Tests kill -9 of a service whose flows run on schedules: each planned time has exactly one run, whenever it dies.
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { expectEachTimeOnce, publishStaggered, runBegins } from '../harness/planned-runs.ts'

const FLOWS = 10
const KILLS = 20

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('starts exactly one run per planned time, under kills at any moment', { timeout: 300_000 }, async () => {
  const port = await freePort()
  let server = await spawnMillrace(folder, port)
  const flows = await publishStaggered(server, FLOWS)
  for (let kill = 0; kill < KILLS; kill++) {
    await runBegins(server)
    server.child.kill('SIGKILL')
    expect(await server.exited).toBe('SIGKILL')
    server = await spawnMillrace(folder, port)
  }
  await expectEachTimeOnce(server, flows, Date.now())
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
})
