// Kills processes while runs wait for runs that they called: each call starts exactly one run, and all end.
import { rmSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { type MillraceProcess, spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const ITEMS = [1, 2, 3, 4, 5]
const KILLS = 20
const PARENTS_PER_KILL = 3
/** Requests of called runs before each kill, so that runs are waiting. */
const REQUESTS_BEFORE_KILL = 4

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const child = (url: string) => ({
  name: 'Child',
  slug: 'child',
  trigger: { kind: 'call' },
  steps: [
    { id: 'pause', kind: 'wait', seconds: 0.05 },
    { id: 'ask', kind: 'http', method: 'GET', url: `${url}/{{ input }}` },
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
      concurrency: 3,
      steps: [{ id: 'one', kind: 'call', flow: 'child', input: '{{ loop.item }}' }],
      collect: '{{ steps.one }}',
    },
    { id: 'last', kind: 'call', flow: 'child', input: 6 },
  ],
}

async function provoke(spawn: () => Promise<MillraceProcess>, kills: number): Promise<void> {
  const upstream = await startUpstream()
  let server = await spawn()
  await server.publish(child(upstream.url))
  const { flow } = await server.publish(parent)
  const started: string[] = []
  for (let kill = 0; kill < kills; kill++) {
    const before = upstream.received.length
    for (let i = 0; i < PARENTS_PER_KILL; i++) {
      const response = await fetch(`${server.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(ITEMS),
      })
      started.push(((await response.json()) as { id: string }).id)
    }
    await upstream.count(before + REQUESTS_BEFORE_KILL)
    server.child.kill('SIGKILL')
    await server.exited
    server = await spawn()
  }
  for (const id of started) {
    const run = await server.runEnded(id)
    expect(run.status).toBe('succeeded')
    expect(run.steps.find((step) => step.path === 'all')!.output).toMatchObject({ results: [10, 20, 30, 40, 50] })
    expect(run.children.map(({ step }) => step).toSorted()).toEqual([...ITEMS.map((_, i) => `all[${i}]/one`), 'last'])
    expect(run.children.filter(({ status }) => status !== 'succeeded')).toEqual([])
  }
  const { items } = (await server.api('GET', '/runs?status=waiting')).body
  expect(items).toEqual([])
  server.child.kill('SIGTERM')
  await server.exited
  await upstream.close()
}

describe('kill -9 while runs wait for runs that they called', () => {
  it('starts one run per call, on the embedded database', { timeout: 120_000 }, async () => {
    const port = await freePort()
    await provoke(() => spawnMillrace(folder, port), KILLS)
  })
})
