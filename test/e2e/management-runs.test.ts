// Tests runs, events and the inbox over the API: docs/api.md#runs
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { expectFailure } from '../harness/inbox.ts'
import { call, documentOf, held, ISO, type Managed, startManaged } from '../harness/management.ts'
import { type Answer, TOKEN } from '../harness/millrace.ts'

let managed: Managed
let millrace: Managed['millrace']
let gate: Managed['gate']
let api: Managed['api']
let create: Managed['create']
beforeAll(async () => {
  managed = await startManaged()
  ;({ millrace, gate, api, create } = managed)
})
afterAll(() => managed.stop())

describe('runs', () => {
  it('show everything the contract lists, and nothing else', async () => {
    const { flow, post } = await millrace.publish(
      documentOf([call, { id: 'keep', kind: 'set', vars: { path: '{{ steps.call.body.path }}' } }]),
    )
    const answer = await post({ n: 1 }, { 'user-agent': 'tester' }, '?a=b')
    const run = await millrace.runEnded(answer.body.id)
    expect(run).toEqual({
      id: answer.body.id,
      flowId: flow.id,
      flowName: 'Managed',
      version: 1,
      status: 'succeeded',
      test: false,
      webhook: {
        body: { n: 1 },
        headers: expect.objectContaining({ 'content-type': 'application/json' }),
        query: { a: 'b' },
        queryAll: { a: ['b'] },
        rawBody: '{"n":1}',
        metadata: {
          requestId: answer.headers.get('x-request-id'),
          receivedAt: expect.stringMatching(ISO),
          method: 'POST',
          path: `/api/v1/webhooks/${flow.webhook.id}`,
          ip: '127.0.0.1',
          userAgent: 'tester',
          contentType: 'application/json',
          contentLength: 7,
          test: false,
        },
      },
      vars: { path: '/1' },
      steps: [
        {
          path: 'call',
          id: 'call',
          kind: 'http',
          status: 'succeeded',
          attempt: 1,
          startedAt: expect.stringMatching(ISO),
          finishedAt: expect.stringMatching(ISO),
          input: expect.objectContaining({ url: '[secret]/1' }),
          output: expect.objectContaining({ status: 200 }),
          error: null,
          logs: [],
        },
        expect.objectContaining({ path: 'keep', kind: 'set', output: { path: '/1' } }),
      ],
      error: null,
      createdAt: expect.stringMatching(ISO),
      startedAt: expect.stringMatching(ISO),
      finishedAt: expect.stringMatching(ISO),
      replayOf: null,
      trigger: { kind: 'webhook' },
      parent: null,
      children: [],
      labels: null,
      onFailure: null,
    })
    expectFailure(await api('GET', '/runs/nope'), 404, 'not_found')
  })

  it('are listed newest first, by flow, status and time, page by page', async () => {
    const { flow, post } = await millrace.publish(
      documentOf([
        {
          id: 'way',
          kind: 'branch',
          cases: [{ when: '{{ webhook.body.bad }}', steps: [{ id: 'no', kind: 'fail', message: 'bad' }] }],
        },
      ]),
    )
    const ids: string[] = []
    for (const bad of [false, true, false, true, false]) {
      const { id } = (await post({ bad })).body
      await millrace.runEnded(id)
      ids.unshift(id)
    }
    const list = async (query: string): Promise<string[]> =>
      (await api('GET', `/runs?flow=${flow.id}${query}`)).body.items.map(({ id }: { id: string }) => id)
    expect(await list('')).toEqual(ids)
    expect(await list('&status=failed')).toEqual([ids[1], ids[3]])
    expect(await list('&status=waiting')).toEqual([])
    const third = (await millrace.run(ids[2]!)).createdAt
    for (const since of [third, String(Date.parse(third)), encodeURIComponent(third.replace('Z', '+00:00'))])
      expect((await list(`&since=${since}`)).slice(0, 3)).toEqual(ids.slice(0, 3))
    expect(await list('&since=1960-01-01T00:00:00Z')).toEqual(ids)
    expect(await list('&since=0')).toEqual(ids)
    expect(await list('&since=2999-01-01')).toEqual([])
    const first = (await api('GET', `/runs?flow=${flow.id}&limit=2`)).body
    expect(first.items).toHaveLength(2)
    expect(first.items[0]).not.toHaveProperty('steps')
    const second = (await api('GET', `/runs?flow=${flow.id}&limit=2&cursor=${first.nextCursor}`)).body
    const last = (await api('GET', `/runs?flow=${flow.id}&limit=2&cursor=${second.nextCursor}`)).body
    expect([...first.items, ...second.items, ...last.items].map(({ id }) => id)).toEqual(ids)
    expect(last.nextCursor).toBeNull()
    expect((await api('GET', '/runs?flow=nope')).body).toEqual({ items: [], nextCursor: null })
  })

  it.each([
    '/runs?limit=0',
    '/runs?limit=201',
    '/runs?limit=x',
    '/runs?limit=1&limit=2',
    '/runs?status=odd',
    '/runs?since=yesterday',
    '/runs?since=yesterday%201',
    '/runs?since=',
    '/runs?nope=1',
    "/runs?cursor=' OR 1=1",
    '/flows?limit=-1',
    '/flows?nope=1',
    '/flows?cursor=%00',
  ])('refuse %s with 400', async (path) => {
    const answer = await api('GET', path)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      status: 'error',
      code: 'invalid_request',
      requestId: answer.headers.get('x-request-id'),
    })
  })

  it('can be cancelled while running; the request under way is ended', async () => {
    const { post } = await millrace.publish(documentOf([held, { id: 'after', kind: 'set', vars: { a: 1 } }]))
    const { id } = (await post({})).body
    await millrace.runEnded(id, ['running'])
    const cancelled = await api('POST', `/runs/${id}/cancel`)
    expect(cancelled.status).toBe(200)
    expect(cancelled.body).toMatchObject({
      id,
      status: 'cancelled',
      error: { code: 'cancelled' },
      finishedAt: expect.stringMatching(ISO),
      steps: [{ id: 'held', status: 'cancelled' }],
    })
    await gate.letOne()
    expect(await millrace.run(id)).toEqual(cancelled.body)
    expect(await api('POST', `/runs/${id}/cancel`)).toMatchObject({ status: 200, body: cancelled.body })
  })

  it('can be cancelled while queued; the next in line goes on', async () => {
    const { post } = await millrace.publish(documentOf([held], { concurrency: 1 }))
    const before = gate.received.length
    const [first, second, third] = [await post({}), await post({}), await post({})].map(({ body }) => body.id)
    expect((await api('POST', `/runs/${second}/cancel`)).body).toMatchObject({
      status: 'cancelled',
      startedAt: null,
      steps: [],
    })
    await gate.letOne()
    expect((await millrace.runEnded(first)).status).toBe('succeeded')
    gate.open()
    expect((await millrace.runEnded(third)).status).toBe('succeeded')
    expect((await millrace.run(second)).status).toBe('cancelled')
    // The cancelled run sent nothing.
    expect(gate.received.length - before).toBe(2)
  })

  it('can be cancelled while waiting, and not once they have ended', async () => {
    const retry = { attempts: 2, delay: 3600 }
    const { post } = await millrace.publish(documentOf([{ ...call, url: '{{ env.UP }}/status/503', retry }]))
    const { id } = (await post({})).body
    const waiting = await millrace.runEnded(id, ['waiting'])
    expect(waiting.steps).toMatchObject([{ status: 'waiting', attempt: 1 }])
    expect((await api('POST', `/runs/${id}/cancel`)).body).toMatchObject({
      status: 'cancelled',
      steps: [{ status: 'cancelled' }],
    })
    const done = await millrace.publish(documentOf())
    const ended = await millrace.runEnded((await done.post({})).body.id)
    expectFailure(await api('POST', `/runs/${ended.id}/cancel`), 409, 'conflict')
    expect(await millrace.run(ended.id)).toEqual(ended)
    expectFailure(await api('POST', '/runs/nope/cancel'), 404, 'not_found')
  })
})

describe('server-sent events', () => {
  it('tell of a run: how it stands, then its steps and its end', async () => {
    const { post } = await millrace.publish(documentOf([call]))
    const { id } = (await post({ n: 1 })).body
    await millrace.runEnded(id)
    const events = await openEvents(`${millrace.url}/api/v1/runs/${id}/events`)
    expect(events.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(events.headers.get('x-request-id')).toMatch(/^req_/)
    expect(await events.next()).toEqual({ type: 'run', data: await millrace.run(id) })
    await events.close()
  })

  it('tell of a flow: runs, refused deliveries and samples, in the shapes of the API', async () => {
    const { flow, post } = await millrace.publish(documentOf())
    // The stream opens although nothing has happened yet.
    const events = await openEvents(`${millrace.url}/api/v1/flows/${flow.id}/events`)
    const { id } = (await post({})).body
    expect((await events.next()).data).toMatchObject({ id, flowId: flow.id, status: 'queued', test: false })
    const ended = await events.next(({ data }) => data.status === 'succeeded')
    expect(ended).toMatchObject({ type: 'run', data: { id } })
    await post('{')
    const refused = await events.next(({ type, data }) => type === 'delivery' && data.outcome === 'rejected')
    expect(refused.data).toMatchObject({
      outcome: 'rejected',
      code: 'bad_request',
      receivedAt: expect.stringMatching(ISO),
    })
    await fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"n":1}',
    })
    const sample = await events.next(({ type }) => type === 'sample')
    expect(sample.data).toEqual((await api('GET', `/flows/${flow.id}/samples`)).body.items[0])
    await events.close()
  })

  it('answer 404 where there is nothing to watch, and end a HEAD request', async () => {
    expectFailure(await api('GET', '/runs/nope/events'), 404, 'not_found')
    expectFailure(await api('GET', '/flows/nope/events'), 404, 'not_found')
    const { id } = await create()
    const head = await fetch(`${millrace.url}/api/v1/flows/${id}/events`, {
      method: 'HEAD',
      headers: { authorization: `Bearer ${TOKEN}` },
      signal: AbortSignal.timeout(5000),
    })
    expect(await head.text()).toBe('')
  })
})

describe('deliveries', () => {
  it('are listed newest first, accepted and refused ones together, page by page', async () => {
    const { flow, post } = await millrace.publish(documentOf([], { when: '{{ webhook.body.n != 3 }}' }))
    for (let n = 0; n < 7; n++) await post(n % 2 ? '{' : { n })
    await post({ n: 3 })
    const expected = ['filtered', 'accepted', 'rejected', 'accepted', 'rejected', 'accepted', 'rejected', 'accepted']
    const outcomes: string[] = []
    const ids = new Set<string>()
    let cursor = ''
    do {
      const page: Answer = await api('GET', `/flows/${flow.id}/deliveries?limit=3${cursor && `&cursor=${cursor}`}`)
      for (const delivery of page.body.items) {
        outcomes.push(delivery.outcome)
        ids.add(delivery.id)
        expect(delivery).toEqual({
          id: expect.stringMatching(/^dlv_/),
          flowId: flow.id,
          receivedAt: expect.stringMatching(ISO),
          outcome: expect.any(String),
          code: delivery.outcome === 'rejected' ? 'bad_request' : null,
          message: delivery.outcome === 'rejected' ? expect.any(String) : null,
          status: delivery.outcome === 'rejected' ? 400 : 200,
          runId: delivery.outcome === 'accepted' ? expect.stringMatching(/^run_/) : null,
          event: null,
          webhook: expect.objectContaining({ headers: expect.any(Object) }),
        })
      }
      cursor = page.body.nextCursor
    } while (cursor)
    expect(outcomes).toEqual(expected)
    expect(ids.size).toBe(8)
  })

  it('and samples are 404 for a flow that is not there', async () => {
    for (const list of ['deliveries', 'samples'])
      expectFailure(await api('GET', `/flows/nope/${list}`), 404, 'not_found')
  })
})
