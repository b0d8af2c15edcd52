// Tests how Test Step runs the rounds of a loop, and what results that are pinned to steps do: docs/api.md#testing
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, documentOf, type Managed, startManaged } from '../harness/management.ts'

let managed: Managed
let api: Managed['api']
let create: Managed['create']
beforeAll(async () => {
  managed = await startManaged()
  ;({ api, create } = managed)
})
afterAll(() => managed.stop())

const test = (id: string, step: string, body?: unknown) => api('POST', `/flows/${id}/steps/${step}/test`, body)
const set = (id: string, vars: object) => ({ id, kind: 'set', vars })
const items = Array.from({ length: 50 }, (_, i) => i)
const given = { webhook: { body: { items } } }
const received = () => managed.upstream.received.length

describe('Test Step on a loop', () => {
  const each = (steps: object[], more: object = {}) => ({
    id: 'all',
    kind: 'loop',
    each: '{{ webhook.body.items }}',
    steps,
    ...more,
  })

  it('runs the first rounds for real: three, or as many as it is told', async () => {
    const send = { ...call, url: '{{ env.UP }}/{{ loop.item }}' }
    const { id } = await create([each([send], { collect: '{{ steps.call.body.path }} of {{ loop.count }}' })])
    const before = received()
    expect((await test(id, 'all', given)).body).toMatchObject({
      status: 'succeeded',
      input: { count: 50 },
      output: { count: 3, results: ['/0 of 50', '/1 of 50', '/2 of 50'], errors: [] },
    })
    expect(received()).toBe(before + 3)
    expect((await test(id, 'all', { ...given, rounds: 5 })).body.output.count).toBe(5)
    expect(received()).toBe(before + 8)
    expect((await api('GET', `/flows/${id}/test-results`)).body.steps.call).toMatchObject({ body: { path: '/4' } })
    expect((await test(id, 'all', { ...given, rounds: 0 })).status).toBe(400)
    expect((await test(id, 'all', { ...given, rounds: 101 })).status).toBe(400)
  })

  it('fails with a round, or lists the rounds that failed', async () => {
    const send = { ...call, url: '{{ env.UP }}/status/{{ loop.index == 1 ? 500 : 200 }}' }
    const failing = await create([each([send])])
    expect((await test(failing.id, 'all', given)).body).toMatchObject({
      status: 'failed',
      error: { code: 'http_500', step: 'call' },
    })
    const going = await create([each([send], { onError: 'continue' })])
    expect((await test(going.id, 'all', given)).body).toMatchObject({
      status: 'succeeded',
      output: { count: 3, errors: [{ index: 1, error: { code: 'http_500' } }] },
    })
  })

  it('runs what is inside: branches, variables, waits, other loops, and rounds while a condition holds', async () => {
    const inner = {
      id: 'twice',
      kind: 'loop',
      each: [1, 2],
      steps: [set('add', { sum: '{{ vars.sum + loop.item }}' })],
    }
    const way = {
      id: 'way',
      kind: 'branch',
      cases: [{ when: '{{ loop.index < 2 }}', steps: [{ id: 'pause', kind: 'wait', seconds: 900 }, inner] }],
    }
    const again = { id: 'again', kind: 'loop', while: '{{ true }}', steps: [way], collect: '{{ vars.sum }}' }
    const { id } = await create([set('start', { sum: 0 }), again])
    await test(id, 'start')
    expect((await test(id, 'again', { rounds: 4 })).body).toMatchObject({
      status: 'succeeded',
      output: { count: 4, results: [3, 6, 6, 6] },
    })
  })

  it('ends with a stop inside it', async () => {
    const { id } = await create([each([{ id: 'end', kind: 'stop' }])])
    expect((await test(id, 'all', given)).body).toMatchObject({ status: 'succeeded', output: null })
  })
})

it('Test Step gives what code wrote to the console', async () => {
  const code = {
    id: 'work',
    kind: 'code',
    code: 'export default ({ n }) => {\n  console.log("hello", n)\n  return n\n}',
    input: { n: 7 },
  }
  const { id } = await create([code, { id: 'all', kind: 'loop', each: [1], steps: [{ ...code, id: 'inside' }] }])
  expect((await test(id, 'work')).body).toMatchObject({ output: 7, logs: ['hello 7'] })
  expect((await test(id, 'all')).body.logs).toEqual(['all[0]/inside: hello 7'])
})

describe('a pinned result', () => {
  const use = set('use', { total: '{{ steps.call.body.total }}' })
  const pin = (id: string, step: string, output: unknown) => api('PUT', `/flows/${id}/steps/${step}/pin`, { output })
  const finished = async (run: string) => {
    await expect.poll(async () => (await api('GET', `/runs/${run}`)).body.status).toBe('succeeded')
    return (await api('GET', `/runs/${run}`)).body
  }

  it('is used by the tests of later steps and of the flow, and can be unpinned', async () => {
    const flow = await create([{ ...call, url: '{{ env.UP }}/real' }, use])
    const { id } = flow
    expect((await pin(id, 'call', { status: 200, body: { total: 12 } })).status).toBe(204)
    expect((await api('GET', `/flows/${id}/test-results`)).body).toMatchObject({
      steps: { call: { body: { total: 12 } } },
      pinned: ['call'],
    })
    const before = received()
    expect((await test(id, 'use')).body.output).toEqual({ total: 12 })
    const run = await finished((await api('POST', `/flows/${id}/test`, {})).body.id)
    expect(run.steps[0]).toMatchObject({ id: 'call', output: { body: { total: 12 } }, input: null })
    expect(run.steps[0].logs[0]).toMatch(/^Pinned/)
    expect(run.vars).toEqual({ total: 12 })
    expect(received()).toBe(before)

    expect((await test(id, 'call', {})).body.output.body.path).toBe('/real')
    expect((await test(id, 'use')).body.output).toEqual({ total: 12 })

    expect((await api('DELETE', `/flows/${id}/steps/call/pin`)).status).toBe(204)
    expect((await api('GET', `/flows/${id}/test-results`)).body.pinned).toEqual([])
    await api('POST', `/flows/${id}/test`, {})
    await expect.poll(received).toBe(before + 2)
  })

  it('never touches a published run, and is in no version', async () => {
    const { id, webhook } = await create([{ ...call, url: '{{ env.UP }}/real' }])
    await pin(id, 'call', { status: 200, body: 'pinned' })
    expect((await api('POST', `/flows/${id}/publish`)).status).toBe(200)
    const reply = await fetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    })
    const run = await finished(((await reply.json()) as { id: string }).id)
    expect(run.steps[0].output.body.path).toBe('/real')
    expect((await api('GET', `/flows/${id}/versions/1`)).body.document).not.toHaveProperty('pinned')
    const draft = { ...documentOf([]), pinned: {} }
    expect((await api('PUT', `/flows/${id}`, draft)).body.code).toBe('flow_invalid')
  })

  it('also stands for a step that sets variables, and for one in a loop', async () => {
    const { id } = await create([
      set('vars', { n: '{{ webhook.body.n }}' }),
      { id: 'all', kind: 'loop', each: [1, 2], steps: [call], collect: '{{ steps.call.body }}' },
      set('use', { got: '{{ vars.n }}' }),
    ])
    await pin(id, 'vars', { n: 5 })
    await pin(id, 'call', { body: 'x' })
    const before = received()
    expect((await test(id, 'all')).body.output.results).toEqual(['x', 'x'])
    const run = await finished((await api('POST', `/flows/${id}/test`, {})).body.id)
    expect(run.vars.got).toBe(5)
    expect(run.steps.find((step: { id: string }) => step.id === 'all').output.results).toEqual(['x', 'x'])
    expect(received()).toBe(before)
  })

  it('keeps to its step when that is renamed, as its last test does', async () => {
    const { id } = await create([call, set('use', { total: 1 })])
    await pin(id, 'call', { body: 'pinned' })
    await test(id, 'use')
    await api('PUT', `/flows/${id}`, documentOf([{ ...call, id: 'ask' }, set('used', { total: 1 })]))
    expect((await api('GET', `/flows/${id}/test-results`)).body).toEqual({
      steps: { ask: { body: 'pinned' }, used: { total: 1 } },
      pinned: ['ask'],
    })
  })

  it('needs a step to be pinned to', async () => {
    const { id } = await create([call])
    expect((await pin(id, 'other', {})).status).toBe(404)
    expect((await api('PUT', `/flows/${id}/steps/call/pin`, {})).status).toBe(400)
  })
})
