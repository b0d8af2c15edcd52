import type { IncomingMessage, ServerResponse } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { client, failure, get, header, httpServer, rawServer, text } from './servers.testkit.ts'

interface Seen {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: string
}

/** Redirects `/<status>?to=<location>`; answers everything else. */
async function redirecting(status = 302) {
  const seen: Seen[] = []
  const server = await httpServer(async (request, reply) => {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    seen.push({ method: request.method!, url: request.url!, headers: request.headers, body })
    const to = new URL(request.url!, 'http://x').searchParams.get('to')
    if (to === null) reply.end('end')
    else reply.writeHead(status, { location: to }).end('moved')
  })
  return { ...server, seen, via: (to: string) => `${server.origin}/go?to=${encodeURIComponent(to)}` }
}

describe('redirects', () => {
  it.each([301, 302, 303, 307, 308])('follows %i and reports the final URL and the count', async (status) => {
    const server = await redirecting(status)
    const reply = await get(client(), server.via('/end?x=1#part'))
    expect(reply).toMatchObject({ status: 200, url: `${server.origin}/end?x=1`, redirects: 1 })
    expect(text(reply)).toBe('end')
  })

  it('gives the redirect itself when they are not followed', async () => {
    const server = await redirecting()
    const reply = await get(client(), server.via('/end'), { followRedirects: false })
    expect(reply).toMatchObject({ status: 302, redirects: 0, headers: { location: '/end' } })
    expect(text(reply)).toBe('moved')
  })

  it.each([300, 304, 305, 306])('takes %i as the reply', async (status) => {
    const server = await redirecting(status)
    expect(await get(client(), server.via('/end'))).toMatchObject({ status, redirects: 0 })
  })

  it('takes a redirect without Location as the reply', async () => {
    const server = await httpServer((_, reply) => reply.writeHead(302).end('where to?'))
    const reply = await get(client(), server.origin)
    expect(reply.status).toBe(302)
    expect(text(reply)).toBe('where to?')
  })

  it('follows ten redirects and refuses the eleventh', async () => {
    let served = 0
    const server = await httpServer((request, reply) => {
      served++
      const left = Number(request.url!.slice(1))
      if (left === 0) reply.end('end')
      else reply.writeHead(302, { location: `/${left - 1}` }).end()
    })
    const http = client()
    expect(await get(http, `${server.origin}/10`)).toMatchObject({ status: 200, redirects: 10 })
    served = 0
    expect(await failure(get(http, `${server.origin}/11`))).toMatchObject({ code: 'too_many_redirects' })
    expect(served).toBe(11)
  })

  it('ends a loop', async () => {
    const server = await httpServer((_, reply) => reply.writeHead(308, { location: '/' }).end())
    expect(await failure(get(client(), server.origin))).toMatchObject({ code: 'too_many_redirects' })
  })

  it.each([
    [301, 'POST', 'GET', ''],
    [302, 'POST', 'GET', ''],
    [303, 'POST', 'GET', ''],
    [303, 'PUT', 'GET', ''],
    [303, 'DELETE', 'GET', ''],
    [303, 'HEAD', 'HEAD', ''],
    [301, 'PUT', 'PUT', 'data'],
    [302, 'PATCH', 'PATCH', 'data'],
    [307, 'POST', 'POST', 'data'],
    [308, 'POST', 'POST', 'data'],
    [302, 'HEAD', 'HEAD', ''],
  ])('on %i turns %s into %s', async (status, method, next, body) => {
    const server = await redirecting(status)
    const headers = [header('Content-Type', 'text/x'), header('Content-Language', 'de'), header('X-Keep', '1')]
    await get(client(), server.via('/end'), { method, headers, body: method === 'HEAD' ? null : 'data' })
    const last = server.seen.at(-1)!
    expect(last).toMatchObject({ method: next, body, url: '/end', headers: { 'x-keep': '1' } })
    expect(last.headers['content-type']).toBe(method === next ? 'text/x' : undefined)
    expect(last.headers['content-language']).toBe(method === next ? 'de' : undefined)
  })

  const credentials = [
    header('X-API-Key', 'k', true),
    header('Authorization', 'a', true),
    header('cookie', 'c'),
    header('X-Plain', 'p'),
  ]

  it('keeps credentials within one origin', async () => {
    const server = await redirecting()
    await get(client(), server.via('/end'), { headers: credentials })
    expect(server.seen[1]!.headers).toMatchObject({ 'x-api-key': 'k', authorization: 'a', cookie: 'c', 'x-plain': 'p' })
  })

  it('drops every credential when a redirect changes the origin, and keeps them dropped on the way back', async () => {
    const first = await redirecting()
    const second = await redirecting()
    await get(client(), `${first.via(second.via(`${first.origin}/end`))}&api_key=k`, { headers: credentials })
    for (const { headers } of [second.seen[0]!, first.seen[1]!]) {
      expect(headers).toMatchObject({ 'x-plain': 'p' })
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-api-key']))
      expect(headers).not.toHaveProperty('authorization')
      expect(headers).not.toHaveProperty('cookie')
    }
    expect(second.seen[0]!.url + first.seen[1]!.url).not.toContain('api_key')
  })

  it('drops credentials when only the host name changes', async () => {
    const server = await redirecting()
    await get(client(), server.via(`http://localhost:${server.port}/end`), { headers: credentials })
    expect(server.seen[1]!.headers).not.toHaveProperty('x-api-key')
  })

  it.each([
    'file:///etc/passwd',
    'data:text/plain,x',
    'ftp://x/',
    'unix:/run/x',
    'http://user:pw@127.0.0.1/',
    '//good@evil/',
    'http://x:99999/',
  ])('refuses a redirect to %s at that hop', async (to) => {
    const server = await redirecting()
    expect(await failure(get(client(), server.via(to)))).toMatchObject({ code: 'invalid_url' })
    expect(server.seen).toHaveLength(1)
  })

  it('refuses a redirect to a blocked address', async () => {
    const server = await redirecting()
    const http = client({ allow: [`127.0.0.1:${server.port}`] })
    for (const to of ['http://169.254.169.254/', `http://127.0.0.1:${server.port + 1}/`, 'http://[::ffff:10.0.0.1]/'])
      expect(await failure(get(http, server.via(to)))).toMatchObject({ code: 'blocked_address' })
  })

  it('resolves relative, scheme-relative and unescaped Locations', async () => {
    const server = await redirecting()
    const http = client()
    const raw = await rawServer((socket, head) =>
      head.startsWith('GET /start')
        ? socket.write('HTTP/1.1 302 Found\r\nLocation: /caf\xc3\xa9 au lait\r\nContent-Length: 0\r\n\r\n', 'latin1')
        : socket.write('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'),
    )
    expect((await get(http, server.via(`//127.0.0.1:${server.port}/a/../b`))).url).toBe(`${server.origin}/b`)
    expect((await get(http, server.via('next'))).url).toBe(`${server.origin}/next`)
    expect((await get(http, server.via('?y=2'))).url).toBe(`${server.origin}/go?y=2`)
    expect((await get(http, `${raw.origin}/start`)).url).toBe(`${raw.origin}/caf%C3%A9%20au%20lait`)
  })

  it('follows at once when the body of the redirect is long', async () => {
    const server = await httpServer((request, reply) => {
      if (request.url === '/end') reply.end('end')
      else reply.writeHead(302, { location: '/end' }).write('x'.repeat(200_000))
    })
    expect(text(await get(client(), server.origin))).toBe('end')
  })

  it('waits for a slot of the host it is sent on to, holding no other', async () => {
    const replies: ServerResponse[] = []
    const busy = await httpServer((_, reply) => replies.push(reply))
    const server = await httpServer((_, reply) => reply.writeHead(302, { location: busy.origin }).end())
    const http = client({ perHost: 1 })
    const first = get(http, busy.origin)
    const second = get(http, server.origin)
    await vi.waitUntil(() => http.stats().waiting === 1 && replies.length === 1, { interval: 1 })
    expect(http.stats()).toEqual({ inFlight: 1, waiting: 1 })
    replies[0]!.end('first')
    expect(text(await first)).toBe('first')
    await vi.waitUntil(() => replies.length === 2, { interval: 1 })
    replies[1]!.end('second')
    expect(text(await second)).toBe('second')
    expect(http.stats()).toEqual({ inFlight: 0, waiting: 0 })
  })
})
