// Tests the checks of docs/webhooks.md#checks, row by row and in their order.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveries, expectFailure, expectRejected, runsOf } from '../harness/inbox.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace, TOKEN } from '../harness/millrace.ts'
import { connectRaw, type RequestParts, requestBytes, sendRaw } from '../harness/raw-request.ts'
import { startUpstream } from '../harness/upstream.ts'

const SECRET = 'correct horse battery staple'
const LIMIT = 64 * 1024

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_SECRET: SECRET, MILLRACE_MAX_BODY: '64kb' })
})
afterAll(() => millrace.stop())

const flowWith = (trigger: object, on: Millrace = millrace): Promise<PublishedFlow> =>
  on.publish({ name: 'Checked', trigger: { kind: 'webhook', ...trigger }, steps: [] })

const target = ({ flow }: PublishedFlow, suffix = ''): string => `/api/v1/webhooks/${flow.webhook.id}${suffix}`

const send = (published: PublishedFlow, parts: Omit<RequestParts, 'target'> = {}, suffix = ''): Promise<Answer> =>
  sendRaw(millrace.port, requestBytes({ target: target(published, suffix), ...parts }))

const rejected = (published: PublishedFlow, answer: Answer, status: number, code: string) =>
  expectRejected(millrace, published.flow.id, answer, status, code)

const UNKNOWN = 'A'.repeat(32)
const headerAuth = { auth: { kind: 'header', name: 'X-Hook-Key', value: '{{ env.SECRET }}' } }
const queryAuth = { auth: { kind: 'query', name: 'key', value: '{{ env.SECRET }}' } }

describe('1: the method', () => {
  it.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'QUERY'])(
    '%s is 405 with Allow: POST, at a known and at an unknown id',
    async (method) => {
      const published = await flowWith({})
      const answer = await send(published, { method })
      expect(answer.headers.get('allow')).toBe('POST')
      await rejected(published, answer, 405, 'method_not_allowed')
      const unknown = await sendRaw(millrace.port, requestBytes({ method, target: `/api/v1/webhooks/${UNKNOWN}` }))
      expect(unknown.headers.get('allow')).toBe('POST')
      expectFailure(unknown, 405, 'method_not_allowed')
    },
  )

  it('answers HEAD with 405 and no body', async () => {
    const published = await flowWith({})
    const answer = await fetch(millrace.url + target(published), { method: 'HEAD' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
    expect(await answer.text()).toBe('')
  })

  it('holds at the test URL and with a query string too', async () => {
    const published = await flowWith({})
    for (const suffix of ['/test', '?a=b', '/test?a=b'])
      await rejected(published, await send(published, { method: 'GET' }, suffix), 405, 'method_not_allowed')
  })

  it.each([
    ['another type', ['Content-Type: text/html'], '{}'],
    ['a malformed type', ['Content-Type: nonsense'], '{}'],
    ['no valid JSON', ['Content-Type: application/json'], '{'],
    ['a body over the limit', ['Content-Length: 99999999'], ''],
    ['too many hops', ['X-Millrace-Hops: 99'], '{}'],
  ])('comes before authentication, and before what is wrong with a request of %s', async (_what, headers, body) => {
    const published = await flowWith({ ...headerAuth, ips: ['10.0.0.0/8'] })
    for (const method of ['PUT', 'QUERY'])
      await rejected(published, await send(published, { method, headers, body }), 405, 'method_not_allowed')
  })

  it('is checked although QUERY wants a content type', async () => {
    const published = await flowWith({})
    const bare = `QUERY ${target(published)} HTTP/1.1\r\nHost: x\r\n\r\n`
    await rejected(published, await sendRaw(millrace.port, bare), 405, 'method_not_allowed')
  })
})

describe('2: the id', () => {
  it('makes unknown, unpublished and deleted webhooks look the same, byte for byte', async () => {
    const unpublished = await flowWith(headerAuth)
    await millrace.api('POST', `/flows/${unpublished.flow.id}/unpublish`)
    const deleted = await flowWith({})
    await millrace.api('DELETE', `/flows/${deleted.flow.id}`)
    const draft = (await millrace.api('POST', '/flows', { name: 'Draft', trigger: { kind: 'webhook' }, steps: [] }))
      .body.webhook.id
    const replies: string[] = []
    for (const id of [UNKNOWN, unpublished.flow.webhook.id, deleted.flow.webhook.id, draft]) {
      const connection = await connectRaw(millrace.port)
      connection.write(requestBytes({ target: `/api/v1/webhooks/${id}`, headers: ['Connection: close'] }))
      await connection.ended
      replies.push(
        connection
          .rest()
          .replaceAll(/req_\w+/g, 'req')
          .replace(/date: .*\r\n/i, ''),
      )
      connection.socket.destroy()
    }
    expect(replies[0]).toContain('404')
    expect(replies[0]).toContain('webhook_not_found')
    expect(new Set(replies).size).toBe(1)
  })

  it('keeps what came for a flow that is not published, and why it was refused, without its secrets', async () => {
    const published = await flowWith(headerAuth)
    const { id } = published.flow
    // The draft already has another secret; senders use that of the published version.
    const draft = { name: 'Checked', trigger: { kind: 'webhook', ...queryAuth }, steps: [] }
    expect((await millrace.api('PUT', `/flows/${id}`, draft)).status).toBe(200)
    await millrace.api('POST', `/flows/${id}/unpublish`)
    const headers = ['X-Hook-Key: of another sender', 'X-Event: push']
    const answer = await send(published, { headers }, '?key=of+a+third&page=1')
    const kept = await rejected(published, answer, 404, 'webhook_not_found')
    expect(answer.body.message).not.toBe(kept.message)
    expect(kept).toMatchObject({
      message: expect.stringContaining('not published'),
      webhook: {
        headers: { 'x-hook-key': '[masked]', 'x-event': 'push' },
        query: { key: '[masked]', page: '1' },
        rawBody: '',
      },
    })
  })

  it('comes before the hop limit, authentication, content type and size', async () => {
    const answer = await sendRaw(
      millrace.port,
      requestBytes({
        target: `/api/v1/webhooks/${UNKNOWN}`,
        headers: ['X-Millrace-Hops: 99', 'Content-Type: text/html', 'Content-Length: 99999999'],
      }),
    )
    expectFailure(answer, 404, 'webhook_not_found')
  })

  it.each(['', '/', '//', '/%2e%2e', '/..', '/%00', `/${UNKNOWN}/`, `/${UNKNOWN}/other`, `/${'x'.repeat(10_000)}`])(
    'answers 404 at case %$: /api/v1/webhooks…',
    async (path) => {
      const answer = await sendRaw(millrace.port, requestBytes({ target: `/api/v1/webhooks${path}` }))
      expectFailure(answer, 404, path === '' ? 'not_found' : 'webhook_not_found')
    },
  )

  it('answers 404 where the path cannot be decoded', async () => {
    const answer = await sendRaw(millrace.port, requestBytes({ target: '/api/v1/webhooks/%zz' }))
    expectFailure(answer, 404, 'webhook_not_found')
  })

  it('does not take the id of a flow for the id of its webhook', async () => {
    const { flow } = await flowWith({})
    const answer = await sendRaw(millrace.port, requestBytes({ target: `/api/v1/webhooks/${flow.id}` }))
    expectFailure(answer, 404, 'webhook_not_found')
    expect(flow.webhook.id).toMatch(/^[A-Za-z0-9_-]{32}$/)
  })
})

describe('2b: the hop limit', () => {
  it('lets ten hops pass and refuses the eleventh', async () => {
    const published = await flowWith({})
    await rejected(published, await send(published, { headers: ['X-Millrace-Hops: 11'] }), 508, 'loop_detected')
    expect((await send(published, { headers: ['X-Millrace-Hops: 10'] })).status).toBe(200)
  })

  it.each(['-1', '1e3', 'NaN', '9999999999', '1, 1'])('refuses the hop count %s', async (hops) => {
    const published = await flowWith({})
    await rejected(published, await send(published, { headers: [`X-Millrace-Hops: ${hops}`] }), 508, 'loop_detected')
  })

  it('comes before authentication', async () => {
    const published = await flowWith(headerAuth)
    await rejected(published, await send(published, { headers: ['X-Millrace-Hops: 11'] }), 508, 'loop_detected')
  })

  it('stops a flow that calls its own webhook after ten hops', async () => {
    const { flow, post } = await millrace.publish({ name: 'Calls itself', trigger: { kind: 'webhook' }, steps: [] })
    const steps = [
      { id: 'again', kind: 'http', method: 'POST', url: flow.webhook.url, body: { kind: 'json', value: {} } },
    ]
    const document = { name: 'Calls itself', trigger: { kind: 'webhook', response: { mode: 'finished' } }, steps }
    await millrace.api('PUT', `/flows/${flow.id}`, document)
    await millrace.api('POST', `/flows/${flow.id}/publish`)
    const answer = await post({})
    expect(answer.status).toBe(500)
    expect(await runsOf(millrace, flow.id)).toHaveLength(11)
    const kept = (await deliveries(millrace, flow.id)).filter(({ outcome }) => outcome === 'rejected')
    expect(kept).toMatchObject([{ code: 'loop_detected', status: 508 }])
  })
})

describe('3: rate and queue', () => {
  const metric = async (of: Millrace, code: string): Promise<number> => {
    const response = await fetch(`${of.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    const text = await response.text()
    return Number(new RegExp(`millrace_deliveries_total\\{outcome="rejected",code="${code}"\\} (\\d+)`).exec(text)?.[1])
  }

  it('takes a burst of twice the rate, then 429 with Retry-After; only the metrics count them', async () => {
    const limited = await startMillrace({ MILLRACE_WEBHOOK_RATE: '5' })
    try {
      const published = await flowWith({}, limited)
      const started = performance.now()
      const answers = await Promise.all(Array.from({ length: 40 }, () => published.post({})))
      const seconds = (performance.now() - started) / 1000
      const passed = answers.filter(({ status }) => status === 200).length
      expect(passed).toBeGreaterThanOrEqual(10)
      expect(passed).toBeLessThanOrEqual(Math.ceil(10 + 5 * seconds))
      const refused = answers.filter(({ status }) => status !== 200)
      for (const answer of refused) {
        expectFailure(answer, 429, 'rate_limited')
        expect(Number(answer.headers.get('retry-after'))).toBe(1)
      }
      expect(await metric(limited, 'rate_limited')).toBe(refused.length)
      expect((await deliveries(limited, published.flow.id)).every(({ outcome }) => outcome === 'accepted')).toBe(true)
      expect(await runsOf(limited, published.flow.id)).toHaveLength(passed)
    } finally {
      await limited.stop()
    }
  })

  it('lets one request in at a rate below one per second, and keeps buckets apart', async () => {
    const limited = await startMillrace({ MILLRACE_WEBHOOK_RATE: '0.01', MILLRACE_ENV_SECRET: SECRET })
    try {
      const published = await flowWith({}, limited)
      expect((await published.post({})).status).toBe(200)
      const refused = await published.post({})
      expectFailure(refused, 429, 'rate_limited')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(50)
      const test = await fetch(`${limited.url}${target(published, '/test')}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      })
      expect(test.status).toBe(200)
      const other = await flowWith(headerAuth, limited)
      expectFailure(await other.post({}), 401, 'unauthorized')
      // The rate is checked before authentication: a key cannot be guessed faster than the rate allows.
      expectFailure(await other.post({}), 429, 'rate_limited')
    } finally {
      await limited.stop()
    }
  })

  it('answers 503 with Retry-After while the queue is full, and takes deliveries again afterwards', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    const upstream = await startUpstream((_request, response) => void held.then(() => response.end('{}')))
    const full = await startMillrace({ MILLRACE_MAX_QUEUE: '1', MILLRACE_CONCURRENCY: '1' })
    try {
      const published = await full.publish({
        name: 'Slow',
        trigger: { kind: 'webhook' },
        steps: [{ id: 'slow', kind: 'http', method: 'GET', url: upstream.url }],
      })
      expect((await published.post({})).status).toBe(200)
      await upstream.count(1)
      const queued = await published.post({})
      expect(queued.status).toBe(200)
      const refused = await published.post('not json', { 'content-type': 'text/html' })
      expectFailure(refused, 503, 'overloaded')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await metric(full, 'overloaded')).toBe(1)
      expect(await deliveries(full, published.flow.id)).toHaveLength(2)
      release()
      await full.runEnded(queued.body.id)
      expect((await published.post({})).status).toBe(200)
    } finally {
      release()
      await full.stop()
      await upstream.close()
    }
  })

  it('answers 503 to a sender who waits for a run while many are in line, and takes on what is answered at once', async () => {
    let answered = false
    const upstream = await startUpstream((_request, response) => {
      // The first run takes at least 50 ms, since the duration of runs is known once one has ended. The next one hangs.
      if (!answered) setTimeout(() => response.end('{}'), 50)
      answered = true
    })
    const busy = await startMillrace({ MILLRACE_CONCURRENCY: '1' })
    const steps = [{ id: 'slow', kind: 'http', method: 'GET', url: upstream.url }]
    try {
      const later = await busy.publish({
        name: 'Answers later',
        trigger: { kind: 'webhook', response: { mode: 'finished' } },
        steps,
      })
      const atOnce = await busy.publish({ name: 'Answers at once', trigger: { kind: 'webhook' }, steps })
      await busy.runEnded((await atOnce.post({})).body.id)
      const ids = await Promise.all(Array.from({ length: 300 }, async () => (await atOnce.post({})).body.id))
      expect(new Set(ids).size).toBe(300)
      const refused = await later.post({})
      expectFailure(refused, 503, 'overloaded')
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(refused.body.message).toContain('answers when its run has ended')
      const test = await sendRaw(busy.port, requestBytes({ target: target(later, '/test') }))
      expect(test.status).toBe(200)
      expect((await atOnce.post({})).status).toBe(200)
    } finally {
      await busy.stop()
      await upstream.close()
    }
  })
})

describe('4: who sends', () => {
  it('refuses addresses outside of ips, whatever X-Forwarded-For claims', async () => {
    const published = await flowWith({ ips: ['10.0.0.0/8', '2001:db8::/32'] })
    const answer = await send(published, { headers: ['X-Forwarded-For: 10.1.2.3', 'Forwarded: for=10.1.2.3'] })
    await rejected(published, answer, 401, 'unauthorized')
  })

  it.each([['127.0.0.1'], ['127.0.0.0/8'], ['::ffff:127.0.0.1/128']])(
    'lets %s in where ips lists it',
    async (range) => {
      const published = await flowWith({ ips: ['192.0.2.1', range] })
      expect((await send(published)).status).toBe(200)
    },
  )

  it('believes X-Forwarded-For from a trusted proxy only', async () => {
    const proxied = await startMillrace({ MILLRACE_TRUST_PROXY: '127.0.0.0/8' })
    try {
      const published = await flowWith({ ips: ['192.0.2.0/24'] }, proxied)
      expect((await published.post({}, { 'x-forwarded-for': '192.0.2.7' })).status).toBe(200)
      expectFailure(await published.post({}, { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' }), 401, 'unauthorized')
      expectFailure(await published.post({}), 401, 'unauthorized')
    } finally {
      await proxied.stop()
    }
  })

  describe('header authentication', () => {
    it('lets the exact name with the exact value in', async () => {
      const published = await flowWith(headerAuth)
      expect((await send(published, { headers: [`X-Hook-Key: ${SECRET}`] })).status).toBe(200)
    })

    it('lets white space pass that HTTP itself drops', async () => {
      const published = await flowWith(headerAuth)
      expect((await send(published, { headers: [`X-Hook-Key: \t ${SECRET} \t`] })).status).toBe(200)
    })

    it.each([
      ['missing', []],
      ['wrong', ['X-Hook-Key: wrong']],
      ['empty', ['X-Hook-Key:']],
      ['in another case', [`X-Hook-Key: ${SECRET.toUpperCase()}`]],
      ['a prefix of the value', [`X-Hook-Key: ${SECRET.slice(0, -1)}`]],
      ['longer than the value', [`X-Hook-Key: ${SECRET}x`]],
      ['quoted', [`X-Hook-Key: "${SECRET}"`]],
      ['padded with a no-break space', [`X-Hook-Key: \xa0${SECRET}`]],
      ['under a lower-case name', [`x-hook-key: ${SECRET}`]],
      ['under an upper-case name', [`X-HOOK-KEY: ${SECRET}`]],
      ['sent twice', [`X-Hook-Key: ${SECRET}`, `X-Hook-Key: ${SECRET}`]],
      ['sent twice, once wrong', [`X-Hook-Key: wrong`, `X-Hook-Key: ${SECRET}`]],
      ['sent twice, in two cases', [`X-Hook-Key: ${SECRET}`, `x-hook-key: ${SECRET}`]],
      ['in the query instead', []],
    ])('refuses a value that is %s', async (how, headers) => {
      const published = await flowWith(headerAuth)
      const suffix = how.includes('query') ? `?X-Hook-Key=${encodeURIComponent(SECRET)}` : ''
      const answer = await send(published, { headers }, suffix)
      const kept = await rejected(published, answer, 401, 'unauthorized')
      if (!suffix) expect(JSON.stringify(kept)).not.toContain(SECRET)
      expect(JSON.stringify(answer.body)).not.toContain(SECRET)
    })

    it.each([[`x-hook-key: ${SECRET}`], [`X-HOOK-KEY: ${SECRET}`], [`X-Hook-Key: ${SECRET}`]])(
      'with anyCase lets the name in as %s',
      async (header) => {
        const published = await flowWith({ auth: { ...headerAuth.auth, anyCase: true } })
        const answer = await send(published, { headers: [header] })
        expect(answer.status).toBe(200)
        expect(JSON.stringify(await millrace.runEnded(answer.body.id))).not.toContain(SECRET)
      },
    )

    it.each([
      ['wrong', ['x-hook-key: wrong']],
      ['in another case', [`X-Hook-Key: ${SECRET.toUpperCase()}`]],
      ['sent twice, in two cases', [`X-Hook-Key: ${SECRET}`, `x-hook-key: ${SECRET}`]],
      ['missing', []],
    ])('with anyCase refuses a value that is %s', async (_how, headers) => {
      const published = await flowWith({ auth: { ...headerAuth.auth, anyCase: true } })
      await rejected(published, await send(published, { headers }), 401, 'unauthorized')
    })

    it('tells the inbox, and not the sender, that only the letter case of the name differs', async () => {
      const published = await flowWith(headerAuth)
      const refusal = async (header: string) => {
        const answer = await send(published, { headers: [header] })
        const { message } = await rejected(published, answer, 401, 'unauthorized')
        return { told: answer.body.message as string, message: message! }
      }
      const wrong = await refusal('x-hook-key: wrong')
      expect(wrong.message).toBe(wrong.told)
      const { told, message } = await refusal(`x-hook-key: ${SECRET}`)
      expect(told).toBe(wrong.told)
      expect(message).toContain('only the letter case differs. The header X-Hook-Key came as x-hook-key,')
      expect(message).not.toContain(SECRET)
    })

    it('compares values beyond ASCII byte by byte', async () => {
      const published = await flowWith({ auth: { kind: 'header', name: 'X-Key', value: 'schlüssel' } })
      const bytes = (value: string) => Buffer.from(value, 'utf8').toString('latin1')
      expect((await send(published, { headers: [`X-Key: ${bytes('schlüssel')}`] })).status).toBe(200)
      expect((await send(published, { headers: ['X-Key: schlüssel'] })).status).toBe(401)
    })
  })

  describe('query authentication', () => {
    const key = encodeURIComponent(SECRET)

    it('lets one exact value in, beside other parameters', async () => {
      const published = await flowWith(queryAuth)
      const answer = await send(published, {}, `?a=1&key=${key}&b=2`)
      expect(answer.status).toBe(200)
      const run = await millrace.runEnded(answer.body.id)
      expect(run.webhook.query).toMatchObject({ a: '1', b: '2' })
      expect(JSON.stringify(run)).not.toContain(SECRET)
    })

    it.each([
      ['missing', ''],
      ['wrong', '?key=wrong'],
      ['empty', '?key='],
      ['without a value', '?key'],
      ['sent twice', `?key=${key}&key=${key}`],
      ['sent twice, once wrong', `?key=wrong&key=${key}`],
      ['under a name in another case', `?Key=${key}`],
      ['under an array name', `?key[]=${key}`],
      ['encoded twice', `?key=${encodeURIComponent(key)}`],
    ])('refuses a parameter that is %s', async (_how, suffix) => {
      const published = await flowWith(queryAuth)
      await rejected(published, await send(published, {}, suffix), 401, 'unauthorized')
    })
  })

  it('keeps the secret out of the run and of the inbox, whichever check refused', async () => {
    const published = await flowWith(headerAuth)
    const headers = [`X-Hook-Key: ${SECRET}`]
    const run = await millrace.runEnded((await send(published, { headers })).body.id)
    expect(JSON.stringify(run)).not.toContain(SECRET)
    const refusals = [
      await send(published, { method: 'PUT', headers }),
      await send(published, { headers: [...headers, 'X-Millrace-Hops: 11'] }),
      await send(published, { headers: [...headers, 'Content-Type: text/html'] }),
      await send(published, { headers, body: '{' }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([405, 508, 400, 400])
    const limited = await flowWith({ ...queryAuth, ips: ['10.0.0.1'] })
    const query = `?key=${encodeURIComponent(SECRET)}`
    await rejected(limited, await send(limited, {}, query), 401, 'unauthorized')
    await rejected(limited, await send(limited, { method: 'GET' }, query), 405, 'method_not_allowed')
    for (const { flow } of [published, limited])
      expect(JSON.stringify(await deliveries(millrace, flow.id))).not.toContain(SECRET)
    expect(await deliveries(millrace, published.flow.id)).toHaveLength(5)
  })

  it('never lets anybody in by an environment variable that is empty', async () => {
    const open = await startMillrace({ MILLRACE_ENV_EMPTY: '' })
    try {
      const auth = { kind: 'header', name: 'X-Key', value: '{{ env.EMPTY }}' }
      const published = await flowWith({ auth }, open)
      const answer = await sendRaw(open.port, requestBytes({ target: target(published), headers: ['X-Key:'] }))
      expectFailure(answer, 401, 'unauthorized')
    } finally {
      await open.stop()
    }
  })

  it('comes before the content type', async () => {
    const published = await flowWith(headerAuth)
    for (const type of ['text/html', 'nonsense', '', 'application/json, application/json'])
      await rejected(published, await send(published, { headers: [`Content-Type: ${type}`] }), 401, 'unauthorized')
  })

  it('answers 401 at once to a huge body, reads no more of it and closes', async () => {
    const published = await flowWith(headerAuth)
    const connection = await connectRaw(millrace.port)
    const head = ['Content-Length: 1073741824']
    connection.write(requestBytes({ target: target(published), headers: head, body: '' }))
    const chunk = Buffer.alloc(65_536, 0x20)
    let sent = 0
    const keepSending = () => {
      while (!connection.socket.destroyed && connection.socket.writable) {
        sent += chunk.length
        if (!connection.socket.write(chunk)) break
      }
    }
    connection.socket.on('drain', keepSending)
    keepSending()
    const answer = await connection.reply()
    await rejected(published, answer, 401, 'unauthorized')
    expect(answer.headers.get('connection')).toBe('close')
    await new Promise<void>((resolve) => {
      if (connection.socket.destroyed) resolve()
      connection.socket.on('close', () => resolve())
    })
    expect(sent).toBeLessThan(1073741824)
  })
})

describe('5: the content type', () => {
  it.each(['application/json', 'APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json ; a="b;c"'])(
    'takes %s',
    async (type) => {
      expect((await send(await flowWith({}), { headers: [`Content-Type: ${type}`] })).status).toBe(200)
    },
  )

  it.each([
    'application/jsonx',
    'xapplication/json',
    'application/json-patch',
    'application/vnd.api+json',
    'application/*',
    'text/json',
    'text/plain',
    'text/html; application/json',
    'application',
    'application/',
    '/json',
    'json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json, text/plain',
    '',
    ';',
  ])('refuses "%s"', async (type) => {
    const published = await flowWith({})
    await rejected(published, await send(published, { headers: [`Content-Type: ${type}`] }), 400, 'bad_request')
  })

  it('refuses a request without a type, and one with two', async () => {
    const published = await flowWith({})
    const bare = `POST ${target(published)} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`
    await rejected(published, await sendRaw(millrace.port, bare), 400, 'bad_request')
    const bodiless = `POST ${target(published)} HTTP/1.1\r\nHost: x\r\n\r\n`
    await rejected(published, await sendRaw(millrace.port, bodiless), 400, 'bad_request')
    const two = ['Content-Type: application/json', 'Content-Type: application/json']
    await rejected(published, await send(published, { headers: two }), 400, 'bad_request')
  })

  it('comes before the size', async () => {
    const published = await flowWith({})
    const headers = ['Content-Type: text/plain', `Content-Length: ${LIMIT + 1}`]
    await rejected(published, await send(published, { headers, body: '' }), 400, 'bad_request')
  })
})

describe('6: the size', () => {
  const document = (bytes: number): string => `"${'x'.repeat(bytes - 2)}"`
  const chunked = (body: string, size = 10_000): string => {
    let text = ''
    for (let i = 0; i < body.length; i += size) {
      const part = body.slice(i, i + size)
      text += `${part.length.toString(16)}\r\n${part}\r\n`
    }
    return `${text}0\r\n\r\n`
  }

  it('takes a body of exactly the limit, declared or chunked', async () => {
    const published = await flowWith({})
    expect((await send(published, { body: document(LIMIT) })).status).toBe(200)
    const answer = await send(published, { headers: ['Transfer-Encoding: chunked'], body: chunked(document(LIMIT)) })
    expect(answer.status).toBe(200)
    const run = await millrace.runEnded(answer.body.id)
    expect(run.webhook.rawBody).toHaveLength(LIMIT)
    expect(run.webhook.metadata.contentLength).toBe(LIMIT)
  })

  it('refuses one byte more by its declared length, before any of it is sent', async () => {
    const published = await flowWith({})
    const answer = await send(published, { headers: [`Content-Length: ${LIMIT + 1}`], body: '' })
    await rejected(published, answer, 413, 'payload_too_large')
  })

  it('refuses one byte more while reading chunks, and closes', async () => {
    const published = await flowWith({})
    const connection = await connectRaw(millrace.port)
    const parts = { headers: ['Transfer-Encoding: chunked'], body: chunked(document(LIMIT + 1)) }
    connection.write(requestBytes({ target: target(published), ...parts }))
    await rejected(published, await connection.reply(), 413, 'payload_too_large')
    connection.socket.destroy()
  })

  it('cuts off a sender whose chunks never end', async () => {
    const published = await flowWith({})
    const connection = await connectRaw(millrace.port)
    connection.write(requestBytes({ target: target(published), headers: ['Transfer-Encoding: chunked'], body: '' }))
    const chunk = `2710\r\n${' '.repeat(10_000)}\r\n`
    const keepSending = () => {
      while (!connection.socket.destroyed && connection.socket.writable) if (!connection.socket.write(chunk)) break
    }
    connection.socket.on('drain', keepSending)
    keepSending()
    await rejected(published, await connection.reply(), 413, 'payload_too_large')
    await new Promise<void>((resolve) => {
      if (connection.socket.destroyed) resolve()
      connection.socket.on('close', () => resolve())
    })
  })

  it('says "continue" to a sender that asks, once it wants the body', async () => {
    const published = await flowWith({})
    const connection = await connectRaw(millrace.port)
    const headers = ['Expect: 100-continue', 'Content-Length: 2']
    connection.write(requestBytes({ target: target(published), headers, body: '' }))
    expect((await connection.reply()).status).toBe(100)
    connection.write('{}')
    expect((await connection.reply()).status).toBe(200)
    connection.socket.destroy()
  })

  it('ignores whatever else a sender expects', async () => {
    expect((await send(await flowWith({}), { headers: ['Expect: the-unexpected'] })).status).toBe(200)
  })

  it.each([
    [413, 'payload_too_large', {}, [`Content-Length: ${LIMIT + 1}`]],
    [401, 'unauthorized', headerAuth, ['Content-Length: 2']],
    [400, 'bad_request', {}, ['Content-Type: text/html', 'Content-Length: 2']],
  ])('answers %i at once to a sender that waits for "continue"', async (status, code, trigger, headers) => {
    const published = await flowWith(trigger)
    const parts = { headers: ['Expect: 100-continue', ...headers], body: '' }
    await rejected(published, await send(published, parts), status, code)
  })

  it('decodes gzip and counts what comes out of it', async () => {
    const published = await flowWith({})
    const headers = ['Content-Encoding: gzip']
    const answer = await send(published, { headers, body: gzipSync(document(LIMIT)) })
    expect(answer.status).toBe(200)
    expect((await millrace.runEnded(answer.body.id)).webhook.body).toBe('x'.repeat(LIMIT - 2))
    const other = await flowWith({})
    const tooLarge = await send(other, { headers, body: gzipSync(document(LIMIT + 1)) })
    await rejected(other, tooLarge, 413, 'payload_too_large')
  })

  it('is not moved by a gzip bomb', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20))
    expect(bomb.length).toBeLessThan(LIMIT)
    const published = await flowWith({})
    const answer = await send(published, { headers: ['Content-Encoding: gzip'], body: bomb })
    await rejected(published, answer, 413, 'payload_too_large')
  })

  it.each(['gzip', 'br', 'deflate', 'gzip, gzip', 'zstd', 'compress', '__proto__', 'constructor'])(
    'refuses a body that is not the %s it claims to be',
    async (encoding) => {
      const published = await flowWith({})
      const answer = await send(published, { headers: [`Content-Encoding: ${encoding}`], body: '{"plain":true}' })
      await rejected(published, answer, 400, 'bad_request')
    },
  )
})

describe('7: the body', () => {
  it('comes after the size', async () => {
    const published = await flowWith({})
    await rejected(published, await send(published, { body: '{'.repeat(LIMIT + 1) }), 413, 'payload_too_large')
  })

  it.each(['null', 'true', '0', '"text"', '[]', '{}', ' \t\r\n{"a":1}\n'])('takes any JSON value: %j', async (body) => {
    const answer = await send(await flowWith({}), { body })
    expect(answer.status).toBe(200)
    const run = await millrace.runEnded(answer.body.id)
    expect(run.webhook.body).toEqual(JSON.parse(body))
    expect(run.webhook.rawBody).toBe(body)
  })
})

describe('request ids', () => {
  it('are made here, never taken over, and the same in header, body and metadata', async () => {
    const published = await flowWith({})
    const headers = ['X-Request-Id: req_mine', 'Request-Id: req_mine']
    const accepted = await send(published, { headers })
    const run = await millrace.runEnded(accepted.body.id)
    expect(accepted.headers.get('x-request-id')).toMatch(/^req_[a-z0-9]{26}$/)
    expect(run.webhook.metadata.requestId).toBe(accepted.headers.get('x-request-id'))
    const refused = await send(await flowWith({}), { headers, body: '{' })
    expectFailure(refused, 400, 'bad_request')
    expect(refused.headers.get('x-request-id')).not.toBe(accepted.headers.get('x-request-id'))
  })
})
