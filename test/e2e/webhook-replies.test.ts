// Tests what the caller of a webhook is told, and when: response modes, test requests, dedupe, filters, types and order.
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Gate, startGate } from '../harness/gate.ts'
import { deliveries, expectFailure, runsOf } from '../harness/inbox.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream
let gate: Gate

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(request.url === '/missing' ? 404 : 200, { 'content-type': 'application/json' })
    response.end('{"total":7}')
  })
  gate = await startGate()
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url, MILLRACE_ENV_GATE: gate.url })
})
afterAll(async () => {
  gate.open()
  await millrace.stop()
  await upstream.close()
  await gate.close()
})

const flowWith = (trigger: object, steps: object[] = []): Promise<PublishedFlow> =>
  millrace.publish({ name: 'Replies', trigger: { kind: 'webhook', ...trigger }, steps })

const call = { id: 'call', kind: 'http', method: 'GET', url: '{{ env.UP }}/orders' }
const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}/{{ webhook.body.n ?? 0 }}' }
const success = (id: unknown) => ({ status: 'success', message: 'Webhook received', id })

describe('immediate', () => {
  it('is the default: 200 with the id of the run, before the run is done', async () => {
    const { post } = await flowWith({}, [held])
    const answer = await post({})
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(answer.body).toEqual(success(expect.stringMatching(/^run_/)))
    expect((await millrace.run(answer.body.id)).finishedAt).toBeNull()
    await gate.letOne()
    expect((await millrace.runEnded(answer.body.id)).status).toBe('succeeded')
  })

  it('takes status, headers and body with templates over webhook, run and flow', async () => {
    const { flow, post } = await flowWith({
      response: {
        mode: 'immediate',
        status: 201,
        headers: [
          { name: 'X-Order', value: '{{ webhook.body.id }}' },
          { name: 'X-Many', value: 'a' },
          { name: 'X-Many', value: 'b' },
        ],
        body: {
          got: '{{ webhook.body }}',
          run: '{{ run.id }}',
          text: 'flow {{ flow.name }} v{{ flow.version }}',
          n: 1,
        },
      },
    })
    const answer = await post({ id: 42 })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('x-order')).toBe('42')
    expect(answer.headers.get('x-many')).toBe('a, b')
    const [run] = await runsOf(millrace, flow.id)
    expect(answer.body).toEqual({ got: { id: 42 }, run: run!.id, text: 'flow Replies v1', n: 1 })
  })

  it('takes the status from a template', async () => {
    const { post } = await flowWith({ response: { status: '{{ webhook.body.status }}', body: null } })
    expect(await post({ status: 418 })).toMatchObject({ status: 418, body: null })
  })

  it('falls back to the default where a template has no value, and the delivery is kept all the same', async () => {
    const { flow, post } = await flowWith({ response: { status: 201, body: '{{ webhook.body.missing }}' } })
    const answer = await post({})
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual(success((await runsOf(millrace, flow.id))[0]!.id))
  })

  it.each([
    ['a list', [1, '{{ webhook.body.a }}'], [1, 'x']],
    ['null', null, null],
    ['a text, as JSON', 'plain', 'plain'],
    ['a number', 5, 5],
  ])('sends %s', async (_what, body, expected) => {
    const { post } = await flowWith({ response: { body } })
    const answer = await post({ a: 'x' })
    expect(answer.body).toEqual(expected)
    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
  })

  it('sends no body with 204', async () => {
    const { post } = await flowWith({ response: { status: 204 } })
    expect(await post({})).toMatchObject({ status: 204, body: '' })
  })
})

describe('finished', () => {
  it('answers with a large body, and takes the next delivery on the same connection', async () => {
    const { flow } = await flowWith({ response: { mode: 'finished', body: '{{ webhook.body }}' } })
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `é "${n}"`, list: [[], {}, null] }))
    for (const sent of [rows, { text: '\n😀'.repeat(100_000) }, { small: true }]) {
      const body = JSON.stringify(sent)
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(flow.webhook!.url, { method: 'POST', headers, body })
      expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(body)))
      expect((await answer.text()) === body).toBe(true)
    }
  })

  it('answers after the run with templates over its steps and variables', async () => {
    const { post } = await flowWith(
      {
        response: {
          mode: 'finished',
          status: 202,
          body: { total: '{{ steps.call.body.total }}', twice: '{{ vars.twice }}' },
        },
      },
      [call, { id: 'calc', kind: 'set', vars: { twice: '{{ steps.call.body.total * 2 }}' } }],
    )
    expect(await post({})).toMatchObject({ status: 202, body: { total: 7, twice: 14 } })
  })

  it('answers the default with the id of the run', async () => {
    const answer = await (await flowWith({ response: { mode: 'finished' } }, [call])).post({})
    expect(answer.body).toEqual(success(expect.stringMatching(/^run_/)))
    expect((await millrace.run(answer.body.id)).status).toBe('succeeded')
  })

  it('answers what a respond step says as soon as it says it, while the run goes on', async () => {
    const { flow, post } = await flowWith({ response: { mode: 'finished', body: 'not this' } }, [
      {
        id: 'say',
        kind: 'respond',
        status: 203,
        headers: [{ name: 'X-A', value: 'b' }],
        body: { n: '{{ webhook.body.n }}' },
      },
      held,
    ])
    const answer = await post({ n: 5 })
    expect(answer).toMatchObject({ status: 203, body: { n: 5 } })
    expect(answer.headers.get('x-a')).toBe('b')
    const [run] = await runsOf(millrace, flow.id)
    expect((await millrace.run(run!.id)).finishedAt).toBeNull()
    await gate.letOne()
    expect((await millrace.runEnded(run!.id)).status).toBe('succeeded')
  })

  it('counts the first respond step only, and not the failure after it', async () => {
    const { flow, post } = await flowWith({ response: { mode: 'finished' } }, [
      { id: 'one', kind: 'respond', body: 1 },
      { id: 'two', kind: 'respond', body: 2 },
      { id: 'no', kind: 'fail', message: 'late' },
    ])
    expect(await post({})).toMatchObject({ status: 200, body: 1 })
    const [run] = await runsOf(millrace, flow.id)
    expect((await millrace.runEnded(run!.id)).status).toBe('failed')
  })

  it('ends with stop as a success', async () => {
    const { post } = await flowWith({ response: { mode: 'finished' } }, [
      { id: 'enough', kind: 'stop' },
      { id: 'no', kind: 'fail', message: 'never' },
    ])
    expect((await post({})).status).toBe(200)
  })

  it('answers a failed run with 500, the message and the id', async () => {
    const answer = await (
      await flowWith({ response: { mode: 'finished' } }, [
        { id: 'no', kind: 'fail', message: 'No {{ webhook.body.a }}' },
      ])
    ).post({ a: 'stock' })
    expect(answer.status).toBe(500)
    expect(answer.body).toEqual({ status: 'error', message: 'No stock', id: expect.stringMatching(/^run_/) })
    expect(await millrace.run(answer.body.id)).toMatchObject({
      status: 'failed',
      error: { code: 'failed', message: 'No stock', step: 'no' },
    })
  })

  it('answers a failed run as configured, with the error root', async () => {
    const body = {
      code: '{{ error.code }}',
      step: '{{ error.step }}',
      status: '{{ error.status }}',
      message: '{{ error.message }}',
    }
    const { post } = await flowWith({ response: { mode: 'finished', error: { status: 424, body } } }, [
      { ...call, url: '{{ env.UP }}/missing' },
    ])
    const answer = await post({})
    expect(answer.status).toBe(424)
    expect(answer.body).toEqual({ code: 'http_404', step: 'call', status: 404, message: expect.stringMatching(/404/) })
  })

  it('answers 202 when the time is up, and the run goes on', async () => {
    const { post } = await flowWith({ response: { mode: 'finished', timeout: 0.05, status: 299 } }, [held])
    const answer = await post({})
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ status: 'accepted', message: 'Still running', id: expect.stringMatching(/^run_/) })
    await gate.letOne()
    expect((await millrace.runEnded(answer.body.id)).status).toBe('succeeded')
  })

  it('answers the caller whose run is cancelled', async () => {
    const { flow, post } = await flowWith({ response: { mode: 'finished' } }, [held])
    const answer = post({})
    await heldRun()
    const [run] = await runsOf(millrace, flow.id)
    await millrace.api('POST', `/runs/${run!.id}/cancel`)
    expect(await answer).toMatchObject({ status: 500, body: { status: 'error', id: run!.id } })
    await gate.letOne()
  })

  it('answers the caller whose flow is deleted', async () => {
    const { flow, post } = await flowWith({ response: { mode: 'finished' } }, [held])
    const answer = post({})
    await heldRun()
    const [run] = await runsOf(millrace, flow.id)
    expect((await millrace.api('DELETE', `/flows/${flow.id}`)).status).toBe(204)
    expect(await answer).toMatchObject({ status: 500, body: { status: 'error', id: run!.id } })
    expect((await millrace.run(run!.id)).status).toBe('cancelled')
    await gate.letOne()
  })
})

/** Resolves when the gate holds a request. */
const heldRun = async (): Promise<void> => {
  const before = gate.received.length
  if (gate.held() === 0) await gate.count(before + 1)
}

describe('the test URL', () => {
  const testPost = async (id: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> => {
    const response = await fetch(`${millrace.url}/api/v1/webhooks/${id}/test?from=here`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
  const draft = async (trigger: object = {}) =>
    (await millrace.api('POST', '/flows', { name: 'Draft', trigger: { kind: 'webhook', ...trigger }, steps: [] })).body

  it('takes requests for a draft, keeps them as samples and starts nothing', async () => {
    const flow = await draft()
    const answer = await testPost(flow.webhook.id, { n: 1 })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      status: 'success',
      message: 'Test request received',
      id: expect.stringMatching(/^smp_/),
    })
    const { items } = (await millrace.api('GET', `/flows/${flow.id}/samples`)).body
    expect(items).toMatchObject([
      {
        id: answer.body.id,
        receivedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
        webhook: {
          body: { n: 1 },
          rawBody: '{"n":1}',
          query: { from: 'here' },
          metadata: { test: true, requestId: answer.headers.get('x-request-id') },
        },
      },
    ])
    expect(await runsOf(millrace, flow.id)).toEqual([])
  })

  it('keeps the last 20, newest first', async () => {
    const flow = await draft()
    for (let n = 1; n <= 23; n++) expect((await testPost(flow.webhook.id, { n })).status).toBe(200)
    const { items } = (await millrace.api('GET', `/flows/${flow.id}/samples`)).body
    expect(items.map(({ webhook }: { webhook: { body: { n: number } } }) => webhook.body.n)).toEqual(
      Array.from({ length: 20 }, (_, i) => 23 - i),
    )
  })

  it('makes the same checks as the webhook', async () => {
    const flow = await draft({ auth: { kind: 'header', name: 'x-key', value: 'secret-value' } })
    expectFailure(await testPost(flow.webhook.id, {}), 401, 'unauthorized')
    const key = { 'x-key': 'secret-value' }
    expectFailure(await testPost(flow.webhook.id, {}, { ...key, 'content-type': 'text/plain' }), 400, 'bad_request')
    expectFailure(await testPost(flow.webhook.id, '{', key), 400, 'bad_request')
    expectFailure(await testPost('A'.repeat(32), {}), 404, 'webhook_not_found')
    expect((await testPost(flow.webhook.id, {}, key)).status).toBe(200)
    const samples = (await millrace.api('GET', `/flows/${flow.id}/samples`)).body
    expect(samples.items).toHaveLength(1)
    expect(JSON.stringify(samples)).not.toContain('secret-value')
  })

  it('refuses requests for a draft whose trigger is unfinished, and keeps no secret of theirs', async () => {
    const auth = { kind: 'header', name: 'x-key', value: 'secret-value' }
    const flow = await draft({ auth, accept: ['image'] })
    const refused = await testPost(flow.webhook.id, {}, { 'x-key': 'secret-value' })
    expectFailure(refused, 400, 'bad_request')
    const message = "The draft's trigger cannot take requests yet; the editor shows why."
    expect(refused.body.message).toBe(message)
    const kept = await vi.waitFor(async () => {
      const inbox = await deliveries(millrace, flow.id)
      expect(inbox).toHaveLength(1)
      return inbox
    }, 5000)
    expect(kept).toMatchObject([{ outcome: 'rejected', code: 'bad_request', webhook: { query: { from: '[masked]' } } }])
    expect(JSON.stringify(kept)).not.toContain('secret-value')
  })

  it('serves the draft, also beside a published version', async () => {
    const { flow } = await flowWith({})
    const changed = { name: 'Replies', trigger: { kind: 'webhook', accept: ['text/plain'] }, steps: [] }
    await millrace.api('PUT', `/flows/${flow.id}`, changed)
    expect((await testPost(flow.webhook.id, 'text', { 'content-type': 'text/plain' })).status).toBe(200)
    expectFailure(await testPost(flow.webhook.id, {}), 400, 'bad_request')
  })
})

describe('dedupe', () => {
  const dedupe = { key: "{{ webhook.headers['x-delivery'] }}", window: 60 }
  const modes = [{}, { mode: 'finished' }, { mode: 'immediate', status: 201, body: { id: '{{ run.id }}' } }]

  it.each(modes)('starts one run for 20 concurrent deliveries of one key: %j', async (response) => {
    const { flow, post } = await flowWith({ dedupe, response }, [call])
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({}, { 'x-delivery': 'one' })))
    const runs = await runsOf(millrace, flow.id)
    expect(runs).toHaveLength(1)
    expect(new Set(answers.map(({ body }) => body.id))).toEqual(new Set([runs[0]!.id]))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([response.status ?? 200]))
    const outcomes = (await deliveries(millrace, flow.id)).map(({ outcome, runId }) => [outcome, runId])
    expect(outcomes.filter(([outcome]) => outcome === 'accepted')).toHaveLength(1)
    expect(outcomes.filter(([outcome, runId]) => outcome === 'duplicate' && runId === runs[0]!.id)).toHaveLength(19)
  })

  it('answers a duplicate at once while the first run is still under way', async () => {
    const { post } = await flowWith({ dedupe, response: { mode: 'finished' } }, [held])
    const first = post({}, { 'x-delivery': 'slow' })
    await heldRun()
    const second = await post({}, { 'x-delivery': 'slow' })
    expect(second.status).toBe(200)
    await gate.letOne()
    expect(second.body).toEqual(success((await first).body.id))
  })

  it('does not deduplicate a missing or empty key, nor different ones, nor another flow', async () => {
    const { flow, post } = await flowWith({ dedupe })
    const other = await flowWith({ dedupe })
    for (const headers of [{}, {}, { 'x-delivery': '' }, { 'x-delivery': 'a' }, { 'x-delivery': 'A' }])
      expect((await post({}, headers as Record<string, string>)).status).toBe(200)
    expect(await runsOf(millrace, flow.id)).toHaveLength(5)
    await other.post({}, { 'x-delivery': 'a' })
    expect(await runsOf(millrace, other.flow.id)).toHaveLength(1)
  })

  it('tells long keys apart, and takes numbers and objects', async () => {
    const { flow, post } = await flowWith({ dedupe: { key: '{{ webhook.body.key }}' } })
    const keys = ['x'.repeat(5000), `${'x'.repeat(4999)}y`, 1, 0, false, { a: 1 }, { a: 2 }]
    for (const key of [...keys, ...keys]) await post({ key })
    expect(await runsOf(millrace, flow.id)).toHaveLength(keys.length)
  })

  it('tells a text from another value that is written alike, and from the way in which keys are kept', async () => {
    const { flow, post } = await flowWith({ dedupe: { key: '{{ webhook.body.key }}' } })
    const long = 'x'.repeat(300)
    const longList = Array.from({ length: 100 }, (_, i) => i)
    const digest = (text: string) => `sha256:${createHash('sha256').update(text).digest('hex')}`
    const values = [1, '1', true, 'true', { a: 1 }, '{"a":1}', 'json:1', 'json:"1"']
    const digests = [long, longList].flatMap((value) => [value, JSON.stringify(value), digest(JSON.stringify(value))])
    const keys = [...values, ...digests, digest(long), digest(JSON.stringify(digest(JSON.stringify(long))))]
    for (const key of [...keys, ...keys]) await post({ key })
    expect(await runsOf(millrace, flow.id)).toHaveLength(keys.length)
  })

  // This test reads the file of the embedded database.
  const embedded = it.skipIf(process.env['TEST_STORAGE'] === 'postgres')
  embedded('keeps texts as they were kept before, so that an upgrade starts nothing twice', async () => {
    const { post } = await flowWith({ dedupe: { key: '{{ webhook.body.key }}' } })
    const long = 'y'.repeat(300)
    for (const key of ['order-7', long]) await post({ key })
    const db = new DatabaseSync(join(millrace.dataDir, 'millrace.db'), { timeout: 5000 })
    const kept = db
      .prepare('select key from dedupe')
      .all()
      .map(({ key }) => key)
    db.close()
    expect(kept).toContain('order-7')
    expect(kept).toContain(`sha256:${createHash('sha256').update(JSON.stringify(long)).digest('hex')}`)
  })

  it('starts a new run once the window is over', async () => {
    const { flow, post } = await flowWith({ dedupe: { ...dedupe, window: 0.3 } })
    const ids = new Set<string>()
    while (ids.size < 2) ids.add((await post({}, { 'x-delivery': 'again' })).body.id)
    expect(await runsOf(millrace, flow.id)).toHaveLength(2)
  })
})

describe('when', () => {
  it('answers success with the id of the delivery, keeps it as filtered and starts nothing', async () => {
    const { flow, post } = await flowWith({ when: '{{ webhook.body.total > 100 }}' })
    const filtered = await post({ total: 5 })
    expect(filtered.status).toBe(200)
    expect(filtered.body).toEqual(success(expect.stringMatching(/^dlv_/)))
    expect(await runsOf(millrace, flow.id)).toEqual([])
    expect(await deliveries(millrace, flow.id)).toMatchObject([
      { id: filtered.body.id, outcome: 'filtered', code: null, status: 200, runId: null },
    ])
    expect((await post({ total: 500 })).body.id).toMatch(/^run_/)
  })

  it('takes a missing value for false', async () => {
    const { flow, post } = await flowWith({ when: '{{ webhook.body.wanted }}' })
    await post({})
    expect(await runsOf(millrace, flow.id)).toEqual([])
  })

  it('comes before dedupe: a filtered delivery uses up no key', async () => {
    const { flow, post } = await flowWith({
      when: '{{ webhook.body.go }}',
      dedupe: { key: '{{ webhook.body.key }}' },
    })
    await post({ key: 'a', go: false })
    expect((await post({ key: 'a', go: true })).body.id).toMatch(/^run_/)
    expect(await runsOf(millrace, flow.id)).toHaveLength(1)
  })
})

describe('accept', () => {
  const accept = ['application/*+json', 'application/x-www-form-urlencoded', 'text/*', 'application/xml']

  it.each([
    ['application/vnd.api+json', '{"a":[1]}', { a: [1] }],
    ['application/x-www-form-urlencoded', 'a=1&b=x+y&a=%C3%A4', { a: 'ä', b: 'x y' }],
    ['text/plain', 'plain {', 'plain {'],
    ['text/csv; header=present', 'a,b\n1,2', 'a,b\n1,2'],
    ['application/xml', '<a>b</a>', '<a>b</a>'],
    ['text/xml; charset=utf-8', '<a/>', '<a/>'],
  ])('reads %s', async (type, body, expected) => {
    const { post } = await flowWith({ accept })
    const answer = await post(body, { 'content-type': type })
    expect(answer.status).toBe(200)
    const { webhook } = await millrace.runEnded(answer.body.id)
    expect(webhook.body).toEqual(expected)
    expect(webhook.rawBody).toBe(body)
    expect(webhook.metadata.contentType).toBe(type)
  })

  it('takes only what is listed, and holds +json to its word', async () => {
    const { post } = await flowWith({ accept })
    for (const type of [
      'application/json',
      'application/octet-stream',
      'application/+json',
      'text/',
      'multipart/form-data',
    ])
      expectFailure(await post('{}', { 'content-type': type }), 400, 'bad_request')
    expectFailure(await post('{', { 'content-type': 'application/problem+json' }), 400, 'bad_request')
  })
})

describe('concurrency of a flow', () => {
  it('runs at most so many at once, in the order of arrival', async () => {
    const { flow, post } = await flowWith({ concurrency: 2 }, [held])
    const ids: string[] = []
    for (let n = 0; n < 6; n++) ids.push((await post({ n })).body.id)
    const order: string[] = []
    const before = gate.received.length - gate.held()
    for (let done = 0; done < 6; done++) {
      await gate.count(before + Math.min(6, done + 2))
      expect(gate.held()).toBeLessThanOrEqual(2)
      order.push((await gate.letOne()).url)
    }
    expect(order).toEqual(['/0', '/1', '/2', '/3', '/4', '/5'])
    for (const id of ids) expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect(await runsOf(millrace, flow.id)).toHaveLength(6)
  })

  it('does not let one flow hold up another', async () => {
    const slow = await flowWith({ concurrency: 1 }, [held])
    const id = (await slow.post({})).body.id
    await slow.post({})
    const quick = await flowWith({ response: { mode: 'finished' } }, [call])
    expect((await quick.post({})).status).toBe(200)
    await gate.letOne()
    await millrace.runEnded(id)
    await gate.letOne()
  })
})

describe('a webhook that is taken away', () => {
  it('is 404 at once after unpublish, and back after publish', async () => {
    const { flow, post } = await flowWith({})
    const unpublished = await millrace.api('POST', `/flows/${flow.id}/unpublish`)
    expect(unpublished.body).toMatchObject({ status: 'draft', published: null })
    expectFailure(await post({}), 404, 'webhook_not_found')
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    expect((await post({})).status).toBe(200)
  })

  it('is 404 at once after it was regenerated, and the new URL answers', async () => {
    const { flow, post } = await flowWith({})
    const { body } = await millrace.api('POST', `/flows/${flow.id}/webhook/regenerate`)
    expect(body.webhook.id).not.toBe(flow.webhook.id)
    expect(body.webhook.url).toBe(flow.webhook.url.replace(flow.webhook.id, body.webhook.id))
    expectFailure(await post({}), 404, 'webhook_not_found')
    const response = await fetch(`${millrace.url}/api/v1/webhooks/${body.webhook.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    expect(response.status).toBe(200)
  })

  it('is 404 at once after its flow was deleted, whose finished runs stay', async () => {
    const { flow, post } = await flowWith({})
    const { id } = (await post({})).body
    await millrace.runEnded(id)
    expect((await millrace.api('DELETE', `/flows/${flow.id}`)).status).toBe(204)
    expectFailure(await post({}), 404, 'webhook_not_found')
    expect((await millrace.run(id)).status).toBe('succeeded')
  })
})
