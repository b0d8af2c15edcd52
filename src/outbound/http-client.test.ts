import { once } from 'node:events'
import { createServer as createTcpServer } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { authority, client, failure, get, header, httpServer, rawServer, text, tlsServer } from './servers.testkit.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

describe('on the wire', () => {
  it('keeps the case, order and repetition of header names', async () => {
    let head = ''
    const server = await rawServer((socket, received) => {
      head = received
      socket.write(OK)
    })
    const headers = [header('X-ZULU', '1'), header('x-alpha', 'ä'), header('X-Zulu', '2'), header('User-agent', 'Mine')]
    await get(client(), `${server.origin}/a?b=c#d`, { method: 'POST', headers, body: 'körper' })
    expect(head.split('\r\n')).toEqual([
      'POST /a?b=c HTTP/1.1',
      `host: 127.0.0.1:${server.port}`,
      'connection: keep-alive',
      'X-ZULU: 1',
      'x-alpha: ä',
      'X-Zulu: 2',
      'User-agent: Mine',
      'Accept: */*',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'content-length: 7',
    ])
  })

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('sends a body with %s', async (method) => {
    const server = await httpServer(async (request, reply) => {
      let body = ''
      for await (const chunk of request) body += String(chunk)
      reply.end(`${request.method} ${body}`)
    })
    expect(text(await get(client(), server.origin, { method, body: 'data' }))).toBe(`${method} data`)
    expect(text(await get(client(), server.origin, { method }))).toBe(`${method} `)
  })

  it('joins repeated reply headers and lists the cookies', async () => {
    const server = await rawServer((socket) =>
      socket.write(
        'HTTP/1.1 200 OK\r\nSet-Cookie: a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT\r\nX-A: 1\r\nset-cookie: b=2\r\nx-a: 2\r\n__proto__: x\r\nConstructor: y\r\nContent-Length: 0\r\n\r\n',
      ),
    )
    const { headers, cookies } = await get(client(), server.origin)
    expect(cookies).toEqual(['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'])
    expect(headers).toMatchObject({ 'x-a': '1, 2', constructor: 'y', 'set-cookie': `${cookies[0]}, b=2` })
    expect(Object.getPrototypeOf(headers)).toBe(Object.prototype)
    expect(Object.hasOwn(headers, '__proto__')).toBe(true)
  })

  it.each([
    ['X-A', 'a\r\nX-Injected: 1'],
    ['X-A', 'a\nb'],
    ['X-A', 'a\0b'],
    ['X-A', '漢'],
    ['X A', 'a'],
    ['', 'a'],
    ['X-A\r\nB', 'a'],
    ['Host', 'evil.example'],
    ['content-length', '1'],
    ['Transfer-Encoding', 'chunked'],
    ['Connection', 'close'],
    ['Expect', '100-continue'],
    ['Upgrade', 'h2c'],
  ])('sends nothing with the header %j: %j', async (name, value) => {
    let called = false
    const server = await httpServer((_, reply) => {
      called = true
      reply.end()
    })
    expect(await failure(get(client(), server.origin, { headers: [header(name, value)] }))).toMatchObject({
      code: 'invalid_header',
    })
    expect(called).toBe(false)
  })
})

describe("a request that may be another process's by now", () => {
  const paths: string[] = []
  const serve = () =>
    httpServer((request, reply) => {
      paths.push(request.url!)
      if (request.url === '/from') reply.writeHead(307, { location: '/to' })
      reply.end()
    })
  const standing = (certain: boolean[], stands: boolean) => ({
    isCertain: () => certain.shift() ?? true,
    confirm: async () => stands,
  })

  it('is not written, on a new connection or a kept one, and ends as cancelled', async () => {
    const server = await serve()
    const http = client()
    paths.length = 0
    const heldBack = () => get(http, server.origin, { standing: standing([false], false) })
    expect(await failure(heldBack())).toMatchObject({ code: 'cancelled' })
    await get(http, `${server.origin}/kept`)
    expect(await failure(heldBack())).toMatchObject({ code: 'cancelled' })
    expect(paths).toEqual(['/kept'])
    expect(http.stats()).toEqual({ inFlight: 0, waiting: 0 })
  })

  it('is written once it is known that it is not, at the hop where it was held back', async () => {
    const server = await serve()
    paths.length = 0
    const options = { method: 'POST', body: 'x', standing: standing([false, false, true, false], true) }
    expect(await get(client(), `${server.origin}/from`, options)).toMatchObject({ status: 200, redirects: 1 })
    expect(paths).toEqual(['/from', '/to'])
  })
})

describe('the time limit', () => {
  const limit = { timeoutMs: 150 }

  it('covers a server that never replies, and frees the socket', async () => {
    const server = await httpServer(() => {})
    const http = client()
    const error = await failure(get(http, server.origin, limit))
    expect(error).toMatchObject({ code: 'connection_timeout' })
    expect(error.message).toContain('127.0.0.1 did not reply within 0.15 s')
    expect(error.hint).toContain('slow or unreachable')
    await vi.waitUntil(() => server.sockets.size === 0, { interval: 5 })
    expect(http.stats()).toEqual({ inFlight: 0, waiting: 0 })
  })

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\nX-'],
    ['body', 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'],
  ])('covers %s that drip in byte by byte', async (_what, start) => {
    const server = await rawServer((socket) => {
      socket.write(start)
      const drip = setInterval(() => socket.write('x'), 20)
      socket.on('close', () => clearInterval(drip))
    })
    expect(await failure(get(client(), server.origin, limit))).toMatchObject({ code: 'connection_timeout' })
    await vi.waitUntil(() => server.sockets.size === 0, { interval: 5 })
  })

  it('covers redirects together', async () => {
    const server = await httpServer((request, reply) => {
      setTimeout(() => reply.writeHead(302, { location: `${request.url}x` }).end(), 40)
    })
    expect(await failure(get(client(), `${server.origin}/`, limit))).toMatchObject({ code: 'connection_timeout' })
  })

  it('covers name resolution', async () => {
    expect(await failure(get(client({ lookup: () => {} }), 'http://slow.example/', limit))).toMatchObject({
      code: 'connection_timeout',
    })
  })

  it('covers a TLS handshake that the other side does not answer, and frees the socket', async () => {
    const silent = createTcpServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as { port: number }
    const connected = once(silent, 'connection')
    const error = await failure(get(client(), `https://127.0.0.1:${port}/`, limit))
    expect(error.code).toBe('connection_timeout')
    const [socket] = await connected
    socket.resume()
    await once(socket, 'close')
    silent.close()
  })

  it('starts when the request gets its slot', async () => {
    const server = await httpServer((_, reply) => setTimeout(() => reply.end('ok'), 700))
    const http = client({ perHost: 1 })
    const replies = await Promise.all([1, 2, 3].map(() => get(http, server.origin, { timeoutMs: 2_000 })))
    expect(replies.map(text)).toEqual(['ok', 'ok', 'ok'])
  })
})

describe('cancelling', () => {
  it('ends a request in flight and frees its socket', async () => {
    const server = await httpServer(() => {})
    const abort = new AbortController()
    const reply = failure(get(client(), server.origin, { signal: abort.signal }))
    await vi.waitUntil(() => server.sockets.size === 1, { interval: 1 })
    abort.abort()
    expect(await reply).toMatchObject({ code: 'cancelled' })
    await vi.waitUntil(() => server.sockets.size === 0, { interval: 1 })
  })

  it('takes a waiting request out of the queue', async () => {
    const server = await httpServer(() => {})
    const http = client({ perHost: 1 })
    const first = failure(get(http, server.origin))
    const abort = new AbortController()
    const second = failure(get(http, server.origin, { signal: abort.signal }))
    expect(http.stats()).toEqual({ inFlight: 1, waiting: 1 })
    abort.abort()
    expect(await second).toMatchObject({ code: 'cancelled' })
    expect(http.stats()).toEqual({ inFlight: 1, waiting: 0 })
    await http.close()
    expect(await first).toMatchObject({ code: 'cancelled' })
  })

  it('sends nothing once the signal is aborted or the client closed', async () => {
    const server = await httpServer((_, reply) => reply.end())
    const http = client()
    expect(await failure(get(http, server.origin, { signal: AbortSignal.abort() }))).toMatchObject({
      code: 'cancelled',
    })
    await http.close()
    expect(await failure(get(http, server.origin))).toMatchObject({ code: 'cancelled' })
    expect(server.sockets.size).toBe(0)
  })
})

describe('certificates', () => {
  it('trusts a host with a valid one, again on a resumed session', async () => {
    const server = await tlsServer('localhost', (_, reply) =>
      reply.writeHead(200, { connection: 'close' }).end('secure'),
    )
    const http = client({ ca: [authority] })
    for (const host of ['localhost', '127.0.0.1', 'localhost'])
      expect(text(await get(http, `https://${host}:${server.port}/`))).toBe('secure')
  })

  it.each([
    ['self-signed', 'self-signed'],
    ['expired', 'expired'],
    ['other-host', 'another host'],
    ['localhost', ''],
  ])('refuses %s', async (name, why) => {
    let called = false
    const server = await tlsServer(name, () => {
      called = true
    })
    const error = await failure(
      get(client({ ca: name === 'localhost' ? [] : [authority] }), `https://localhost:${server.port}/`),
    )
    expect(error).toMatchObject({ code: 'ssl_certificate' })
    expect(error.message).toContain('localhost')
    expect(error.message).toContain(why)
    expect(error.hint).toContain('invalid or self-signed')
    expect(called).toBe(false)
  })

  it('tells a plain http server apart from a bad certificate', async () => {
    const server = await httpServer((_, reply) => reply.end())
    expect(await failure(get(client(), `https://127.0.0.1:${server.port}/`))).toMatchObject({
      code: 'connection_failed',
    })
  })

  it('drops credentials on a redirect from https to http', async () => {
    let seen: string | undefined = 'not called'
    const plain = await httpServer((request, reply) => {
      seen = request.headers.authorization
      reply.end()
    })
    const secure = await tlsServer('localhost', (_, reply) => reply.writeHead(302, { location: plain.origin }).end())
    await get(client({ ca: [authority] }), `https://localhost:${secure.port}/`, {
      headers: [header('Authorization', 'a', true)],
    })
    expect(seen).toBeUndefined()
  })
})

describe('faulty servers', () => {
  it('names a refused connection', async () => {
    const server = createTcpServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    server.close()
    await once(server, 'close')
    const error = await failure(get(client(), `http://127.0.0.1:${port}/`))
    expect(error).toMatchObject({ code: 'connection_refused' })
    expect(error.message).toContain(`127.0.0.1:${port}`)
  })

  it.each([
    ['a reset before the reply', 'connection_reset', null],
    ['a close before the reply', 'connection_reset', ''],
    ['a truncated length', 'response_invalid', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf'],
    [
      'a truncated length without keep-alive',
      'response_invalid',
      'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 10\r\n\r\nhalf',
    ],
    ['truncated chunks', 'response_invalid', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhalf'],
    [
      'broken chunks',
      'response_invalid',
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nhalf\r\n0\r\n\r\n',
    ],
    ['truncated headers', 'response_invalid', 'HTTP/1.1 200 OK\r\nX-A: 1'],
    ['something else than HTTP', 'response_invalid', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['two lengths', 'response_invalid', 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc'],
    [
      'a length and chunks',
      'response_invalid',
      'HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    [
      'an upgrade nobody asked for',
      'response_invalid',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
    ],
  ])('maps %s to %s', async (_what, code, reply) => {
    const server = await rawServer((socket) => (reply === null ? socket.resetAndDestroy() : socket.end(reply)))
    const error = await failure(get(client(), server.origin, { method: 'POST' }))
    expect(error).toMatchObject({ code })
    expect(error.message).toContain('127.0.0.1')
  })

  it('maps a reset in the middle of the body to connection_reset', async () => {
    const server = await rawServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf', () =>
        setTimeout(() => socket.resetAndDestroy(), 20),
      )
    })
    expect(await failure(get(client(), server.origin))).toMatchObject({ code: 'connection_reset' })
  })

  it('bounds 100 kB of headers', async () => {
    const server = await rawServer((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${'x'.repeat(100_000)}\r\n\r\n`))
    expect(await failure(get(client(), server.origin))).toMatchObject({ code: 'response_too_large' })
  })

  it('bounds a flood of interim replies, and passes a few', async () => {
    const hint = 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'
    const few = await rawServer((socket) => socket.write(hint.repeat(3) + OK))
    expect(text(await get(client(), few.origin))).toBe('ok')
    const flood = await rawServer((socket) => socket.write(hint.repeat(1000)))
    expect(await failure(get(client(), flood.origin))).toMatchObject({ code: 'response_invalid' })
  })

  it.each([
    [
      'HEAD with a body',
      'HEAD',
      `HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`,
    ],
    [
      '204 with a body',
      'GET',
      `HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`,
    ],
    [
      '204 with bytes behind it',
      'GET',
      `HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`,
    ],
    ['a second reply behind the first', 'GET', `${OK}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil`],
  ])('does not take %s for the next reply', async (_what, method, reply) => {
    const server = await rawServer((socket, head) => socket.write(head.includes('/bad') ? reply : OK))
    const http = client()
    for (let i = 0; i < 5; i++) {
      const first = await get(http, `${server.origin}/bad`, { method })
      expect(text(first)).toBe(reply.startsWith(OK) ? 'ok' : '')
      expect(text(await get(http, `${server.origin}/good`))).toBe('ok')
    }
  })
})

describe('connections', () => {
  it('are kept and used again', async () => {
    const ports = new Set<number>()
    const server = await httpServer((request, reply) => {
      ports.add(request.socket.remotePort!)
      reply.end('ok')
    })
    const http = client()
    for (let i = 0; i < 20; i++) await get(http, server.origin)
    expect(ports.size).toBe(1)
  })

  it('that the server closed meanwhile fail no safe request', async () => {
    let served = 0
    const server = await rawServer((socket) => {
      // The second request on a socket meets a reset, as when both sides act at once.
      if (served++ % 2 === 0) socket.write(OK)
      else socket.resetAndDestroy()
    })
    const http = client()
    await get(http, server.origin)
    expect(text(await get(http, server.origin))).toBe('ok')
    expect(served).toBe(3)
  })

  it('that break under a POST fail it: nobody knows whether it had its effect', async () => {
    let served = 0
    const server = await rawServer((socket) => {
      if (served++ === 0) socket.write(OK)
      else socket.resetAndDestroy()
    })
    const http = client()
    await get(http, server.origin)
    expect(await failure(get(http, server.origin, { method: 'POST' }))).toMatchObject({ code: 'connection_reset' })
    expect(served).toBe(2)
  })

  it('of a slow host at its limit do not delay another host', async () => {
    const slow = await httpServer(() => {})
    const fast = await httpServer((_, reply) => reply.end('ok'))
    const http = client({ concurrency: 4, perHost: 2 })
    const stuck = Array.from({ length: 10 }, () => failure(get(http, slow.origin)))
    expect(http.stats()).toEqual({ inFlight: 2, waiting: 8 })
    expect(text(await get(http, fast.origin))).toBe('ok')
    await http.close()
    for (const error of await Promise.all(stuck)) expect(error.code).toBe('cancelled')
  })

  it('never exceed the limits, and serve everyone', async () => {
    let now = 0
    let most = 0
    const server = await httpServer((_, reply) => {
      most = Math.max(most, ++now)
      setTimeout(() => {
        now--
        reply.end('ok')
      }, 2)
    })
    const http = client({ concurrency: 50, perHost: 8 })
    const replies = await Promise.all(Array.from({ length: 200 }, () => get(http, server.origin)))
    expect(replies.every((reply) => text(reply) === 'ok')).toBe(true)
    expect(most).toBeLessThanOrEqual(8)
  })

  it('reach an IPv6 host', async (context) => {
    const server = await httpServer((_, reply) => reply.end('six'), '::1').catch(() => null)
    if (server === null) return context.skip()
    expect(text(await get(client(), server.origin))).toBe('six')
  })
})
