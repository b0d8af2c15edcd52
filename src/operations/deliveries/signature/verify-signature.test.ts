import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SCHEMES, type SignatureScheme } from './schemes.ts'
import { type SignatureSettings, type SignedRequest, verifySignature } from './verify-signature.ts'

const names = Object.keys(SCHEMES) as SignatureScheme[]
const timed: SignatureScheme[] = ['stripe', 'slack', 'standard-webhooks']
const NOW = 1_700_000_000

const hmac = (key: string | Uint8Array, encoding: 'hex' | 'base64', ...parts: (string | Uint8Array)[]): string => {
  const hash = createHmac('sha256', key)
  for (const part of parts) hash.update(part)
  return hash.digest(encoding)
}

/** Signs as a sender does, independently of the tested code. */
function sign(scheme: SignatureScheme, key: Uint8Array, body: Uint8Array, at = String(NOW)): string[] {
  switch (scheme) {
    case 'github':
      return ['X-Hub-Signature-256', `sha256=${hmac(key, 'hex', body)}`]
    case 'hmac-sha256':
      return ['X-Signature', `sha256=${hmac(key, 'hex', body)}`]
    case 'shopify':
      return ['X-Shopify-Hmac-Sha256', hmac(key, 'base64', body)]
    case 'slack':
      return ['X-Slack-Request-Timestamp', at, 'X-Slack-Signature', `v0=${hmac(key, 'hex', `v0:${at}:`, body)}`]
    case 'stripe':
      return ['Stripe-Signature', `t=${at},v1=${hmac(key, 'hex', `${at}.`, body)}`]
    case 'standard-webhooks': {
      const signature = `v1,${hmac(key, 'base64', `msg_1.${at}.`, body)}`
      return ['webhook-id', 'msg_1', 'webhook-timestamp', at, 'webhook-signature', signature]
    }
  }
}

const secretOf = (scheme: SignatureScheme, key: Uint8Array): string =>
  scheme === 'standard-webhooks' ? `whsec_${Buffer.from(key).toString('base64')}` : Buffer.from(key).toString()

const KEY = Buffer.from('a key of thirty-two bytes, or so!')
const BODY = Buffer.from('{"order": 7}')

function verify(
  scheme: SignatureScheme,
  rawHeaders: readonly string[],
  settings: Partial<SignatureSettings> = {},
  request: Partial<SignedRequest> = {},
): true | string {
  return verifySignature(
    scheme,
    { secrets: [secretOf(scheme, KEY)], header: null, toleranceSeconds: 300, ...settings },
    { rawHeaders, body: BODY, nowMs: NOW * 1000, ...request },
  )
}

const replaced = (headers: string[], name: string, value: string): string[] =>
  headers.map((text, i) => (i % 2 && headers[i - 1] === name ? value : text))

describe('what senders publish', () => {
  it('fits: GitHub, "Validating webhook deliveries"', () => {
    const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    expect(
      verify(
        'github',
        ['X-Hub-Signature-256', signature],
        { secrets: ["It's a Secret to Everybody"] },
        { body: Buffer.from('Hello, World!') },
      ),
    ).toBe(true)
  })

  it('fits: Slack, "Verifying requests from Slack"', () => {
    const body =
      'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
    expect(
      verify(
        'slack',
        [
          'X-Slack-Request-Timestamp',
          '1531420618',
          'X-Slack-Signature',
          'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
        ],
        { secrets: ['8f742231b10e8888abcd99yyyzzz85a5'] },
        { body: Buffer.from(body), nowMs: 1_531_420_618_000 },
      ),
    ).toBe(true)
  })

  it.each(['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])(
    'fits: Standard Webhooks, the reference libraries, with the secret %s',
    (secret) => {
      const good = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
      const other = 'Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc='
      for (const signature of [good, `v1,${other} v2,${other} ${good} v1,${other}`])
        expect(
          verify(
            'standard-webhooks',
            [
              'webhook-id',
              'msg_p5jXN8AQM9LWM0D4loKWxJek',
              'webhook-timestamp',
              '1614265330',
              'webhook-signature',
              signature,
            ],
            { secrets: [secret] },
            { body: Buffer.from('{"test": 2432232314}'), nowMs: 1_614_265_330_000 },
          ),
        ).toBe(true)
    },
  )

  it('fits: Stripe, event_test_signature.json of stripe-dotnet', () => {
    const event = {
      id: 'evt_123',
      object: 'event',
      account: 'acct_123',
      api_version: '2017-05-25',
      created: 1533204620,
      data: {
        object: {
          id: 'cus_123',
          object: 'customer',
          created: 123456789,
          email: 'test@stripe.com',
          livemode: false,
          metadata: {},
        },
      },
      livemode: false,
      pending_webhooks: 1,
      request: { id: 'req_123', idempotency_key: 'idempotency-key-123' },
      type: 'customer.created',
    }
    const header =
      't=1533204620,v1=2220f87ef101a04665f11cdf770523143f875572008577fa0f20882ddb9cc3c7,v0=63f3a72374a733066c4be69ed7f8e5ac85c22c9f0a6a612ab9a025a9e4ee7eef'
    const request = { body: Buffer.from(`${JSON.stringify(event, null, 2)}\n`), nowMs: 1_533_204_720_000 }
    const settings = { secrets: ['webhook_secret'] }
    expect(verify('stripe', ['Stripe-Signature', header], settings, request)).toBe(true)
    // The tests of stripe-node do the same: one good signature is enough.
    expect(verify('stripe', ['Stripe-Signature', `${header},v1=potato`], settings, request)).toBe(true)
  })

  // Shopify publishes no test vector: this is test case 2 of RFC 4231 in Shopify's encoding.
  it.each([
    ['hmac-sha256', 'X-Signature', '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'],
    ['shopify', 'X-Shopify-Hmac-Sha256', 'W9zBRr9gdU5qBCQmCJV1x1oAPwidJzmDnexYuWTsOEM='],
  ] as const)('fits: %s, by the HMAC of RFC 4231', (scheme, header, signature) => {
    const body = Buffer.from('what do ya want for nothing?')
    expect(verify(scheme, [header, signature], { secrets: ['Jefe'] }, { body })).toBe(true)
  })
})

const key = fc.uint8Array({ minLength: 1, maxLength: 100 })
/** Keys are printable, so that the text of a secret is its key. */
const printable = fc
  .string({ minLength: 1, maxLength: 100 })
  .map((text) => Buffer.from(text) as Uint8Array)
  .filter((bytes) => bytes.length > 0)
const keyOf = (scheme: SignatureScheme) => (scheme === 'standard-webhooks' ? key : printable)
const body = fc.uint8Array({ maxLength: 200 })

function flipped(bytes: Uint8Array, seed: number, mask: number): Uint8Array {
  const copy = Uint8Array.from(bytes)
  const at = seed % copy.length
  copy[at] = copy[at]! ^ mask
  return copy
}

describe.each(names)('%s', (scheme) => {
  const lastName = sign(scheme, KEY, BODY).at(-2)!
  const good = sign(scheme, KEY, BODY)
  /** The tolerance is so wide that only the signature depends on the time. */
  const anyTime = { toleranceSeconds: Number.MAX_VALUE }

  it('takes what its sender signs, whatever the bytes', () => {
    fc.assert(
      fc.property(keyOf(scheme), body, (key, body) => {
        const headers = sign(scheme, key, body)
        expect(verify(scheme, headers, { secrets: [secretOf(scheme, key)] }, { body })).toBe(true)
      }),
    )
  })

  it('refuses it with one byte of the body or the secret changed', () => {
    fc.assert(
      fc.property(
        keyOf(scheme),
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.nat(),
        fc.integer({ min: 1, max: 255 }),
        (key, body, at, mask) => {
          const headers = sign(scheme, key, body)
          const secrets = [secretOf(scheme, key)]
          expect(verify(scheme, headers, { secrets }, { body: flipped(body, at, mask) })).toMatch(/does not match/)
          // Characters below 128 keep their bytes in the text.
          const other = secretOf(scheme, flipped(key, at, 1 + (mask % 31)))
          expect(verify(scheme, headers, { secrets: [other] }, { body })).toMatch(/does not match/)
          expect(verify(scheme, headers, { secrets }, { body: Buffer.concat([body, Buffer.from('\n')]) })).not.toBe(
            true,
          )
        },
      ),
    )
  })

  it('refuses it with one character of any of its headers changed', () => {
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 127 }), (seed, mask) => {
        for (let i = 1; i < good.length; i += 2) {
          const changed = Buffer.from(flipped(Buffer.from(good[i]!), seed, mask)).toString('latin1')
          const headers = good.with(i, changed)
          // Upper-case hex is the same signature if the scheme allows it.
          if (scheme === 'hmac-sha256' && changed.slice(7).toLowerCase() === good[i]!.slice(7)) continue
          expect(verify(scheme, headers, anyTime), changed).not.toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('takes any of several secrets, and none that is empty', () => {
    const secret = secretOf(scheme, KEY)
    const other = secretOf(scheme, Buffer.from('another key of about the same size'))
    expect(verify(scheme, good, { secrets: [other, secret] })).toBe(true)
    expect(verify(scheme, good, { secrets: [secret, other] })).toBe(true)
    expect(verify(scheme, good, { secrets: ['', secret] })).toBe(true)
    expect(verify(scheme, good, { secrets: [other] })).toBe('the signature does not match')
    const unsafe = sign(scheme, Buffer.alloc(0), BODY)
    for (const secrets of [[], [''], ['', '']])
      expect(verify(scheme, unsafe, { secrets })).toMatch(/^the signing secret is /)
    expect(verify(scheme, unsafe, { secrets: ['', other] })).toBe('the signature does not match')
  })

  it('refuses a header that is missing, empty or sent twice, whatever its letter case', () => {
    expect(verify(scheme, [])).toMatch(/^the header [\w-]+ is missing$/)
    for (let i = 0; i < good.length; i += 2) {
      const [name, value] = good.slice(i, i + 2) as [string, string]
      expect(verify(scheme, good.toSpliced(i, 2))).toBe(`the header ${name} is missing`)
      expect(verify(scheme, good.with(i + 1, ''))).toBe(`the header ${name} is empty`)
      for (const twice of [name, name.toLowerCase(), name.toUpperCase()]) {
        expect(verify(scheme, [...good, twice, value])).toBe(`the header ${name} is sent more than once`)
        expect(verify(scheme, [twice, 'x', ...good])).toBe(`the header ${name} is sent more than once`)
        expect(verify(scheme, good.with(i, twice))).toBe(true)
      }
    }
  })

  it('refuses a header of any other form, and never throws', () => {
    const value = good.at(-1)!
    for (const bad of [
      ' ',
      '=',
      ',',
      ',,',
      't',
      't=',
      't,v1=,v0',
      'v1',
      'v1,',
      'v1=',
      'v0=',
      'sha256=',
      'sha1=2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
      'sha256',
      `${value} `,
      ` ${value}`,
      `${value},${value}`,
      `${value}, ${value}`,
      `"${value}"`,
      value.slice(0, -1),
      value.slice(1),
      `${value}0`,
      `${value}=`,
      '0'.repeat(64),
      `sha256=${'g'.repeat(64)}`,
      `sha256=${'ä'.repeat(64)}`,
      `t=${NOW},v1=${'ä'.repeat(32)}`,
      `t=${NOW},t=${NOW},v1=${'0'.repeat(64)}`,
      `t=${NOW},v0=${'0'.repeat(64)}`,
      `v1a,${'A'.repeat(86)}==`,
      'x'.repeat(16_000),
      'v1,'.repeat(5000),
      'v1=,'.repeat(4000),
    ]) {
      const result = verify(scheme, replaced(good, lastName, bad))
      expect(result, bad.slice(0, 80)).toEqual(expect.any(String))
    }
    const texts = fc.oneof(fc.string({ maxLength: 80 }), fc.string({ unit: 'binary', maxLength: 80 }))
    fc.assert(
      fc.property(fc.array(texts, { minLength: 3, maxLength: 3 }), texts, (values, secret) => {
        const headers = good.map((text, i) => (i % 2 ? values[(i - 1) / 2]! : text))
        expect(verify(scheme, headers, anyTime)).toEqual(expect.any(String))
        expect(verify(scheme, good, { secrets: [secret] })).toEqual(expect.any(String))
      }),
    )
  })

  it('says why without the secret and without what it expected', () => {
    const secret = secretOf(scheme, KEY)
    const signature = /[0-9a-f]{64}|[A-Za-z0-9+/]{43}=/.exec(good.at(-1)!)![0]
    const results = [
      verify(scheme, good, {}, { body: Buffer.from('other') }),
      verify(scheme, replaced(good, lastName, `${good.at(-1)!}!`)),
      verify(scheme, good, { toleranceSeconds: 1 }, { nowMs: 0 }),
      verify(scheme, []),
    ].filter((result) => result !== true)
    expect(results.length).toBeGreaterThan(2)
    for (const result of results) {
      expect(result).not.toContain(secret)
      expect(result).not.toContain(signature)
    }
  })

  it('takes the signature from another header when told to', () => {
    const header = 'X-Own-Signature'
    const renamed = good.map((text, i) =>
      i % 2
        ? text
        : text
            .replace(/^(X-Hub-Signature-256|X-Shopify-Hmac-Sha256|.*Signature)$/i, header)
            .replace(/^(X-Slack-|webhook-)/, 'X-Own-'),
    )
    expect(verify(scheme, renamed, { header })).toBe(true)
    expect(verify(scheme, good, { header })).not.toBe(true)
  })
})

describe.each(timed)('the time of %s', (scheme) => {
  const good = sign(scheme, KEY, BODY)
  const at = (offsetMs: number, toleranceSeconds = 300) =>
    verify(scheme, good, { toleranceSeconds }, { nowMs: NOW * 1000 + offsetMs })

  it('may be as far away as the tolerance, before and after, and no further', () => {
    for (const tolerance of [300, 1, 0.5, 86_400]) {
      const edge = tolerance * 1000
      expect([at(edge, tolerance), at(-edge, tolerance)]).toEqual([true, true])
      const late = `the timestamp is more than ${tolerance} s away from now`
      expect([at(edge + 1, tolerance), at(-edge - 1, tolerance)]).toEqual([late, late])
    }
  })

  it.each([
    '',
    '0',
    '-1',
    '+1700000000',
    '1700000000.0',
    '1.7e9',
    '0x6553f100',
    '1700000000000',
    ' 1700000000',
    '1700000000 ',
    'now',
    'NaN',
    '٣',
    '9'.repeat(400),
  ])('is refused when signed as "%s"', (text) => {
    expect(verify(scheme, sign(scheme, KEY, BODY, text))).toEqual(expect.any(String))
  })

  it('is refused where tolerance or clock are no numbers', () => {
    expect(at(0, Number.NaN)).toEqual(expect.any(String))
    expect(at(Number.NaN)).toEqual(expect.any(String))
  })
})

it.each(names.filter((name) => !timed.includes(name)))('%s signs no time, so the clock does not matter', (scheme) => {
  expect(verify(scheme, sign(scheme, KEY, BODY), { toleranceSeconds: 1 }, { nowMs: 0 })).toBe(true)
})

describe('hmac-sha256', () => {
  it('takes hex in small and large letters, with and without sha256=', () => {
    const hex = hmac(KEY, 'hex', BODY)
    for (const value of [hex, hex.toUpperCase(), `sha256=${hex}`, `sha256=${hex.toUpperCase()}`])
      expect(verify('hmac-sha256', ['x-signature', value])).toBe(true)
    for (const value of [`SHA256=${hex}`, `sha512=${hex}`, `sha256:${hex}`, `sha256=sha256=${hex}`])
      expect(verify('hmac-sha256', ['x-signature', value])).toMatch(/is not 64 hexadecimal digits/)
  })
})

it.each(['github', 'slack', 'stripe'] as const)('%s refuses hex in large letters', (scheme) => {
  const headers = sign(scheme, KEY, BODY)
  const upper = headers.at(-1)!.replace(/[0-9a-f]{64}$/, (hex) => hex.toUpperCase())
  expect(verify(scheme, headers.with(-1, upper))).toEqual(expect.any(String))
})

describe('several signatures', () => {
  const wrong = '0'.repeat(64)

  it('of Stripe are all tried, and only those of version v1', () => {
    const hex = hmac(KEY, 'hex', `${NOW}.`, BODY)
    const of = (value: string) => verify('stripe', ['Stripe-Signature', value])
    expect(of(`t=${NOW},v1=${wrong},v1=${hex}`)).toBe(true)
    expect(of(`v1=${hex},v1=${wrong},t=${NOW}`)).toBe(true)
    expect(of(`t=${NOW},v1=${wrong},v0=${hex}`)).toBe('the signature does not match')
    expect(of(`t=${NOW},v0=${hex}`)).toBe('the header Stripe-Signature holds no signature of version v1')
    expect(of(`t=${NOW},t=${NOW},v1=${hex}`)).toBe('the header Stripe-Signature does not hold exactly one t=')
    expect(of(`v1=${hex}`)).toBe('the header Stripe-Signature does not hold exactly one t=')
    expect(of(`t=${NOW},v1=${hex},`)).toBe('the header Stripe-Signature is malformed')
  })

  it('of Stripe may have white space after their commas, and nowhere else', () => {
    const hex = hmac(KEY, 'hex', `${NOW}.`, BODY)
    const of = (value: string) => verify('stripe', ['Stripe-Signature', value])
    expect(of(`t=${NOW}, v1=${wrong}, \tv1=${hex}`)).toBe(true)
    for (const odd of [`t=${NOW} ,v1=${hex}`, `t= ${NOW},v1=${hex}`, `t=${NOW},v1 =${hex}`, `t=${NOW}, ,v1=${hex}`])
      expect(of(odd)).toBe('the header Stripe-Signature is malformed')
    // The header was sent twice and joined by a proxy.
    expect(of(`t=${NOW},v1=${hex}, t=${NOW},v1=${hex}`)).toBe(
      'the header Stripe-Signature does not hold exactly one t=',
    )
  })

  it('of Standard Webhooks are all tried, and only those of version v1', () => {
    const text = hmac(KEY, 'base64', `msg_1.${NOW}.`, BODY)
    const of = (value: string) =>
      verify('standard-webhooks', ['webhook-id', 'msg_1', 'webhook-timestamp', String(NOW), 'webhook-signature', value])
    expect(of(`v1,${'A'.repeat(43)}= v1a,${'A'.repeat(86)}== v1,${text}`)).toBe(true)
    expect(of(`v1,bm9ldHU= v1,${text}`)).toBe(true)
    expect(of(`v1a,${text} v2,${text}`)).toBe('the header webhook-signature holds no signature of version v1')
    expect(of(`v1,${text.slice(0, -1)}`)).toBe('the signature does not match')
    expect(of(`v1,${text}  v1,${text}`)).toBe('the header webhook-signature is malformed')
  })
})

describe('what is signed', () => {
  it('cannot be cut elsewhere: an id of Standard Webhooks with a full stop is refused', () => {
    const body = Buffer.from(`${NOW}.{"order": 7}`)
    const signature = `v1,${hmac(KEY, 'base64', `msg_1.${NOW}.`, body)}`
    const request = (id: string, rest: Buffer) =>
      verify(
        'standard-webhooks',
        ['webhook-id', id, 'webhook-timestamp', String(NOW), 'webhook-signature', signature],
        {},
        { body: rest },
      )
    expect(request('msg_1', body)).toBe(true)
    expect(request(`msg_1.${NOW}`, Buffer.from('{"order": 7}'))).toBe('the header webhook-id holds a full stop')
  })

  it.each(timed)('cannot be cut elsewhere in %s: a timestamp is nothing but digits', (scheme) => {
    const time = String(NOW)
    for (const shifted of [`${time}.5`, `${time}:5`, `5.${time}`, `5:${time}`])
      expect(verify(scheme, sign(scheme, KEY, BODY, shifted))).toBe(
        'the timestamp is not a whole number of seconds since 1970',
      )
  })
})

describe('the secret of Standard Webhooks', () => {
  const key = Buffer.from([0xfb, 0xff, 0xbf, 1, 2, 3, 4])
  const good = sign('standard-webhooks', key, BODY)
  const of = (secret: string) => verify('standard-webhooks', good, { secrets: [secret] })

  it('is base64, with or without whsec_ and padding', () => {
    for (const secret of ['whsec_+/+/AQIDBA==', '+/+/AQIDBA==', 'whsec_+/+/AQIDBA']) expect(of(secret)).toBe(true)
  })

  it('is refused where it is none', () => {
    for (const secret of [
      'whsec_',
      'whsec_-_-_AQIDBA==',
      'whsec_+/+/AQIDBB==',
      'whsec_+/+/ AQIDBA==',
      'my secret',
      'whpk_AAAA',
      '=',
    ])
      expect(of(secret)).toBe('the signing secret is not whsec_ followed by base64')
  })

  it('does not hide another that is one', () => {
    expect(verify('standard-webhooks', good, { secrets: ['my secret', 'whsec_+/+/AQIDBA=='] })).toBe(true)
  })
})

it('reads header names that senders gave to a scheme of another', () => {
  const [, id, , at, , signature] = sign('standard-webhooks', KEY, BODY)
  const svix = ['svix-id', id!, 'svix-timestamp', at!, 'svix-signature', signature!]
  expect(verify('standard-webhooks', svix, { header: 'svix-signature' })).toBe(true)
  const [, time, , zoom] = sign('slack', KEY, BODY)
  const headers = ['x-zm-request-timestamp', time!, 'x-zm-signature', zoom!]
  expect(verify('slack', headers, { header: 'X-Zm-Signature' })).toBe(true)
  // Only a name that ends in -signature determines the names of the other headers.
  expect(verify('slack', ['X-Slack-Request-Timestamp', time!, 'X-Seal', zoom!], { header: 'X-Seal' })).toBe(true)
})
