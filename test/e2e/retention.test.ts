// Tests flows that do not keep the data of their runs: who still gets it, and that nobody is shown it after the end.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const MAIL = 'ada@example.org'

let upstream: Upstream
let millrace: Millrace

beforeAll(async () => {
  upstream = await startUpstream((request, response) => response.end(JSON.stringify({ got: request.body })))
  millrace = await startMillrace({ MILLRACE_VAR_UP: upstream.url })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const note = { id: 'note', kind: 'set', vars: { mail: '{{ webhook.body.mail }}' } }
const send = {
  id: 'send',
  kind: 'http',
  method: 'POST',
  url: '{{ config.UP }}/mails',
  body: { kind: 'json', value: { mail: '{{ vars.mail }}' } },
}
const finished = { mode: 'finished', body: { id: '{{ run.id }}', mail: '{{ vars.mail }}' } }

const publish = (change: object = {}, trigger: object = {}): Promise<PublishedFlow> =>
  millrace.publish({
    name: 'Private',
    retention: { keepBodies: false },
    trigger: { kind: 'webhook', labels: { order: '{{ webhook.body.order }}' }, response: finished, ...trigger },
    steps: [note, send],
    ...change,
  })

const codeOf = async (method: string, path: string, body?: unknown) => {
  const answer = await millrace.api(method, path, body)
  return [answer.status, answer.body.code]
}
const DELETED = [409, 'run_data_deleted']

describe('with keepBodies: false', () => {
  it('whoever waits gets the reply, and nobody sees the data after the end', async () => {
    const { flow, post } = await publish()
    const { body } = await post({ mail: MAIL, order: 'P-1' })
    expect(body.mail).toBe(MAIL)
    const run = await millrace.api('GET', `/runs/${body.id}`)
    expect(JSON.stringify(run.body)).not.toContain(MAIL)
    expect(run.body).toMatchObject({ status: 'succeeded', dataDeleted: true, webhook: null, vars: {} })
    expect(run.body.labels).toEqual({ order: 'P-1' })
    expect(run.body.steps.map(({ id, status }: { id: string; status: string }) => [id, status])).toEqual([
      ['note', 'succeeded'],
      ['send', 'succeeded'],
    ])
    const steps = (await millrace.api('GET', `/runs/${body.id}/steps?under=`)).body
    expect(JSON.stringify(steps)).not.toContain(MAIL)
    const { items } = (await millrace.api('GET', '/runs?label.order=P-1')).body
    expect(items).toMatchObject([{ id: body.id, dataDeleted: true }])
    const [delivery] = (await millrace.api('GET', `/flows/${flow.id}/deliveries`)).body.items
    expect(delivery).toMatchObject({ outcome: 'accepted', webhook: { body: null, headers: {}, dataDeleted: true } })
    for (const path of ['body', 'har', 'fixture', 'steps/part?path=note&part=output'])
      expect(await codeOf('GET', `/runs/${body.id}/${path}`), path).toEqual(DELETED)
    expect(await codeOf('GET', `/deliveries/${delivery.id}/body`)).toEqual(DELETED)
    expect(await codeOf('POST', `/flows/${flow.id}/samples`, { delivery: delivery.id })).toEqual(DELETED)
  })

  it('whoever waits gets a file as well, which nobody can read after the end', async () => {
    const tell = { ...send, body: { kind: 'json', value: { file: '{{ webhook.file.file }}' } } }
    const { flow } = await publish(
      { steps: [tell, { id: 'answer', kind: 'respond', file: '{{ webhook.file }}' }] },
      { accept: ['application/pdf'], response: { mode: 'finished' } },
    )
    const bytes = randomBytes(1_000_000)
    const headers = { 'content-type': 'application/pdf' }
    const reply = await fetch(flow.webhook.url, { method: 'POST', headers, body: bytes })
    expect(reply.status).toBe(200)
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    const { file } = JSON.parse(upstream.received.at(-1)!.body)
    expect(file).toMatch(/^blob_/)
    expect(await codeOf('GET', `/files/${file}`)).toEqual([404, 'not_found'])
  })

  it('only a delivery that is given anew can be replayed', async () => {
    const { post } = await publish()
    const { body } = await post({ mail: MAIL })
    const replay = `/runs/${body.id}/replay`
    expect(await codeOf('POST', replay)).toEqual(DELETED)
    expect(await codeOf('POST', replay, { from: 'send' })).toEqual(DELETED)
    expect(await codeOf('POST', replay, { webhook: { body: { mail: 'x' } } })).toEqual(DELETED)
    const webhook = { body: { mail: 'grace@example.org' }, headers: { 'content-type': 'application/json' }, query: {} }
    const again = await millrace.api('POST', replay, { webhook })
    expect(again.status).toBe(202)
    expect(await millrace.runEnded(again.body.id)).toMatchObject({ status: 'succeeded', edited: true })
    expect(upstream.received.at(-1)!.body).toContain('grace@example.org')
  })

  it('what is done when it fails still reads it, and a job that replays many says why it cannot', async () => {
    const tell = { ...send, id: 'tell', body: { kind: 'json', value: { failed: '{{ webhook.body.mail }}' } } }
    const fail = { id: 'stop', kind: 'fail', message: 'No such order' }
    const { flow, post } = await publish(
      { steps: [note, fail], onFailure: [tell] },
      { response: { mode: 'immediate' } },
    )
    const { body } = await post({ mail: MAIL })
    await millrace.runEnded(body.id)
    await expect.poll(() => upstream.received.at(-1)!.body).toBe(JSON.stringify({ failed: MAIL }))
    const run = (await millrace.api('GET', `/runs/${body.id}`)).body
    expect(run).toMatchObject({ dataDeleted: true, error: { message: 'No such order' } })
    expect(JSON.stringify(run)).not.toContain(MAIL)
    const job = (await millrace.api('POST', '/replays', { filter: { flow: flow.id } })).body
    await expect
      .poll(async () => (await millrace.api('GET', `/replays/${job.id}`)).body)
      .toMatchObject({ state: 'done', total: 1, done: 0, failed: 1 })
  })

  it('a run that called it gets its result, and so does a caller of the API', async () => {
    const called = await millrace.publish({
      name: 'Called',
      slug: 'private-called',
      retention: { keepBodies: false },
      trigger: { kind: 'call' },
      steps: [{ id: 'note', kind: 'set', vars: { mail: '{{ input.mail }}' } }],
    })
    const { post } = await millrace.publish({
      name: 'Caller',
      trigger: { kind: 'webhook', response: { mode: 'finished', body: '{{ steps.ask }}' } },
      steps: [{ id: 'ask', kind: 'call', flow: 'private-called', input: '{{ webhook.body }}' }],
    })
    expect((await post({ mail: MAIL })).body).toEqual({ mail: MAIL })
    const asked = await millrace.api('POST', `/flows/${called.flow.id}/runs?wait=10`, { input: { mail: MAIL } })
    expect(asked.body).toMatchObject({ status: 'succeeded', result: { mail: MAIL } })
    expect(JSON.stringify(await millrace.run(asked.body.id))).not.toContain(MAIL)
  })

  it('answers to callbacks are kept without their data', async () => {
    const ask = { id: 'ask', kind: 'wait', callback: { timeout: 60 } }
    const response = { body: { run: '{{ run.id }}', url: '{{ callbacks.ask.url }}' } }
    const { flow, post } = await publish({ steps: [ask] }, { response })
    const { body } = await post({ mail: MAIL })
    await millrace.runEnded(body.run, ['waiting'])
    expect((await millrace.run(body.run)).webhook.body).toEqual({ mail: MAIL })
    const headers = { 'content-type': 'application/json' }
    await fetch(body.url, { method: 'POST', headers, body: JSON.stringify({ mail: MAIL }) })
    const run = await millrace.runEnded(body.run)
    const { items } = (await millrace.api('GET', `/flows/${flow.id}/deliveries`)).body
    expect(items.map((one: { outcome: string }) => one.outcome)).toEqual(['callback', 'accepted'])
    expect(JSON.stringify([run, items])).not.toContain(MAIL)
  })

  it('deliveries that start no run are kept without their data, and tests keep theirs', async () => {
    const { flow, post } = await publish(
      {},
      { dedupe: { key: '{{ webhook.body.order }}' }, when: '{{ webhook.body.mail }}' },
    )
    await post({ mail: MAIL, order: 'P-2' })
    await post({ mail: MAIL, order: 'P-2' })
    await post({ mail: '', from: MAIL })
    const list = await millrace.api('GET', `/flows/${flow.id}/deliveries`)
    expect(list.body.items.map((one: { outcome: string }) => one.outcome)).toEqual([
      'filtered',
      'duplicate',
      'accepted',
    ])
    expect(JSON.stringify(list.body)).not.toContain(MAIL)
    const test = await millrace.api('POST', `/flows/${flow.id}/test`, { webhook: { body: { mail: MAIL } } })
    expect(JSON.stringify(await millrace.runEnded(test.body.id))).toContain(MAIL)
  })
})

describe('with keepBodies: failed', () => {
  it('failed runs keep their data, others do not', async () => {
    const steps = [
      note,
      {
        id: 'check',
        kind: 'branch',
        cases: [{ when: '{{ webhook.body.bad }}', steps: [{ id: 'no', kind: 'fail', message: 'no' }] }],
      },
    ]
    const { flow, post } = await publish(
      { retention: { keepBodies: 'failed' }, steps },
      { response: { mode: 'finished' } },
    )
    await post({ mail: MAIL })
    await post({ mail: MAIL, bad: true })
    const { items } = (await millrace.api('GET', `/runs?flow=${flow.id}`)).body
    const [failed, succeeded] = [await millrace.run(items[0].id), await millrace.run(items[1].id)]
    expect(failed).toMatchObject({ status: 'failed', webhook: { body: { mail: MAIL } } })
    expect(failed.dataDeleted).toBeUndefined()
    expect(succeeded).toMatchObject({ status: 'succeeded', dataDeleted: true, webhook: null })
    expect((await millrace.api('POST', `/runs/${failed.id}/replay`)).status).toBe(202)
  })
})

it('what cannot be is refused at publish', async () => {
  const document = { name: 'Odd', trigger: { kind: 'webhook' }, steps: [] }
  const draft = (await millrace.api('POST', '/flows', { ...document, retention: { days: 0, failedDays: 40_000 } })).body
  const refused = await millrace.api('POST', `/flows/${draft.id}/publish`)
  expect(refused.body.issues.map(({ path }: { path: string }) => path)).toEqual([
    '/retention/days',
    '/retention/failedDays',
  ])
  const odd = await millrace.api('POST', '/flows', { ...document, retention: { keepBodies: 'never' } })
  expect(odd.body.issues).toMatchObject([{ path: '/retention/keepBodies', code: 'unknown_value' }])
})
