// Tests the audit log: who did what, newest first.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf, held, ISO, type Managed, startManaged } from '../harness/management.ts'

let managed: Managed
let api: Managed['api']
beforeAll(async () => {
  managed = await startManaged()
  ;({ api } = managed)
})
afterAll(() => managed.stop())

interface Entry {
  id: string
  action: string
}

const entries = async (query = ''): Promise<Entry[]> => (await api('GET', `/audit${query}`)).body.items

describe('the audit log', () => {
  it('has every change of a flow and what was done to its runs', async () => {
    const flow = await managed.create([held])
    // An editor saves every few seconds, which makes one entry.
    for (let i = 0; i < 3; i++) await api('PUT', `/flows/${flow.id}`, documentOf([held], {}, 'Renamed'))
    await api('POST', `/flows/${flow.id}/publish`)
    await api('POST', `/flows/${flow.id}/versions/1/restore`)
    await api('POST', `/flows/${flow.id}/webhook/regenerate`)
    const run = await api('POST', `/flows/${flow.id}/test`, {})
    await api('POST', `/runs/${run.body.id}/cancel`)
    const replay = await api('POST', `/runs/${run.body.id}/replay`, {})
    await api('POST', `/flows/${flow.id}/unpublish`)
    await api('DELETE', `/flows/${flow.id}`)

    const actor = { actor: 'admin token', actorId: null, at: expect.stringMatching(ISO) }
    const target = { kind: 'flow', id: flow.id, name: 'Renamed' }
    const onRun = { kind: 'run', id: run.body.id, name: null }
    expect((await entries()).toReversed()).toMatchObject([
      { ...actor, action: 'flow.create', target: { ...target, name: 'Managed' }, details: {} },
      { ...actor, action: 'flow.update', target, details: { revision: 2 } },
      { ...actor, action: 'flow.publish', target, details: { version: 1 } },
      { ...actor, action: 'flow.restore', target, details: { version: 1 } },
      { ...actor, action: 'flow.regenerate', target, details: {} },
      { ...actor, action: 'flow.test', target, details: { run: run.body.id } },
      { ...actor, action: 'run.cancel', target: onRun, details: { flow: flow.id } },
      { ...actor, action: 'run.replay', target: onRun, details: { flow: flow.id, run: replay.body.id } },
      { ...actor, action: 'flow.unpublish', target, details: {} },
      { ...actor, action: 'flow.delete', target, details: {} },
    ])
  })

  it('has nothing of what was refused', async () => {
    const before = await entries()
    expect((await api('PUT', '/flows/flow_none', documentOf())).status).toBe(404)
    expect((await api('POST', '/flows', { name: 1 })).status).toBe(422)
    expect((await api('DELETE', '/flows/flow_none')).status).toBe(404)
    expect(await entries()).toEqual(before)
  })

  it('comes in pages', async () => {
    const all = await entries()
    const first = await api('GET', '/audit?limit=4')
    const second = await api('GET', `/audit?limit=200&cursor=${first.body.nextCursor}`)
    expect([...first.body.items, ...second.body.items]).toEqual(all)
    expect(second.body.nextCursor).toBeNull()
  })
})
