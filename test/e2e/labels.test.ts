// Labels and search over the API. With TEST_STORAGE=postgres the same on PostgreSQL.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { expectIssues } from '../harness/management.ts'
import { assist } from '../harness/mcp.ts'
import { type Millrace, type PublishedFlow, startMillrace, TOKEN } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_KEY: 'a-secret-of-the-environment' })
})
afterAll(() => millrace.stop())

const LABELS = { order: '{{ webhook.body.id }}', region: "{{ webhook.body.region ?? 'eu' }}" }
const labelled = (labels: object = LABELS, name = 'Orders') => ({
  name,
  trigger: { kind: 'webhook', labels },
  steps: [{ id: 'note', kind: 'set', vars: { id: '{{ webhook.body.id }}' } }],
})
const sent = async (flow: PublishedFlow, body: unknown): Promise<string> => (await flow.post(body)).body.id
const idsOf = async (path: string): Promise<string[]> =>
  (await millrace.api('GET', path)).body.items.map((item: { id: string; runId?: string }) => item.runId ?? item.id)

describe('labels', () => {
  it('are taken from the delivery, shown on the run, and find runs and deliveries', async () => {
    const orders = await millrace.publish(labelled())
    const first = await sent(orders, { id: 'L-1' })
    const second = await sent(orders, { id: 'L-2', region: 'us' })
    const third = await sent(orders, { id: 'L-1', region: 'us' })
    expect((await millrace.run(first)).labels).toEqual({ order: 'L-1', region: 'eu' })
    expect(await idsOf('/runs?label.order=L-1')).toEqual([third, first])
    expect(await idsOf(`/runs?flow=${orders.flow.id}&label.region=us`)).toEqual([third, second])
    expect(await idsOf('/runs?label.order=L-1&label.region=us')).toEqual([third])
    expect(await idsOf('/runs?label.order=L-3')).toEqual([])
    expect(await idsOf('/deliveries?label.order=L-1')).toEqual([third, first])
    expect(await idsOf(`/flows/${orders.flow.id}/deliveries?label.order=L-2`)).toEqual([second])
    const page = (await millrace.api('GET', '/runs?label.order=L-1&limit=1')).body
    expect(await idsOf(`/runs?label.order=L-1&cursor=${page.nextCursor}`)).toEqual([first])
    expect((await millrace.api('GET', '/runs?label.Order=1')).status).toBe(400)
  })

  it('are cut, and left out when missing or failing, without losing the delivery', async () => {
    const orders = await millrace.publish(
      labelled({
        long: '{{ webhook.body.text }}',
        missing: '{{ webhook.body.nothing }}',
        failing: '{{ webhook.body.text.map(x => x) }}',
        number: '{{ webhook.body.n }}',
        text: 'Order {{ webhook.body.n }}',
        object: '{{ webhook.body.o }}',
      }),
    )
    const id = await sent(orders, { text: `x${'y'.repeat(300)}`, n: 7, o: { a: 1 } })
    expect((await millrace.run(id)).labels).toEqual({
      long: `x${'y'.repeat(199)}`,
      number: '7',
      text: 'Order 7',
      object: '{"a":1}',
    })
    expect(await idsOf('/runs?label.number=7')).toEqual([id])
    expect(await idsOf(`/runs?label.long=x${'y'.repeat(300)}`)).toEqual([id])
  })

  it('belong to schedules and called flows too', async () => {
    const step = { id: 'note', kind: 'set', vars: { n: 1 } }
    const called = await millrace.publish({
      name: 'Called',
      trigger: { kind: 'call', labels: { customer: '{{ input.customer }}', flow: '{{ flow.name }}' } },
      steps: [step],
    })
    const asked = await millrace.api('POST', `/flows/${called.flow.id}/runs?wait=10`, { input: { customer: 'C-9' } })
    expect((await millrace.run(asked.body.id)).labels).toEqual({ customer: 'C-9', flow: 'Called' })
    const caller = await millrace.publish({
      name: 'Caller',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'ask', kind: 'call', flow: called.flow.id, input: { customer: '{{ webhook.body.c }}' }, wait: false },
      ],
    })
    const id = await sent(caller, { c: 'C-10' })
    await millrace.runEnded(id)
    const run = await millrace.run(id)
    expect(run.labels).toBeNull()
    expect(await idsOf('/runs?label.customer=C-10')).toEqual([run.children[0]!.run])
    const planned = await millrace.publish({
      name: 'Planned',
      trigger: {
        kind: 'schedule',
        cron: '0 0 1 1 *',
        input: { kind: 'year' },
        labels: { kind: '{{ schedule.input.kind }}' },
      },
      steps: [step],
    })
    const now = await millrace.api('POST', `/flows/${planned.flow.id}/runs?wait=10`, {})
    expect((await millrace.run(now.body.id)).labels).toEqual({ kind: 'year' })
  })

  it('go with a replay', async () => {
    const orders = await millrace.publish(labelled())
    const id = await sent(orders, { id: 'R-1' })
    await millrace.runEnded(id)
    const replay = await millrace.api('POST', `/runs/${id}/replay`, {})
    expect(replay.body.labels).toEqual({ order: 'R-1', region: 'eu' })
    expect(await idsOf('/runs?label.order=R-1')).toEqual([replay.body.id, id])
    // A replay is no delivery.
    expect(await idsOf('/deliveries?label.order=R-1')).toEqual([id])
  })

  it('may hold no secret', async () => {
    const draft = await millrace.api(
      'POST',
      '/flows',
      labelled({ a: '{{ env.KEY }}', b: '{{ steps.note.id }}', 'B-1': 'x' }),
    )
    expectIssues(await millrace.api('POST', `/flows/${draft.body.id}/publish`), [
      ['/trigger/labels/a', 'secret_in_label'],
      ['/trigger/labels/b', 'unknown_reference'],
      ['/trigger/labels/B-1', 'invalid_format'],
    ])
    const eleven = Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`l${i}`, 'x']))
    const many = await millrace.api('POST', '/flows', labelled(eleven))
    expectIssues(await millrace.api('POST', `/flows/${many.body.id}/publish`), [['/trigger/labels', 'too_long']])
    // A sender who happens to know the secret does not get it shown.
    const orders = await millrace.publish({
      ...labelled({ said: '{{ webhook.body.said }}' }),
      steps: [{ id: 'use', kind: 'set', vars: { key: '{{ env.KEY }}' } }],
    })
    const id = await sent(orders, { said: 'a-secret-of-the-environment' })
    expect(JSON.stringify(await millrace.run(id))).not.toContain('a-secret-of-the-environment')
    expect((await millrace.run(id)).labels!['said']).toMatch(/\S/)
  })
})

describe('search', () => {
  it('finds a run, a delivery, a label and a flow', async () => {
    const orders = await millrace.publish({ ...labelled(LABELS, 'Findable orders'), slug: 'by-slug' })
    const id = await sent(orders, { id: 'S-100' })
    const other = await sent(orders, { id: 'S-1001' })
    const search = async (q: string) => (await millrace.api('GET', `/search?q=${encodeURIComponent(q)}`)).body
    const nothing = { runs: [], deliveries: [], labels: [], flows: [] }
    const [delivery] = (await millrace.api('GET', '/deliveries?label.order=S-100')).body.items
    expect(await search(id)).toMatchObject({ ...nothing, runs: [{ id, flowName: 'Findable orders' }] })
    expect(await search(delivery.id)).toMatchObject({ ...nothing, deliveries: [{ id: delivery.id, runId: id }] })
    expect(await search('S-100')).toMatchObject({
      ...nothing,
      runs: [{ id, labels: { order: 'S-100' } }],
      labels: [
        { name: 'order', value: 'S-100', run: id },
        { name: 'order', value: 'S-1001', run: other },
      ],
    })
    expect(await search('findable')).toEqual({
      ...nothing,
      flows: [{ id: orders.flow.id, name: 'Findable orders', slug: 'by-slug' }],
    })
    expect(await search('by-slug')).toMatchObject({ ...nothing, flows: [{ id: orders.flow.id }] })
    expect(await search('run_unknown')).toEqual(nothing)
    expect(await search(' ')).toEqual(nothing)
    expect((await millrace.api('GET', '/search')).status).toBe(400)
  })
})

describe('labels for programs', () => {
  it('find runs from the command line and for an assistant', async () => {
    const orders = await millrace.publish(labelled())
    const id = await sent(orders, { id: 'C-77' })
    await millrace.runEnded(id)
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const listed = await callCli(['runs', 'list', '--label', 'order=C-77', '--label', 'region=eu', '--json'], { env })
    expect(listed.json().items).toMatchObject([{ id, labels: { order: 'C-77' } }])
    expect((await callCli(['runs', 'show', id], { env })).stdout).toMatch(/label order +C-77/)
    expect((await callCli(['search', 'C-77'], { env })).stdout).toContain(`order=C-77`)
    expect(await callCli(['runs', 'list', '--label', 'order'], { env })).toMatchObject({ exit: 2 })
    const delivered = await callCli(['deliveries', 'list', '--label', 'order=C-77', '--json'], { env })
    expect(delivered.json().items).toMatchObject([{ runId: id }])
    expect(await callCli(['deliveries', 'admit', delivered.json().items[0].id], { env })).toMatchObject({ exit: 4 })
    const assistant = await assist(millrace.url, TOKEN)
    expect((await assistant.call('list_runs', { labels: { order: 'C-77' } })).body.items).toMatchObject([{ id }])
    expect((await assistant.call('search_everything', { q: 'C-77' })).body.labels).toMatchObject([
      { name: 'order', run: id },
    ])
    const [delivery] = (await assistant.call('list_deliveries', { flow: orders.flow.id })).body.items
    const refused = await assistant.call('admit_delivery', { flow: orders.flow.id, delivery: delivery.id })
    expect(refused).toMatchObject({ isError: true, body: { code: 'conflict' } })
    await assistant.client.close()
  })
})
