// Tests connections that are for some flows or tags only: no other flow can be published with one, nor use its secret.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../src/outbound/tls/certificates.testkit.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = 'only-for-some-1'
const CODE = 'connection_not_for_flow'

let upstream: Upstream
let millrace: Millrace
let api: Millrace['api']
beforeAll(async () => {
  upstream = await startUpstream()
  millrace = await startMillrace()
  api = millrace.api
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

let count = 0
async function connect(parts: object = {}): Promise<string> {
  const name = `limited_${++count}`
  const created = await api('POST', '/connections', { name, kind: 'bearer', fields: { token: SECRET }, ...parts })
  expect(created.status).toBe(201)
  return name
}

const call = (more: object) => ({ id: 'call', kind: 'http', method: 'GET', url: upstream.url, ...more })
const named = (connection: string) => call({ auth: { kind: 'connection', connection } })
const tagged = (step: object, ...tags: string[]) => ({ ...documentOf([step]), tags })

/** The places where a step uses a connection. */
const USES: [string, (name: string) => object][] = [
  ['auth', named],
  ['a template', (name) => call({ headers: [{ name: 'X-Key', value: `{{ connections.${name}.token }}` }] })],
  ['tls', (connection) => call({ url: upstream.url.replace('http:', 'https:'), tls: { connection } })],
]
const TLS = (tag: string) => ({ kind: 'tls', fields: { ca: makeAuthority('limits').certificate }, tags: [tag] })

describe('a connection that is for a tag', () => {
  it.each(USES)('is refused in %s of another flow, and of one that has lost the tag', async (place, step) => {
    const name = await connect(place === 'tls' ? TLS('billing') : { tags: ['billing'] })
    const draft = (await api('POST', '/flows', tagged(step(name), 'other'))).body
    const refused = await api('POST', `/flows/${draft.id}/publish`)
    expect(refused.status).toBe(422)
    expect(refused.body.issues).toMatchObject([{ code: CODE, path: expect.stringMatching(/^\/steps\/0\//) }])
    expect(refused.body.issues[0].message).toContain(`"${name}"`)
    expect(refused.body.issues[0].message).toContain('connections:write')
    const test = await api('POST', `/flows/${draft.id}/steps/call/test`, {})
    expect([test.status, test.body.issues[0].code]).toEqual([422, CODE])
    expect((await api('POST', `/flows/${draft.id}/test`, {})).body.issues[0].code).toBe(CODE)
    expect((await api('POST', '/flows/validate', tagged(step(name), 'other'))).body.issues).toMatchObject([
      { code: CODE },
    ])
    expect((await api('POST', '/flows/validate', tagged(step(name), 'x', 'billing'))).body.issues).toEqual([])

    // Another code than that of the limit: the upstream speaks no TLS.
    const end = place === 'tls' ? { status: 'failed' } : { status: 'succeeded' }
    const { flow, post } = await millrace.publish(tagged(step(name), 'billing'))
    const run = async () => millrace.runEnded((await post({})).body.id)
    const first = await run()
    expect(first).toMatchObject(end)
    expect(first.error?.code).not.toBe(CODE)

    await api('PUT', `/flows/${flow.id}`, tagged(step(name), 'other'))
    const before = upstream.received.length
    const failed = await run()
    expect(failed.error).toMatchObject({ code: CODE, step: 'call' })
    expect(failed.error!.message).toContain(`"${name}"`)
    const replay = await api('POST', `/runs/${first.id}/replay`, {})
    expect((await millrace.runEnded(replay.body.id)).error).toMatchObject({ code: CODE })
    expect(upstream.received).toHaveLength(before)

    await api('PUT', `/connections/${name}`, { tags: null })
    expect((await run()).error?.code).not.toBe(CODE)
    expect((await run()).status).toBe(end.status)
  })

  it('is not read by a trigger either', async () => {
    const name = await connect({ tags: ['billing'] })
    const trigger = {
      kind: 'webhook',
      auth: { kind: 'header', name: 'X-Key', value: `{{ connections.${name}.token }}` },
    }
    const { flow, post } = await millrace.publish({ ...documentOf([]), trigger, tags: ['billing'] })
    const headers = { 'X-Key': SECRET }
    expect((await post({}, headers)).status).toBe(200)
    const changed = { ...documentOf([]), trigger, tags: [] }
    await api('PUT', `/flows/${flow.id}`, changed)
    expect((await post({}, headers)).status).toBe(503)
    expect((await api('POST', `/flows/${flow.id}/publish`)).body.issues).toMatchObject([
      { code: CODE, path: '/trigger/auth/value' },
    ])
    await api('PUT', `/connections/${name}`, { flows: [flow.id] })
    expect((await post({}, headers)).status).toBe(200)
  })

  it('nor by a callback', async () => {
    const name = await connect({ tags: ['billing'] })
    const auth = { kind: 'header', name: 'X-Key', value: `{{ connections.${name}.token }}` }
    const step = { id: 'printed', kind: 'wait', callback: { auth } }
    const { flow, post } = await millrace.publish(tagged(step, 'billing'))
    const run = (await post({})).body.id
    await millrace.runEnded(run, ['waiting'])
    const [{ url }] = (await api('GET', `/runs/${run}`)).body.callbacks
    const answer = async () => {
      const headers = { 'content-type': 'application/json', 'X-Key': SECRET }
      return (await fetch(millrace.url + new URL(url).pathname, { method: 'POST', headers, body: '{}' })).status
    }
    await api('PUT', `/flows/${flow.id}`, tagged(step))
    expect(await answer()).toBe(503)
    await api('PUT', `/flows/${flow.id}`, tagged(step, 'billing'))
    expect(await answer()).toBe(200)
    expect((await millrace.runEnded(run)).status).toBe('succeeded')
  })
})

describe('a connection that is for flows', () => {
  it('is shown and audited so, takes only flows that are there, and stops the others at once', async () => {
    const name = await connect()
    const one = await millrace.publish(documentOf([named(name)]))
    const two = await millrace.publish(documentOf([named(name)]))
    const run = async ({ post }: typeof one) => (await millrace.runEnded((await post({})).body.id)).error?.code
    expect((await api('GET', `/connections/${name}`)).body).toMatchObject({ flows: null, tags: null })

    const unknown = await api('PUT', `/connections/${name}`, { flows: [one.flow.id, 'flow_gone'] })
    expect(unknown.status).toBe(400)
    expect(unknown.body.issues).toMatchObject([{ path: '/flows/1', code: 'unknown_flow' }])
    const limited = await api('PUT', `/connections/${name}`, { flows: [one.flow.id] })
    expect(limited.body).toMatchObject({ flows: [one.flow.id], tags: [] })
    expect(await run(one)).toBeUndefined()
    expect(await run(two)).toBe(CODE)

    const [entry] = (await api('GET', '/audit?limit=1')).body.items
    expect(entry).toMatchObject({
      action: 'connection.update',
      details: { onlyFor: { flows: [one.flow.id], tags: [] } },
    })
    // What is left out stays.
    await api('PUT', `/connections/${name}`, { tags: ['late'] })
    expect((await api('GET', `/connections/${name}`)).body).toMatchObject({ flows: [one.flow.id], tags: ['late'] })
    await api('PUT', `/connections/${name}`, { flows: [], tags: [] })
    expect((await api('GET', `/connections/${name}`)).body).toMatchObject({ flows: null, tags: null })
    expect(await run(two)).toBeUndefined()
  })

  it('stays limited when its flow is deleted', async () => {
    const { flow } = await millrace.publish(documentOf([]))
    const name = await connect({ flows: [flow.id] })
    await api('DELETE', `/flows/${flow.id}`)
    await api('PUT', `/connections/${name}`, { flows: [flow.id], hosts: [] })
    expect((await api('GET', `/connections/${name}`)).body.flows).toEqual([flow.id])
  })
})
