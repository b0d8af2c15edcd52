// Tests paused flows on both databases: what arrives is taken on and waits in order, across restarts and publishing.
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { type Gate, startGate } from '../harness/gate.ts'
import { type Millrace, startMillrace, TEST_KEY, temporaryFolder } from '../harness/millrace.ts'
import { type Databases, startDatabases } from '../harness/postgres.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
}, 60_000)
afterAll(() => databases.stop(), 60_000)

describe.each(['SQLite', 'PostgreSQL'])('a paused flow on %s', { timeout: 60_000 }, (database) => {
  let millrace: Millrace
  let upstream: Upstream
  let gate: Gate
  let environment: Record<string, string>
  const dataDir = temporaryFolder()

  beforeAll(async () => {
    upstream = await startUpstream((_request, response) => void response.end('{}'))
    gate = await startGate()
    environment = {
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_ENV_UP: upstream.url,
      MILLRACE_ENV_GATE: gate.url,
      MILLRACE_MAX_PAUSED: '6',
      ...(database === 'PostgreSQL' && { DATABASE_URL: await databases.create(), MILLRACE_SECRET_KEY: TEST_KEY }),
    }
    millrace = await startMillrace(environment)
  }, 60_000)
  afterAll(async () => {
    gate.open()
    await millrace.stop()
    await upstream.close()
    await gate.close()
    rmSync(dataDir, { recursive: true, force: true })
  })

  const documentOf = (name: string, steps: object[], trigger: object = {}) => ({
    name,
    trigger: { kind: 'webhook', ...trigger },
    steps,
  })
  const send = { id: 'send', kind: 'http', method: 'GET', url: '{{ env.UP }}/{{ webhook.body.n }}' }
  const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n }}' }
  const act = async (id: string, action: 'pause' | 'resume') =>
    (await millrace.api('POST', `/flows/${id}/${action}`)).body
  const flowOf = async (id: string) => (await millrace.api('GET', `/flows/${id}`)).body

  it('answers senders with 202 whose run is in line when the flow is paused, and no others', async () => {
    const trigger = { concurrency: 1, response: { mode: 'finished', timeout: 300 } }
    const { flow, post } = await millrace.publish(documentOf('In line', [held], trigger))
    const underWay = post({ n: 'first' })
    await gate.count(1)
    const events = await openEvents(`${millrace.url}/api/v1/events`)
    const inLine = post({ n: 'second' })
    await events.next(({ type, data }) => type === 'run' && data.status === 'queued')
    await events.close()
    await act(flow.id, 'pause')
    const answer = await inLine
    expect(answer).toMatchObject({ status: 202, body: { id: expect.stringMatching(/^run_/) } })
    await gate.letOne()
    expect((await underWay).status).toBe(200)
    await act(flow.id, 'resume')
    await gate.letOne()
    expect((await millrace.runEnded(answer.body.id)).status).toBe('succeeded')
  })

  it('takes deliveries on, lets them wait in order, and lets runs under way go on', async () => {
    const { flow, post } = await millrace.publish(documentOf('Ordered', [held, send], { concurrency: 1 }))
    const ids = [(await post({ n: 0 })).body.id, (await post({ n: 1 })).body.id]
    await gate.count(3)
    const { paused } = await act(flow.id, 'pause')
    expect(paused).toEqual({ since: expect.any(String), waiting: 1 })
    for (const n of [2, 3]) ids.push((await post({ n })).body.id)
    expect((await flowOf(flow.id)).paused).toMatchObject({ waiting: 3 })
    // Pausing again changes nothing.
    expect((await act(flow.id, 'pause')).paused).toEqual({ since: paused.since, waiting: 3 })
    gate.open()
    expect((await millrace.runEnded(ids[0]!)).status).toBe('succeeded')
    for (const id of ids.slice(1)) expect((await millrace.run(id)).status).toBe('queued')
    expect((await act(flow.id, 'resume')).paused).toBeNull()
    for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect(upstream.received.map(({ url }) => url)).toEqual(['/0', '/1', '/2', '/3'])
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items.slice(0, 3).map(({ action }: { action: string }) => action)).toEqual([
      'flow.resume',
      'flow.pause',
      'flow.pause',
    ])
  })

  it('answers a sender that waits for the end of the run with 202 at once', async () => {
    const { flow, post } = await millrace.publish(
      documentOf('Waits', [send], { response: { mode: 'finished', timeout: 300 } }),
    )
    await act(flow.id, 'pause')
    const answer = await post({ n: 'late' })
    expect(answer).toMatchObject({ status: 202, body: { id: expect.stringMatching(/^run_/) } })
    await act(flow.id, 'resume')
    expect((await millrace.runEnded(answer.body.id)).status).toBe('succeeded')
    expect((await post({ n: 'now' })).status).toBe(200)
  })

  it('stays paused across restarts and publishing, and cancels a waiting run', async () => {
    const { flow, post } = await millrace.publish(documentOf('Kept', [send]))
    await act(flow.id, 'pause')
    const ids = [(await post({ n: 'a' })).body.id, (await post({ n: 'b' })).body.id, (await post({ n: 'c' })).body.id]
    await millrace.api('PUT', `/flows/${flow.id}`, documentOf('Kept', [send, { id: 'end', kind: 'stop' }]))
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    await millrace.stop()
    millrace = await startMillrace(environment)
    expect((await flowOf(flow.id)).paused).toMatchObject({ waiting: 3 })
    expect((await millrace.api('POST', `/runs/${ids[1]}/cancel`)).status).toBe(200)
    expect((await flowOf(flow.id)).paused).toMatchObject({ waiting: 2 })
    // Tests of the draft are not held back.
    const test = (await millrace.api('POST', `/flows/${flow.id}/test`, { webhook: { body: { n: 'test' } } })).body
    expect((await millrace.runEnded(test.id)).status).toBe('succeeded')
    await act(flow.id, 'resume')
    for (const id of [ids[0]!, ids[2]!])
      expect(await millrace.runEnded(id)).toMatchObject({ status: 'succeeded', version: 1 })
  })

  it('has a limit of its own, and does not crowd out other flows', async () => {
    await millrace.stop()
    millrace = await startMillrace({ ...environment, MILLRACE_MAX_QUEUE: '2' })
    const paused = await millrace.publish(documentOf('Full', [send]))
    const other = await millrace.publish(documentOf('Other', [send]))
    await act(paused.flow.id, 'pause')
    const ids: string[] = []
    for (let n = 0; n < 6; n++) {
      const { status, body } = await paused.post({ n })
      expect(status).toBe(200)
      ids.push(body.id)
    }
    const refused = await paused.post({ n: 7 })
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } })
    expect(refused.headers.get('retry-after')).toBe('60')
    expect((await other.post({ n: 'other' })).status).toBe(200)
    await act(paused.flow.id, 'resume')
    for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
  })

  it('keeps the runs that calls start, and answers at once who waits for one', async () => {
    const document = {
      name: 'Called',
      trigger: { kind: 'call' },
      steps: [{ id: 'v', kind: 'set', vars: { n: '{{ input }}' } }],
    }
    const { flow } = await millrace.publish(document)
    const parent = await millrace.publish(documentOf('Calls', [{ id: 'call', kind: 'call', flow: flow.id, input: 2 }]))
    await act(flow.id, 'pause')
    const asked = await millrace.api('POST', `/flows/${flow.id}/runs?wait=300`, { input: 1 })
    expect(asked).toMatchObject({ status: 202, body: { status: 'queued' } })
    const calling = (await parent.post({})).body.id
    await expect.poll(async () => (await flowOf(flow.id)).paused.waiting, { timeout: 10_000 }).toBe(2)
    for (let n = 0; n < 4; n++) await millrace.api('POST', `/flows/${flow.id}/runs`, { input: n })
    const refused = await millrace.api('POST', `/flows/${flow.id}/runs`, {})
    expect(refused).toMatchObject({ status: 503, body: { code: 'overloaded' } })
    expect(refused.headers.get('retry-after')).toBe('60')
    const full = await millrace.runEnded((await parent.post({})).body.id)
    expect(full).toMatchObject({ status: 'failed', error: { code: 'overloaded', step: 'call' } })
    await act(flow.id, 'resume')
    expect((await millrace.runEnded(asked.body.id)).status).toBe('succeeded')
    expect(await millrace.runEnded(calling)).toMatchObject({ status: 'succeeded', steps: [{ output: { n: 2 } }] })
  })
})
