// Failures grouped by their cause, many runs replayed or cancelled at once, and replays with changes, over the API.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = 'canary-of-the-failures-0123456789'
let millrace: Millrace
let upstream: Upstream
let isUp = false

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => {
    response.writeHead(isUp ? 200 : 503, { 'content-type': 'application/json' })
    response.end('{"ok":true}')
  })
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url, MILLRACE_ENV_KEY: SECRET })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const SEND = {
  id: 'send',
  kind: 'http',
  method: 'POST',
  url: '{{ env.UP }}/x',
  body: { kind: 'json', value: '{{ webhook.body }}' },
}
const REFUSE = { id: 'refuse', kind: 'fail', message: 'Order {{ webhook.body.n }} is refused' }
const published = (steps: object[], more: object = {}) =>
  millrace.publish({ name: 'f', trigger: { kind: 'webhook' }, steps, ...more })

async function failing(steps: object[], count: number) {
  isUp = false
  const flow = await published(steps)
  const runs: string[] = []
  for (let n = 0; n < count; n++) runs.push((await flow.post({ n })).body.id)
  for (const id of runs) expect((await millrace.runEnded(id)).status).toBe('failed')
  return { ...flow, runs }
}

const api = millraceApi()
function millraceApi() {
  return async (method: string, path: string, body?: object) => {
    const reply = await millrace.api(method, path, body)
    return { status: reply.status, body: reply.body }
  }
}
const failuresOf = async (flow: string, query = '') => (await api('GET', `/failures?flow=${flow}${query}`)).body.items

async function jobEnded(id: string) {
  const events = await openEvents(`${millrace.url}/api/v1/replays/${id}/events`)
  try {
    return (await events.next(({ type, data }) => type === 'replay' && data.finishedAt !== null)).data
  } finally {
    await events.close()
  }
}

describe('failures', () => {
  it('are grouped by their cause, without what differs, and lead to their runs', async () => {
    const { flow, runs } = await failing([REFUSE], 3)
    await failing([SEND], 1)
    const [group, ...others] = await failuresOf(flow.id)
    expect(others).toEqual([])
    expect(group).toMatchObject({
      flow: flow.id,
      flowName: 'f',
      step: 'refuse',
      status: null,
      message: 'Order … is refused',
      count: 3,
      versions: [1],
      latestRun: runs.toSorted().at(-1),
      state: 'open',
      until: null,
    })
    expect(group.hours).toHaveLength(72)
    expect(group.hours.reduce((sum: number, count: number) => sum + count)).toBe(3)
    expect((await api('GET', `/failures/${group.id}`)).body).toEqual(group)
    const listed = (await api('GET', `/runs?failure=${group.id}`)).body.items
    expect(listed.map(({ id }: { id: string }) => id).toSorted()).toEqual(runs.toSorted())
    expect((await api('GET', '/failures/fail_0')).status).toBe(404)
  })

  it('cut the host of the environment out of the message', async () => {
    const { flow } = await failing([SEND], 1)
    const [{ message, status, code }] = await failuresOf(flow.id)
    expect({ status, code }).toEqual({ status: 503, code: 'http_5xx' })
    expect(message).not.toContain('127')
  })

  it('are resolved, open again when they come back, and are muted until a time', async () => {
    const { flow, post } = await failing([REFUSE], 1)
    const [{ id }] = await failuresOf(flow.id)
    const put = (body: object) => api('PUT', `/failures/${id}`, body)
    expect((await put({ state: 'resolved' })).body.state).toBe('resolved')
    expect(await failuresOf(flow.id, '&state=open')).toEqual([])
    await millrace.runEnded((await post({ n: 9 })).body.id)
    expect(await failuresOf(flow.id, '&state=open')).toMatchObject([{ count: 2, state: 'open' }])
    expect((await put({ state: 'muted' })).status).toBe(400)
    expect((await put({ state: 'muted', until: '2020-01-01T00:00:00Z' })).status).toBe(400)
    expect((await put({ state: 'resolved', until: '2036-01-01T00:00:00Z' })).status).toBe(400)
    const until = '2036-01-01T00:00:00.000Z'
    expect((await put({ state: 'muted', until })).body).toMatchObject({ state: 'muted', until })
    const { items } = (await api('GET', '/audit?limit=5')).body
    expect(items[0]).toMatchObject({ action: 'failure.update', details: { state: 'muted', until } })
  })
})

describe('a bulk replay', () => {
  it('says first how many runs it takes, then replays each once, from the step that failed', async () => {
    const { flow, runs } = await failing([{ id: 'first', kind: 'set', vars: { a: 1 } }, SEND], 5)
    const [{ id: failure }] = await failuresOf(flow.id)
    const filter = { failure }
    const preview = await api('POST', '/replays', { filter, dryRun: true })
    expect(preview).toEqual({ status: 200, body: { total: 5, alreadyReplayed: 0 } })
    const several = { failure: [failure, failure, 'fail_0'] }
    expect((await api('POST', '/replays', { filter: several, dryRun: true })).body.total).toBe(5)
    isUp = true
    const sent = upstream.received.length
    const made = await api('POST', '/replays', { filter, pace: 1000 })
    expect(made).toMatchObject({ status: 202, body: { total: 5, request: { from: 'failed', version: 'same' } } })
    expect(await jobEnded(made.body.id)).toMatchObject({ state: 'done', total: 5, done: 5, failed: 0 })
    expect(upstream.received.length - sent).toBe(5)
    const replays = new Set<string>()
    for (const id of runs) {
      const { replayedAs } = (await api('GET', `/runs/${id}`)).body
      expect(replayedAs).toMatchObject({ status: 'succeeded' })
      const replay = (await api('GET', `/runs/${replayedAs.run}`)).body
      expect(replay).toMatchObject({ replayOf: id, vars: { a: 1 } })
      replays.add(replay.id)
    }
    expect(replays.size).toBe(5)
    // What succeeded is left out, except with `again`.
    expect((await api('POST', '/replays', { filter, dryRun: true })).body).toEqual({ total: 0, alreadyReplayed: 5 })
    const again = await api('POST', '/replays', { filter, dryRun: true, again: true })
    expect(again.body).toEqual({ total: 5, alreadyReplayed: 5 })
    expect((await api('GET', '/replays?limit=1')).body.items[0]).toMatchObject({ id: made.body.id, state: 'done' })
  })

  it('pauses, goes on and is cancelled', async () => {
    const { flow } = await failing([SEND], 2)
    isUp = true
    const { body: job } = await api('POST', '/replays', { filter: { flow: flow.id }, pace: 1 })
    const change = async (what: string) => (await api('POST', `/replays/${job.id}/${what}`)).body.state
    expect(await change('pause')).toBe('paused')
    expect(await change('pause')).toBe('paused')
    expect(await change('resume')).toBe('running')
    expect(await change('cancel')).toBe('cancelled')
    expect((await api('POST', `/replays/${job.id}/resume`)).status).toBe(409)
    const ended = await jobEnded(job.id)
    expect(ended).toMatchObject({ state: 'cancelled', total: 2 })
    expect(ended.done + ended.failed).toBe(ended.started)
  })

  it('counts what cannot be replayed, and says why', async () => {
    const { flow } = await failing([SEND], 2)
    await api('POST', `/flows/${flow.id}/unpublish`)
    const { body: job } = await api('POST', '/replays', { filter: { flow: flow.id }, version: 'published', pace: 1000 })
    expect(await jobEnded(job.id)).toMatchObject({ state: 'done', done: 0, failed: 2 })
    const { problems } = (await api('GET', `/replays/${job.id}`)).body
    expect(problems).toEqual([{ message: expect.stringContaining('not published'), count: 2 }])
  })

  it('waits with a paused flow', async () => {
    const { flow } = await failing([SEND], 1)
    isUp = true
    await api('POST', `/flows/${flow.id}/pause`)
    const { body: job } = await api('POST', '/replays', { filter: { flow: flow.id }, pace: 1000 })
    const events = await openEvents(`${millrace.url}/api/v1/replays/${job.id}/events`)
    expect((await events.next(({ data }) => data.started === 1)).data).toMatchObject({ state: 'running', done: 0 })
    await api('POST', `/flows/${flow.id}/resume`)
    expect((await events.next(({ data }) => data.finishedAt !== null)).data).toMatchObject({ done: 1 })
    await events.close()
  })

  it.each([
    [{ filter: {} }],
    [{ filter: { flow: 'x', status: 'running' } }],
    [{ filter: { flow: 'x' }, pace: 0 }],
    [{ filter: { since: 'yesterday' } }],
    [{ filter: { flow: 'x' }, from: { step: '' } }],
  ])('refuses %j', async (body) => {
    expect((await api('POST', '/replays', body)).status).toBe(400)
  })
})

describe('a bulk cancel', () => {
  it('cancels every run that matches and has not ended', async () => {
    const flow = await published([{ id: 'w', kind: 'wait', seconds: 600 }])
    const runs = [(await flow.post({ n: 1 })).body.id, (await flow.post({ n: 2 })).body.id]
    const filter = { flow: flow.flow.id }
    expect((await api('POST', '/runs/cancel', { filter: {} })).status).toBe(400)
    const dry = await api('POST', '/runs/cancel', { filter, dryRun: true })
    expect(dry.body).toEqual({ total: 2, cancelled: 0 })
    expect((await api('POST', '/runs/cancel', { filter })).body).toEqual({ total: 2, cancelled: 2 })
    for (const id of runs) expect((await api('GET', `/runs/${id}`)).body.status).toBe('cancelled')
    expect((await api('POST', '/runs/cancel', { filter })).body).toEqual({ total: 0, cancelled: 0 })
  })
})

describe('a replay with changes', () => {
  const SHOW = {
    id: 'show',
    kind: 'set',
    vars: {
      body: '{{ webhook.body }}',
      from: "{{ webhook.headers['x-from'] ?? null }}",
      q: '{{ webhook.query.q ?? null }}',
    },
  }
  const replay = async (id: string, body: object) => {
    const begun = await api('POST', `/runs/${id}/replay`, body)
    expect(begun.status).toBe(202)
    return millrace.runEnded(begun.body.id)
  }

  it('changes parts of the delivery; the others stay, and the run and the audit log say so', async () => {
    const flow = await published([SHOW])
    const { id } = (await flow.post({ n: 1 }, { 'x-from': 'sender' })).body
    await millrace.runEnded(id)
    const changed = await replay(id, { webhook: { body: { n: 2 } } })
    expect(changed).toMatchObject({ edited: true, replayOf: id, vars: { body: { n: 2 }, from: 'sender' } })
    const both = await replay(id, {
      webhook: { headers: { 'X-From': 'me', 'content-type': 'application/json' }, query: { q: 'z' } },
    })
    expect(both.vars).toEqual({ body: { n: 1 }, from: 'me', q: 'z' })
    const { items } = (await api('GET', '/audit?limit=1')).body
    expect(items[0]).toMatchObject({ action: 'run.replay', details: { webhook: ['headers', 'query'] } })
    expect((await replay(id, {})).edited).toBeUndefined()
    // A replay of changed data has changed data.
    expect((await replay(changed.id, {})).edited).toBe(true)
  })

  it('takes results of steps as given', async () => {
    const { runs } = await failing(
      [SEND, { id: 'after', kind: 'set', vars: { got: '{{ steps.send.body.total }}' } }],
      1,
    )
    const sent = upstream.received.length
    const run = await replay(runs[0]!, { steps: { send: { status: 200, body: { total: 7 } } } })
    expect(run).toMatchObject({ status: 'succeeded', edited: true })
    expect(run.steps[0]!.logs[0]).toContain('Given')
    expect(upstream.received.length).toBe(sent)
    expect((await api('POST', `/runs/${runs[0]}/replay`, { steps: { nothing: 1 } })).status).toBe(404)
    expect((await api('POST', `/runs/${runs[0]}/replay`, { steps: { 'all[1]/send': 1 } })).status).toBe(400)
  })

  it('runs on the version that is asked for', async () => {
    const flow = await published([SHOW])
    const { id } = (await flow.post({ n: 1 })).body
    await millrace.runEnded(id)
    const document = { name: 'f', trigger: { kind: 'webhook' }, steps: [{ ...SHOW, vars: { two: 2 } }] }
    await api('PUT', `/flows/${flow.flow.id}`, document)
    await api('POST', `/flows/${flow.flow.id}/publish`)
    expect(await replay(id, { version: 2 })).toMatchObject({ version: 2, vars: { two: 2 } })
    expect(await replay(id, { version: 1 })).toMatchObject({ version: 1 })
    expect((await api('POST', `/runs/${id}/replay`, { version: 3 })).status).toBe(404)
  })

  it('reads no secret out: what is sent back masked stays masked', async () => {
    const flow = await published([{ ...SHOW, vars: { key: '{{ webhook.body.key }}', uses: '{{ env.KEY.length }}' } }])
    const { id } = (await flow.post({ key: SECRET, other: 1 })).body
    const run = await millrace.runEnded(id)
    const masked = (run.webhook.body as { key: string }).key
    expect(masked).not.toContain('canary')
    const kept = await replay(id, { webhook: { query: { q: '1' } } })
    expect(JSON.stringify(kept)).not.toContain(SECRET)
    const literal = await replay(id, { webhook: { body: { key: masked, other: 2 } } })
    expect(literal.vars['key']).toBe(masked)
    expect(JSON.stringify(literal)).not.toContain(SECRET)
  })

  it('refuses a webhook for a run that no delivery started, and text in place of nothing', async () => {
    const flow = await millrace.publish({
      name: 'c',
      trigger: { kind: 'call' },
      steps: [SHOW].map((step) => ({ ...step, vars: { a: 1 } })),
    })
    const { body } = await api('POST', `/flows/${flow.flow.id}/runs`, {})
    await millrace.runEnded(body.id)
    expect((await api('POST', `/runs/${body.id}/replay`, { webhook: { body: 1 } })).status).toBe(400)
    expect((await api('POST', `/runs/${body.id}/replay`, { webhook: {} })).status).toBe(400)
  })
})

describe('labels', () => {
  const failed = (order: string) => ({ filter: { status: 'failed', label: { order } }, dryRun: true })

  it('choose failures, and the runs that are replayed or cancelled', async () => {
    const trigger = { kind: 'webhook', labels: { order: '{{ webhook.body.order }}' } }
    const flow = await published([REFUSE], { trigger })
    for (const order of ['A-7', 'A-8', 'A-8']) await millrace.runEnded((await flow.post({ order, n: 1 })).body.id)
    expect(await failuresOf(flow.flow.id, '&label.order=A-8')).toMatchObject([{ count: 3 }])
    expect(await failuresOf(flow.flow.id, '&label.order=A-9')).toEqual([])
    expect(await failuresOf(flow.flow.id, '&label.order=A-8&label.other=1')).toEqual([])
    expect((await api('POST', '/replays', failed('A-8'))).body).toEqual({ total: 2, alreadyReplayed: 0 })
    expect((await api('POST', '/replays', failed('A-9'))).body).toEqual({ total: 0, alreadyReplayed: 0 })
    expect((await api('POST', '/runs/cancel', { filter: { label: { order: 'A-8' } }, dryRun: true })).status).toBe(200)
    expect((await api('POST', '/replays', { filter: { label: {} }, dryRun: true })).status).toBe(400)
  })

  it('are made again of a changed delivery, and else stay', async () => {
    const trigger = { kind: 'webhook', labels: { order: '{{ webhook.body.order }}' } }
    const flow = await published([{ id: 'note', kind: 'set', vars: { a: 1 } }], { trigger })
    const { id } = (await flow.post({ order: 'B-1' })).body
    await millrace.runEnded(id)
    const replay = async (body: object) => (await api('POST', `/runs/${id}/replay`, body)).body.labels
    expect(await replay({})).toEqual({ order: 'B-1' })
    expect(await replay({ webhook: { body: { order: 'B-2' } } })).toEqual({ order: 'B-2' })
  })
})
