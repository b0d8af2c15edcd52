// Alerts over a real mail server and a webhook whose signatures are verified by the package of Standard Webhooks.
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../src/outbound/tls/certificates.testkit.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { type Received, startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let receiver: Upstream
let mail: Awaited<ReturnType<typeof startMailServer>>
let answer = 200

beforeAll(async () => {
  mail = await startMailServer()
  receiver = await startUpstream((_request, response) => response.writeHead(answer).end())
  const from = 'millrace@example.com'
  const settings = { MILLRACE_SMTP_URL: mail.url, MILLRACE_SMTP_FROM: from, MILLRACE_ALERT_WINDOW: '4' }
  millrace = await startMillrace(settings)
})
afterAll(async () => {
  await millrace.stop()
  await receiver.close()
  await mail.close()
})

const flaky = {
  id: 'step',
  kind: 'branch',
  cases: [{ when: '{{ webhook.body.fail }}', steps: [{ id: 'oops', kind: 'fail', message: 'no' }] }],
}
const document = (more: object = {}) => ({ name: 'Orders', trigger: { kind: 'webhook' }, steps: [flaky], ...more })

async function alert(given: object) {
  const made = await millrace.api('POST', '/alerts', given)
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body as { id: string; secret: string }
}
const toReceiver = (path: string) => ({ kind: 'webhook', url: `${receiver.url}/${path}` })

/** Resolves with the messages at a path of the receiver, once there are `n`. */
async function messages(path: string, n: number): Promise<Received[]> {
  const there = () => receiver.received.filter(({ url }) => url === `/${path}`)
  while (there().length < n) await receiver.count(receiver.received.length + 1)
  return there()
}
const bodies = async (path: string, n: number) => (await messages(path, n)).map(({ body }) => JSON.parse(body))

describe('a webhook that is told', () => {
  it('gets a client certificate that expires within 14 days, once, with a link to its connection', async () => {
    const made = await alert({ rule: 'certificate_expires', target: toReceiver('certificates') })
    const authority = makeAuthority('Clients')
    const expiring = (days: number) => {
      const { certificate, key } = authority.issue({ name: 'x', expiresAt: new Date(Date.now() + days * 86_400_000) })
      return { certificate, key }
    }
    for (const [name, days] of Object.entries({ later: 15, soon: 13, other: 12 }))
      await millrace.api('POST', '/connections', { name, kind: 'tls', fields: expiring(days) })
    const textsOf = (messages: { items: { text: string }[] }[]) =>
      messages.flatMap(({ items }) => items.map(({ text }) => text)).toSorted()
    let told = await bodies('certificates', 1)
    while (textsOf(told).length < 2) told = await bodies('certificates', told.length + 1)
    const texts = textsOf(told)
    expect(texts).toEqual([
      expect.stringMatching(/^The client certificate of the connection other expires on \d{4}-\d\d-\d\d$/),
      expect.stringMatching(/^The client certificate of the connection soon expires on/),
    ])
    expect(told[0]).toMatchObject({ alert: made.id, rule: 'certificate_expires' })
    expect(told[0].link).toMatch(/\/connections\/(soon|other)$/)
    await millrace.api('DELETE', `/alerts/${made.id}`)
  })

  it('gets the first failure and the recovery, signed, with a link to the failures of the flow', async () => {
    const { flow, post } = await millrace.publish(document())
    const first = await alert({ rule: 'first_failure', flow: flow.id, target: toReceiver('first') })
    await alert({ rule: 'recovered', flow: flow.id, target: toReceiver('recovered') })
    expect(first.secret).toMatch(/^whsec_/)
    const { id } = (await post({ fail: true })).body
    const [message] = await messages('first', 1)
    const view = new Webhook(first.secret).verify(message!.body, message!.headers as Record<string, string>)
    expect(view).toMatchObject({
      alert: first.id,
      rule: 'first_failure',
      count: 1,
      digest: false,
      flow: { id: flow.id, name: 'Orders' },
      run: id,
      link: expect.stringMatching(new RegExp(`^http://[^/]+/failures\\?flow=${flow.id}$`)),
    })
    await millrace.runEnded((await post({ fail: true })).body.id)
    const good = (await post({ fail: false })).body.id
    expect((await bodies('recovered', 1))[0]).toMatchObject({
      rule: 'recovered',
      run: good,
      link: expect.stringMatching(new RegExp(`/runs/${good}$`)),
    })
    // The second failure was not a first one.
    expect(await messages('first', 1)).toHaveLength(1)
    const shown = (await millrace.api('GET', '/alerts')).body.items.find((one: { id: string }) => one.id === first.id)
    expect(shown).toMatchObject({ sentAt: expect.any(String), problem: null })
    expect(JSON.stringify(shown)).not.toContain('whsec_')
  })

  it('gets n failures in m minutes by tag, then a digest', async () => {
    const { post } = await millrace.publish(document({ name: 'Tagged', tags: ['billing'] }))
    const other = await millrace.publish(document({ name: 'Untagged' }))
    await alert({ rule: 'failures', count: 2, minutes: 5, tag: 'billing', target: toReceiver('failures') })
    for (let i = 0; i < 2; i++) await millrace.runEnded((await other.post({ fail: true })).body.id)
    for (let i = 0; i < 2; i++) await millrace.runEnded((await post({ fail: true })).body.id)
    expect((await bodies('failures', 1))[0]).toMatchObject({ count: 2, digest: false, flow: { name: 'Tagged' } })
    // At once: a busy machine may take longer than the window for one after the other.
    await Promise.all(Array.from({ length: 4 }, () => post({ fail: true })))
    const [, digest] = await bodies('failures', 2)
    expect(digest).toMatchObject({ digest: true, flow: { name: 'Tagged' } })
  })

  it('gets deliveries that are rejected in a row', async () => {
    const { flow, post } = await millrace.publish(document({ name: 'Picky' }))
    await alert({ rule: 'rejections', count: 3, flow: flow.id, target: toReceiver('rejections') })
    const spoiled = { 'content-type': 'text/plain; charset=nonsense' }
    const bad = () =>
      fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        body: '{',
        headers: { 'content-type': 'application/json' },
      })
    for (let i = 0; i < 2; i++) expect((await bad()).status).toBe(400)
    await post({}, spoiled).catch(() => {})
    await post({})
    for (let i = 0; i < 3; i++) expect((await bad()).status).toBe(400)
    expect((await bodies('rejections', 1))[0]).toMatchObject({
      rule: 'rejections',
      count: 3,
      flow: { id: flow.id },
      link: expect.stringMatching(new RegExp(`/flows/${flow.id}/inbox\\?outcome=rejected$`)),
    })
  })

  it('is tried again when it refuses, and the alert says why', async () => {
    const { flow, post } = await millrace.publish(document({ name: 'Retried' }))
    const made = await alert({ rule: 'first_failure', flow: flow.id, target: toReceiver('refused') })
    answer = 500
    const failed = (await millrace.api('POST', `/alerts/${made.id}/test`)).body
    expect(failed).toEqual({ sent: false, message: 'The webhook answered with status 500.' })
    await post({ fail: true })
    await messages('refused', 2)
    answer = 200
    const problemOf = async () =>
      (await millrace.api('GET', '/alerts')).body.items.find((one: { id: string }) => one.id === made.id).problem
    await expect.poll(problemOf).toBe('The webhook answered with status 500.')
  })
})

describe('e-mail', () => {
  it('is sent by SMTP to every address', async () => {
    const { flow, post } = await millrace.publish(document({ name: 'Mailed' }))
    const to = ['ada@example.com', 'bob@example.com']
    const made = await alert({ rule: 'first_failure', flow: flow.id, target: { kind: 'email', to } })
    await post({ fail: true })
    await mail.count(1)
    expect(mail.mails[0]).toMatchObject({ from: 'millrace@example.com', to })
    expect(mail.mails[0]!.text).toContain(`/failures?flow=${flow.id}`)
    expect(mail.mails[0]!.text).toContain('A run of "Mailed" failed.')
    expect((await millrace.api('POST', `/alerts/${made.id}/test`)).body).toEqual({ sent: true, message: null })
    await mail.count(2)
    expect(mail.mails[1]!.text).toContain('This is a test of an alert.')
  })
})

describe('the API', () => {
  it('refuses rules without their numbers, with others, and with a flow where there is none', async () => {
    const target = toReceiver('never')
    for (const wrong of [
      { rule: 'failures', count: 2, target },
      { rule: 'first_failure', count: 2, target },
      { rule: 'storage', tag: 'x', target },
      { rule: 'recovered', flow: 'nobody', target },
      { rule: 'recovered', target: { kind: 'webhook', url: 'ftp://x' } },
      { rule: 'recovered', target: { ...target, secret: 'short' } },
      { rule: 'recovered', target: { kind: 'email', to: ['a@b\nBcc: c@d'] } },
      { rule: 'unknown', target },
    ])
      expect((await millrace.api('POST', '/alerts', wrong)).status, JSON.stringify(wrong)).toBe(400)
  })

  it('deletes an alert, and records what was done', async () => {
    const { id } = await alert({ rule: 'reconnect', target: toReceiver('gone') })
    expect((await millrace.api('DELETE', `/alerts/${id}`)).status).toBe(204)
    expect((await millrace.api('DELETE', `/alerts/${id}`)).status).toBe(404)
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items.slice(0, 2).map((one: { action: string }) => one.action)).toEqual(['alert.delete', 'alert.create'])
  })

  it('changes an alert, which keeps its secret and its place', async () => {
    const { flow, post } = await millrace.publish(document({ name: 'Changed' }))
    const made = await alert({ rule: 'recovered', flow: flow.id, target: toReceiver('before') })
    const change = { rule: 'failures', count: 1, minutes: 5, flow: flow.id, target: toReceiver('after') }
    const changed = await millrace.api('PUT', `/alerts/${made.id}`, change)
    expect(changed).toMatchObject({ status: 200, body: { id: made.id, rule: 'failures', count: 1, minutes: 5 } })
    expect(changed.body).not.toHaveProperty('secret')
    await post({ fail: true })
    const [message] = await messages('after', 1)
    const view = new Webhook(made.secret).verify(message!.body, message!.headers as Record<string, string>)
    expect(view).toMatchObject({ rule: 'failures', flow: { id: flow.id } })
    const secret = `whsec_${Buffer.alloc(24, 5).toString('base64')}`
    const given = { ...change, target: { ...toReceiver('given'), secret } }
    expect((await millrace.api('PUT', `/alerts/${made.id}`, given)).body).not.toHaveProperty('secret')
    expect((await millrace.api('POST', `/alerts/${made.id}/test`)).body).toEqual({ sent: true, message: null })
    const [test] = await messages('given', 1)
    expect(new Webhook(secret).verify(test!.body, test!.headers as Record<string, string>)).toMatchObject({
      text: 'This is a test of an alert',
    })
    // A webhook after e-mail needs a secret of its own.
    const mailed = { rule: 'storage', target: { kind: 'email', to: ['a@example.com'] } }
    expect((await millrace.api('PUT', `/alerts/${made.id}`, mailed)).body).toMatchObject({
      flow: null,
      rule: 'storage',
    })
    const anew = await millrace.api('PUT', `/alerts/${made.id}`, { rule: 'storage', target: toReceiver('anew') })
    expect(anew.body.secret).toMatch(/^whsec_/)
    expect((await millrace.api('PUT', `/alerts/${made.id}`, { ...change, count: undefined })).status).toBe(400)
    expect((await millrace.api('PUT', '/alerts/alr_none', change)).status).toBe(404)
    const { items } = (await millrace.api('GET', '/audit?limit=1')).body
    expect(items).toMatchObject([{ action: 'alert.update', target: { id: made.id } }])
  })

  it('raises nothing for what handles failures', async () => {
    const handler = { onFailure: [{ id: 'worse', kind: 'fail', message: 'too' }] }
    const { flow, post } = await millrace.publish(document({ name: 'Handled', ...handler }))
    await alert({ rule: 'failures', count: 1, minutes: 1, flow: flow.id, target: toReceiver('handled') })
    await post({ fail: true })
    expect((await bodies('handled', 1))[0]).toMatchObject({ count: 1 })
    await post({ fail: true })
    expect((await bodies('handled', 2))[1]).toMatchObject({ count: 1, digest: true })
  })
})
