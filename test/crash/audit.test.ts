// Kills the process while deeds are done: the chain of the audit log holds, and goes on.
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('keeps the chain whole over kill -9', { timeout: 120_000 }, async () => {
  const port = await freePort()
  let acknowledged = 0
  for (let round = 0; round < 3; round++) {
    const millrace = await spawnMillrace(folder, port)
    const enough = Promise.withResolvers<void>()
    let done = 0
    const work = Array.from({ length: 8 }, async () => {
      for (;;) {
        const { status } = await millrace.api('POST', '/flows', {
          name: 'A flow',
          trigger: { kind: 'webhook' },
          steps: [],
        })
        if (status === 201) acknowledged++
        if (++done === 40) enough.resolve()
      }
    })
    await enough.promise
    millrace.child.kill('SIGKILL')
    await Promise.allSettled(work)
    await millrace.exited
    const result = await callCli(['audit', 'verify', '--json'], { env: { MILLRACE_DATA_DIR: folder } })
    expect(result.stderr).toBe('')
    expect(result.json().entries).toBeGreaterThanOrEqual(acknowledged)
  }
})
