// Tests the HTTP step with the real client and real sockets.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { Outcome, StepContext, StepError } from '../../engine/step-kind.ts'
import { client, httpServer } from '../../outbound/servers.testkit.ts'
import { http } from './http.ts'
import type { HttpSettings } from './settings.ts'

interface Seen {
  method: string
  url: string
  raw: string[]
  headers: IncomingMessage['headers']
  body: string
}

async function api(answer: (reply: ServerResponse, seen: Seen) => void = (reply) => reply.end()) {
  const seen: Seen[] = []
  const server = await httpServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const one = { method: request.method!, url: request.url!, raw: request.rawHeaders, headers: request.headers, body }
    seen.push(one)
    answer(reply, one)
  })
  return { ...server, seen }
}

interface Ran {
  outcome: Outcome
  output: Record<string, unknown>
  error: StepError
  input: { method: string; url: string; headers: { name: string; value: string }[]; body: unknown }
}

async function run(
  settings: Partial<HttpSettings> & { url: string },
  more: Partial<StepContext<HttpSettings>> = {},
): Promise<Ran> {
  let input: unknown
  const context = {
    settings: { method: 'GET', timeout: 5, ...settings },
    runId: 'run_1',
    path: 'each[2]/call',
    now: 0,
    hops: 0,
    interrupted: false,
    announce: async () => {},
    showInput: (shown: unknown) => {
      input = shown
    },
    holdsSecret: (text: string) => text.includes('canary'),
    replyRoom: () => null,
    standing: () => null,
    http: client(),
    connections: {
      fields: {},
      checkHost: () => {},
      tls: () => null,
      credential: () => ({ kind: 'token', token: 'token' }),
      accessToken: () => 'token',
      renewed: async () => null,
      refusedAgain: () => {},
    },
    signal: () => new AbortController().signal,
    ...more,
  } as StepContext<HttpSettings>
  const outcome = await http.run(context)
  const { output, error } = outcome as { output: Record<string, unknown>; error: StepError }
  return { outcome, output, error, input: input as Ran['input'] }
}

describe('the request', () => {
  it('appends the query after its own, encoded, and drops the fragment', async () => {
    const server = await api()
    const query = [
      { name: 'b c', value: 'x&y=z/ü' },
      { name: 'b c', value: '' },
    ]
    await run({ url: `${server.origin}/p?a=1#frag`, query })
    await run({ url: `${server.origin}/p?`, query: [{ name: 'q', value: '1' }] })
    await run({ url: server.origin, query: [{ name: 'q', value: '+' }] })
    expect(server.seen.map(({ url }) => url)).toEqual(['/p?a=1&b%20c=x%26y%3Dz%2F%C3%BC&b%20c=', '/p?q=1', '/?q=%2B'])
  })

  it.each(['a\r\nb', 'a\nb', 'a\0b'])('sends nothing with %j in the query or URL', async (value) => {
    const server = await api()
    expect((await run({ url: server.origin, query: [{ name: 'q', value }] })).error.code).toBe('invalid_url')
    expect((await run({ url: `${server.origin}/${value}` })).error.code).toBe('invalid_url')
    expect((await run({ url: server.origin, headers: [{ name: 'X', value }] })).error.code).toBe('invalid_header')
    expect(server.seen).toEqual([])
  })

  it.each<[string, HttpSettings['body'], string, string]>([
    ['JSON', { kind: 'json', value: { a: ['"', null] } }, 'application/json', '{"a":["\\"",null]}'],
    ['a JSON string', { kind: 'json', value: 'x' }, 'application/json', '"x"'],
    [
      'a form',
      {
        kind: 'form',
        fields: [
          { name: 'a b', value: '1&2' },
          { name: 'a b', value: 'ü' },
        ],
      },
      'application/x-www-form-urlencoded',
      'a+b=1%262&a+b=%C3%BC',
    ],
    ['text', { kind: 'text', value: 'hallo' }, 'text/plain', 'hallo'],
    ['XML', { kind: 'text', value: '<a/>', contentType: 'text/xml' }, 'text/xml', '<a/>'],
  ])('sends %s with its content type', async (_name, body, type, sent) => {
    const server = await api()
    await run({ method: 'POST', url: server.origin, body })
    expect(server.seen).toMatchObject([
      { body: sent, headers: { 'content-type': type, 'content-length': String(Buffer.byteLength(sent)) } },
    ])
  })

  it('sends multipart forms that a standard parser reads back', async () => {
    const server = await api()
    const fields = [
      { name: 'a"b', value: 'x\r\n--y' },
      { name: 'ü', value: '' },
    ]
    const body = { kind: 'form' as const, fields, multipart: true }
    await run({ method: 'POST', url: server.origin, body })
    await run({
      method: 'POST',
      url: server.origin,
      body,
      headers: [{ name: 'content-type', value: 'multipart/form-data' }],
    })
    await run({
      method: 'POST',
      url: server.origin,
      body,
      headers: [{ name: 'content-type', value: 'multipart/form-data; boundary="own"' }],
    })
    expect(server.seen).toHaveLength(3)
    for (const { body: sent, headers } of server.seen) {
      const form = await new Response(sent, { headers: { 'content-type': headers['content-type']! } }).formData()
      expect([...form]).toEqual([
        ['a"b', 'x\r\n--y'],
        ['ü', ''],
      ])
    }
    expect(server.seen[2]!.body).toContain('--own--')
  })

  it('leaves a content type set by hand', async () => {
    const server = await api()
    await run({
      method: 'POST',
      url: server.origin,
      body: { kind: 'json', value: 1 },
      headers: [{ name: 'content-TYPE', value: 'application/ld+json' }],
    })
    expect(server.seen[0]!.raw.filter((name) => name.toLowerCase() === 'content-type')).toEqual(['content-TYPE'])
    expect(server.seen[0]!.headers['content-type']).toBe('application/ld+json')
  })

  it.each<[string, HttpSettings['auth'], string]>([
    [
      'basic credentials in UTF-8',
      { kind: 'basic', username: 'jürgen', password: 'pä:ss' },
      `Basic ${Buffer.from('jürgen:pä:ss').toString('base64')}`,
    ],
    ['an empty password', { kind: 'basic', username: 'key', password: '' }, 'Basic a2V5Og=='],
    ['a bearer token', { kind: 'bearer', token: 'abc' }, 'Bearer abc'],
    ['a bearer token with its prefix only once', { kind: 'bearer', token: 'bEARER  abc' }, 'Bearer abc'],
  ])('sends %s', async (_name, auth, value) => {
    const server = await api()
    await run({ url: server.origin, auth, headers: [{ name: 'authorization', value: 'other' }] })
    expect(server.seen[0]!.raw.filter((_, i, raw) => raw[i - 1]?.toLowerCase() === 'authorization')).toEqual([value])
  })

  it('sends an API key as header or in the query', async () => {
    const server = await api()
    await run({ url: server.origin, auth: { kind: 'apiKey', name: 'X-API-Key', value: 'k', in: 'header' } })
    await run({
      url: `${server.origin}/?a=1`,
      query: [{ name: 'b', value: '2' }],
      auth: { kind: 'apiKey', name: 'api_key', value: 'k&', in: 'query' },
    })
    expect(server.seen[0]!.raw).toContain('X-API-Key')
    expect(server.seen[1]!.url).toBe('/?a=1&b=2&api_key=k%26')
  })

  it('drops the API key when a redirect changes the origin, and appends no query key again', async () => {
    const other = await api()
    const server = await api((reply) => reply.writeHead(302, { location: `${other.origin}/there` }).end())
    const headers = [
      { name: 'X-Custom', value: 'canary' },
      { name: 'X-Plain', value: 'p' },
    ]
    await run({ url: server.origin, headers, auth: { kind: 'apiKey', name: 'X-API-Key', value: 'k', in: 'header' } })
    await run({ url: server.origin, auth: { kind: 'apiKey', name: 'key', value: 'k', in: 'query' } })
    expect(server.seen[0]!.headers).toMatchObject({ 'x-api-key': 'k', 'x-custom': 'canary' })
    expect(other.seen[0]!.headers).not.toHaveProperty('x-api-key')
    expect(other.seen[0]!.headers).not.toHaveProperty('x-custom')
    expect(other.seen[0]!.headers).toMatchObject({ 'x-plain': 'p' })
    expect(other.seen[1]!.url).toBe('/there')
  })

  it('brings cookies of redirects back where that is asked for, and shows none of them', async () => {
    const server = await api((reply, { url }) => {
      if (url === '/end') reply.end('{}')
      else reply.writeHead(302, { location: '/end', 'set-cookie': 'session=baked' }).end()
    })
    const { input, output } = await run({ url: server.origin, cookies: true })
    expect(server.seen[1]!.headers.cookie).toBe('session=baked')
    expect(JSON.stringify([input, output])).not.toContain('baked')
    await run({ url: server.origin })
    expect(server.seen[3]!.headers.cookie).toBeUndefined()
  })

  it('carries an idempotency key that is the same on every resend', async () => {
    const server = await api()
    await run({ method: 'POST', url: server.origin, idempotencyKey: true })
    expect(server.seen[0]!.headers['idempotency-key']).toBe('run_1:each[2]/call')
  })

  it('is refused for HEAD with a body and for a colon in a user name', async () => {
    const server = await api()
    expect((await run({ method: 'HEAD', url: server.origin, body: { kind: 'text', value: 'x' } })).error.code).toBe(
      'body_not_allowed',
    )
    expect(
      (await run({ url: server.origin, auth: { kind: 'basic', username: 'a:b', password: 'c' } })).error.code,
    ).toBe('invalid_header')
    expect(server.seen).toEqual([])
  })

  it('carries the token of an OAuth connection in place of an Authorization header of its own', async () => {
    const server = await api()
    const headers = [{ name: 'authorization', value: 'mine' }]
    const { input } = await run({ url: server.origin, headers, auth: { kind: 'oauth2', connection: 'crm' } })
    expect(server.seen[0]!.headers.authorization).toBe('Bearer token')
    expect(input.headers).toEqual([{ name: 'Authorization', value: 'Bearer ***' }])
  })

  it('is shown as sent, without its credentials', async () => {
    const server = await api()
    const body = { kind: 'json' as const, value: { a: 1 } }
    const headers = [
      { name: 'X-A', value: '1' },
      { name: 'Cookie', value: 'session' },
      { name: 'X-B', value: 'has canary' },
    ]
    const { input } = await run({
      method: 'POST',
      url: `${server.origin}/?x=1`,
      headers,
      body,
      auth: { kind: 'basic', username: 'u', password: 'canary' },
    })
    expect(input).toEqual({
      method: 'POST',
      url: `${server.origin}/?x=1`,
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'Cookie', value: '***' },
        { name: 'X-B', value: '***' },
        { name: 'Content-Type', value: 'application/json' },
        { name: 'Authorization', value: 'Basic ***' },
      ],
      body: { a: 1 },
    })
    const key = await run({ url: server.origin, auth: { kind: 'apiKey', name: 'key', value: 'canary', in: 'query' } })
    expect(key.input.url).toBe(`${server.origin}?key=***`)
    expect(server.seen[1]!.url).toBe('/?key=canary')
  })
})

describe('the reply', () => {
  it.each([
    ['small', '[1]', 0],
    [
      'ordinary',
      JSON.stringify(Array.from({ length: 600 }, (_, id) => ({ id, name: 'A customer of the shop', paid: true }))),
      0,
    ],
    ['dense', `[${'{},'.repeat(20_000)}0]`, 600_000],
    [
      'large',
      JSON.stringify(Array.from({ length: 4_000 }, (_, id) => ({ id, name: 'A customer of the shop', paid: true }))),
      0,
    ],
    ['large and dense', `[${`${'['.repeat(190)}${']'.repeat(190)},`.repeat(500)}0]`, 2_000_000],
    ['invalid', `[${'{},'.repeat(60_000)}0`, 0],
  ])('counts with what its values take, if that is far more than its bytes: a %s one', async (_kind, text, least) => {
    const server = await api((reply) => reply.writeHead(200, { 'Content-Type': 'application/json' }).end(text))
    let room = 0
    const replyRoom = () => ({
      async grow(bytes: number) {
        room += bytes
      },
      shrink(bytes: number) {
        room -= bytes
      },
    })
    const { output } = await run({ url: server.origin }, { replyRoom })
    if (text.endsWith(']')) expect(output['body']).toEqual(JSON.parse(text))
    else expect(output['body']).toBe(text)
    const bytes = text.length > 65_536 ? text.length : 0
    expect(room).toBeGreaterThanOrEqual(bytes + least)
    expect(room).toBeLessThan(Math.max(bytes + 4 * least, 2 * bytes + 1))
  })

  it('is the output, with cookies where there are any', async () => {
    const server = await api((reply) =>
      reply
        .writeHead(201, {
          'Content-Type': 'application/json',
          'X-RateLimit-Remaining': '9',
          'Set-Cookie': ['a=1', 'b=2'],
        })
        .end('{"id":7}'),
    )
    const { outcome, output } = await run({ url: `${server.origin}/x` })
    expect(outcome.type).toBe('done')
    expect(output).toEqual({
      status: 201,
      headers: expect.objectContaining({ 'content-type': 'application/json', 'x-ratelimit-remaining': '9' }),
      body: { id: 7 },
      url: `${server.origin}/x`,
      redirects: 0,
      durationMs: expect.any(Number),
      cookies: ['a=1', 'b=2'],
    })
  })

  it('of HEAD and 204 has no body and no cookies', async () => {
    const server = await api((reply, { method }) =>
      reply.writeHead(method === 'HEAD' ? 200 : 204, { 'content-type': 'application/json' }).end(),
    )
    for (const method of ['HEAD', 'DELETE'] as const) {
      const { output } = await run({ method, url: server.origin })
      expect(output['body']).toBeNull()
      expect(output).not.toHaveProperty('cookies')
    }
  })

  it.each([
    [400, 'http_400', 'Content-Type'],
    [401, 'http_401', 'Bearer'],
    [403, 'http_4xx', 'permissions'],
    [404, 'http_404', 'does not exist'],
    [418, 'http_4xx', 'refused'],
    [429, 'http_429', 'rate limit'],
    [500, 'http_500', 'Server error at the remote API'],
    [503, 'http_5xx', 'again later'],
    [599, 'http_5xx', 'again later'],
  ])('with status %i fails as %s, keeps the reply and says the likely cause', async (status, code, hint) => {
    const server = await api((reply) =>
      reply.writeHead(status, { 'content-type': 'application/json' }).end('{"why":1}'),
    )
    const { outcome, output, error } = await run({ url: server.origin })
    expect(outcome.type).toBe('failed')
    expect(error).toMatchObject({ code, status, hint: expect.stringContaining(hint) })
    expect(error.message).toContain(`127.0.0.1:${server.port} replied ${status}`)
    expect(output).toMatchObject({ status, body: { why: 1 } })
    const lenient = await run({ url: server.origin, failOnError: false })
    expect(lenient.outcome).toMatchObject({ type: 'done', output: { status, body: { why: 1 } } })
  })

  it('that never comes fails with the code of the client and no output', async () => {
    const server = await httpServer(() => {})
    const { error, output } = await run({ url: server.origin, timeout: 0.1 })
    expect(error).toMatchObject({ code: 'connection_timeout', hint: expect.stringContaining('timeout is too low') })
    expect(output).toBeUndefined()
    expect((await run({ url: 'http://10.0.0.1/' })).error.code).toBe('blocked_address')
  })

  it('is given up when the run is cancelled', async () => {
    const abort = new AbortController()
    const server = await api(() => abort.abort())
    expect((await run({ url: server.origin }, { signal: () => abort.signal })).error.code).toBe('cancelled')
  })
})

describe('after a crash', () => {
  it('sends again by default', async () => {
    const server = await api()
    expect((await run({ method: 'POST', url: server.origin }, { interrupted: true })).outcome.type).toBe('done')
    expect(server.seen).toHaveLength(1)
  })

  it('fails as outcome_unknown and sends nothing where that is asked for', async () => {
    const server = await api()
    const { error } = await run({ method: 'POST', url: server.origin, onInterrupt: 'fail' }, { interrupted: true })
    expect(error.code).toBe('outcome_unknown')
    expect(server.seen).toEqual([])
  })

  it('can be told, because the send is announced before it leaves', async () => {
    const server = await api()
    let sentBefore = -1
    const announce = async () => {
      sentBefore = server.seen.length
    }
    await run({ method: 'POST', url: server.origin, onInterrupt: 'fail' }, { announce })
    expect(sentBefore).toBe(0)
    expect(server.seen).toHaveLength(1)
  })
})
