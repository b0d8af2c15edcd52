// Tests tokens that are limited to flows or tags: every route with the ids of a flow that is out of reach, and every list.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { UNIONS } from '../../src/base/scopes.ts'
import { ACCESS } from '../../src/http/access/access.ts'
import { WITHIN } from '../../src/http/access/stay-within.ts'
import { type Answer, answerOf, type Millrace, startMillrace } from '../harness/millrace.ts'

interface Side {
  flow: string
  run: string
  waiting: string
  delivery: string
  failure: string
  approval: string
}

let millrace: Millrace
let mine: Side
let other: Side
let token: string
let byTag: string

beforeAll(async () => {
  millrace = await startMillrace()
  mine = await fill('mine', ['billing'])
  other = await fill('other-secret', ['shipping'])
  token = await make({ scopes: UNIONS.write, flows: [mine.flow] })
  byTag = await make({ scopes: UNIONS.write, tags: ['billing'] })
})
afterAll(() => millrace.stop())

const make = async (what: object): Promise<string> =>
  (await millrace.api('POST', '/tokens', { name: 'limited', ...what })).body.token

async function as(by: string, method: string, path: string, body?: object): Promise<Answer> {
  const ending = new AbortController()
  const response = await fetch(millrace.url + path, {
    method,
    headers: { authorization: `Bearer ${by}`, ...(body && { 'content-type': 'application/json' }) },
    body: body ? JSON.stringify(body) : undefined,
    signal: ending.signal,
  })
  if (response.headers.get('content-type') !== 'text/event-stream') return answerOf(response)
  ending.abort()
  return { status: response.status, headers: response.headers, body: null }
}

const documentOf = (name: string, tags: string[]) => ({
  name,
  tags,
  trigger: { kind: 'webhook', labels: { order: '{{ webhook.body.order }}' } },
  steps: [
    {
      id: 'which',
      kind: 'branch',
      cases: [{ when: '{{ webhook.body.ask }}', steps: [ask(name)] }],
      otherwise: [{ id: 'stop', kind: 'fail', message: `${name} fails` }],
    },
  ],
})

const ask = (name: string) => ({
  id: 'ask',
  kind: 'wait',
  approval: { title: `${name} asks`, text: '', answers: ['yes', 'no'], timeout: 3600 },
})

/** Makes a flow with a run that failed, and one that waits for an approval. */
async function fill(name: string, tags: string[]): Promise<Side> {
  const made = await millrace.api('POST', '/flows', documentOf(name, tags))
  const { id: flow, webhook } = made.body
  expect((await millrace.api('POST', `/flows/${flow}/publish`)).body).toMatchObject({ version: 1 })
  for (const asks of [false, true])
    await fetch(webhook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ order: `order-of-${name}`, ask: asks }),
    })
  const first = async (path: string) => (await millrace.api('GET', path)).body.items[0]?.id
  for (const path of [
    `/runs?flow=${flow}&status=failed`,
    `/runs?flow=${flow}&status=waiting`,
    `/failures?flow=${flow}`,
  ])
    await vi.waitFor(async () => expect(await first(path)).toBeDefined(), 10_000)
  const asked = async () =>
    (await millrace.api('GET', '/approvals')).body.items.find((one: { flow: { id: string } }) => one.flow.id === flow)
  await vi.waitFor(async () => expect(await asked()).toBeDefined(), 10_000)
  return {
    flow,
    run: await first(`/runs?flow=${flow}&status=failed`),
    waiting: await first(`/runs?flow=${flow}&status=waiting`),
    delivery: await first(`/deliveries?flow=${flow}`),
    failure: await first(`/failures?flow=${flow}`),
    approval: (await asked()).id,
  }
}

/** Every id, name and datum by which something of a side could be known. */
const tracesOf = (side: Side, name: string): string[] => [
  ...Object.values(side),
  `"${name}"`,
  `order-of-${name}`,
  `${name} fails`,
  `${name} asks`,
]

const guarded = Object.entries(ACCESS).filter(([, access]) => access !== 'open')

/** The path with the ids of a side. */
const urlOf = (route: string, side: Side): string => {
  const path = route.split(' ')[1]!
  const within = WITHIN[route]
  const id =
    within && within !== 'free' && within !== 'list' ? side[within] : /runs\/:id/.test(path) ? side.run : side.flow
  return path
    .replace(':id', id)
    .replace(':delivery', side.delivery)
    .replace(':version', '1')
    .replace(':stepId', 'stop')
    .replace(':step', 'ask')
    .replace(':page', 'flows')
    .replace('senders/:name', 'senders/github')
    .replace(/:\w+/, 'none')
    .replace(/part$/, 'part?path=stop&part=output')
}

describe('a token that is limited to one flow', () => {
  it('gets nothing of another flow by any route and any id', async () => {
    const counts = { refused: 0, notFound: 0, lists: 0, free: 0 }
    for (const by of [token, byTag])
      for (const [route] of guarded) {
        const [method] = route.split(' ') as [string]
        const body =
          method === 'GET' || method === 'DELETE' ? undefined : route.includes('validate') ? documentOf('x', []) : {}
        const answer = await as(by, method, urlOf(route, other), body)
        const text = JSON.stringify(answer.body)
        const within = WITHIN[route]
        if (within === undefined) {
          counts.refused++
          expect(answer.status, route).toBe(403)
        } else if (within === 'list' || within === 'free') {
          counts[within === 'list' ? 'lists' : 'free']++
          if (method === 'GET') expect(answer.status, route).toBe(200)
        } else {
          counts.notFound++
          expect([route, answer.status, answer.body?.code]).toEqual([route, 404, 'not_found'])
        }
        for (const trace of tracesOf(other, 'other-secret'))
          if (!urlOf(route, other).includes(trace)) expect(text, `${route} ${trace}`).not.toContain(trace)
      }
    const marked = Object.values(WITHIN)
    expect(counts).toEqual({
      refused: 2 * (guarded.length - marked.length),
      lists: 2 * marked.filter((within) => within === 'list').length,
      free: 2 * marked.filter((within) => within === 'free').length,
      notFound: 2 * marked.filter((within) => within !== 'list' && within !== 'free').length,
    })
    // Nothing of it has changed.
    expect((await millrace.api('GET', `/flows/${other.flow}`)).body).toMatchObject({ revision: 1, status: 'published' })
    expect((await millrace.api('GET', `/runs/${other.waiting}`)).body.status).toBe('waiting')
  })

  it('has what is of its own flow, in lists with full pages and by id', async () => {
    for (const by of [token, byTag]) {
      for (const [path, id] of [
        ['/flows', mine.flow],
        ['/runs', mine.waiting],
        ['/deliveries', mine.delivery],
        ['/failures', mine.failure],
        ['/approvals', mine.approval],
      ]) {
        const { body } = await as(by, 'GET', `/api/v1${path}?limit=1`)
        expect(
          body.items.map((item: { id: string }) => item.id),
          path,
        ).toEqual([id])
      }
      const second = await as(by, 'GET', `/api/v1/runs?limit=1&cursor=${mine.waiting}`)
      expect(second.body).toMatchObject({ items: [{ id: mine.run }], nextCursor: null })
      // A cursor of another flow leads nowhere else.
      const { items } = (await as(by, 'GET', `/api/v1/runs?cursor=${other.waiting}`)).body
      expect(items.every(({ flowId }: { flowId: string }) => flowId === mine.flow)).toBe(true)
      for (const path of [
        `/flows/${mine.flow}`,
        `/runs/${mine.run}`,
        `/deliveries/${mine.delivery}`,
        `/failures/${mine.failure}`,
      ])
        expect((await as(by, 'GET', `/api/v1${path}`)).status, path).toBe(200)
      for (const path of [`/runs?flow=${other.flow}`, `/deliveries?flow=${other.flow}`])
        expect((await as(by, 'GET', `/api/v1${path}`)).status, path).toBe(404)
    }
  })

  it('neither creates flows out of reach, nor moves one there, nor calls one', async () => {
    const created = await as(token, 'POST', '/api/v1/flows', documentOf('new', ['billing']))
    expect([created.status, created.body.code]).toEqual([403, 'forbidden'])
    expect((await as(byTag, 'POST', '/api/v1/flows', documentOf('new', ['shipping']))).status).toBe(403)
    const { id } = (await as(byTag, 'POST', '/api/v1/flows', documentOf('new', ['billing']))).body
    expect((await as(byTag, 'PUT', `/api/v1/flows/${id}`, documentOf('new', []))).status).toBe(403)
    expect((await as(token, 'GET', `/api/v1/flows/${id}`)).status).toBe(404)

    const callable = { name: 'other-called', tags: ['shipping'], trigger: { kind: 'call' }, steps: [] }
    const callee = (await millrace.api('POST', '/flows', callable)).body.id
    expect((await millrace.api('POST', `/flows/${callee}/publish`)).status).toBe(200)
    const caller = {
      name: 'caller',
      tags: ['billing'],
      trigger: { kind: 'webhook' },
      steps: [{ id: 'go', kind: 'call', flow: callee }],
    }
    expect((await as(byTag, 'PUT', `/api/v1/flows/${id}`, caller)).status).toBe(200)
    const refused = await as(byTag, 'POST', `/api/v1/flows/${id}/publish`)
    expect(refused.body).toMatchObject({ code: 'flow_invalid', issues: [{ code: 'unknown_flow' }] })
    expect((await as(byTag, 'POST', `/api/v1/flows/${id}/test`, {})).status).toBe(refused.status)

    // A tag counts from the moment it is there, and no longer.
    await millrace.api('PUT', `/flows/${id}`, { ...caller, tags: ['shipping'] })
    expect((await as(byTag, 'GET', `/api/v1/flows/${id}`)).status).toBe(404)
  })

  it('never has the scope admin', async () => {
    const answer = await millrace.api('POST', '/tokens', { name: 'x', scope: 'admin', tags: ['billing'] })
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request'])
  })
})

it('every route that limited tokens may use is a route of the access table', () => {
  expect(Object.keys(WITHIN).filter((route) => ACCESS[route] === undefined || ACCESS[route] === 'open')).toEqual([])
})
