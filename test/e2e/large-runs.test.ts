// Tests more large runs than memory holds: they wait for one another, and all that were acknowledged end.
import { rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const RUNS = 24
const BODY = JSON.stringify({ text: 'x'.repeat(4_000_000) })

let gate: Gate
let millrace: MillraceProcess
let dataDir: string
beforeEach(async () => {
  dataDir = temporaryFolder()
  gate = await startGate()
})
afterEach(async () => {
  gate.open()
  millrace.child.kill('SIGTERM')
  await millrace.exited
  await gate.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const start = async (environment: Record<string, string>) =>
  spawnMillrace(dataDir, await freePort(), {
    NODE_OPTIONS: '--max-old-space-size=100',
    MILLRACE_BODY_MEMORY: '32mb',
    MILLRACE_ENV_GATE: gate.url,
    ...environment,
  })
/** Takes 14 MB in memory, fifty times its size. */
const DENSE = `[${`${'{"34":'.repeat(190)}0${'}'.repeat(190)},`.repeat(210)}0]`
const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}', timeout: 120 }

it('carries 24 runs of 4 MB that wait for an API, and callers who wait for them, with a heap of 100 MB', async () => {
  millrace = await start({})
  const steps = [held]
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
    // There are fewer than fit at once, so that none is refused.
    if (i % 10 === 0) callers.push(awaited.post(BODY))
  }
  await gate.count(1)
  // Large runs wait, and other runs do not wait for them.
  await millrace.runEnded((await small.post({})).body.id)
  gate.open()
  for (const caller of callers) expect((await caller).status).toBe(200)
  for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
  expect(millrace.child.exitCode).toBeNull()
}, 120_000)

it('carries 24 runs that get 4 MB from an API and wait with it, with a heap of 100 MB', async () => {
  const upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(BODY)
  })
  try {
    millrace = await start({ MILLRACE_ENV_UP: upstream.url })
    const { post } = await millrace.publish({
      name: 'Gets',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'get', kind: 'http', method: 'GET', url: '{{ env.UP }}', timeout: 120 }, held],
    })
    const ids = []
    for (let i = 0; i < RUNS; i++) ids.push((await post({})).body.id)
    await upstream.count(RUNS)
    await gate.count(1)
    gate.open()
    for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect(millrace.child.exitCode).toBeNull()
  } finally {
    await upstream.close()
  }
}, 120_000)

it('carries runs of the densest JSON that there is, sent at once, with a heap of 300 MB', async () => {
  millrace = await start({ NODE_OPTIONS: '--max-old-space-size=300' })
  const { post } = await millrace.publish({ name: 'Dense', trigger: { kind: 'webhook' }, steps: [held] })
  const answers = await Promise.all(Array.from({ length: 2 * RUNS }, () => post(DENSE)))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await gate.count(1)
  gate.open()
  for (const { body } of answers) expect((await millrace.runEnded(body.id)).status).toBe('succeeded')
  expect(millrace.child.exitCode).toBeNull()
}, 120_000)
