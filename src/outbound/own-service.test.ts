// Tests that flows can call the webhooks of this service, and nothing else of it.
import { describe, expect, it } from 'vitest'
import type { Lookup } from './resolve-names.ts'
import { client, failure, get, header, httpServer, OWN, text } from './servers.testkit.ts'

async function ownService() {
  const seen: { url: string; hops: string | string[] | undefined; socket: unknown }[] = []
  const server = await httpServer((request, reply) => {
    seen.push({ url: request.url!, hops: request.headers['x-millrace-hops'], socket: request.socket })
    if (request.url!.endsWith('/to-admin')) reply.writeHead(302, { location: '/api/v1/flows' }).end()
    else reply.end('ok')
  })
  const own = {
    ...OWN,
    origin: `http://localhost:${server.port}`,
    webhookOrigin: `http://localhost:${server.port}`,
    endpoints: [{ host: '127.0.0.1', port: server.port }],
  }
  return {
    server,
    seen,
    http: client({ own, allow: ['loopback'] }),
    closed: client({ own, allow: [] }),
    own,
    origin: own.origin,
  }
}

describe('the own service', () => {
  it('is reached for webhooks although its address is not public, with one hop more', async () => {
    const { closed, origin, seen } = await ownService()
    const reply = await get(closed, `${origin}/api/v1/webhooks/abc_-1`, { method: 'POST', hops: 3, body: '{}' })
    expect(text(reply)).toBe('ok')
    expect(seen).toMatchObject([{ url: '/api/v1/webhooks/abc_-1', hops: '4' }])
  })

  it('is reached for webhooks by another loopback spelling of the base URL', async () => {
    const { closed, server, seen } = await ownService()
    await get(closed, `http://127.0.0.1:${server.port}/api/v1/webhooks/abc/test?x=1`)
    expect(seen).toMatchObject([{ url: '/api/v1/webhooks/abc/test?x=1', hops: '1' }])
  })

  it.each([
    '/api/v1/flows',
    '/metrics',
    '/',
    '/api/v1/webhooks/',
    '/api/v1/webhooks/../flows',
    '/api/v1/webhooks/%2e%2e/flows',
    '/api/v1/webhooks/.%2E/flows',
    '/api/v1/webhooks/..%2fflows',
    '/api/v1/webhooks/%2e%2e%5cflows',
    '/api/v1/webhooks//flows',
    '//api/v1/webhooks/abc',
    '/API/v1/webhooks/abc',
  ])('is not reached at %s', async (path) => {
    const { http, origin, server, seen } = await ownService()
    for (const base of [
      origin,
      `http://localhost.:${server.port}`,
      `http://127.0.0.1:${server.port}`,
      `http://127.0.0.9:${server.port}`,
    ])
      expect(await failure(get(http, base + path))).toMatchObject({ code: 'blocked_address' })
    expect(seen).toEqual([])
  })

  it('does not lend the connection of a webhook call to another path', async () => {
    const { http, origin, seen } = await ownService()
    await get(http, `${origin}/api/v1/webhooks/abc`)
    expect(await failure(get(http, `${origin}/api/v1/flows`))).toMatchObject({ code: 'blocked_address' })
    await get(http, `${origin}/api/v1/webhooks/abc`)
    expect(seen).toHaveLength(2)
    expect(seen[0]!.socket).toBe(seen[1]!.socket)
  })

  it('is not reached through a redirect to its admin API', async () => {
    const { http, origin, seen } = await ownService()
    const outside = await httpServer((_, reply) => reply.writeHead(302, { location: `${origin}/api/v1/flows` }).end())
    for (const url of [outside.origin, `${origin}/api/v1/webhooks/to-admin`])
      expect(await failure(get(http, url))).toMatchObject({ code: 'blocked_address' })
    expect(seen.map(({ url }) => url)).toEqual(['/api/v1/webhooks/to-admin'])
  })

  it('is reached for webhooks through a redirect, with the hop header', async () => {
    const { http, origin, seen } = await ownService()
    const outside = await httpServer((_, reply) =>
      reply.writeHead(307, { location: `${origin}/api/v1/webhooks/abc` }).end(),
    )
    await get(http, outside.origin, { method: 'POST', hops: 9 })
    expect(seen).toMatchObject([{ hops: '10' }])
  })

  it("drops a flow's own hop header everywhere", async () => {
    const { http, origin, seen } = await ownService()
    let outside: unknown = 'not called'
    const server = await httpServer((request, reply) => {
      outside = request.headers['x-millrace-hops']
      reply.end()
    })
    const headers = [header('x-MILLRACE-hops', '0')]
    await get(http, `${origin}/api/v1/webhooks/abc`, { headers, hops: 6 })
    await get(http, server.origin, { headers })
    expect(seen).toMatchObject([{ hops: '7' }])
    expect(outside).toBeUndefined()
  })

  it('is reached for webhooks at the origin that they have of their own, and nowhere else', async () => {
    const { server, own, origin, seen } = await ownService()
    const apart = { ...own, webhookOrigin: `http://hooks.example:${server.port}` }
    const lookup: Lookup = (_name, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }])
    const http = client({ own: apart, allow: ['loopback'], lookup })
    await get(http, `${apart.webhookOrigin}/api/v1/webhooks/abc`, { hops: 3 })
    expect(seen).toMatchObject([{ url: '/api/v1/webhooks/abc', hops: '4' }])
    for (const url of [
      `${apart.webhookOrigin}/api/v1/flows`,
      `${origin}/api/v1/webhooks/abc`,
      `${origin}/api/v1/flows`,
    ])
      expect(await failure(get(http, url))).toMatchObject({ code: 'blocked_address' })
    expect(seen).toHaveLength(1)
  })
})
