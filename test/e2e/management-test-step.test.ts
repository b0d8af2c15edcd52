// Tests the trial of a draft, by Test Step and test runs: docs/api.md#testing
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure, runsOf } from '../harness/inbox.ts'
import { call, documentOf, expectIssues, type Managed, startManaged } from '../harness/management.ts'

let managed: Managed
let millrace: Managed['millrace']
let upstream: Managed['upstream']
let api: Managed['api']
let create: Managed['create']
beforeAll(async () => {
  managed = await startManaged()
  ;({ millrace, upstream, api, create } = managed)
})
afterAll(() => managed.stop())

describe('Test Step', () => {
  const test = (id: string, step: string, body?: unknown) => api('POST', `/flows/${id}/steps/${step}/test`, body)

  it('runs an http step of the draft once and shows what was sent and what came', async () => {
    const { id } = await create([
      { ...call, method: 'POST', body: { kind: 'json', value: { a: '{{ webhook.body.n }}' } } },
    ])
    const before = upstream.received.length
    const answer = await test(id, 'call', { webhook: { body: { n: 7 } } })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      status: 'succeeded',
      input: expect.objectContaining({ method: 'POST', url: '[secret]/7' }),
      output: expect.objectContaining({
        status: 200,
        headers: expect.objectContaining({ 'x-from': 'upstream' }),
        body: { path: '/7', body: '{"a":7}' },
      }),
      error: null,
      logs: [],
      durationMs: expect.any(Number),
    })
    expect(upstream.received.length).toBe(before + 1)
    expect(await runsOf(millrace, id)).toEqual([])
  })

  it('shows the reply of a refused request in output, and the reason in error', async () => {
    const { id } = await create([{ ...call, url: '{{ env.UP }}/status/404' }])
    const { body } = await test(id, 'call')
    expect(body).toMatchObject({
      status: 'failed',
      output: { status: 404, body: { path: '/status/404' } },
      error: { code: 'http_404', status: 404, message: expect.any(String), hint: expect.any(String) },
    })
  })

  it('tests a step inside loops as in their first rounds', async () => {
    const inner = { id: 'deep', kind: 'set', vars: { at: '{{ loops.rows.item.n }}/{{ loop.index }}/{{ loop.count }}' } }
    const cells = { id: 'cells', kind: 'loop', each: '{{ loop.item.cells }}', steps: [inner] }
    const rows = { id: 'rows', kind: 'loop', each: '{{ webhook.body.rows }}', steps: [cells], collect: '{{ broken' }
    const { id } = await create([
      rows,
      {
        id: 'again',
        kind: 'loop',
        while: '{{ false }}',
        steps: [{ ...inner, id: 'w', vars: { i: '{{ loop.index }}' } }],
      },
    ])
    const body = { webhook: { body: { rows: [{ n: 7, cells: [1, 2] }] } } }
    expect((await test(id, 'deep', body)).body).toMatchObject({ status: 'succeeded', output: { at: '7/0/2' } })
    expect((await test(id, 'w', body)).body).toMatchObject({ output: { i: 0 } })
    expect((await test(id, 'deep', { webhook: { body: { rows: [] } } })).body).toMatchObject({
      status: 'failed',
      error: { code: 'missing_value' },
    })
  })

  it('obeys the egress rules', async () => {
    const { id } = await create([{ ...call, url: `http://127.0.0.1:${millrace.port}/api/v1/flows` }])
    expect((await test(id, 'call')).body).toMatchObject({ status: 'failed', error: { code: 'blocked_address' } })
  })

  it('uses the latest sample and earlier results, and what is given before them', async () => {
    const flow = await create([
      call,
      { id: 'copy', kind: 'set', vars: { path: '{{ steps.call.body.path }}', who: "{{ webhook.headers['x-who'] }}" } },
    ])
    for (const n of [1, 2])
      await fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}/test`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-who': `sample ${n}` },
        body: JSON.stringify({ n }),
      })
    expect((await test(flow.id, 'call')).body.output.body.path).toBe('/2')
    expect((await test(flow.id, 'copy')).body.output).toEqual({ path: '/2', who: 'sample 2' })
    const given = { steps: { call: { body: { path: 'given' } } }, webhook: { headers: { 'X-Who': 'me' } } }
    expect((await test(flow.id, 'copy', given)).body.output).toEqual({ path: 'given', who: 'me' })
    // Data that is not given still comes from the sample.
    expect((await test(flow.id, 'call', { webhook: { headers: { a: 'b' } } })).body.output.body.path).toBe('/2')
    expect((await test(flow.id, 'copy', { webhook: { body: { n: 9 } } })).body.output.who).toBe('sample 2')
  })

  it('takes variables that are given, and those of set steps tested before', async () => {
    const { id } = await create([
      { id: 'keep', kind: 'set', vars: { a: 1 } },
      { id: 'use', kind: 'set', vars: { b: '{{ vars.a + 1 }}' } },
    ])
    expect((await test(id, 'use', { vars: { a: 40 } })).body.output).toEqual({ b: 41 })
    expect((await test(id, 'use')).body).toMatchObject({ status: 'failed', error: { code: 'missing_value' } })
    await test(id, 'keep')
    expect((await test(id, 'use')).body.output).toEqual({ b: 2 })
  })

  it('runs steps of every kind, also nested ones', async () => {
    const { id } = await create([
      {
        id: 'way',
        kind: 'branch',
        cases: [
          {
            when: '{{ webhook.body.go }}',
            steps: [{ id: 'inner', kind: 'fail', message: 'in {{ webhook.body.go }}' }],
          },
        ],
      },
      { id: 'say', kind: 'respond', body: { a: 1 } },
      { id: 'end', kind: 'stop' },
    ])
    const webhook = { body: { go: true } }
    expect((await test(id, 'way', { webhook })).body).toMatchObject({ status: 'succeeded', output: { case: 0 } })
    expect((await test(id, 'inner', { webhook })).body).toMatchObject({
      status: 'failed',
      error: { code: 'failed', message: 'in true' },
    })
    expect((await test(id, 'say')).body).toMatchObject({ status: 'succeeded', output: {} })
    expect((await test(id, 'end')).body).toMatchObject({ status: 'succeeded', output: null })
  })

  it('refuses a step that is not ready, one that is not there, and unknown keys', async () => {
    const { id } = await create([
      { id: 'call', kind: 'http', url: '' },
      { id: 'other', kind: 'fail', message: 'x' },
    ])
    expectIssues(await test(id, 'call'), [
      ['/steps/0/url', 'empty'],
      ['/steps/0/method', 'missing'],
    ])
    expect((await test(id, 'other')).body.status).toBe('failed')
    expectFailure(await test(id, 'nope'), 404, 'not_found')
    expectFailure(await test('nope', 'call'), 404, 'not_found')
    const unknown = await test(id, 'other', { webhok: {} })
    expect(unknown.status).toBe(400)
    expect(unknown.body).toMatchObject({ code: 'invalid_request', issues: [{ path: '/webhok', code: 'unknown_key' }] })
  })
})

describe('a test run of the draft', () => {
  it('runs what is saved, marked as a test, whatever is published', async () => {
    const { flow } = await millrace.publish(documentOf([{ id: 'mark', kind: 'set', vars: { from: 'published' } }]))
    await api(
      'PUT',
      `/flows/${flow.id}`,
      documentOf([{ id: 'mark', kind: 'set', vars: { from: 'draft', n: '{{ webhook.body.n }}' } }]),
    )
    const started = await api('POST', `/flows/${flow.id}/test`, { webhook: { body: { n: 5 }, query: { q: '1' } } })
    expect(started.status).toBe(202)
    expect(started.body).toMatchObject({
      flowId: flow.id,
      version: null,
      test: true,
      webhook: { query: { q: '1' }, metadata: { test: true } },
    })
    expect(await millrace.runEnded(started.body.id)).toMatchObject({
      status: 'succeeded',
      vars: { from: 'draft', n: 5 },
    })
    expect((await api('GET', `/flows/${flow.id}/deliveries`)).body.items).toEqual([])
  })

  it('is refused where the draft cannot run', async () => {
    const { id } = await create([{ id: 'a', kind: 'http', url: '' }])
    expectIssues(await api('POST', `/flows/${id}/test`), [
      ['/steps/0/url', 'empty'],
      ['/steps/0/method', 'missing'],
    ])
    expectFailure(await api('POST', '/flows/nope/test', {}), 404, 'not_found')
  })
})
