// Tests kill -9 of a service with a paused flow: what it took on meanwhile runs after the resume, in order, once.
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { spawnMillrace, temporaryFolder } from '../harness/millrace.ts'
import { startUpstream } from '../harness/upstream.ts'

const folder = temporaryFolder()
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it('keeps the backlog of a paused flow through kills', { timeout: 120_000 }, async () => {
  const upstream = await startUpstream()
  const port = await freePort()
  const start = () => spawnMillrace(folder, port, { MILLRACE_ENV_UP: upstream.url })
  let server = await start()
  const { flow, post } = await server.publish({
    name: 'Paused',
    trigger: { kind: 'webhook', concurrency: 1 },
    steps: [{ id: 'send', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' }],
  })
  await server.api('POST', `/flows/${flow.id}/pause`)
  const ids: string[] = []
  for (let kill = 0; kill < 3; kill++) {
    for (let i = 0; i < 10; i++) ids.push((await post({ n: ids.length })).body.id)
    server.child.kill('SIGKILL')
    expect(await server.exited).toBe('SIGKILL')
    server = await start()
    const { paused } = (await server.api('GET', `/flows/${flow.id}`)).body
    expect(paused).toMatchObject({ waiting: ids.length })
  }
  expect(upstream.received).toEqual([])
  expect((await server.api('POST', `/flows/${flow.id}/resume`)).body.paused).toBeNull()
  for (const id of ids) expect((await server.runEnded(id)).status).toBe('succeeded')
  expect(upstream.received.map(({ url }) => url)).toEqual(ids.map((_, n) => `/${n}`))
  expect((await server.api('GET', `/runs?flow=${flow.id}&limit=100`)).body.items).toHaveLength(ids.length)
  server.child.kill('SIGTERM')
  expect(await server.exited).toBe(0)
  await upstream.close()
})
