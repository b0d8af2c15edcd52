// Tests proxies that fail, refuse or lie: each gives an error that names the proxy and its setting, and never its password.
import { connect, type Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { authority, client, failure, get, httpServer, rawServer, tlsServer } from '../servers.testkit.ts'
import { readProxySettings } from './proxy-settings.ts'

const behind = (url: string, more: Parameters<typeof client>[0] = {}) =>
  client({
    allow: [],
    proxies: readProxySettings((name) => (name === 'MILLRACE_PROXY' ? url : undefined)),
    ca: [authority],
    ...more,
  })

/** Starts a proxy that answers each request as told, and returns a client behind it. */
async function proxyThat(reply: (socket: Socket, head: string) => void) {
  const heads: string[] = []
  const server = await rawServer((socket, head) => {
    heads.push(head)
    reply(socket, head)
  })
  const http = behind(`http://millrace:s3cr%40t@127.0.0.1:${server.port}`)
  return { server, heads, http }
}

const BOTH = ['http://api.example.com/x', 'https://api.example.com/x']

describe('a proxy', () => {
  it('gets the whole URL of an http request, and user and password, which the flow cannot replace', async () => {
    const { heads, http } = await proxyThat((socket) => socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'))
    const headers = [{ name: 'PROXY-authorization', value: 'Basic Zm9v', credential: false }]
    await get(http, 'http://api.example.com:81/a?b=c#d', { headers })
    const lines = heads[0]!.split('\r\n')
    expect(lines[0]).toBe('GET http://api.example.com:81/a?b=c HTTP/1.1')
    expect(lines).toContain('host: api.example.com:81')
    expect(lines.filter((line) => /^proxy-auth/i.test(line))).toEqual([
      `Proxy-Authorization: Basic ${Buffer.from('millrace:s3cr@t').toString('base64')}`,
    ])
  })

  it('is asked for a tunnel for an https request, and sees nothing of it', async () => {
    const { heads, http } = await proxyThat((socket) => socket.write('HTTP/1.1 403 No\r\n\r\n'))
    await failure(get(http, 'https://api.example.com/a?b=c'))
    await failure(get(http, 'https://[2606:4700::1111]:8443/'))
    expect(heads[0]!.split('\r\n')).toEqual([
      'CONNECT api.example.com:443 HTTP/1.1',
      'Host: api.example.com:443',
      'Connection: keep-alive',
      'User-Agent: Millrace',
      `Proxy-Authorization: Basic ${Buffer.from('millrace:s3cr@t').toString('base64')}`,
    ])
    expect(heads[1]).toMatch(/^CONNECT \[2606:4700::1111\]:8443 HTTP\/1\.1\r\n/)
  })

  it.each([
    [403, 'refused to connect to api.example.com:443: it replied 403'],
    [502, 'could not connect to api.example.com:443: it replied 502'],
    [504, 'could not connect to api.example.com:443: it replied 504'],
    [301, 'refused to connect to api.example.com:443: it replied 301'],
    [100, 'refused to connect to api.example.com:443: it replied 100'],
    [407, 'does not accept the user and password of the setting'],
  ])('that answers %i gives no tunnel', async (status, says) => {
    const { http, server } = await proxyThat((socket) =>
      socket.write(`HTTP/1.1 ${status} X\r\nContent-Length: 5\r\nLocation: http://127.0.0.1/\r\n\r\nhello`),
    )
    const error = await failure(get(http, BOTH[1]!))
    expect(error).toMatchObject({ code: 'proxy_failed' })
    expect(error.message).toBe(`The proxy 127.0.0.1:${server.port} (MILLRACE_PROXY) ${says}`)
  })

  it('that asks for a user says so for http too, and a host in a tunnel may say anything', async () => {
    const { http } = await proxyThat((socket) =>
      socket.write('HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n'),
    )
    expect(await failure(get(http, BOTH[0]!))).toMatchObject({
      code: 'proxy_failed',
      message: expect.stringContaining('does not accept the user and password'),
    })
    const plain = await rawServer((socket) => socket.write('HTTP/1.1 407 X\r\nContent-Length: 0\r\n\r\n'))
    for (const url of BOTH)
      expect((await failure(get(behind(plain.origin), url))).message).toContain('asks for a user and password')
    const direct = await httpServer((_, reply) => reply.writeHead(407).end())
    expect((await get(behind(plain.origin, { allow: ['loopback'] }), direct.origin)).status).toBe(407)
  })

  it.each([
    ['garbage', (socket: Socket) => socket.write('SSH-2.0-OpenSSH_9.6\r\n'), /not HTTP/],
    ['a TLS alert', (socket: Socket) => socket.write(Buffer.from('15030300020228', 'hex')), /not HTTP/],
    ['HTTP/0.9', (socket: Socket) => socket.write('hello'), /not HTTP/],
    ['an endless head', (socket: Socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'X-A: 1\r\n'), /16 KiB/],
    ['an endless line', (socket: Socket) => flood(socket, 'HTTP/1.1 200 OK\r\nX-A: ', 'aaaaaaaa'), /16 KiB/],
    ['an endless reason', (socket: Socket) => flood(socket, 'HTTP/1.1 200 ', 'aaaaaaaa'), /16 KiB|not HTTP/],
    ['data ahead of the host', (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\n\r\nhello'), /ahead of the host/],
    ['nothing', (socket: Socket) => socket.end(), /without a reply|gave no tunnel/],
    ['a reset', (socket: Socket) => socket.resetAndDestroy(), /without a reply|closed the connection/],
  ])('that sends %s in place of a tunnel is reported', async (_what, reply, says) => {
    const { http, server } = await proxyThat(reply)
    const error = await failure(get(http, BOTH[1]!))
    expect(error).toMatchObject({ code: 'proxy_failed', message: expect.stringMatching(says) })
    expect(error.message).toContain(`The proxy 127.0.0.1:${server.port} (MILLRACE_PROXY)`)
    expect(`${error.message} ${error.hint}`).not.toMatch(/s3cr|czNjckB0/)
  })

  it('that never answers is given up with the time limit, and its socket is freed', async () => {
    let closed = () => {}
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { http } = await proxyThat((socket) => socket.on('close', () => closed()))
    const error = await failure(get(http, BOTH[1]!, { timeoutMs: 200 }))
    expect(error).toMatchObject({ code: 'connection_timeout', message: expect.stringContaining('(MILLRACE_PROXY)') })
    await isClosed
  })

  it('is let go of when the run is cancelled', async () => {
    const stopping = new AbortController()
    let closed = () => {}
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve
    })
    const { http } = await proxyThat((socket) => {
      socket.on('close', () => closed())
      stopping.abort()
    })
    expect(await failure(get(http, BOTH[1]!, { signal: stopping.signal }))).toMatchObject({ code: 'cancelled' })
    await isClosed
  })

  it.each(BOTH)('that cannot be reached fails %s', async (url) => {
    const lookup = (_name: string, callback: (error: Error, addresses: never[]) => void) =>
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' }), [])
    for (const [proxy, says] of [
      ['http://127.0.0.1:2', /The proxy 127\.0\.0\.1:2 \(MILLRACE_PROXY\) cannot be used: .* refused the connection/],
      ['http://gone.example:3128', /The proxy gone\.example:3128 \(MILLRACE_PROXY\) cannot be used: .*ENOTFOUND/],
    ] as const)
      expect(await failure(get(behind(proxy, { lookup }), url))).toMatchObject({
        code: 'proxy_failed',
        message: expect.stringMatching(says),
      })
  })

  it('over https must have a certificate that is trusted', async () => {
    for (const [name, says] of [
      ['self-signed', 'self-signed'],
      ['expired', 'expired'],
      ['other-host', 'another host'],
    ] as const) {
      const server = await tlsServer(name, (_, reply) => reply.end())
      expect(await failure(get(behind(`https://127.0.0.1:${server.port}`), BOTH[1]!))).toMatchObject({
        code: 'proxy_failed',
        message: expect.stringContaining(says),
      })
    }
  })

  it('that leads the tunnel elsewhere is found out by the certificate', async () => {
    const elsewhere = await tlsServer('localhost', (_, reply) => reply.end('not you'))
    const { http } = await proxyThat((socket) => {
      socket.removeAllListeners('data')
      const onward = connect(elsewhere.port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n')
        socket.pipe(onward).pipe(socket)
      })
      onward.on('error', () => {})
    })
    expect(await failure(get(http, BOTH[1]!))).toMatchObject({ code: 'ssl_certificate' })
  })
})

/** Writes without end, as far as the other side reads. */
function flood(socket: Socket, begin: string, more: string): void {
  socket.on('error', () => {})
  socket.write(begin)
  const block = more.repeat(512)
  const write = () => {
    while (!socket.destroyed && socket.write(block));
  }
  socket.on('drain', write)
  write()
}
