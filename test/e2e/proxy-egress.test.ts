// Tests requests through real proxies: they work as without one, and none reaches what the guard can know to be forbidden.
import type { RequestListener, ServerResponse } from 'node:http'
import type { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FORBIDDEN_URLS, NOT_PUBLIC } from '../../src/outbound/egress-cases.testkit.ts'
import { readProxySettings } from '../../src/outbound/proxy/proxy-settings.ts'
import type { Lookup } from '../../src/outbound/resolve-names.ts'
import {
  authority,
  client,
  failure,
  get,
  httpServer,
  OWN,
  text,
  tlsServer,
} from '../../src/outbound/servers.testkit.ts'
import { type ForwardProxy, squidMissing, startProxyChain, startSquid } from '../harness/forward-proxies.ts'

const noSquid = squidMissing()

const PROXIES = [
  ['squid', () => startSquid()],
  ['squid, with a password', () => startSquid({ signedIn: true })],
  ['squid over https, with a password', () => startSquid({ signedIn: true, secure: true })],
  ['proxy-chain', () => startProxyChain()],
  ['proxy-chain, with a password', () => startProxyChain({ signedIn: true })],
  ['proxy-chain over https, with a password', () => startProxyChain({ signedIn: true, secure: true })],
] as const

/** Names that the guard knows without resolving them. */
const PRIVATE_NAMES = [
  'localhost',
  'LOCALHOST.',
  'app.localhost',
  'intranet',
  'erp.corp',
  'printer.local',
  'db.internal',
  'metadata.google.internal',
  'metadata.goog',
  'nas.home.arpa',
  'router.lan',
]

const toLoopback: Lookup = (_name, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])

if (noSquid) console.warn(`The tests with squid are left out: ${noSquid}.`)

describe.each(PROXIES)('through %s', (name, start) => {
  if (noSquid && name.startsWith('squid')) {
    it.skip(noSquid, () => {})
    return
  }
  let proxy: ForwardProxy
  beforeAll(async () => {
    proxy = await start()
  })
  afterAll(() => proxy.stop())
  /** What the proxy was asked for besides the two hosts that are there; squid logs what ends, also of an earlier test. */
  const strangers = () => proxy.asked().filter((line) => !/ (http:\/\/api\.example\.com|other\.example)[:/]/.test(line))

  const proxied = (more: Parameters<typeof client>[0] = {}, noProxy = '') =>
    client({
      allow: [],
      ca: [authority],
      proxies: readProxySettings(
        (setting) => ({ MILLRACE_PROXY: proxy.url, MILLRACE_NO_PROXY: noProxy || undefined })[setting],
      ),
      ...more,
    })

  it('http and https requests arrive, and show the host no password of the proxy', async () => {
    const seen: { headers: NodeJS.Dict<string | string[]>; url: string; body: string }[] = []
    const answer: RequestListener = (request, reply) => {
      let body = ''
      request.setEncoding('utf8').on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        seen.push({ headers: request.headers, url: request.url!, body })
        reply.end(`you sent ${body.length}`)
      })
    }
    const [plain, secure] = [await httpServer(answer), await tlsServer('other-host', answer)]
    const http = proxied()
    const large = 'x'.repeat(300_000)
    for (const origin of [`http://api.example.com:${plain.port}`, `https://other.example:${secure.port}`])
      for (const body of ['', large])
        expect(text(await get(http, `${origin}/a?b=c`, { method: 'POST', body }))).toBe(`you sent ${body.length}`)
    expect(seen.map(({ url }) => url)).toEqual(Array(4).fill('/a?b=c'))
    expect(JSON.stringify(seen.map(({ headers }) => headers))).not.toMatch(/proxy-auth|pr0xy|cHIweHk6/i)
    const host = (i: number) => seen[i]!.headers['host']
    expect([host(0), host(2)]).toEqual([`api.example.com:${plain.port}`, `other.example:${secure.port}`])
  })

  it('a tunnel is used again, its TLS session is resumed, and giving up closes it', async () => {
    const seen: { port: number; resumed: boolean }[] = []
    const waiting: ServerResponse[] = []
    let over = () => {}
    const closed = new Promise<void>((resolve) => {
      over = resolve
    })
    const server = await tlsServer('other-host', (request, reply) => {
      const socket = request.socket as TLSSocket
      seen.push({ port: socket.remotePort!, resumed: socket.isSessionReused() })
      if (request.url === '/endless') {
        socket.on('close', over)
        reply.writeHead(200).write('and so on')
      } else if (request.url === '/first') reply.end('ok')
      // Two requests wait for one another, and so need two sockets.
      else if (waiting.push(reply) === 2) for (const each of waiting) each.end('ok')
    })
    const http = proxied()
    const at = (path: string) => `https://other.example:${server.port}${path}`
    expect(text(await get(http, at('/first')))).toBe('ok')
    await Promise.all([get(http, at('/both')), get(http, at('/both'))])
    const others = seen.filter(({ port }) => port !== seen[0]!.port)
    expect(others).toEqual([{ port: expect.any(Number), resumed: true }])
    const stopping = new AbortController()
    const taken: string[] = []
    const into = {
      maxBytes: 1_000,
      async take(bytes: AsyncIterable<Uint8Array>) {
        for await (const chunk of bytes) {
          taken.push(Buffer.from(chunk).toString())
          stopping.abort()
        }
      },
    }
    const error = await failure(get(http, at('/endless'), { into, signal: stopping.signal }))
    expect([error.code, taken]).toEqual(['cancelled', ['and so on']])
    await closed
  })

  it('a redirect is decided anew at each hop', async () => {
    const direct = await httpServer((_, reply) => reply.end('direct'))
    const secure = await tlsServer('other-host', (request, reply) => {
      const to = request.url === '/in' ? `http://127.0.0.1:${direct.port}/` : 'http://169.254.169.254/latest'
      reply.writeHead(302, { location: to }).end()
    })
    const plain = await httpServer((request, reply) =>
      reply.writeHead(302, { location: `https://other.example:${secure.port}${request.url}` }).end(),
    )
    const open = proxied({ allow: ['loopback'] })
    expect(text(await get(open, `http://api.example.com:${plain.port}/in`))).toBe('direct')
    for (const [http, path] of [
      [proxied(), '/in'],
      [open, '/metadata'],
    ] as const)
      expect(await failure(get(http, `http://api.example.com:${plain.port}${path}`))).toMatchObject({
        code: 'blocked_address',
      })
    expect(strangers()).toEqual([])
  })

  it(`none of ${2 * (FORBIDDEN_URLS.length + NOT_PUBLIC.length + PRIVATE_NAMES.length)} forbidden URLs is asked for, nor followed`, async () => {
    const addresses = NOT_PUBLIC.map((address) => address.replace('%eth0', ''))
    const urls = [
      ...FORBIDDEN_URLS,
      ...addresses.map((address) => `http://${address.includes(':') ? `[${address}]` : address}/`),
      ...PRIVATE_NAMES.map((each) => `http://${each}/`),
    ].flatMap((url) => [url, url.replace(/^https?:/, (scheme) => (scheme === 'http:' ? 'https:' : 'http:'))])
    let target = ''
    const leading = await httpServer((_, reply) => reply.writeHead(302, { location: target }).end())
    const http = proxied({ lookup: toLoopback })
    for (const url of urls) {
      expect(await failure(get(http, url)), url).toMatchObject({ code: 'blocked_address' })
      target = new URL(url).href
      const error = await failure(get(http, `http://api.example.com:${leading.port}/`))
      expect(error, `redirect to ${url}`).toMatchObject({ code: 'blocked_address' })
    }
    const led = () => proxy.asked().filter((line) => line === `GET http://api.example.com:${leading.port}/`)
    await expect.poll(() => led().length).toBe(urls.length)
    expect(strangers()).toEqual([])
  })

  it('neither the proxy nor the own service is a target, whatever is allowed', async () => {
    const own = {
      ...OWN,
      origin: 'https://flows.example.com',
      endpoints: [
        { host: '0.0.0.0', port: 8080 },
        { host: 'db.example.com', port: 5432 },
      ],
    }
    const allow = ['loopback', '0.0.0.0/0', '::/0', 'proxy.example.com', 'db.example.com']
    const named = new URL(proxy.url)
    named.hostname = 'localhost'
    const resolved = readProxySettings((setting) => (setting === 'MILLRACE_PROXY' ? named.href : undefined))
    const lookup: Lookup = (host, callback) =>
      callback(null, [{ address: host === 'db.example.com' ? '10.9.9.9' : '127.0.0.1', family: 4 }])
    for (const url of [
      `http://127.0.0.1:${proxy.port}/`,
      `https://127.0.0.1:${proxy.port}/`,
      `http://127.0.0.2:${proxy.port}/`,
      `http://localhost:${proxy.port}/`,
      `http://[::1]:${proxy.port}/`,
      `http://[::ffff:7f00:1]:${proxy.port}/`,
      'http://flows.example.com:8080/api/v1/flows',
      'https://flows.example.com/api/v1/flows',
      'http://127.0.0.1:8080/',
      'http://db.example.com:5432/',
      'http://DB.example.com.:5432/',
      'http://10.9.9.9:5432/',
    ])
      for (const proxies of [undefined, resolved])
        expect(
          await failure(get(proxied({ own, allow, lookup, ...(proxies && { proxies }) }), url)),
          url,
        ).toMatchObject({ code: 'blocked_address' })
    expect(strangers()).toEqual([])
  })

  it('what goes direct is checked as without a proxy', async () => {
    const server = await httpServer((_, reply) => reply.end('in'))
    const url = `http://erp.example.com:${server.port}/`
    expect(await failure(get(proxied({ lookup: toLoopback }, '.example.com'), url))).toMatchObject({
      code: 'blocked_address',
    })
    expect(text(await get(proxied({ lookup: toLoopback, allow: ['loopback'] }, '.example.com'), url))).toBe('in')
    expect(text(await get(proxied({ allow: ['loopback'] }), server.origin))).toBe('in')
    expect(strangers()).toEqual([])
  })

  it('what the proxy cannot reach is reported', async () => {
    const error = await failure(get(proxied(), 'https://other.example:2/'))
    expect(error).toMatchObject({ code: 'proxy_failed', message: expect.stringContaining('(MILLRACE_PROXY)') })
    expect(error.message).toContain(`127.0.0.1:${proxy.port}`)
  })

  it('a wrong password is reported without being shown', async () => {
    if (!proxy.url.includes('@')) return
    const wrong = new URL(proxy.url)
    wrong.password = 'n0t-it'
    const bare = new URL(proxy.url)
    bare.username = bare.password = ''
    for (const [url, says] of [
      [wrong, 'does not accept the user and password'],
      [bare, 'asks for a user and password'],
    ] as const) {
      const proxies = readProxySettings((setting) => (setting === 'MILLRACE_PROXY' ? url.href : undefined))
      for (const target of ['http://api.example.com/', 'https://other.example/']) {
        const error = await failure(get(proxied({ proxies }), target))
        expect(error).toMatchObject({ code: 'proxy_failed', message: expect.stringContaining(says) })
        expect(error.message).not.toContain('n0t-it')
      }
    }
  })
})
