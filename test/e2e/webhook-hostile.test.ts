// Tests a hostile sender: whatever arrives at a webhook is refused or kept as data, and affects nothing else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectFailure, expectRejected } from '../harness/inbox.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace, TOKEN } from '../harness/millrace.ts'
import { connectRaw, type RequestParts, requestBytes, sendRaw } from '../harness/raw-request.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream
let open: PublishedFlow

beforeAll(async () => {
  upstream = await startUpstream()
  millrace = await startMillrace({ MILLRACE_ENV_UP: upstream.url })
  open = await flowWith({})
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const flowWith = (trigger: object, steps: object[] = []): Promise<PublishedFlow> =>
  millrace.publish({ name: 'Hostile', trigger: { kind: 'webhook', ...trigger }, steps })

const target = ({ flow }: PublishedFlow, suffix = ''): string => `/api/v1/webhooks/${flow.webhook.id}${suffix}`

const send = (published: PublishedFlow, parts: Omit<RequestParts, 'target'>, suffix = ''): Promise<Answer> =>
  sendRaw(millrace.port, requestBytes({ target: target(published, suffix), ...parts }))

const webhookOf = async (answer: Answer) => {
  expect(answer.status).toBe(200)
  return (await millrace.runEnded(answer.body.id)).webhook
}

describe('bodies', () => {
  it.each([
    ['empty', ''],
    ['white space', ' \n'],
    ['truncated', '{"a":'],
    ['two documents', '{}{}'],
    ['a trailing comma', '{"a":1,}'],
    ['a comment', '{}//'],
    ['single quotes', "{'a':1}"],
    ['NaN', '{"a":NaN}'],
    ['a raw line break in a string', '"a\nb"'],
    ['a raw tab in a string', '"a\tb"'],
    ['an unfinished escape', '"\\u12"'],
    ['form data', 'a=b'],
    ['XML', '<a/>'],
    ['a raw NUL', '"a\0b"'],
    ['a byte order mark', '\ufeff{}'],
    ['1e400', '{"a":[1e400]}'],
    ['-1e400', '-1e400'],
    ['400 digits', '9'.repeat(400)],
    ['1e400 in a large body', `[${'0,'.repeat(40_000)}1e400,${'0,'.repeat(40_000)}0]`],
    ['a large body that is truncated', `[${'{},'.repeat(40_000)}{}`],
    ['a large body with a trailing comma', `[${'{},'.repeat(40_000)}]`],
    ['a large body with a raw tab in a long string', `["${'x'.repeat(300_000)}\t"]`],
    ['a large body with two documents', `${JSON.stringify('x'.repeat(100_000))}{}`],
  ])('refuses %s', async (_what, body) => {
    const published = await flowWith({})
    await expectRejected(millrace, published.flow.id, await send(published, { body }), 400, 'bad_request')
  })

  it.each([
    ['a lone continuation byte', [0x22, 0x80, 0x22]],
    ['an overlong slash', [0x22, 0xc0, 0xaf, 0x22]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
    ['beyond U+10FFFF', [0x22, 0xf5, 0x80, 0x80, 0x80, 0x22]],
    ['latin1', [0x22, 0xe9, 0x22]],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]],
  ])('refuses %s as invalid UTF-8', async (_what, bytes) => {
    const published = await flowWith({})
    const answer = await send(published, { body: Buffer.from(bytes) })
    await expectRejected(millrace, published.flow.id, answer, 400, 'bad_request')
  })

  it('takes a nesting of 200 and refuses 201, and 100,000 fast', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect((await send(open, { body: nested(200) })).status).toBe(200)
    const objects = `${'{"a":'.repeat(200)}1${'}'.repeat(200)}`
    expect((await send(open, { body: objects })).status).toBe(200)
    const started = performance.now()
    for (const body of [nested(201), nested(100_000), '{"a":'.repeat(100_000), '['.repeat(5_000_000)])
      expectFailure(await send(open, { body }), 400, 'bad_request')
    expect(performance.now() - started).toBeLessThan(5_000)
  })

  it('does not count brackets inside strings as nesting', async () => {
    const body = JSON.stringify({ text: '['.repeat(1000), escaped: `\\"${'{'.repeat(1000)}` })
    expect((await webhookOf(await send(open, { body }))).body).toEqual(JSON.parse(body))
  })

  it.each([
    ['duplicate keys: the last wins', '{"a":1,"a":2}', { a: 2 }],
    ['a whole number beyond 2^53: as JavaScript reads it', '{"a":9007199254740993}', { a: 9007199254740992 }],
    ['an escaped NUL', '{"a":"x\\u0000y"}', { a: 'x\0y' }],
    ['a lone surrogate', '{"a":"\\ud800"}', { a: '\ud800' }],
    ['a tiny number', '{"a":1e-400}', { a: 0 }],
    ['an empty key', '{"":1}', { '': 1 }],
    ['characters beyond the BMP', '{"a":"🌊"}', { a: '🌊' }],
  ])('documents %s, and keeps rawBody exact', async (_what, body, value) => {
    const webhook = await webhookOf(await send(open, { body }))
    expect(webhook.body).toEqual(value)
    expect(webhook.rawBody).toBe(body)
    expect(webhook.metadata.contentLength).toBe(Buffer.byteLength(body))
  })

  it('keeps a body that is shaped like server data under webhook.body', async () => {
    const body = {
      headers: { 'x-forged': '1' },
      query: { forged: '1' },
      metadata: { test: true, ip: '6.6.6.6' },
      files: { f: { filepath: '/etc/passwd' } },
    }
    const webhook = await webhookOf(await send(open, { body: JSON.stringify(body) }))
    expect(webhook.body).toEqual(body)
    expect(webhook.headers).not.toHaveProperty('x-forged')
    expect(webhook.query).toEqual({})
    expect(webhook.metadata).toMatchObject({ test: false, ip: '127.0.0.1' })
  })

  it('answers 400 where the sender ends a body early, and logs no fault of its own', async () => {
    const published = await flowWith({})
    const connection = await connectRaw(millrace.port)
    connection.write(requestBytes({ target: target(published), headers: ['Content-Length: 100'], body: '{"a":' }))
    connection.socket.end()
    await connection.ended
    const answer = await connection.reply()
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({ status: 'error', code: 'bad_request' })
    expect((await millrace.api('GET', `/runs?flow=${published.flow.id}`)).body.items).toEqual([])
    expect(millrace.log()).not.toContain('fault of Millrace')
  })

  it('starts nothing where the sender vanishes in mid-body', async () => {
    const published = await flowWith({})
    const connection = await connectRaw(millrace.port)
    connection.write(
      requestBytes({ target: target(published), headers: ['Expect: 100-continue', 'Content-Length: 9'], body: '' }),
    )
    expect((await connection.reply()).status).toBe(100)
    connection.write('{"a":')
    connection.socket.resetAndDestroy()
    await connection.ended
    expect((await send(published, { body: '{}' })).status).toBe(200)
    expect((await millrace.api('GET', `/runs?flow=${published.flow.id}`)).body.items).toHaveLength(1)
    expect(millrace.log()).not.toContain('fault of Millrace')
  })
})

describe('names that reach for prototypes', () => {
  const inert = () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    expect(Object.prototype).not.toHaveProperty('polluted')
  }

  it('are plain data in the body', async () => {
    const body = '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"x"}'
    const { flow, post } = await flowWith({ response: { mode: 'finished', body: '{{ webhook.body }}' } }, [
      {
        id: 'copy',
        kind: 'set',
        vars: { copy: '{{ { ...webhook.body } }}', own: "{{ webhook.body['__proto__'].polluted }}" },
      },
    ])
    const answer = await post(body)
    expect(answer.status).toBe(200)
    expect(JSON.stringify(answer.body)).toBe(body)
    const [run] = (await millrace.api('GET', `/runs?flow=${flow.id}`)).body.items
    const text = await (await fetch(`${millrace.url}/api/v1/runs/${run.id}`, { headers: auth() })).text()
    expect(text).toContain(`"rawBody":${JSON.stringify(body)}`)
    expect(JSON.parse(text).vars.own).toBe(1)
    inert()
  })

  it('are plain data in the query', async () => {
    const published = await flowWith({})
    const suffix = '?__proto__=polluted&__proto__[polluted]=1&constructor=x&constructor.prototype.polluted=1&a=1&a=2'
    const webhook = await webhookOf(await send(published, {}, suffix))
    expect(Object.entries(webhook.query)).toEqual([
      ['__proto__', 'polluted'],
      ['__proto__[polluted]', '1'],
      ['constructor', 'x'],
      ['constructor.prototype.polluted', '1'],
      ['a', '2'],
    ])
    expect(webhook.queryAll['a']).toEqual(['1', '2'])
    inert()
  })

  it('are plain data in the headers', async () => {
    const headers = ['__proto__: polluted', 'constructor: x', 'hasOwnProperty: x', 'X-Twice: 1', 'X-Twice: 2']
    const webhook = await webhookOf(await send(open, { headers }))
    const given = Object.fromEntries(Object.entries(webhook.headers))
    expect(Object.entries(given)).toEqual(
      expect.arrayContaining([
        ['constructor', 'x'],
        ['hasownproperty', 'x'],
        ['x-twice', '1, 2'],
      ]),
    )
    expect(Object.getOwnPropertyDescriptor(webhook.headers, '__proto__')?.value).toBe('polluted')
    inert()
  })

  it('are plain data in a form', async () => {
    const published = await flowWith({ accept: ['application/x-www-form-urlencoded'] })
    const headers = ['Content-Type: application/x-www-form-urlencoded']
    const webhook = await webhookOf(await send(published, { headers, body: '__proto__=polluted&constructor=x' }))
    expect(Object.entries(webhook.body as object)).toEqual([
      ['__proto__', 'polluted'],
      ['constructor', 'x'],
    ])
    inert()
  })
})

const auth = () => ({ authorization: `Bearer ${TOKEN}` })

describe('requests that are not quite HTTP', () => {
  const lines = (...parts: string[]) => `${parts.join('\r\n')}\r\n`
  const post = () => `POST ${target(open)} HTTP/1.1`
  const json = 'Content-Type: application/json'

  it.each([
    [
      'Content-Length and Transfer-Encoding',
      () => lines(post(), 'Host: x', json, 'Content-Length: 2', 'Transfer-Encoding: chunked', '', '0', '', ''),
    ],
    [
      'Transfer-Encoding and Content-Length',
      () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked', 'Content-Length: 2', '', '0', '', ''),
    ],
    [
      'two different Content-Lengths',
      () => lines(post(), 'Host: x', json, 'Content-Length: 2', 'Content-Length: 3', '', '{}'),
    ],
    [
      'two equal Content-Lengths',
      () => lines(post(), 'Host: x', json, 'Content-Length: 2', 'Content-Length: 2', '', '{}'),
    ],
    ['a list of Content-Lengths', () => lines(post(), 'Host: x', json, 'Content-Length: 2, 2', '', '{}')],
    ['a signed Content-Length', () => lines(post(), 'Host: x', json, 'Content-Length: +2', '', '{}')],
    ['a hexadecimal Content-Length', () => lines(post(), 'Host: x', json, 'Content-Length: 0x2', '', '{}')],
    ['an unknown Transfer-Encoding', () => lines(post(), 'Host: x', json, 'Transfer-Encoding: cow', '', '{}')],
    ['chunked twice', () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked, chunked', '', '0', '', '')],
    [
      'chunked before another coding',
      () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked, gzip', '', '0', '', ''),
    ],
    [
      'a bad chunk size',
      () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked', '', 'zz', '{}', '0', '', ''),
    ],
    [
      'a chunk size with a sign',
      () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked', '', '+2', '{}', '0', '', ''),
    ],
    [
      'a chunk size beyond 64 bits',
      () => lines(post(), 'Host: x', json, 'Transfer-Encoding: chunked', '', 'fffffffffffffffff', '{}'),
    ],
    ['a bare CR in a header', () => lines(post(), 'Host: x', json, 'X-A: b\rX-C: d', 'Content-Length: 2', '', '{}')],
    ['a bare LF in a header', () => lines(post(), 'Host: x', json, 'X-A: b\nX-C: d', 'Content-Length: 2', '', '{}')],
    ['a folded header', () => lines(post(), 'Host: x', json, 'X-A: b', ' c', 'Content-Length: 2', '', '{}')],
    ['a NUL in a header', () => lines(post(), 'Host: x', json, 'X-A: b\0c', 'Content-Length: 2', '', '{}')],
    ['a space before the colon', () => lines(post(), 'Host: x', json, 'Content-Length : 2', '', '{}')],
    ['a space in a header name', () => lines(post(), 'Host: x', json, 'X A: b', 'Content-Length: 2', '', '{}')],
    ['a header without a colon', () => lines(post(), 'Host: x', json, 'nonsense', 'Content-Length: 2', '', '{}')],
    ['two Hosts', () => lines(post(), 'Host: x', 'Host: y', json, 'Content-Length: 2', '', '{}')],
    ['no Host', () => lines(post(), json, 'Content-Length: 2', '', '{}')],
    [
      'an absolute target',
      () => lines(`POST http://x${target(open)} HTTP/1.1`, 'Host: x', json, 'Content-Length: 2', '', '{}'),
    ],
    ['an asterisk as target', () => lines('OPTIONS * HTTP/1.1', 'Host: x', '', '')],
    [
      'a target without a slash',
      () => lines(`POST api/v1/webhooks/x HTTP/1.1`, 'Host: x', json, 'Content-Length: 2', '', '{}'),
    ],
    [
      'a space in the target',
      () => lines(`POST ${target(open)} x HTTP/1.1`, 'Host: x', json, 'Content-Length: 2', '', '{}'),
    ],
    ['HTTP/3.0', () => lines(`POST ${target(open)} HTTP/3.0`, 'Host: x', '', '')],
    ['a TLS handshake', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('answers 400 to %s, and closes', async (_what, text) => {
    const connection = await connectRaw(millrace.port)
    connection.write(Buffer.from(text(), 'latin1'))
    const answer = await connection.reply()
    expectFailure(answer, 400, 'bad_request')
    await connection.ended
    expect(connection.rest()).toBe('')
    connection.socket.destroy()
  })

  it('gives up the socket of a sender that never closes its side', async () => {
    const connection = await connectRaw(millrace.port)
    connection.write('NONSENSE\r\n\r\n')
    await connection.ended
    // A closed socket answers bytes with a reset.
    const probe = setInterval(() => connection.socket.write('x'), 50)
    await new Promise<void>((resolve) => connection.socket.on('close', () => resolve()))
    clearInterval(probe)
  })

  it('reads no second request out of the body of the first', async () => {
    const smuggled = requestBytes({ target: '/smuggled' }).toString()
    const connection = await connectRaw(millrace.port)
    connection.write(requestBytes({ target: `/api/v1/webhooks/${'A'.repeat(32)}`, body: smuggled }))
    expect((await connection.reply()).status).toBe(404)
    connection.write(requestBytes({ method: 'GET', target: '/healthz', body: '' }))
    expect((await connection.reply()).body).toEqual({ status: 'ok' })
    expect(connection.rest()).toBe('')
    connection.socket.destroy()
  })

  it('answers pipelined deliveries in their order', async () => {
    const connection = await connectRaw(millrace.port)
    const delivery = (n: number) => requestBytes({ target: target(open), body: `{"n":${n}}` })
    connection.write(Buffer.concat([delivery(1), delivery(2), delivery(3)]))
    for (const n of [1, 2, 3]) expect((await webhookOf(await connection.reply())).body).toEqual({ n })
    connection.socket.destroy()
  })

  it('keeps the connection open after a refusal of a small request', async () => {
    const connection = await connectRaw(millrace.port)
    for (const parts of [
      { target: target(open), method: 'GET' },
      { target: '/nowhere' },
      { target: target(open), body: '{' },
      { target: target(open), headers: ['Content-Type: text/html'] },
    ]) {
      connection.write(requestBytes(parts))
      expect((await connection.reply()).status).toBeGreaterThanOrEqual(400)
    }
    connection.write(requestBytes({ target: target(open) }))
    expect((await connection.reply()).status).toBe(200)
    connection.socket.destroy()
  })
})

describe('large heads', () => {
  it.each([
    ['5,000 headers', Array.from({ length: 5000 }, (_, i) => `X-${i}: ${i}`)],
    ['a header of 17 KiB', [`X-Long: ${'x'.repeat(17 * 1024)}`]],
    ['a header name of 17 KiB', [`${'X'.repeat(17 * 1024)}: x`]],
  ])('refuses %s with 431', async (_what, headers) => {
    expectFailure(await send(open, { headers }), 431, 'headers_too_large')
    expect((await send(open, {})).status).toBe(200)
  })

  it('takes 1,000 small headers', async () => {
    const headers = Array.from({ length: 1000 }, (_, i) => `X-${i}: ${i}`)
    const webhook = await webhookOf(await send(open, { headers }))
    expect(webhook.headers['x-999']).toBe('999')
  })

  it('refuses a URL of 20 kB', async () => {
    expectFailure(await send(open, {}, `?${'a'.repeat(20_000)}`), 431, 'headers_too_large')
  })

  it('takes 3,000 query parameters', async () => {
    const query = Array.from({ length: 3000 }, (_, i) => `${i}=`).join('&')
    const webhook = await webhookOf(await send(open, {}, `?${query.slice(0, 15_000)}`))
    expect(Object.keys(webhook.query).length).toBeGreaterThan(2000)
  })

  it('keeps broken percent-encoding in a query as it is', async () => {
    const webhook = await webhookOf(await send(open, {}, '?a=%zz&b=%ff&c=%00&=empty&d'))
    expect(webhook.query).toEqual({ a: '%zz', b: '\ufffd', c: '\0', '': 'empty', d: '' })
  })
})

describe('templates in a payload', () => {
  const payload = '{{7*7}} ${7*7} {{ env.UP }} {{ webhook.headers }} <%= 7*7 %>'

  it('stay literal through set, http and the reply', async () => {
    const { post } = await flowWith(
      {
        response: {
          mode: 'finished',
          headers: [{ name: 'X-Echo', value: '{{ webhook.body.text }}' }],
          body: { whole: '{{ webhook.body.text }}', inside: 'a {{ vars.copy }} b', key: '{{ webhook.body }}' },
        },
      },
      [
        { id: 'keep', kind: 'set', vars: { copy: '{{ webhook.body.text }}' } },
        { id: 'again', kind: 'set', vars: { twice: '{{ vars.copy }}' } },
        {
          id: 'call',
          kind: 'http',
          method: 'POST',
          url: '{{ env.UP }}/{{ vars.twice }}',
          headers: [{ name: 'X-Text', value: '{{ vars.twice }}' }],
          query: [{ name: 'q', value: '{{ vars.twice }}' }],
          body: { kind: 'json', value: { text: '{{ vars.twice }}' } },
        },
      ],
    )
    const answer = await post({ text: payload })
    expect(answer.status, JSON.stringify(answer.body)).toBe(200)
    expect(answer.body).toEqual({ whole: payload, inside: `a ${payload} b`, key: { text: payload } })
    expect(answer.headers.get('x-echo')).toBe(payload)
    const call = upstream.received.at(-1)!
    const url = new URL(call.url, upstream.url)
    expect(decodeURIComponent(url.pathname)).toBe(`/${payload}`)
    expect(url.searchParams.get('q')).toBe(payload)
    expect(call.headers['x-text']).toBe(payload)
    expect(JSON.parse(call.body)).toEqual({ text: payload })
  })

  it('stay literal through a respond step and an error reply', async () => {
    const responding = await flowWith({ response: { mode: 'finished' } }, [
      { id: 'say', kind: 'respond', body: { text: '{{ webhook.body.text }}' } },
    ])
    expect((await responding.post({ text: payload })).body).toEqual({ text: payload })
    const failing = await flowWith(
      { response: { mode: 'finished', error: { status: 502, body: { why: '{{ error.message }}' } } } },
      [{ id: 'no', kind: 'fail', message: '{{ webhook.body.text }}' }],
    )
    const answer = await failing.post({ text: payload })
    expect(answer.status).toBe(502)
    expect(answer.body).toEqual({ why: payload })
  })
})

describe('what a sender can put into a reply', () => {
  const replyFlow = (name: string, value: string) => flowWith({ response: { headers: [{ name, value }], body: 'ok' } })

  it('is no second header', async () => {
    const published = await replyFlow('X-Echo', '{{ webhook.body.text }}')
    const answer = await published.post({ text: 'a\r\nSet-Cookie: a=b\r\n\r\n<script>' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('x-echo')).toBeNull()
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it.each([
    'Content-Length',
    'Transfer-Encoding',
    'Connection',
    'X-Request-Id',
    'Set-Cookie',
    'Trailer',
    'Upgrade',
    'a b',
    '',
  ])('is no header named "%s"', async (name) => {
    for (const published of [
      await replyFlow('{{ webhook.body.name }}', '3'),
      await flowWith({ response: { mode: 'finished' } }, [
        { id: 'say', kind: 'respond', headers: [{ name: '{{ webhook.body.name }}', value: '3' }], body: 'ok' },
      ]),
    ]) {
      const answer = await published.post({ name })
      expect(answer.status).toBe(200)
      expect(answer.body).toBe('ok')
      if (name && name !== 'a b') expect(answer.headers.get(name)).not.toBe('3')
    }
  })
})

describe('webhook ids', () => {
  it('never come into the log, nor into the metrics', async () => {
    const { flow } = open
    await send(open, { body: '{' })
    await send(open, { method: 'GET' })
    await send(open, {}, '/other')
    await send(open, {}, '%zz')
    await send(open, {}, '/test')
    const metrics = await (await fetch(`${millrace.url}/metrics`, { headers: auth() })).text()
    expect(metrics).toContain('millrace_deliveries_total')
    expect(metrics).not.toContain(flow.webhook.id)
    expect(millrace.log()).toContain('is ready')
    expect(millrace.log()).not.toContain(flow.webhook.id)
  })
})
