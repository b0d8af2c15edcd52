// Tests that data too large to be shown is left out and marked as such, everywhere; flows use it whole.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openEvents } from '../harness/event-stream.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, type PublishedFlow, startMillrace, TOKEN } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const KIB = 1024
const text = (bytes: number) => 'x'.repeat(bytes)

let millrace: Millrace
let upstream: Upstream
let flow: PublishedFlow

beforeAll(async () => {
  upstream = await startUpstream((request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ text: text(request.url === '/large' ? 300 * KIB : 10) }))
  })
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
  flow = await millrace.publish({
    name: 'Large',
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'large', kind: 'http', method: 'GET', url: '{{ env.UP }}/large' },
      { id: 'small', kind: 'http', method: 'GET', url: '{{ env.UP }}/small' },
      {
        id: 'sizes',
        kind: 'set',
        vars: { body: '{{ webhook.body.text.length }}', got: '{{ steps.large.body.text.length }}' },
      },
    ],
  })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const OMITTED = { body: null, rawBody: '', bodyOmitted: true }

it('leaves large bodies and results out of a run, its deliveries and events, and the flow has them whole', async () => {
  const { id } = (await flow.post({ text: text(300 * KIB) })).body
  const run = await millrace.runEnded(id)
  expect(run).toMatchObject({ status: 'succeeded', vars: { body: 300 * KIB, got: 300 * KIB } })
  expect(run.webhook).toMatchObject({ ...OMITTED, metadata: { contentLength: 300 * KIB + 11 } })
  const [large, small] = run.steps
  expect(large).toMatchObject({ output: null, omitted: ['output'] })
  expect(small).toMatchObject({ output: { status: 200, body: { text: text(10) } } })
  expect(small).not.toHaveProperty('omitted')
  const [step] = (await millrace.api('GET', `/runs/${id}/steps?under=large`)).body.items
  expect(step).toMatchObject({ output: null, omitted: ['output'] })

  const { items } = (await millrace.api('GET', `/flows/${flow.flow.id}/deliveries`)).body
  expect(items[0]).toMatchObject({ runId: id, webhook: OMITTED })
  expect((await millrace.api('GET', `/deliveries/${items[0].id}`)).body.webhook).toMatchObject(OMITTED)
  expectFailure(await millrace.api('GET', `/runs/${id}/fixture`), 409, 'conflict')
  expectFailure(await millrace.api('GET', `/runs/${id}/har`), 409, 'conflict')

  const replayed = (await millrace.api('POST', `/runs/${id}/replay`, {})).body
  expect((await millrace.runEnded(replayed.id)).vars).toMatchObject({ body: 300 * KIB })
})

it('hands out as files what it leaves out, with marks in place of secrets', async () => {
  const secret = 'a-secret-in-a-large-body'
  await millrace.api('POST', '/connections', { name: 'large', kind: 'bearer', fields: { token: secret } })
  const auth = { kind: 'bearer', token: '{{ connections.large.token }}' }
  const { post } = await millrace.publish({
    name: 'Files',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'large', kind: 'http', method: 'GET', url: `${upstream.url}/large`, auth }],
  })
  const { id } = (await post({ text: `${text(300 * KIB)} ${secret}` })).body
  await millrace.runEnded(id)
  const file = async (path: string) =>
    fetch(`${millrace.url}/api/v1${path}`, { headers: { authorization: `Bearer ${TOKEN}` } })
  for (const path of [`/runs/${id}/body`, `/deliveries/${id.replace('run_', 'dlv_')}/body`]) {
    const body = await file(path)
    expect(body.headers.get('content-disposition')).toContain('attachment')
    expect(body.headers.get('content-type')).toBe('application/octet-stream')
    expect(await body.text()).toBe(JSON.stringify({ text: `${text(300 * KIB)} [secret]` }))
  }
  const output = await (await file(`/runs/${id}/steps/part?path=large&part=output`)).json()
  expect(output).toMatchObject({ status: 200, body: { text: text(300 * KIB) } })
  expect((await file(`/runs/${id}/steps/part?path=other&part=output`)).status).toBe(404)
  expect((await file(`/runs/${id}/steps/part?path=large&part=sealed`)).status).toBe(400)
  expect((await file('/runs/run_none/body')).status).toBe(404)
  expect((await file('/deliveries/dlv_none/body')).status).toBe(404)
})

it('ends a page of deliveries before what they brought is too much for one reply', async () => {
  const own = await millrace.publish({ name: 'Pages', trigger: { kind: 'webhook' }, steps: [] })
  const sent = []
  for (let i = 0; i < 3; i++) sent.push((await own.post({ i, text: text(200 * KIB) })).body.id)
  const pages = []
  let cursor = ''
  for (let i = 0; i < 3; i++) {
    const { items, nextCursor } = (await millrace.api('GET', `/flows/${own.flow.id}/deliveries?limit=10${cursor}`)).body
    pages.push(
      items.map((item: { runId: string; webhook: { body: { i: number } } }) => [item.runId, item.webhook.body.i]),
    )
    cursor = `&cursor=${nextCursor}`
  }
  expect(pages).toEqual([[[sent[2], 2]], [[sent[1], 1]], [[sent[0], 0]]])
})

it('shows the newest samples as far as there is room, and tests with the latest one whole', async () => {
  const events = await openEvents(`${millrace.url}/api/v1/flows/${flow.flow.id}/events`)
  const keep = (value: object) => flow.post(value, {}, '/test')
  await keep({ n: 1, text: text(10) })
  await keep({ n: 2, text: text(200 * KIB) })
  await keep({ n: 3, text: text(300 * KIB) })
  const { items } = (await millrace.api('GET', `/flows/${flow.flow.id}/samples`)).body
  expect(items.map(({ webhook }: { webhook: { body: { n: number } | null } }) => webhook.body?.n ?? null)).toEqual([
    null,
    2,
    1,
  ])
  expect(items[0].webhook).toMatchObject(OMITTED)
  const told = []
  for (let i = 0; i < 3; i++) told.push((await events.next()).data)
  expect(told.map((sample) => (sample as { webhook: { bodyOmitted?: true } }).webhook.bodyOmitted)).toEqual([
    undefined,
    undefined,
    true,
  ])
  await events.close()
  const tested = (
    await millrace.api('POST', `/flows/${flow.flow.id}/steps/sizes/test`, { steps: { large: { body: { text: '' } } } })
  ).body
  expect(tested).toMatchObject({ status: 'succeeded', output: { body: 300 * KIB } })
})
