// Callbacks that race their waits on two processes that share a database, one of which is stopped for a while and one killed.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { callbackRace, racingFlow } from '../harness/callback-race.ts'
import { freePort } from '../harness/free-port.ts'
import { answerOf, type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'

/** With CALLBACK_RUNS=2000 there are more runs than the suite has. */
const RUNS = Number(process.env['CALLBACK_RUNS'] ?? 60)

let databases: Databases
let start: () => Promise<MillraceProcess>
const folder = temporaryFolder()
beforeAll(async () => {
  databases = await startDatabases()
  const environment = { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY }
  start = async () => spawnMillrace(folder, await freePort(), environment)
})
afterAll(async () => {
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
})

it('takes every acknowledged callback once, one process being stopped and one killed', {
  timeout: 600_000,
}, async () => {
  const [killed, paused, lasting] = await Promise.all([start(), start(), start()])
  let alive = [killed, paused, lasting]
  const any = () => alive[Math.floor(Math.random() * alive.length)]!
  const race = await callbackRace(any, Math.random)
  const { flow } = await lasting.publish(racingFlow(race.upstream.url))
  const some = (count: number) => Promise.all(Array.from({ length: count }, () => race.start(any, flow.webhook.id)))
  const first = some(Math.ceil(RUNS / 3))
  await race.asked(3)
  alive = [killed, lasting]
  paused.child.kill('SIGSTOP')
  const second = some(Math.ceil(RUNS / 3))
  await race.asked(race.given() + 3)
  alive = [lasting]
  killed.child.kill('SIGKILL')
  expect(await killed.exited).toBe('SIGKILL')
  const third = some(Math.ceil(RUNS / 3))
  paused.child.kill('SIGCONT')
  await Promise.all([first, second, third])
  await race.acknowledged()
  await race.check(lasting)

  // A flow with a limit: a run that waits gives its place back, and gets one again with its answer or when its time is over.
  const limited = await lasting.publish({
    name: 'One at a time',
    trigger: { kind: 'webhook', concurrency: 1 },
    steps: [{ id: 'printed', kind: 'wait', callback: { timeout: 5, onTimeout: 'continue' } }],
  })
  const ids: string[] = []
  for (let i = 0; i < 3; i++) ids.push((await limited.post({})).body.id)
  for (const id of ids) await lasting.runEnded(id, ['waiting'])
  const [{ url }] = (await lasting.api('GET', `/runs/${ids[1]}`)).body.callbacks
  const sent = await fetch(lasting.url + new URL(url).pathname, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(await answerOf(sent)).toMatchObject({ status: 200, body: { message: 'Callback received', id: ids[1] } })
  const outputs: unknown[] = []
  for (const id of ids) outputs.push((await lasting.runEnded(id)).steps[0]!.output)
  expect(outputs).toMatchObject([{ timedOut: true }, { timedOut: false }, { timedOut: true }])

  for (const { child } of [paused, lasting]) child.kill('SIGTERM')
  await Promise.all([paused.exited, lasting.exited])
  await race.upstream.close()
})
