// Tests calls on two processes that share a database, one of which is stopped for a while and the other killed; and slugs.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const ITEMS = [1, 2, 3, 4, 5]
const PARENTS = 6

let databases: Databases
let upstream: Upstream
let start: () => Promise<MillraceProcess>
const folder = temporaryFolder()
beforeAll(async () => {
  databases = await startDatabases()
  upstream = await startUpstream()
  const environment = { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY }
  start = async () => spawnMillrace(folder, await freePort(), environment)
})
afterAll(async () => {
  await upstream.close()
  await databases.stop()
  rmSync(folder, { recursive: true, force: true })
})

const child = (url: string) => ({
  name: 'Child',
  slug: 'child',
  trigger: { kind: 'call' },
  steps: [
    { id: 'ask', kind: 'http', method: 'GET', url: `${url}/{{ input }}` },
    { id: 'rest', kind: 'wait', seconds: 0.2 },
    { id: 'answer', kind: 'respond', body: '{{ input * 10 }}' },
  ],
})
const parent = {
  name: 'Parent',
  trigger: { kind: 'webhook' },
  steps: [
    {
      id: 'all',
      kind: 'loop',
      each: '{{ webhook.body }}',
      concurrency: 2,
      steps: [{ id: 'one', kind: 'call', flow: 'child', input: '{{ loop.item }}' }],
      collect: '{{ steps.one }}',
    },
    { id: 'last', kind: 'call', flow: 'child', input: 6 },
  ],
}

it('starts exactly one run per call, one process being stopped and one killed', { timeout: 120_000 }, async () => {
  const [killed, paused] = await Promise.all([start(), start()])
  await killed.publish(child(upstream.url))
  const { flow } = await killed.publish(parent)
  const post = async ({ url }: MillraceProcess): Promise<string> => {
    const headers = { 'content-type': 'application/json' }
    const sent = { method: 'POST', headers, body: JSON.stringify(ITEMS) }
    const reply = await fetch(`${url}/api/v1/webhooks/${flow.webhook.id}`, sent)
    return ((await reply.json()) as { id: string }).id
  }
  const ids: string[] = []
  const send = async (to: MillraceProcess) => {
    const before = upstream.received.length
    for (let n = 0; n < PARENTS; n++) ids.push(await post(to))
    await upstream.count(before + PARENTS)
  }
  await send(paused)
  paused.child.kill('SIGSTOP')
  await send(killed)
  killed.child.kill('SIGKILL')
  expect(await killed.exited).toBe('SIGKILL')
  const third = await start()
  await send(third)
  paused.child.kill('SIGCONT')
  for (const id of ids) {
    const run = await third.runEnded(id)
    expect([run.status, run.error]).toEqual(['succeeded', null])
    expect(run.steps.find((step) => step.path === 'all')!.output).toMatchObject({ results: [10, 20, 30, 40, 50] })
    expect(run.children.map(({ step }) => step).toSorted()).toEqual([...ITEMS.map((_, i) => `all[${i}]/one`), 'last'])
    expect(run.children.filter(({ status }) => status !== 'succeeded')).toEqual([])
  }
  expect((await third.api('GET', '/runs?status=waiting')).body.items).toEqual([])

  // Whoever is first gets the slug, in whichever process.
  const creations = Array.from({ length: 8 }, (_, n) =>
    (n % 2 ? third : paused).api('POST', '/flows', { ...parent, slug: 'wanted' }),
  )
  const replies = await Promise.all(creations)
  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, ...Array(7).fill(409)])
  expect(new Set(replies.filter(({ status }) => status === 409).map(({ body }) => body.code))).toEqual(
    new Set(['slug_taken']),
  )
  for (const { child: process, exited } of [third, paused]) {
    process.kill('SIGTERM')
    expect(await exited).toBe(0)
  }
})
