// What only some senders do: other bodies, several signatures, other headers, lists in the body.
import { createHash } from 'node:crypto'
import { Webhook } from 'svix'
import twilio from 'twilio/lib/webhooks/webhooks.js'
import { describe, expect, it } from 'vitest'
import { letsIn, type SentRequest, TARGET } from '../../src/operations/deliveries/sender-request.testkit.ts'
import { samplesOf, senderNamed } from './sender-named.testkit.ts'
import { type Header, type Payload, type Sent, send, URL_OF_FLOW } from './vendor.testkit.ts'
import { VENDORS } from './vendors.testkit.ts'

const REFUSED = /^Authentication failed/

const held = (name: string, { headers, body }: Sent, given: object = {}, more: Partial<SentRequest> = {}) =>
  letsIn(senderNamed(name), { ...VENDORS[name]!.fields, ...given }, { rawHeaders: headers.flat(), body, ...more })

const sampleOf = (name: string): Payload => samplesOf(name)[0]!
const genuine = (name: string): Sent => send(VENDORS[name]!, sampleOf(name))
const headerOf = ({ headers }: Sent, wanted: string): string => headers.find(([name]) => name === wanted)![1]
const withHeader = (sent: Sent, wanted: string, value: string): Sent => ({
  ...sent,
  headers: sent.headers.map((line): Header => (line[0] === wanted ? [wanted, value] : line)),
})

describe('a body of another kind', () => {
  it('is verified as XML of DocuSign', () => {
    const text =
      '<?xml version="1.0"?>\r\n<DocuSignEnvelopeInformation><Status>Zoë ✓</Status></DocuSignEnvelopeInformation>'
    const sent = send(VENDORS['docusign']!, { text, contentType: 'text/xml; charset=utf-8' })
    expect(held('docusign', sent)).toBe(true)
    expect(held('docusign', { ...sent, body: Buffer.from(text.replace('Zoë', 'Eve')) })).toMatch(REFUSED)
  })

  it('is verified as JSON of Twilio, whose hash is in the signed URL', () => {
    const body = Buffer.from('{ "SmsStatus": "received" , "Body": "Zoë ✓" }')
    const target = (hashed: Buffer) => `${TARGET}?bodySHA256=${createHash('sha256').update(hashed).digest('hex')}`
    const signed = (target: string): Sent => {
      const url = URL_OF_FLOW.replace(TARGET, target)
      const signature = twilio.getExpectedTwilioSignature(VENDORS['twilio']!.way.secret, url, {})
      return {
        headers: [
          ['Content-Type', 'application/json'],
          ['X-Twilio-Signature', signature],
        ],
        body,
      }
    }
    expect(held('twilio', signed(target(body)), {}, { target: target(body) })).toBe(true)
    const other = { ...signed(target(body)), body: Buffer.from('{"SmsStatus":"delivered"}') }
    expect(held('twilio', other, {}, { target: target(body) })).toMatch(REFUSED)
    // A forger who changes the hash too changes the signed URL.
    expect(held('twilio', other, {}, { target: target(other.body) })).toMatch(REFUSED)
    // A signature of the URL alone does not cover the fields of a form.
    const form: Sent = { ...signed(TARGET), body: Buffer.from('Body=hello') }
    expect(held('twilio', withHeader(form, 'Content-Type', 'application/x-www-form-urlencoded'))).toMatch(REFUSED)
  })
})

describe('several signatures', () => {
  it.each([
    ['stripe', 'Stripe-Signature', ','],
    ['paddle', 'Paddle-Signature', ';'],
    ['pagerduty', 'X-PagerDuty-Signature', ','],
    ['standard-webhooks', 'webhook-signature', ' '],
  ])('of %s in one header are enough if one fits', (name, header, between) => {
    const sent = genuine(name)
    const atMs = Date.now()
    const other = send(VENDORS[name]!, sampleOf(name), { secret: VENDORS[name]!.otherSecret, atMs })
    const signatureOf = (sent: Sent) => headerOf(sent, header).split(between).at(-1)!
    const both = (one: string, two: string) =>
      withHeader(sent, header, `${headerOf(sent, header).replace(signatureOf(sent), one)}${between}${two}`)
    expect(held(name, both(signatureOf(other), signatureOf(sent)))).toBe(true)
    expect(held(name, both(signatureOf(sent), signatureOf(other)))).toBe(true)
    expect(held(name, both(signatureOf(other), signatureOf(other)))).toMatch(REFUSED)
  })

  it.each([
    ['docusign', 'X-DocuSign-Signature-1', 'X-DocuSign-Signature-3'],
    ['box', 'BOX-SIGNATURE-PRIMARY', 'BOX-SIGNATURE-SECONDARY'],
  ])('of %s in headers of their own are enough if one fits', (name, one, other) => {
    const sent = genuine(name)
    const moved: Header[] = sent.headers.map(([header, value]) => [header === one ? other : header, value])
    const wrong = headerOf(send(VENDORS[name]!, sampleOf(name), { secret: 'x' }), one)
    expect(held(name, { ...sent, headers: moved })).toBe(true)
    expect(held(name, { ...sent, headers: [...moved, [one, wrong]] })).toBe(true)
    expect(held(name, { ...sent, headers: [...moved, [other, wrong]] })).toMatch(REFUSED)
  })

  it('are not needed while a secret is changed: the flow has both', () => {
    for (const [name, vendor] of Object.entries(VENDORS)) {
      const { secret } = vendor.fields
      if (secret === undefined) continue
      const both = { secret: [vendor.otherSecret, secret] }
      expect(held(name, genuine(name), both), name).toBe(true)
      expect(held(name, send(vendor, sampleOf(name), { secret: vendor.otherSecret }), both), name).toBe(true)
      const neither = send(vendor, sampleOf(name), {
        secret: vendor.otherSecret.replaceAll('5', '6').replace('0', '1').replace('whsec_YW5', 'whsec_YW1'),
      })
      expect(held(name, neither, both), name).toMatch(REFUSED)
    }
  })
})

describe('Standard Webhooks', () => {
  it('has headers that begin with svix- too', () => {
    const { secret } = VENDORS['standard-webhooks']!.fields
    const body = Buffer.from('{"type":"user.created"}')
    const at = new Date()
    const headers: Header[] = [
      ['svix-id', 'msg_1'],
      ['svix-timestamp', String(Math.floor(at.getTime() / 1000))],
      ['svix-signature', new Webhook(secret!).sign('msg_1', at, body.toString())],
    ]
    expect(held('standard-webhooks', { headers, body })).toBe(true)
    expect(held('standard-webhooks', { headers, body: Buffer.from('{"type":"user.deleted"}') })).toMatch(REFUSED)
  })

  it.each(['standard-webhooks', 'resend'])(
    'as of %s has no id with a full stop, which could hide the signed time',
    (name) => {
      const names = name === 'resend' ? 'svix' : 'webhook'
      const [nowS, vendor] = [Math.floor(Date.now() / 1000), VENDORS[name]!]
      // The body of a genuine request begins with what looks like a time: the forger moves the seam.
      const sent = send(
        vendor,
        { text: `${nowS}.5`, headers: { [`${names}-id`]: 'msg_1' } },
        { atMs: 1_600_000_000_000 },
      )
      const moved = withHeader(withHeader(sent, `${names}-id`, 'msg_1.1600000000'), `${names}-timestamp`, String(nowS))
      expect(held(name, { ...moved, body: Buffer.from('5') })).toMatch(REFUSED)
    },
  )
})

describe('a list in the body', () => {
  it('of Adyen has one notification, because only one is signed', () => {
    const sent = genuine('adyen')
    const body = JSON.parse(sent.body.toString())
    body.notificationItems.push(structuredClone(body.notificationItems[0]))
    body.notificationItems[1].NotificationRequestItem.eventCode = 'REFUND'
    expect(held('adyen', { ...sent, body: Buffer.from(JSON.stringify(body)) })).toMatch(REFUSED)
    expect(held('adyen', { ...sent, body: Buffer.from('{"notificationItems":[]}') })).toMatch(REFUSED)
  })

  it('of Microsoft has the client state in each notification', () => {
    const sent = genuine('microsoft-graph')
    const { value } = JSON.parse(sent.body.toString())
    const bodyWith = (...value: unknown[]): Sent => ({ ...sent, body: Buffer.from(JSON.stringify({ value })) })
    expect(held('microsoft-graph', bodyWith(value[0], value[0]))).toBe(true)
    for (const clientState of ['other', '', null, undefined, [VENDORS['microsoft-graph']!.fields['secret']]])
      expect(held('microsoft-graph', bodyWith(value[0], { ...value[0], clientState })), String(clientState)).toMatch(
        REFUSED,
      )
    expect(held('microsoft-graph', bodyWith())).toMatch(REFUSED)
    expect(held('microsoft-graph', { ...sent, body: Buffer.from('[]') })).toMatch(REFUSED)
  })
})

describe('Mollie', () => {
  it('may leave out the prefix of its signature, as its documentation does', () => {
    const sent = genuine('mollie')
    const bare = headerOf(sent, 'X-Mollie-Signature').replace('sha256=', '')
    expect(held('mollie', withHeader(sent, 'X-Mollie-Signature', bare))).toBe(true)
    expect(held('mollie', withHeader(sent, 'X-Mollie-Signature', `sha256=sha256=${bare}`))).toMatch(REFUSED)
  })
})
