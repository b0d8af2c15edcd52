// Tests what the pages of the UI use beyond the contract.
import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { expectFailure } from '../harness/inbox.ts'
import { call, documentOf, type Managed, startManaged } from '../harness/management.ts'

let managed: Managed
let millrace: Managed['millrace']
let api: Managed['api']
beforeAll(async () => {
  managed = await startManaged()
  ;({ millrace, api } = managed)
})
afterAll(() => managed.stop())

describe('the list of flows', () => {
  it('is searched by name', async () => {
    await managed.create([], {}, 'Invoices (paid)')
    await managed.create([], {}, 'Other')
    const { items } = (await api('GET', `/flows?q=${encodeURIComponent('INVOICES (')}`)).body
    expect(items.map(({ name }: { name: string }) => name)).toEqual(['Invoices (paid)'])
  })

  it('has the last run and the last 24 hours of each', async () => {
    const { flow, post } = await millrace.publish(
      documentOf([{ id: 'no', kind: 'fail', message: 'no' }], {}, 'Counted flow'),
    )
    const quiet = await managed.create([], {}, 'Counted flow, quiet')
    const first = await post({})
    const second = await post({})
    await millrace.runEnded(first.body.id)
    const run = await millrace.runEnded(second.body.id)
    const { items } = (await api('GET', '/flow-stats?q=Counted')).body
    expect(items.map(({ flowId }: { flowId: string }) => flowId)).toEqual([quiet.id, flow.id])
    expect(items[0]).toMatchObject({ lastRun: null, hours: Array(24).fill({ runs: 0, failed: 0 }) })
    expect(items[1].lastRun).toEqual({ id: run.id, status: 'failed', createdAt: run.createdAt })
    expect(items[1].hours).toHaveLength(24)
    // The two may be on either side of a full hour.
    const sum = (key: 'runs' | 'failed') =>
      items[1].hours.reduce((total: number, hour: Record<string, number>) => total + hour[key]!, 0)
    expect([sum('runs'), sum('failed')]).toEqual([2, 2])
  })
})

describe('a run', () => {
  it('has the document it follows, also once the draft is another', async () => {
    const { flow, post } = await millrace.publish(documentOf([{ id: 'a', kind: 'stop' }]))
    const { id } = (await post({})).body
    await api('PUT', `/flows/${flow.id}`, documentOf([{ id: 'b', kind: 'stop' }]))
    expect((await api('GET', `/runs/${id}/document`)).body.document.steps).toEqual([{ id: 'a', kind: 'stop' }])
    const test = (await api('POST', `/flows/${flow.id}/test`, {})).body
    expect((await api('GET', `/runs/${test.id}/document`)).body.document.steps).toEqual([{ id: 'b', kind: 'stop' }])
    expectFailure(await api('GET', '/runs/nope/document'), 404, 'not_found')
    await millrace.runEnded(test.id)
    await millrace.runEnded(id)
    await api('DELETE', `/flows/${flow.id}`)
    expectFailure(await api('GET', `/runs/${id}/document`), 404, 'not_found')
    expect((await api('GET', `/runs/${id}`)).body.flowName).toBeNull()
  })

  it('shows the rounds of a loop one by one', async () => {
    const { post } = await millrace.publish(
      documentOf([
        {
          id: 'all',
          kind: 'loop',
          each: '{{ [1, 2, 3] }}',
          steps: [{ id: 'x', kind: 'set', vars: { n: '{{ loop.item }}' } }],
        },
      ]),
    )
    const { id } = (await post({})).body
    await millrace.runEnded(id)
    const pathsOf = async (query: string) => {
      const { items, nextCursor } = (await api('GET', `/runs/${id}/steps?${query}`)).body
      return [items.map(({ path }: { path: string }) => path), nextCursor]
    }
    const [all] = await pathsOf('')
    expect(all).toEqual(['all', 'all[0]/x', 'all[1]/x', 'all[2]/x'])
    expect(await pathsOf(`under=${encodeURIComponent('all[1]/')}`)).toEqual([['all[1]/x'], null])
    const [first, cursor] = await pathsOf('limit=3')
    const [rest, end] = await pathsOf(`limit=3&cursor=${cursor}`)
    expect([...first, ...rest]).toEqual(all)
    expect(end).toBeNull()
    expectFailure(await api('GET', `/runs/${id}/steps?cursor=x`), 400, 'invalid_request')
    expectFailure(await api('GET', '/runs/nope/steps'), 404, 'not_found')
  })
})

describe('the inbox over all flows', () => {
  it('lists deliveries without their bodies, by flow and outcome, and reads one', async () => {
    const { flow, post } = await millrace.publish(documentOf([], {}, 'Inbox flow'))
    const accepted = await post({ n: 'a' })
    await post('{')
    // The inbox is written beside the reply, not before it.
    const items = await vi.waitFor(async () => {
      const listed = (await api('GET', `/deliveries?flow=${flow.id}`)).body.items
      expect(listed).toMatchObject([
        { outcome: 'rejected', flowId: flow.id, flowName: 'Inbox flow' },
        { outcome: 'accepted', runId: accepted.body.id },
      ])
      return listed
    }, 5000)
    for (const item of items) expect(item).not.toHaveProperty('webhook')
    const [rejected] = (await api('GET', '/deliveries?outcome=rejected&limit=1')).body.items
    expect(rejected.id).toBe(items[0].id)
    expect((await api('GET', `/deliveries/${items[1].id}`)).body).toMatchObject({
      flowName: 'Inbox flow',
      webhook: { body: { n: 'a' } },
    })
    expectFailure(await api('GET', '/deliveries/nope'), 404, 'not_found')
    expect((await api('GET', '/deliveries?outcome=odd')).body).toMatchObject({
      code: 'invalid_request',
      issues: [
        {
          path: '/outcome',
          message:
            'outcome must be one of accepted, duplicate, filtered, rejected, handshake, callback, early, repeated',
        },
      ],
    })
  })

  it('makes a sample of a delivery, for its own flow only', async () => {
    const { flow, post } = await millrace.publish(documentOf([call]))
    await post({ n: 'kept' })
    const [delivery] = (await api('GET', `/deliveries?flow=${flow.id}`)).body.items
    const made = await api('POST', `/flows/${flow.id}/samples`, { delivery: delivery.id })
    expect(made.status).toBe(201)
    expect((await api('GET', `/flows/${flow.id}/samples`)).body.items).toEqual([made.body])
    const tested = await api('POST', `/flows/${flow.id}/steps/call/test`, {})
    expect(tested.body).toMatchObject({ status: 'succeeded', output: { body: { path: '/kept' } } })
    const results = (await api('GET', `/flows/${flow.id}/test-results`)).body
    expect(results).toEqual({ steps: { call: tested.body.output }, pinned: [] })
    const other = await managed.create()
    expectFailure(await api('POST', `/flows/${other.id}/samples`, { delivery: delivery.id }), 404, 'not_found')
  })
})

describe('the events of all flows', () => {
  it('tell of runs and deliveries, whichever flow they belong to, as the lists show them', async () => {
    const one = await millrace.publish(documentOf())
    const two = await millrace.publish(documentOf())
    const events = await openEvents(`${millrace.url}/api/v1/events`)
    const { id } = (await one.post({})).body
    const accepted = await events.next(({ type }) => type === 'delivery')
    const ended = await events.next(({ type, data }) => type === 'run' && data.id === id && data.status === 'succeeded')
    await two.post('{')
    const refused = await events.next(({ type, data }) => type === 'delivery' && data.outcome === 'rejected')
    await events.close()
    const newestOf = async (path: string) => {
      const { flowName: _, ...item } = (await api('GET', `${path}&limit=1`)).body.items[0]
      return item
    }
    expect(ended.data).toEqual(await newestOf(`/runs?flow=${one.flow.id}`))
    // A list that is narrowed to labels has to know them of what is new.
    expect(accepted.data).toEqual({ ...(await newestOf(`/deliveries?flow=${one.flow.id}`)), labels: null })
    expect(refused.data).toEqual({ ...(await newestOf(`/deliveries?flow=${two.flow.id}`)), labels: null })
  })

  it('tell when a run is cancelled, as the list shows it', async () => {
    const { flow, post } = await millrace.publish(documentOf([{ id: 'rest', kind: 'wait', seconds: 3600 }]))
    const { id } = (await post({})).body
    const waiting = await millrace.runEnded(id, ['waiting'])
    expect(Date.parse(waiting.steps[0]!.resumeAt!)).toBe(Date.parse(waiting.steps[0]!.startedAt) + 3_600_000)
    const events = await openEvents(`${millrace.url}/api/v1/events`)
    await api('POST', `/runs/${id}/cancel`)
    const cancelled = await events.next(({ type, data }) => type === 'run' && data.id === id)
    await events.close()
    expect(cancelled.data).toEqual((await api('GET', `/runs?flow=${flow.id}&limit=1`)).body.items[0])
  })
})

describe('the API reference', () => {
  it('is a page without scripts that names every route of the description', async () => {
    const answer = await fetch(`${millrace.url}/api/docs`)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).not.toMatch(/<script|\b(?:src|href)="(?![#/])|url\(/)
    const description = (await api('GET', '/openapi.json')).body
    for (const [path, operations] of Object.entries(description.paths as Record<string, object>)) {
      expect(page).toContain(`<code>${path}</code>`)
      for (const { operationId } of Object.values(operations)) expect(page).toContain(`<code>${operationId}</code>`)
    }
    for (const { name, description: about } of description.tags)
      expect(page).toContain(`<section id="${name}"><h2>${name}</h2><p>${about}.</p>`)
  })
})

describe('what the editor is made from', () => {
  it('lists the step kinds with the schema of their settings', async () => {
    const { items } = (await api('GET', '/step-kinds')).body
    expect(items.map(({ kind }: { kind: string }) => kind)).toContain('http')
    for (const { label, settings } of items) {
      expect(label).toMatch(/\S/)
      expect(settings).toMatchObject({ type: 'object', properties: expect.any(Object) })
    }
  })

  it('offers every example as a template that can be saved as it is', async () => {
    const { items } = (await api('GET', '/examples')).body
    const files = readdirSync(new URL('../../examples/', import.meta.url)).filter((file) => /^[^.]+\.yaml$/.test(file))
    expect(items.map(({ id }: { id: string }) => `${id}.yaml`)).toEqual(files.toSorted())
    for (const { description, document, name } of items) {
      expect(description).toMatch(/^\S.{20,}/)
      expect((await api('POST', '/flows', document)).body.name).toBe(name)
    }
  })

  it('says which version and limits are in force, and the names of the environment without its values', async () => {
    const { body } = await api('GET', '/settings')
    expect(body).toMatchObject({
      version: expect.stringMatching(/^\d+\.\d+/),
      storage: process.env['TEST_STORAGE'] ?? 'sqlite',
      limits: { maxBodyBytes: 10_485_760, retentionDays: 30 },
      env: expect.arrayContaining(['UP']),
    })
    expect(JSON.stringify(body)).not.toContain(managed.upstream.url)
  })
})
