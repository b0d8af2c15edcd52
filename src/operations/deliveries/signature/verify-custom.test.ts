import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { senderFiles } from '../../../app/senders/sender-files.ts'
import type { Sender, SenderAuthDocument } from '../../../flow/senders/schema.ts'
import { BASE_URL, letsIn, type SentRequest, TARGET } from '../sender-request.testkit.ts'

const NOW = 1_767_225_600
/** Not as JSON.stringify writes it: spaces, escapes, a key twice, an emoji. */
const BODY = '{ "b":1.0,  "a" : "\\u00fc\\/ 🎉", "b": 2 }'

const hmac = (algorithm: string, key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex') =>
  createHmac(algorithm, key).update(text).digest(encoding)

const sender = (auth: SenderAuthDocument | SenderAuthDocument[]): Pick<Sender, 'name' | 'auth'> => ({ name: 'x', auth })

const sent = (rawHeaders: string[], body: SentRequest['body'] = BODY, target = TARGET): SentRequest => ({
  rawHeaders,
  body,
  target,
  nowMs: NOW * 1000,
})

describe('the files', () => {
  const stripe = senderFiles.find('stripe')!
  const signature = (secret: string, at = NOW) => hmac('sha256', secret, `${at}.${BODY}`)

  it('let in what Stripe signs, with one secret or two, and several signatures', () => {
    const request = sent(['Stripe-Signature', `t=${NOW}, v0=x,v1=${signature('old')},v1=${signature('new')}`])
    expect(letsIn(stripe, { secret: 'new' }, request)).toBe(true)
    expect(letsIn(stripe, { secret: ['other', 'old'] }, request)).toBe(true)
  })

  it.each([
    ['another secret', `t=${NOW},v1=${signature('other')}`, 'the signature does not match'],
    ['an old time', `t=${NOW - 301},v1=${signature('s', NOW - 301)}`, 'more than 300 s away'],
    ['a time to come', `t=${NOW + 301},v1=${signature('s', NOW + 301)}`, 'more than 300 s away'],
    ['a time that is not signed', `t=${NOW + 1},v1=${signature('s')}`, 'the signature does not match'],
    ['two times', `t=${NOW},t=${NOW},v1=${signature('s')}`, 'exactly one t='],
    ['another version', `t=${NOW},v2=${signature('s')}`, 'holds no v1='],
    ['a truncated one', `t=${NOW},v1=${signature('s').slice(0, -2)}`, 'the signature is not 32 bytes in hexadecimal'],
    ['another encoding', `t=${NOW},v1=${hmac('sha256', 's', `${NOW}.${BODY}`, 'base64')}`, 'the signature is not 32'],
    ['no entries', 'x', 'malformed'],
    ['an empty header', '', 'is empty'],
  ])('refuse %s', (_name, header, reason) => {
    expect(letsIn(stripe, { secret: 's' }, sent(['Stripe-Signature', header]))).toContain(reason)
  })

  it('refuse a missing header, a doubled one, and an empty secret', () => {
    const header = ['Stripe-Signature', `t=${NOW},v1=${signature('s')}`]
    expect(letsIn(stripe, { secret: 's' }, sent([]))).toContain('the header Stripe-Signature is missing')
    expect(letsIn(stripe, { secret: 's' }, sent([...header, ...header]))).toContain('more than once')
    const empty = sent(['Stripe-Signature', `t=${NOW},v1=${signature('')}`])
    for (const secret of ['', [''], []]) expect(letsIn(stripe, { secret }, empty)).toContain('secret is empty')
    expect(letsIn(stripe, {}, empty)).toContain('secret is empty')
  })

  it('let in what Zoom and Meta sign', () => {
    const zoom = [
      'X-Zm-Request-Timestamp',
      String(NOW),
      'X-Zm-Signature',
      `v0=${hmac('sha256', 's', `v0:${NOW}:${BODY}`)}`,
    ]
    expect(letsIn(senderFiles.find('zoom')!, { secret: 's' }, sent(zoom))).toBe(true)
    expect(letsIn(senderFiles.find('zoom')!, { secret: 's' }, sent(zoom, `${BODY} `))).toContain('does not match')
    const meta = ['X-Hub-Signature-256', `sha256=${hmac('sha256', 's', BODY)}`]
    expect(letsIn(senderFiles.find('whatsapp')!, { secret: 's' }, sent(meta))).toBe(true)
    const swapped = ['X-Hub-Signature-256', `sha1=${hmac('sha256', 's', BODY)}`]
    expect(letsIn(senderFiles.find('meta')!, { secret: 's' }, sent(swapped))).toContain('does not begin with sha256=')
  })
})

describe('a signature of any form', () => {
  const base: SenderAuthDocument = {
    kind: 'signature',
    algorithm: 'sha256',
    encoding: 'hex',
    header: 'X-Sig',
    signed: '{{ webhook.rawBody }}',
  }

  it.each([
    ['sha1', 'text', 's', Buffer.from('s')],
    ['sha256', 'hex', '00ff10', Buffer.from('00ff10', 'hex')],
    ['sha512', 'base64', 'AP8Q', Buffer.from('AP8Q', 'base64')],
    ['sha256', 'whsec', 'whsec_AP8Q', Buffer.from('AP8Q', 'base64')],
  ] as const)('is verified with %s and a key in the form %s', (algorithm, key, secret, bytes) => {
    const auth = sender({ ...base, algorithm, key, encoding: 'base64' })
    const request = sent(['x-sig', hmac(algorithm, bytes, BODY, 'base64')])
    expect(letsIn(auth, { secret }, request)).toBe(true)
    expect(letsIn(auth, { secret: `${secret}!` }, request)).not.toBe(true)
  })

  const keys = {
    ed25519: generateKeyPairSync('ed25519'),
    'ecdsa-p256': generateKeyPairSync('ec', { namedCurve: 'P-256' }),
    'rsa-sha256': generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }
  const signedWith = (key: KeyObject, text: string) =>
    sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', Buffer.from(text), key).toString('base64')

  it.each(Object.keys(keys) as (keyof typeof keys)[])('is verified with %s', (algorithm) => {
    const { publicKey, privateKey } = keys[algorithm]
    const auth = sender({ ...base, algorithm, encoding: 'base64', signed: 'a{{ webhook.rawBody }}' })
    const request = sent(['X-Sig', signedWith(privateKey, `a${BODY}`)])
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString()
    const spki = publicKey.export({ type: 'spki', format: 'der' })
    expect(letsIn(auth, { publicKey: pem }, request)).toBe(true)
    expect(letsIn(auth, { publicKey: spki.toString('base64') }, request)).toBe(true)
    if (algorithm === 'ed25519')
      expect(letsIn(auth, { publicKey: spki.subarray(-32).toString('hex') }, request)).toBe(true)
    expect(letsIn(auth, { publicKey: pem }, sent(['X-Sig', signedWith(privateKey, BODY)]))).toContain('does not match')
    const others = Object.entries(keys).filter(([name]) => name !== algorithm)
    for (const [, other] of others) {
      const key = other.publicKey.export({ type: 'spki', format: 'pem' }).toString()
      expect(letsIn(auth, { publicKey: key }, request)).toContain(`the public key is not one of ${algorithm}`)
    }
    for (const key of ['', 'x', '-----BEGIN PUBLIC KEY-----'])
      expect(letsIn(auth, { publicKey: key }, request)).not.toBe(true)
    for (const signature of ['AA==', 'MAYCAQECAQE=', `${signedWith(privateKey, `a${BODY}`)}A`])
      expect(letsIn(auth, { publicKey: pem }, sent(['X-Sig', signature]))).not.toBe(true)
  })

  it('reads the signature from one of several headers, from a repeated one, or from the body', () => {
    const good = hmac('sha256', 's', BODY)
    const bad = hmac('sha256', 't', BODY)
    const several = sender({ ...base, header: ['X-Sig-1', 'X-Sig-2'] })
    expect(letsIn(several, { secret: 's' }, sent(['X-Sig-2', good]))).toBe(true)
    expect(letsIn(several, { secret: 's' }, sent(['X-Sig-1', bad, 'X-Sig-2', good]))).toBe(true)
    expect(letsIn(several, { secret: 's' }, sent(['X-Sig-3', good]))).toContain('X-Sig-1 is missing')
    expect(letsIn(several, { secret: 's' }, sent(['X-Sig-1', good, 'X-Sig-1', good]))).toContain('more than once')
    const repeats = sender({ ...base, repeats: true })
    expect(letsIn(repeats, { secret: 's' }, sent(['X-Sig', bad, 'x-sig', good]))).toBe(true)
    const { header: _, ...bare } = base
    const inside = sender({
      ...bare,
      given: '{{ webhook.body.sig }}',
      signed: '{{ webhook.body.at }}{{ webhook.body.token }}',
    })
    const body = (sig: unknown) => JSON.stringify({ sig, at: NOW, token: 'ü' })
    expect(letsIn(inside, { secret: 's' }, sent([], body(hmac('sha256', 's', `${NOW}ü`))))).toBe(true)
    for (const wrong of [good, '', 7, null, {}])
      expect(letsIn(inside, { secret: 's' }, sent([], body(wrong)))).toContain('Authentication failed')
    expect(letsIn(inside, { secret: 's' }, sent([], '{"at":1}'))).toContain('the signature is missing')
    expect(letsIn(inside, { secret: 's' }, sent([], '{'))).toContain('not valid JSON')
  })

  it.each([
    ['seconds', String(NOW)],
    ['milliseconds', String(NOW * 1000)],
    ['ISO 8601', new Date(NOW * 1000).toISOString()],
  ])('takes the time as %s', (_name, at) => {
    const timed = { ...base, signed: "{{ webhook.headers['x-at'] }}:{{ webhook.rawBody }}" }
    const auth = sender({ ...timed, timestamp: "{{ webhook.headers['x-at'] }}", tolerance: 60 })
    const request = sent(['X-At', at, 'X-Sig', hmac('sha256', 's', `${at}:${BODY}`)])
    expect(letsIn(auth, { secret: 's' }, request)).toBe(true)
    expect(letsIn(auth, { secret: 's' }, { ...request, nowMs: (NOW + 61) * 1000 })).toContain('more than 60 s away')
    expect(letsIn(auth, { secret: 's' }, { ...request, nowMs: (NOW - 61) * 1000 })).toContain('more than 60 s away')
    expect(letsIn(auth, { secret: 's' }, sent(['X-Sig', 'x']))).toContain('the timestamp is missing')
  })

  it('refuses an id that could take over the time that follows it', () => {
    const auth = sender({ ...base, signed: "{{ webhook.headers['x-id'] }}.{{ webhook.rawBody }}" })
    const request = (id: string, body: string) => sent(['X-Id', id, 'X-Sig', hmac('sha256', 's', 'a.b.{}')], body)
    expect(letsIn(auth, { secret: 's' }, request('a', 'b.{}'))).toContain('not valid JSON')
    expect(letsIn(auth, { secret: 's' }, request('a.b', '{}'))).toContain('holds what has to end it')
  })

  it('signs the URL as the sender knows it, and the fields of a form', () => {
    const fields = "{{ Object.keys(webhook.body).sort().map((name) => name + webhook.body[name]).join('') }}"
    const auth = sender({ ...base, algorithm: 'sha1', encoding: 'base64', signed: `{{ url }}${fields}` })
    const type = ['Content-Type', 'application/x-www-form-urlencoded']
    const request = (url: string) =>
      sent(
        [...type, 'X-Sig', hmac('sha1', 's', `${url}From+1To%2F`, 'base64')],
        'To=%252F&From=%2B1',
        `${TARGET}?a=%20b`,
      )
    expect(letsIn(auth, { secret: 's' }, request(`${BASE_URL}${TARGET}?a=%20b`))).toBe(true)
    expect(
      letsIn(auth, { secret: 's', url: 'https://in.example.com/x' }, request('https://in.example.com/x?a=%20b')),
    ).toBe(true)
    expect(
      letsIn(auth, { secret: 's', url: 'https://in.example.com/x' }, request(`${BASE_URL}${TARGET}?a=%20b`)),
    ).not.toBe(true)
  })

  it('hashes the bytes of headers as they came', () => {
    const auth = sender({ ...base, signed: "{{ webhook.headers['x-id'] }}" })
    const id = Buffer.from('ü').toString('latin1')
    expect(letsIn(auth, { secret: 's' }, sent(['X-Id', id, 'X-Sig', hmac('sha256', 's', 'ü')]))).toBe(true)
  })
})

describe('a token', () => {
  it('is a header, a parameter, Basic or in the body, and never empty', () => {
    const header = sender({ kind: 'header', name: 'X-Gitlab-Token', value: '{{ fields.secret }}' })
    expect(letsIn(header, { secret: 's' }, sent(['x-gitlab-token', 's']))).toBe(true)
    expect(letsIn(header, { secret: ['t', 's'] }, sent(['X-Gitlab-Token', 's']))).toBe(true)
    for (const secret of ['', [''], undefined!])
      expect(letsIn(header, { secret }, sent(['X-Gitlab-Token', '']))).not.toBe(true)
    const query = sender({ kind: 'query', name: 'token', value: '{{ fields.secret }}' })
    expect(letsIn(query, { secret: 's' }, sent([], BODY, `${TARGET}?token=s`))).toBe(true)
    expect(letsIn(query, { secret: 's' }, sent([], BODY, `${TARGET}?token=s&token=s`))).not.toBe(true)
    const basic = sender({ kind: 'basic', user: '{{ fields.user }}', password: '{{ fields.password }}' })
    const given = (text: string) => sent(['Authorization', `Basic ${Buffer.from(text).toString('base64')}`])
    expect(letsIn(basic, { user: 'u', password: 'p:ü' }, given('u:p:ü'))).toBe(true)
    for (const text of ['u:', 'u:p', ':', ''])
      expect(letsIn(basic, { user: 'u', password: 'x' }, given(text))).not.toBe(true)
    for (const fields of [{ user: 'u' }, { user: 'u', password: '' }])
      expect(letsIn(basic, fields, given('u:'))).not.toBe(true)
  })

  it('in the body is that of every entry', () => {
    const auth = sender({
      kind: 'body',
      given: '{{ webhook.body.value.map((one) => one.state) }}',
      value: '{{ fields.secret }}',
    })
    const body = (...states: unknown[]) => sent([], JSON.stringify({ value: states.map((state) => ({ state })) }))
    expect(letsIn(auth, { secret: 's' }, body('s', 's'))).toBe(true)
    for (const states of [[], ['s', 't'], ['s', undefined], [7], [['s']]])
      expect(letsIn(auth, { secret: 's' }, body(...states))).not.toBe(true)
    expect(letsIn(auth, { secret: '' }, body(''))).not.toBe(true)
    expect(letsIn(auth, { secret: 's' }, sent([], '{"value":7}'))).not.toBe(true)
  })

  it('counts together with a signature where both are asked for', () => {
    const auth = sender([
      { kind: 'header', name: 'X-Token', value: '{{ fields.verifyToken }}' },
      { kind: 'signature', algorithm: 'sha256', encoding: 'hex', header: 'X-Sig', signed: '{{ webhook.rawBody }}' },
    ])
    const fields = { verifyToken: 't', secret: 's' }
    const signature = ['X-Sig', hmac('sha256', 's', BODY)]
    expect(letsIn(auth, fields, sent(['X-Token', 't', ...signature]))).toBe(true)
    expect(letsIn(auth, fields, sent(['X-Token', 'u', ...signature]))).not.toBe(true)
    expect(letsIn(auth, fields, sent(['X-Token', 't', 'X-Sig', hmac('sha256', 'u', BODY)]))).not.toBe(true)
  })
})
