// Sends to a real Millrace as every sender does: its events, repeats, forgeries and handshakes.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { samplesOf, senderNamed } from './sender-named.testkit.ts'
import { type Payload, type Sent, send, type Way } from './vendor.testkit.ts'
import { VENDORS } from './vendors.testkit.ts'

const flows = new Map<string, PublishedFlow>()
let millrace: Millrace

/** A sender that hands its secret over wants a connection for it. */
const HANDING = ['asana', 'notion']

beforeAll(async () => {
  millrace = await startMillrace()
  await Promise.all(Object.keys(VENDORS).map(publish))
})
afterAll(() => millrace.stop())

async function publish(name: string): Promise<void> {
  const { fields } = VENDORS[name]!
  const isHanding = HANDING.includes(name)
  if (isHanding) await millrace.api('POST', '/connections', { name, kind: 'custom', fields })
  const given = isHanding ? { secret: `{{ connections.${name}.secret }}` } : fields
  const more = name === 'meta' ? { verifyToken: 'v3r1fy-t0k3n' } : {}
  const trigger = { kind: 'webhook', sender: { name, ...given, ...more } }
  flows.set(name, await millrace.publish({ name, trigger, steps: [] }))
}

const urlOf = (name: string): string => flows.get(name)!.flow.webhook.url

function post(name: string, { headers, body }: Sent): Promise<Response> {
  return fetch(urlOf(name), { method: 'POST', headers, body: new Uint8Array(body) })
}

const signed = (name: string, payload: Payload, change: Partial<Way> = {}, isOdd = false): Sent =>
  send(VENDORS[name]!, payload, { url: urlOf(name), ...change }, isOdd)

interface Delivery {
  outcome: string
  event: string | null
  code: string | null
}
const inbox = async (name: string): Promise<Delivery[]> =>
  (await millrace.api('GET', `/flows/${flows.get(name)!.flow.id}/deliveries`)).body.items.toReversed()

describe('a flow that names its sender', () => {
  it.concurrent.each(Object.keys(VENDORS))(
    'takes what %s sends, once, with the type of its event, and nothing forged',
    async (name) => {
      const samples = samplesOf(name)
      const requests = [
        ...samples.map((sample) => signed(name, sample)),
        // The same event in other words: its id is known, or the body counts.
        signed(name, samplesOf(name)[0]!, {}, true),
      ]
      for (const request of requests) expect((await post(name, request)).status).toBe(200)
      expect((await post(name, requests[0]!)).status).toBe(200)
      const forged = signed(name, samplesOf(name)[0]!, { secret: VENDORS[name]!.otherSecret })
      expect((await post(name, forged)).status).toBe(401)
      const events = [...samples.map(({ event }) => event), samples[0]!.event, samples[0]!.event]
      const hasKey = senderNamed(name).dedupe !== null
      expect(await inbox(name)).toMatchObject([
        ...events.map((event, i) => ({ outcome: i === 4 && hasKey ? 'duplicate' : 'accepted', event })),
        { outcome: 'rejected', code: 'unauthorized', event: null },
      ])
    },
  )
})

describe('a reply that a sender wants', () => {
  it.each([
    ['xero', { headers: [{ name: 'Content-Type', value: 'text/plain' }], body: '' }, ''],
    ['twilio', { headers: [{ name: 'Content-Type', value: 'text/xml' }], body: '<Response/>' }, '<Response/>'],
  ])('of %s is what its note says', async (name, response, expected) => {
    const trigger = { kind: 'webhook', sender: { name, ...VENDORS[name]!.fields }, response }
    const { flow } = await millrace.publish({ name: `${name}, replying`, trigger, steps: [] })
    const { headers, body } = signed(name, samplesOf(name)[0]!, { url: flow.webhook.url })
    const answer = await fetch(flow.webhook.url, { method: 'POST', headers, body: new Uint8Array(body) })
    expect([answer.status, await answer.text()]).toEqual([200, expected])
  })
})

interface Answer {
  status: number
  type: string | null
  body: string
}
async function answerOf(response: Promise<Response>): Promise<Answer> {
  const { status, headers } = await response
  return { status, type: headers.get('content-type'), body: await (await response).text() }
}

const visit = (name: string, method: string, query = '', headers: Record<string, string> = {}) =>
  answerOf(fetch(urlOf(name) + query, { method, headers }))

describe('the handshake', () => {
  // The deliveries above filled what the inbox takes of one flow in a second for some of them; answers do not depend on it.
  it('of Meta and Dropbox returns the challenge of a GET request as text', async () => {
    const asked = (token: string) => `?hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token=${token}`
    expect(await visit('meta', 'GET', asked('v3r1fy-t0k3n'))).toEqual({
      status: 200,
      type: 'text/plain',
      body: '1158201444',
    })
    expect((await visit('meta', 'GET', asked('other'))).status).toBe(405)
    expect(await visit('dropbox', 'GET', '?challenge=a%20b%3Cc')).toEqual({
      status: 200,
      type: 'text/plain',
      body: 'a b<c',
    })
    expect((await visit('dropbox', 'GET')).status).toBe(405)
  })

  it('of Okta returns the challenge of a header as JSON', async () => {
    const { status, body } = await visit('okta', 'GET', '', { 'X-Okta-Verification-Challenge': 'challenge-1' })
    expect([status, JSON.parse(body)]).toEqual([200, { verification: 'challenge-1' }])
    expect((await visit('okta', 'GET')).status).toBe(405)
  })

  it.each(['trello', 'intercom'])('of %s is a HEAD request', async (name) => {
    expect((await visit(name, 'HEAD')).status).toBe(200)
    expect((await visit(name, 'GET')).status).toBe(405)
  })

  it('of Microsoft returns the token of a POST request without a body, as text', async () => {
    const answer = await answerOf(
      fetch(`${urlOf('microsoft-graph')}?validationToken=Validation%3A%20Testing%20%26%20more`, {
        method: 'POST',
        headers: { 'Content-Type': 'text/plain; charset=utf-8' },
      }),
    )
    expect(answer).toEqual({ status: 200, type: 'text/plain', body: 'Validation: Testing & more' })
  })

  it('of WooCommerce is a form with a number, without a signature', async () => {
    const form = (headers: Record<string, string> = {}) =>
      answerOf(fetch(urlOf('woocommerce'), { method: 'POST', headers, body: new URLSearchParams({ webhook_id: '7' }) }))
    expect((await form()).status).toBe(200)
    expect((await form({ 'X-WC-Webhook-Signature': 'abc' })).status).toBe(401)
  })

  const shake = (name: string, body: unknown, change: Partial<Way> = {}) =>
    answerOf(post(name, signed(name, { body }, change)))

  it.each([
    ['slack', { type: 'url_verification', challenge: '3eZbrw1a' }, 200, { challenge: '3eZbrw1a' }],
    [
      'zoom',
      { event: 'endpoint.url_validation', payload: { plainToken: 'qgg8vlvZRS6UYooatFL8Aw' } },
      200,
      {
        plainToken: 'qgg8vlvZRS6UYooatFL8Aw',
        encryptedToken: createHmac('sha256', VENDORS['zoom']!.way.secret)
          .update('qgg8vlvZRS6UYooatFL8Aw')
          .digest('hex'),
      },
    ],
    ['discord', { type: 1, id: '1', application_id: '2', version: 1 }, 200, { type: 1 }],
    ['discord', { type: 0, version: 1, application_id: '2' }, 204, null],
    ['line', { destination: 'U8e742f61d673b39c7fff3cecb7536ef0', events: [] }, 200, null],
    ['xero', { events: [], firstEventSequence: 0, lastEventSequence: 0, entropy: 'S0m3r4Nd0mt3xt' }, 200, null],
    ['asana', { events: [] }, 200, null],
  ])('of %s is signed, and refused if it is not', async (name, body, status, expected) => {
    const answer = await shake(name, body)
    expect([answer.status, answer.body === '' ? null : JSON.parse(answer.body)]).toEqual([status, expected])
    expect((await shake(name, body, { secret: VENDORS[name]!.otherSecret })).status).toBe(401)
  })

  it('of Zoom is answered with the first of two secrets', async () => {
    const { secret } = VENDORS['zoom']!.way
    const trigger = { kind: 'webhook', sender: { name: 'zoom', secret: [secret, 'an-old-secret'] } }
    const { flow } = await millrace.publish({ name: 'Zoom, two secrets', trigger, steps: [] })
    const { headers, body } = signed('zoom', {
      body: { event: 'endpoint.url_validation', payload: { plainToken: 'a' } },
    })
    const answer = await fetch(flow.webhook.url, { method: 'POST', headers, body: new Uint8Array(body) })
    const encryptedToken = createHmac('sha256', secret).update('a').digest('hex')
    expect(await answer.json()).toEqual({ plainToken: 'a', encryptedToken })
  })

  it('of Asana and Notion hands over the secret once', async () => {
    const hands = async (name: string, secret: string): Promise<Answer> => {
      const headers: Record<string, string> = name === 'asana' ? { 'X-Hook-Secret': secret } : {}
      const body = JSON.stringify(name === 'asana' ? {} : { verification_token: secret })
      return answerOf(
        fetch(urlOf(name), { method: 'POST', headers: { 'Content-Type': 'application/json', ...headers }, body }),
      )
    }
    for (const name of HANDING) {
      expect((await hands(name, VENDORS[name]!.way.secret)).status).toBe(200)
      expect((await hands(name, 'of a stranger')).status).toBe(401)
    }
    const echo = await fetch(urlOf('asana'), {
      method: 'POST',
      headers: { 'X-Hook-Secret': VENDORS['asana']!.way.secret },
    })
    expect(echo.headers.get('x-hook-secret')).toBe(VENDORS['asana']!.way.secret)
  })

  it('starts no run, and is in the inbox', async () => {
    for (const name of ['okta', 'trello', 'microsoft-graph', 'slack', 'discord']) {
      const outcomes = (await inbox(name)).map(({ outcome }) => outcome)
      expect(outcomes, name).toContain('handshake')
      const { items } = (await millrace.api('GET', `/runs?flow=${flows.get(name)!.flow.id}`)).body
      expect(items.length, name).toBe(4)
    }
  })
})
