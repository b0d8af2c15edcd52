// The inbox recovers: bodies of rejected deliveries are kept where the trigger says so, and can be admitted.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'

const SECRET = 'a-secret-of-the-environment'
let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_KEY: SECRET })
})
afterAll(() => millrace.stop())

const keeping = (more: object = {}) => ({
  name: 'Keeping',
  trigger: {
    kind: 'webhook',
    inbox: { keepRejected: true },
    auth: { kind: 'header', name: 'X-Key', value: '{{ env.KEY }}' },
    labels: { order: '{{ webhook.body.id }}' },
    ...more,
  },
  steps: [{ id: 'note', kind: 'set', vars: { id: '{{ webhook.body.id }}', key: '{{ env.KEY }}' } }],
})
/** Sends what is refused, and resolves with its entry in the inbox. */
async function refused({ flow, post }: PublishedFlow, body: unknown, headers: Record<string, string> = {}) {
  const { status, body: answer } = await post(body, headers)
  return vi.waitFor(async () => {
    const { items } = (await millrace.api('GET', `/flows/${flow.id}/deliveries`)).body
    expect(items[0]).toMatchObject({
      outcome: 'rejected',
      status,
      webhook: { metadata: { requestId: answer.requestId } },
    })
    return items[0]
  }, 5_000)
}
const admit = (flowId: string, delivery: string) =>
  millrace.api('POST', `/flows/${flowId}/deliveries/${delivery}/admit`)

describe('a rejected delivery whose body is kept', () => {
  it('is admitted once, by name, and becomes a sample', async () => {
    const made = await millrace.publish(keeping())
    const entry = await refused(made, { id: 'A-1' }, { 'x-key': 'wrong' })
    expect(entry).toMatchObject({ code: 'unauthorized', bodyKept: true, webhook: { body: { id: 'A-1' } } })
    const [first, second] = await Promise.all([admit(made.flow.id, entry.id), admit(made.flow.id, entry.id)])
    const [admitted, again] = first.status === 202 ? [first, second] : [second, first]
    expect(admitted).toMatchObject({
      status: 202,
      body: {
        trigger: { kind: 'webhook', admitted: { by: 'admin token', delivery: entry.id } },
        labels: { order: 'A-1' },
      },
    })
    expect(again).toMatchObject({ status: 409, body: { code: 'conflict' } })
    const run = await millrace.runEnded(admitted.body.id)
    expect(run).toMatchObject({
      status: 'succeeded',
      vars: { id: 'A-1' },
      webhook: { headers: { 'x-key': '[masked]' } },
    })
    expect((await admit(made.flow.id, entry.id)).status).toBe(409)
    expect((await millrace.api('GET', `/deliveries/${entry.id}`)).body).toMatchObject({
      outcome: 'rejected',
      runId: run.id,
    })
    expect((await millrace.api('GET', `/deliveries?flow=${made.flow.id}`)).body.items).toHaveLength(1)
    const audit = (await millrace.api('GET', '/audit')).body.items
    expect(audit.find(({ action }: { action: string }) => action === 'delivery.admit')).toMatchObject({
      target: { kind: 'delivery', id: entry.id },
      details: { flow: made.flow.id, run: run.id },
    })
    const sample = await millrace.api('POST', `/flows/${made.flow.id}/samples`, { delivery: entry.id })
    expect(sample.body.webhook.body).toEqual({ id: 'A-1' })
    const replay = await millrace.api('POST', `/runs/${run.id}/replay`, {})
    expect((await millrace.runEnded(replay.body.id)).vars).toMatchObject({ id: 'A-1' })
  })

  it('is checked again, but not for its signature', async () => {
    const auth = { kind: 'signature', scheme: 'stripe', secret: '{{ env.KEY }}' }
    const made = await millrace.publish(
      keeping({ auth, when: "{{ webhook.body.id != 'no' }}", dedupe: { key: '{{ webhook.body.id }}' } }),
    )
    const signed = (text: string, at: number) => ({
      'stripe-signature': `t=${at},v1=${createHmac('sha256', SECRET).update(`${at}.${text}`).digest('hex')}`,
    })
    const old = await refused(made, '{"id":"S-1"}', signed('{"id":"S-1"}', 1_000_000))
    expect(old).toMatchObject({ code: 'unauthorized', bodyKept: true })
    expect((await admit(made.flow.id, old.id)).status).toBe(202)
    const now = Math.floor(Date.now() / 1000)
    const broken = await refused(made, '{"id":', signed('{"id":', now))
    expect(broken).toMatchObject({ code: 'bad_request', bodyKept: true, webhook: { rawBody: '{"id":' } })
    expect(await admit(made.flow.id, broken.id)).toMatchObject({ status: 400, body: { code: 'bad_request' } })
    const filtered = await refused(made, { id: 'no' })
    expect(await admit(made.flow.id, filtered.id)).toMatchObject({ status: 409, body: { code: 'conflict' } })
    const twice = await refused(made, { id: 'S-1' })
    expect(await admit(made.flow.id, twice.id)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching('duplicate') },
    })
  })

  it('to a flow that is not published is admitted once the flow is', async () => {
    const made = await millrace.publish(keeping())
    await millrace.api('POST', `/flows/${made.flow.id}/unpublish`)
    const entry = await refused(made, { id: 'U-1' }, { 'x-key': SECRET })
    expect(entry).toMatchObject({
      status: 404,
      code: 'webhook_not_found',
      bodyKept: true,
      webhook: { headers: { 'x-key': '[masked]' } },
    })
    expect(await admit(made.flow.id, entry.id)).toMatchObject({ status: 404, body: { code: 'webhook_not_found' } })
    await millrace.api('POST', `/flows/${made.flow.id}/publish`)
    const { status, body } = await admit(made.flow.id, entry.id)
    expect(status).toBe(202)
    expect((await millrace.runEnded(body.id)).vars).toMatchObject({ id: 'U-1' })
  })

  it('is sealed where it holds a known secret, and shows none', async () => {
    const made = await millrace.publish(keeping())
    const entry = await refused(made, { id: 'K-1', said: SECRET })
    expect(JSON.stringify(entry)).not.toContain(SECRET)
    const { body } = await admit(made.flow.id, entry.id)
    const run = await millrace.runEnded(body.id)
    expect(JSON.stringify(run)).not.toContain(SECRET)
    expect(run.vars).toMatchObject({ id: 'K-1' })
    // The sealed request is found by a rotation of the keys.
    expect((await millrace.api('GET', '/keys')).status).toBe(200)
  })
})

describe('a rejected delivery', () => {
  it('has no body where none is to be kept, or it is too large', async () => {
    const plain = await millrace.publish(keeping({ inbox: {} }))
    const entry = await refused(plain, { id: 'N-1' })
    expect(entry).toMatchObject({ webhook: { rawBody: '' } })
    expect(entry.bodyKept).toBeUndefined()
    expect(await admit(plain.flow.id, entry.id)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching('not kept') },
    })
    const made = await millrace.publish(keeping())
    const large = await refused(made, { id: 'x'.repeat(66_000) })
    expect(large.bodyKept).toBeUndefined()
    const sent = await made.post({ id: 'ok' }, { 'X-Key': SECRET })
    const [accepted] = (await millrace.api('GET', `/deliveries?flow=${made.flow.id}&outcome=accepted`)).body.items
    expect(accepted.runId).toBe(sent.body.id)
    expect(await admit(made.flow.id, accepted.id)).toMatchObject({ status: 409 })
    expect((await admit(made.flow.id, 'dlv_none')).status).toBe(404)
    expect((await admit(plain.flow.id, large.id)).status).toBe(404)
  })
})
