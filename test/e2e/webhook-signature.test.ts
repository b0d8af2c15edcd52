// Tests the signature auth of the webhook trigger from outside: over the bytes as they came, before they are parsed.
import { createHmac } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveries, expectRejected } from '../harness/inbox.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { requestBytes, sendRaw } from '../harness/raw-request.ts'

const SECRET = 'signing-secret-0123456789'
const OLD = 'previous-secret-9876543210'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_SIGNING_SECRET: SECRET, MILLRACE_ENV_OLD_SECRET: OLD })
})
afterAll(() => millrace.stop())

const document = (auth: object) => ({
  name: 'Signed',
  trigger: { kind: 'webhook', auth: { kind: 'signature', ...auth } },
  steps: [],
})
const github = { scheme: 'github', secret: '{{ env.SIGNING_SECRET }}' }
const hex = (secret: string, ...parts: (string | Buffer)[]) => {
  const hash = createHmac('sha256', secret)
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}
const header = (body: string | Buffer, secret = SECRET) => `X-Hub-Signature-256: sha256=${hex(secret, body)}`

const send = ({ flow }: PublishedFlow, headers: string[], body: string | Buffer, suffix = ''): Promise<Answer> =>
  sendRaw(millrace.port, requestBytes({ target: `/api/v1/webhooks/${flow.webhook.id}${suffix}`, headers, body }))

// JSON.stringify would write other bytes.
const BODY = '{ "n": 1.0,  "n2": 1e2, "ü": "\\u00fc" }'

describe('a signature', () => {
  it('lets its body in, whatever the letter case of the header and the spacing of the JSON', async () => {
    const published = await millrace.publish(document(github))
    for (const line of [header(BODY), header(BODY).replace('X-Hub', 'x-hub')])
      expect(await send(published, [line], BODY)).toMatchObject({ status: 200, body: { status: 'success' } })
    const zipped = gzipSync(BODY)
    expect((await send(published, [header(BODY), 'Content-Encoding: gzip'], zipped)).status).toBe(200)
  })

  it('refuses everything else with 401, before the body is looked into, and says why', async () => {
    const published = await millrace.publish(document(github))
    const bad = Buffer.from([0x22, 0xff, 0x22])
    const cases: [headers: string[], body: string | Buffer, why: string][] = [
      [[], BODY, 'the header X-Hub-Signature-256 is missing'],
      [[header(BODY), header(BODY)], BODY, 'the header X-Hub-Signature-256 is sent more than once'],
      [[header(BODY)], `${BODY} `, 'the signature does not match'],
      [[header(BODY, OLD)], BODY, 'the signature does not match'],
      [[header(BODY)], bad, 'the signature does not match'],
      [[header(BODY)], '{"broken', 'the signature does not match'],
    ]
    for (const [headers, body, why] of cases) {
      const answer = await send(published, headers, body)
      await expectRejected(millrace, published.flow.id, answer, 401, 'unauthorized')
      expect(answer.body.message).toBe(`Authentication failed: ${why}.`)
    }
    const answer = await send(published, [header(bad)], bad)
    await expectRejected(millrace, published.flow.id, answer, 400, 'bad_request')
  })

  it('is checked at the test URL too', async () => {
    const { body: flow } = await millrace.api('POST', '/flows', document(github))
    const draft = { flow } as PublishedFlow
    expect((await send(draft, [], BODY, '/test')).status).toBe(401)
    expect((await send(draft, [header(BODY)], BODY, '/test')).status).toBe(200)
  })

  it('fits any secret of a list, typed in or from the environment', async () => {
    const secret = ['{{ env.SIGNING_SECRET }}', '{{ env.OLD_SECRET }}', 'typed-in-secret']
    const published = await millrace.publish(document({ ...github, secret }))
    for (const used of [SECRET, OLD, 'typed-in-secret'])
      expect((await send(published, [header(BODY, used)], BODY)).status).toBe(200)
    expect((await send(published, [header(BODY, 'another')], BODY)).status).toBe(401)
    const { body: flow } = await millrace.api('GET', `/flows/${published.flow.id}`)
    expect(flow.draft.trigger.auth.secret).toEqual([secret[0], secret[1], expect.stringMatching(/^sealed:/)])
    expect(JSON.stringify(await deliveries(millrace, published.flow.id))).not.toContain('typed-in-secret')
  })

  it('holds for as long as the tolerance says', async () => {
    const published = await millrace.publish(document({ ...github, scheme: 'stripe', tolerance: 60 }))
    const at = (offset: number) => {
      const t = Math.floor(Date.now() / 1000) + offset
      return [`Stripe-Signature: t=${t},v1=${hex(SECRET, `${t}.`, BODY)}`]
    }
    for (const offset of [0, -50, 50]) expect((await send(published, at(offset), BODY)).status).toBe(200)
    for (const offset of [-70, 70]) {
      const answer = await send(published, at(offset), BODY)
      expect(answer.body.message).toBe('Authentication failed: the timestamp is more than 60 s away from now.')
    }
  })

  it('lets nobody in while its secret has no value', async () => {
    const published = await millrace.publish(document({ ...github, secret: '{{ env.NOT_SET }}' }))
    for (const secret of ['', 'undefined', 'null'])
      expect((await send(published, [header(BODY, secret)], BODY)).status).toBe(401)
  })
})

describe('its settings', () => {
  it.each([
    [{ scheme: 'githup', secret: 's' }, [['/trigger/auth/scheme', 'unknown_value']]],
    [{ scheme: 'github' }, [['/trigger/auth/secret', 'missing']]],
    [{ scheme: 'github', secret: '' }, [['/trigger/auth/secret', 'empty']]],
    [{ scheme: 'github', secret: [] }, [['/trigger/auth/secret', 'empty']]],
    [{ scheme: 'github', secret: ['{{ env.OLD_SECRET }}', ''] }, [['/trigger/auth/secret/1', 'empty']]],
    [{ scheme: 'github', secret: { a: 1 } }, [['/trigger/auth/secret', 'wrong_type']]],
    [{ scheme: 'github', secret: [['s']] }, [['/trigger/auth/secret/0', 'wrong_type']]],
    [{ scheme: 'github', secret: 's', tolerance: 0 }, [['/trigger/auth/tolerance', 'out_of_range']]],
    [{ scheme: 'github', secret: 's', header: 'X Y' }, [['/trigger/auth/header', 'invalid_header']]],
    [{ scheme: 'github', secret: 's', name: 'X' }, [['/trigger/auth/name', 'unknown_key']]],
  ])('%j: %j', async (auth, issues) => {
    const { body } = await millrace.api('POST', '/flows/validate', document(auth))
    expect(body.issues.map(({ path, code }: { path: string; code: string }) => [path, code])).toEqual(issues)
  })
})
