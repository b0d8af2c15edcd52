// More large runs than memory holds: they wait for one another, and all that were acknowledged come to their end.
import { rmSync } from 'node:fs'
import { afterEach, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'

const RUNS = 30
const BODY = JSON.stringify({ text: 'x'.repeat(4_000_000) })

let gate: Gate
let millrace: MillraceProcess
const dataDir = temporaryFolder()
afterEach(async () => {
  gate.open()
  millrace.child.kill('SIGTERM')
  await millrace.exited
  await gate.close()
  rmSync(dataDir, { recursive: true, force: true })
})

it('carries 30 runs of 4 MB that wait for an API, and callers who wait for them, with a heap of 100 MB', async () => {
  gate = await startGate()
  millrace = await spawnMillrace(dataDir, await freePort(), {
    NODE_OPTIONS: '--max-old-space-size=100',
    MILLRACE_BODY_MEMORY: '32mb',
    MILLRACE_ENV_GATE: gate.url,
  })
  const steps = [{ id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}', timeout: 120 }]
  const { post } = await millrace.publish({ name: 'Waits', trigger: { kind: 'webhook' }, steps })
  const awaited = await millrace.publish({
    name: 'Awaited',
    trigger: { kind: 'webhook', response: { mode: 'finished', timeout: 120 } },
    steps,
  })
  const small = await millrace.publish({ name: 'Small', trigger: { kind: 'webhook' }, steps: [] })
  const callers = []
  const ids: string[] = []
  for (let i = 0; i < RUNS; i++) {
    const answer = await post(BODY)
    expect(answer.status).toBe(200)
    ids.push(answer.body.id)
    // Fewer than there is room for at once, so that none is refused.
    if (i % 10 === 0) callers.push(awaited.post(BODY))
  }
  await gate.count(1)
  // They wait, and others do not wait for them.
  await millrace.runEnded((await small.post({})).body.id)
  gate.open()
  for (const caller of callers) expect((await caller).status).toBe(200)
  for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
  expect(millrace.child.exitCode).toBeNull()
}, 60_000)
