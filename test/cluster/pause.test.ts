// Tests a flow that one process pauses and another resumes, while both take deliveries for it.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { freePort } from '../harness/free-port.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { answerOf, type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

let databases: Databases
let gate: Gate
let one: MillraceProcess
let other: MillraceProcess
const folder = temporaryFolder()

beforeAll(async () => {
  databases = await startDatabases()
  gate = await startGate()
  const environment = {
    DATABASE_URL: await databases.create(),
    MILLRACE_SECRET_KEY: TEST_KEY,
    MILLRACE_ENV_GATE: gate.url,
  }
  const start = async () => spawnMillrace(folder, await freePort(), environment)
  ;[one, other] = await Promise.all([start(), start()])
}, 120_000)
afterAll(async () => {
  gate.open()
  for (const { child, exited } of [one, other]) {
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  }
  await gate.close()
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
}, 60_000)

it('holds back what comes to either process, and runs it in order once resumed', { timeout: 60_000 }, async () => {
  const { flow } = await one.publish({
    name: 'Paused',
    trigger: { kind: 'webhook', concurrency: 1, response: { mode: 'finished', timeout: 300 } },
    steps: [{ id: 'send', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n }}', timeout: 120 }],
  })
  const post = async (at: MillraceProcess, n: number) =>
    answerOf(
      await fetch(`${at.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ n }),
      }),
    )
  const underWay = post(one, 0)
  await gate.count(1)
  const events = await openEvents(`${other.url}/api/v1/events`)
  const inLine = post(other, 1)
  await events.next(({ type, data }) => type === 'run' && data.status === 'queued')
  await events.close()
  expect((await one.api('POST', `/flows/${flow.id}/pause`)).status).toBe(200)
  // The sender at the other process waits for a run that has not begun.
  const answers = [await inLine]
  for (let n = 2; n < 8; n++) answers.push(await post(n % 2 ? one : other, n))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 202))
  // A run under way goes on, and its sender gets what it waits for.
  await gate.letOne()
  expect((await underWay).status).toBe(200)
  expect((await other.api('GET', `/flows/${flow.id}`)).body.paused).toMatchObject({ waiting: answers.length })
  expect((await other.api('POST', `/flows/${flow.id}/resume`)).body.paused).toBeNull()
  gate.open()
  for (const { body } of answers) expect((await one.runEnded(body.id)).status).toBe('succeeded')
  expect(gate.received.map(({ url }) => url)).toEqual(Array.from({ length: 8 }, (_, n) => `/${n}`))
})
