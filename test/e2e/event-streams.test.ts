import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { type EventStream, openEvents } from '../harness/event-stream.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

it('does not count streams that were refused', async () => {
  for (let i = 0; i < 25; i++) expect((await millrace.api('GET', '/flows/none/events')).status).toBe(404)
})

it('lets a token watch 20 streams of events at a time, and others beside it', async () => {
  const url = `${millrace.url}/api/v1/events`
  const open: EventStream[] = []
  for (let i = 0; i < 20; i++) open.push(await openEvents(url))
  const refused = await millrace.api('GET', '/events')
  expectFailure(refused, 429, 'rate_limited')
  expect(refused.headers.get('retry-after')).toBe('5')

  const { token } = (await millrace.api('POST', '/tokens', { name: 'Another', scope: 'read' })).body
  const other = await fetch(url, { headers: { authorization: `Bearer ${token}` } })
  expect(other.status).toBe(200)
  await other.body!.cancel()

  await open.pop()!.close()
  await vi.waitFor(async () => open.push(await openEvents(url)), 10_000)
  expect((await millrace.api('GET', '/events')).status).toBe(429)
  for (const stream of open) await stream.close()
})
