import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunView } from '../../src/operations/runs/read-runs.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream
let broken = new Set<string>()

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(broken.has(request.url) ? 500 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ n: upstream.received.length }))
  })
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const call = (path: string, more: object = {}) => ({
  id: path,
  kind: 'http',
  method: 'POST',
  url: `{{ env.UP }}/${path}`,
  body: { kind: 'json', value: '{{ webhook.body }}' },
  ...more,
})

async function failed(steps: object[]) {
  const published = await millrace.publish({ name: 'f', trigger: { kind: 'webhook' }, steps })
  const run = await millrace.runEnded((await published.post({ id: 7 }, { 'x-from': 'sender' })).body.id)
  return { ...published, run }
}

async function replay(id: string, body: object = {}): Promise<RunView> {
  const { status, body: begun } = await millrace.api('POST', `/runs/${id}/replay`, body)
  expect(status).toBe(202)
  expect(begun).toMatchObject({ replayOf: id, id: expect.stringMatching(/^run_/) })
  return millrace.runEnded(begun.id)
}

const urlsSince = (count: number) => upstream.received.slice(count).map((request) => request.url)

describe('replay', () => {
  it('runs the whole of it again, on what the delivery brought', async () => {
    broken = new Set(['/b'])
    const { run, flow } = await failed([
      call('a'),
      call('b'),
      { id: 'v', kind: 'set', vars: { of: '{{ run.replayOf }}' } },
    ])
    expect(run.status).toBe('failed')
    broken = new Set()
    const before = upstream.received.length
    const again = await replay(run.id)
    expect(again).toMatchObject({ status: 'succeeded', version: 1, flowId: flow.id, vars: { of: run.id } })
    expect(again.webhook).toEqual(run.webhook)
    expect(urlsSince(before)).toEqual(['/a', '/b'])
    // The original run never changes, except that it leads to its replay; and a replay is not a delivery.
    const replayedAs = { run: again.id, status: 'succeeded' }
    expect(await millrace.run(run.id)).toEqual({ ...run, replayedAs })
    expect((await millrace.api('GET', `/flows/${flow.id}/deliveries`)).body.items).toHaveLength(1)
  })

  it('begins with a step and takes everything before it from the journal', async () => {
    broken = new Set(['/b'])
    const { run } = await failed([
      call('a'),
      { id: 'v', kind: 'set', vars: { n: '{{ steps.a.body.n }}' } },
      call('b', { body: { kind: 'json', value: { n: '{{ vars.n }}' } } }),
    ])
    broken = new Set()
    const before = upstream.received.length
    const again = await replay(run.id, { from: 'b' })
    expect(again.status).toBe('succeeded')
    expect(urlsSince(before)).toEqual(['/b'])
    expect(JSON.parse(upstream.received.at(-1)!.body)).toEqual({
      n: (run.steps[0]!.output as { body: { n: number } }).body.n,
    })
    expect(again.steps.map((step) => step.path)).toEqual(['a', 'v', 'b'])
  })

  it('begins inside a branch, which keeps its decision, and inside a loop', async () => {
    broken = new Set(['/b'])
    const { run } = await failed([
      {
        id: 'way',
        kind: 'branch',
        cases: [{ when: '{{ webhook.body.id == 7 }}', steps: [call('a'), call('b'), call('c')] }],
      },
    ])
    broken = new Set(['/item-2'])
    const items = {
      id: 'items',
      kind: 'loop',
      each: [1, 2, 3],
      steps: [call('item', { url: '{{ env.UP }}/item-{{ loop.item }}' })],
    }
    const looped = (await failed([items])).run
    broken = new Set()
    let before = upstream.received.length
    expect((await replay(run.id, { from: 'way/b' })).status).toBe('succeeded')
    expect(urlsSince(before)).toEqual(['/b', '/c'])
    before = upstream.received.length
    expect((await replay(looped.id, { from: 'items[1]/item' })).status).toBe('succeeded')
    expect(urlsSince(before)).toEqual(['/item-2', '/item-3'])
  })

  it('runs on the same version, the published one or the draft', async () => {
    const { run, flow } = await failed([{ id: 'v', kind: 'set', vars: { of: 'one' } }])
    const document = (of: string) => ({
      name: 'f',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'v', kind: 'set', vars: { of } }],
    })
    await millrace.api('PUT', `/flows/${flow.id}`, document('two'))
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    await millrace.api('PUT', `/flows/${flow.id}`, document('three'))
    expect(await replay(run.id)).toMatchObject({ version: 1, vars: { of: 'one' } })
    expect(await replay(run.id, { version: 'published' })).toMatchObject({ version: 2, vars: { of: 'two' } })
    expect(await replay(run.id, { version: 'draft' })).toMatchObject({ version: null, vars: { of: 'three' } })
  })

  it('refuses what it cannot do, and says why', async () => {
    const { run, flow } = await failed([call('a')])
    const refused = async (id: string, body: object) => {
      const answer = await millrace.api('POST', `/runs/${id}/replay`, body)
      return [answer.status, answer.body.code]
    }
    expect(await refused('run_none', {})).toEqual([404, 'not_found'])
    expect(await refused(run.id, { from: 'nope' })).toEqual([400, 'invalid_request'])
    expect(await refused(run.id, { version: 'latest' })).toEqual([400, 'invalid_request'])
    await millrace.api('POST', `/flows/${flow.id}/unpublish`)
    expect(await refused(run.id, { version: 'published' })).toEqual([409, 'conflict'])
    await millrace.api('DELETE', `/flows/${flow.id}`)
    expect(await refused(run.id, {})).toEqual([404, 'not_found'])
  })
})
