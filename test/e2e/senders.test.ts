import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_SECRET: 'the-secret', MILLRACE_ENV_EMPTY: '' })
  await millrace.api('POST', '/connections', { name: 'meta', kind: 'custom', fields: { verify: 'the-verify-token' } })
  await millrace.api('POST', '/connections', { name: 'asana', kind: 'custom', fields: { token: 'pat' } })
})
afterAll(() => millrace.stop())

const hmac = (text: string, key = 'the-secret') => createHmac('sha256', key).update(text).digest('hex')
const publish = (trigger: object): Promise<PublishedFlow> =>
  millrace.publish({ name: 'Taken', trigger: { kind: 'webhook', ...trigger }, steps: [] })
const inbox = async ({ flow }: PublishedFlow, query = '') =>
  (await millrace.api('GET', `/flows/${flow.id}/deliveries${query}`)).body.items
const outcomes = async (published: PublishedFlow) =>
  (await inbox(published)).map(({ outcome, code }: { outcome: string; code: string | null }) => code ?? outcome)

const NOW = () => Math.floor(Date.now() / 1000)
function stripe(body: object, key = 'the-secret', at = NOW()): [unknown, Record<string, string>] {
  // The harness sends what JSON.stringify writes.
  return [body, { 'stripe-signature': `t=${at},v1=${hmac(`${at}.${JSON.stringify(body)}`, key)}` }]
}

describe('a flow that names its sender', () => {
  it('takes what it signs, finds repeats by its id, and shows the type of the event', async () => {
    const flow = await publish({ sender: { name: 'stripe', secret: ['{{ env.SECRET }}', 'the-next'] } })
    const paid = { id: 'evt_1', type: 'invoice.paid' }
    expect((await flow.post(...stripe(paid))).status).toBe(200)
    expect((await flow.post(...stripe(paid, 'the-next'))).status).toBe(200)
    expect((await flow.post(...stripe({ id: 'evt_2', type: 'invoice.sent' }))).status).toBe(200)
    expect((await flow.post(...stripe(paid, 'another'))).status).toBe(401)
    expect((await flow.post(...stripe(paid, 'the-secret', NOW() - 400))).body.message).toContain('300 s away from now')
    expect((await flow.post(paid)).body.message).toBe('Authentication failed: the header Stripe-Signature is missing.')
    expect(await outcomes(flow)).toEqual([
      'unauthorized',
      'unauthorized',
      'unauthorized',
      'accepted',
      'duplicate',
      'accepted',
    ])
    const events = async (query: string) => (await inbox(flow, query)).map(({ event }: { event: string }) => event)
    expect(await events('')).toEqual([null, null, null, 'invoice.sent', 'invoice.paid', 'invoice.paid'])
    expect(await events('?event=invoice.paid')).toEqual(['invoice.paid', 'invoice.paid'])
    expect(await events('?event=invoice.sent')).toEqual(['invoice.sent'])
    const all = await millrace.api('GET', `/deliveries?flow=${flow.flow.id}&event=invoice.sent`)
    expect(all.body.items).toMatchObject([{ outcome: 'accepted', event: 'invoice.sent' }])
  })

  it('has its own settings count for more', async () => {
    const flow = await publish({
      sender: { name: 'stripe' },
      auth: { kind: 'header', name: 'X-Token', value: 'a-token' },
      dedupe: { key: '{{ webhook.body.other }}' },
      labels: { event: '{{ webhook.body.kind }}' },
    })
    const post = (body: object) => flow.post(body, { 'X-Token': 'a-token' })
    expect((await post({ id: 'evt_1', other: 'a', kind: 'mine' })).status).toBe(200)
    expect((await post({ id: 'evt_1', other: 'b' })).status).toBe(200)
    expect(await outcomes(flow)).toEqual(['accepted', 'accepted'])
    expect((await inbox(flow))[1].event).toBe('mine')
  })

  it('cannot be published with a sender that there is not, with fields that it needs missing, or others', async () => {
    const issues = async (sender: object) => {
      const document = { name: 'Wrong', trigger: { kind: 'webhook', sender }, steps: [] }
      const { body } = await millrace.api('POST', '/flows/validate', document)
      return body.issues.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
    }
    expect(await issues({ name: 'strype' })).toEqual([
      expect.stringContaining('/trigger/sender/name There is no sender "strype"; did you mean "stripe"?'),
    ])
    expect(await issues({ name: 'meta', secret: '{{ env.SECRET }}', user: 'u' })).toEqual([
      expect.stringContaining('/trigger/sender/verifyToken verifyToken is missing: the Verify token of Meta'),
      '/trigger/sender/user Meta needs no user; remove it.',
    ])
    expect(await issues({ name: 'asana', secret: 'typed' })).toEqual([
      expect.stringContaining('/trigger/sender/secret Asana hands over its Hook secret itself'),
    ])
    expect(await issues({ name: 'asana', secret: '{{ connections.asana.secret }}' })).toEqual([])
  })
})

describe('a handshake', () => {
  const META = { name: 'meta', secret: '{{ env.SECRET }}', verifyToken: '{{ connections.meta.verify }}' }
  const visit = (flow: PublishedFlow, method: string, query: string) =>
    fetch(`${flow.flow.webhook.url}${query}`, { method })

  it('by GET is answered to who knows the token, and starts nothing', async () => {
    const flow = await publish({ sender: META })
    const asked = '?hub.mode=subscribe&hub.challenge=%3Cb%3E1158201444&hub.verify_token='
    const answer = await visit(flow, 'GET', `${asked}the-verify-token`)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toBe('<b>1158201444')
    expect(answer.headers.get('content-type')).toBe('text/plain')
    expect(answer.headers.get('content-security-policy')).toBe('sandbox')
    for (const wrong of [`${asked}another`, asked, '?hub.mode=subscribe&hub.challenge=1', '']) {
      const refused = await visit(flow, 'GET', wrong)
      expect([refused.status, refused.headers.get('allow')]).toEqual([405, 'POST, GET'])
    }
    expect((await visit(flow, 'HEAD', `${asked}the-verify-token`)).status).toBe(405)
    expect((await visit(flow, 'DELETE', '')).headers.get('allow')).toBe('POST, GET')
    const kept = await inbox(flow)
    expect(kept.at(-1)).toMatchObject({ outcome: 'handshake', status: 200, runId: null, event: null, code: null })
    expect(JSON.stringify(kept)).not.toContain('the-verify-token')
    expect(kept[2]).toMatchObject({ outcome: 'rejected', code: 'method_not_allowed' })
    expect(kept[2].message).toContain('No handshake of the trigger fits this GET request')
    expect((await millrace.api('GET', `/runs?flow=${flow.flow.id}`)).body.items).toEqual([])
    const body = { object: 'page', entry: [{ changes: [{ field: 'feed' }] }] }
    const signature = `sha256=${hmac(JSON.stringify(body))}`
    expect((await flow.post(body, { 'x-hub-signature-256': signature })).status).toBe(200)
    expect((await inbox(flow, '?event=page.feed'))[0].outcome).toBe('accepted')
  })

  it('is answered at the test URL of a draft too, and nowhere where there is none', async () => {
    const { body: draft } = await millrace.api('POST', '/flows', {
      name: 'Draft',
      trigger: { kind: 'webhook', sender: META },
      steps: [],
    })
    const query = '?hub.mode=subscribe&hub.challenge=7&hub.verify_token=the-verify-token'
    expect((await fetch(`${draft.webhook.url}/test${query}`)).status).toBe(200)
    expect((await fetch(`${draft.webhook.url}${query}`)).status).toBe(405)
    const plain = await publish({})
    const answer = await visit(plain, 'GET', query)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it('that is signed is answered after authentication, whatever its content type', async () => {
    const flow = await publish({ sender: { name: 'zoom', secret: '{{ env.SECRET }}' } })
    const body = JSON.stringify({ event: 'endpoint.url_validation', payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' } })
    const post = (key: string, type = 'application/json') => {
      const at = String(NOW())
      const signature = `v0=${createHmac('sha256', key).update(`v0:${at}:${body}`).digest('hex')}`
      const headers = { 'content-type': type, 'x-zm-request-timestamp': at, 'x-zm-signature': signature }
      return fetch(flow.flow.webhook.url, { method: 'POST', body, headers })
    }
    const answer = await post('the-secret')
    expect(await answer.json()).toEqual({
      plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
      encryptedToken: hmac('qgg8vlvZRS6UYooatFL8Aw'),
    })
    expect((await post('the-secret', 'application/vnd.odd+json')).status).toBe(200)
    expect((await post('another')).status).toBe(401)
    expect((await post('the-secret', 'text/plain')).status).toBe(400)
    expect(await outcomes(flow)).toEqual(['bad_request', 'unauthorized', 'handshake', 'handshake'])
  })

  it('of a flow itself answers as it says, and never on an empty secret', async () => {
    const handshake = (when: string) => ({
      method: 'HEAD',
      when,
      status: 204,
      headers: [{ name: 'X-Proof', value: "{{ hmacSha512('a', env.SECRET) }}" }],
    })
    const flow = await publish({ handshake: [handshake('{{ webhook.query.token == env.SECRET }}')] })
    const answer = await visit(flow, 'HEAD', '?token=the-secret')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('x-proof')).toBe(createHmac('sha512', 'the-secret').update('a').digest('hex'))
    expect((await visit(flow, 'HEAD', '?token=')).status).toBe(405)
    const open = await publish({ handshake: [handshake('{{ webhook.query.token == env.EMPTY }}')] })
    expect((await visit(open, 'HEAD', '?token=')).status).toBe(405)
    const document = (handshakes: object) => ({
      name: 'F',
      trigger: { kind: 'webhook', handshake: handshakes },
      steps: [],
    })
    const { body } = await millrace.api(
      'POST',
      '/flows/validate',
      document([
        { method: 'GET', when: true, body: { a: ['x{{ env.SECRET }}'] } },
        {
          method: 'GET',
          when: true,
          headers: [{ name: 'X-A', value: '{{ sha256(env.SECRET) + connections.meta.verify }}' }],
        },
        { method: 'GET', when: true, body: '{{ sha256(`${env.SECRET}:${connections["meta"].verify}`) }}' },
        { method: 'POST', when: '{{ webhook.body == steps.a }}', headers: [{ name: 'Set-Cookie', value: 'a' }] },
      ]),
    )
    expect(body.issues.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual([
      ['/trigger/handshake/3/when', 'unknown_reference'],
      ['/trigger/handshake/0/body/a/0', 'secret_in_reply'],
      ['/trigger/handshake/1/headers/0/value', 'secret_in_reply'],
      ['/trigger/handshake/3/headers/0/name', 'invalid_header'],
    ])
  })

  it('hands over a secret once, which is sealed into the connection and lets later deliveries in', async () => {
    const flow = await publish({ sender: { name: 'asana', secret: '{{ connections.asana.secret }}' } })
    const events = { events: [{ action: 'changed', resource: { resource_type: 'task' } }] }
    const signed = (key: string) => flow.post(events, { 'x-hook-signature': hmac(JSON.stringify(events), key) })
    expect((await signed('')).status).toBe(401)
    const shake = (secret: string) => flow.post({}, { 'x-hook-secret': secret })
    const answer = await shake('handed-over-secret')
    expect([answer.status, answer.headers.get('x-hook-secret')]).toEqual([200, 'handed-over-secret'])
    expect((await shake('handed-over-secret')).status).toBe(200)
    expect((await shake('of-a-stranger')).status).toBe(401)
    expect((await signed('of-a-stranger')).status).toBe(401)
    expect((await signed('handed-over-secret')).status).toBe(200)
    const kept = await inbox(flow)
    expect(JSON.stringify(kept)).not.toContain('handed-over-secret')
    expect(kept.find(({ code }: { code: string }) => code)).toBeDefined()
    const connection = (await millrace.api('GET', '/connections/asana')).body
    expect(JSON.stringify(connection)).not.toContain('handed-over-secret')
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items[0]).toMatchObject({ action: 'connection.update', actor: 'handshake', details: { fields: ['secret'] } })
  })

  it('is not looked for in a large body, and what is no JSON goes its usual way', async () => {
    const flow = await publish({ sender: { name: 'zoom', secret: '{{ env.SECRET }}' } })
    const big = { event: 'endpoint.url_validation', payload: { plainToken: 'a' }, filling: 'x'.repeat(70_000) }
    const post = (body: string) => {
      const at = String(NOW())
      const signature = `v0=${hmac(`v0:${at}:${body}`)}`
      const headers = { 'content-type': 'application/json', 'x-zm-request-timestamp': at, 'x-zm-signature': signature }
      return fetch(flow.flow.webhook.url, { method: 'POST', body, headers })
    }
    expect((await post(JSON.stringify(big))).status).toBe(200)
    expect((await post('{')).status).toBe(400)
    expect(await outcomes(flow)).toEqual(['bad_request', 'accepted'])
  })

  it('by GET is none with a large body, and does not become a delivery', async () => {
    const handshake = [
      { method: 'GET', when: '{{ webhook.query.challenge != null }}', body: '{{ webhook.query.challenge }}' },
    ]
    const flow = await publish({ handshake })
    const target = `${new URL(flow.flow.webhook.url).pathname}?challenge=7`
    const connection = await connectRaw(millrace.port)
    connection.write(requestBytes({ method: 'GET', target, body: JSON.stringify('x'.repeat(70_000)) }))
    expect((await connection.reply()).status).toBe(405)
    connection.socket.destroy()
    expect(await outcomes(flow)).toEqual(['method_not_allowed'])
  })

  it('floods neither the inbox nor the event loop', async () => {
    const flow = await publish({ sender: META })
    const { pathname } = new URL(flow.flow.webhook.url)
    const target = `${pathname}?hub.mode=subscribe&hub.challenge=7&hub.verify_token=the-verify-token`
    const bytes = Buffer.from(`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`)
    const connection = await connectRaw(millrace.port)
    connection.write(Buffer.concat(Array.from({ length: 100 }, () => bytes)))
    for (let i = 0; i < 100; i++) expect((await connection.reply()).status).toBe(200)
    connection.socket.destroy()
    const kept = await inbox(flow, '?limit=200')
    expect(kept.length).toBeGreaterThan(10)
    expect(kept.length).toBeLessThan(100)
  })
})

it('takes any signature that a flow describes itself', async () => {
  const flow = await publish({
    auth: {
      kind: 'signature',
      scheme: 'custom',
      algorithm: 'sha512',
      encoding: 'base64',
      header: 'X-Sig',
      prefix: 'v=',
      secret: ['the-old', '{{ env.SECRET }}'],
      signed: "{{ webhook.headers['x-ts'] }}.{{ webhook.rawBody }}",
      timestamp: "{{ webhook.headers['x-ts'] }}",
      tolerance: 60,
    },
  })
  const post = (text: string, key: string, at = new Date().toISOString()) =>
    fetch(flow.flow.webhook.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-ts': at,
        'x-sig': `v=${createHmac('sha512', key).update(`${at}.${text}`).digest('base64')}`,
      },
      body: text,
    })
  const odd = '{ "a":"\\u00fc",  "b": 1.0 }'
  expect((await post(odd, 'the-secret')).status).toBe(200)
  expect((await post(odd, 'the-old', String(Date.now()))).status).toBe(200)
  expect((await post(odd, 'another')).status).toBe(401)
  expect((await post(odd, 'the-secret', String(NOW() - 70))).status).toBe(401)
  expect((await post(odd, 'the-secret', 'now')).status).toBe(401)
})

it('reads no more of a head than it has to: long lists, many headers', async () => {
  const flow = await publish({ sender: { name: 'stripe', secret: '{{ env.SECRET }}' } })
  const target = new URL(flow.flow.webhook.url).pathname
  const connection = await connectRaw(millrace.port)
  for (const header of [','.repeat(10_000), `t=1,${'v1=a,'.repeat(2_500)}v1=b`, `t=${'9'.repeat(12_000)},v1=a`]) {
    connection.write(
      requestBytes({ target, headers: [`Stripe-Signature: ${header}`, 'Content-Type: application/json'] }),
    )
    expect((await connection.reply()).status).toBe(401)
  }
  connection.socket.destroy()
})

describe('the senders of the API', () => {
  it('are listed with what they need, and read one by one with samples', async () => {
    const { senders } = (await millrace.api('GET', '/senders')).body
    expect(senders.length).toBeGreaterThan(35)
    const stripe = senders.find(({ name }: { name: string }) => name === 'stripe')
    expect(stripe).toMatchObject({
      title: 'Stripe',
      handshake: false,
      handsOver: [],
      signs: 'HMAC-SHA-256',
      covers: { body: true, time: true },
    })
    expect(senders.find(({ name }: { name: string }) => name === 'asana').handsOver).toEqual(['secret'])
    const one = (await millrace.api('GET', '/senders/svix')).body
    expect(one.name).toBe('standard-webhooks')
    expect(JSON.stringify(one.samples)).not.toContain('{{')
    expect((await millrace.api('GET', '/senders/nobody')).status).toBe(404)
  })

  it('send a sample to the webhook of a flow, which is signed with its own secret', async () => {
    const flow = await publish({ sender: { name: 'stripe', secret: '{{ env.SECRET }}' } })
    const send = (body: object, id = flow.flow.id) => millrace.api('POST', `/flows/${id}/send-sample`, body)
    const test = await send({})
    expect(test.body).toMatchObject({ status: 200, body: { message: 'Test request received' }, runId: null })
    expect((await millrace.api('GET', `/flows/${flow.flow.id}/samples`)).body.items[0].id).toBe(test.body.delivery)
    const latest = async () => (await millrace.api('GET', '/audit?limit=1')).body.items[0]
    const sent = { target: { kind: 'flow', id: flow.flow.id }, details: { sample: test.body.event } }
    expect(await latest()).toMatchObject({ action: 'flow.sample', ...sent })
    const live = await send({ event: 'invoice.paid', test: false })
    expect(live.body).toMatchObject({ event: 'invoice.paid', status: 200, runId: expect.stringMatching(/^run_/) })
    const again = await send({ event: 'invoice.paid', test: false })
    expect(again.body.runId).not.toBe(live.body.runId)
    expect((await inbox(flow, '?event=invoice.paid')).map(({ id }: { id: string }) => id)).toEqual([
      again.body.delivery,
      live.body.delivery,
    ])
    expect(await latest()).toMatchObject({
      action: 'flow.run',
      details: { sample: 'invoice.paid' },
    })
    expect((await send({ event: 'nothing' })).body.message).toContain('there are')
  })

  it('say why a sample cannot be sent', async () => {
    const send = async (trigger: object) => {
      const { body: draft } = await millrace.api('POST', '/flows', {
        name: 'Sample',
        trigger: { kind: 'webhook', ...trigger },
        steps: [],
      })
      const { status, body } = await millrace.api('POST', `/flows/${draft.id}/send-sample`, {})
      return [status, body.message]
    }
    expect(await send({})).toEqual([409, 'The trigger does not say who sends; set trigger.sender first.'])
    expect(await send({ sender: { name: 'stripe' }, auth: { kind: 'none' } })).toEqual([
      409,
      expect.stringContaining('has an auth of its own'),
    ])
    expect(await send({ sender: { name: 'sendgrid', publicKey: 'abc' } })).toEqual([
      409,
      expect.stringContaining('signs with a private key'),
    ])
    expect(await send({ sender: { name: 'stripe', secret: '{{ env.NOT_THERE }}' } })).toEqual([
      409,
      expect.stringContaining('secret, the Signing secret, has no value yet'),
    ])
  })
})
