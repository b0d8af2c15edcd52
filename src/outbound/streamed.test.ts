import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ReplySink } from '../engine/ports/http-client.ts'
import { client, failure, get, httpServer, rawServer, text } from './servers.testkit.ts'

const MB = 1_048_576

const source = (pieces: number) => {
  let opened = 0
  return {
    get opened() {
      return opened
    },
    size: pieces * 65_536,
    async *open(): AsyncIterable<Uint8Array> {
      opened++
      for (let i = 0; i < pieces; i++) yield Buffer.alloc(65_536, i)
    },
  }
}

const sink = (maxBytes = 100 * MB) => {
  const taken = { size: 0, ended: false, error: null as unknown }
  const into: ReplySink = {
    maxBytes,
    async take(bytes) {
      try {
        for await (const chunk of bytes) {
          taken.size += chunk.length
          await new Promise((resolve) => setImmediate(resolve))
        }
        taken.ended = true
      } catch (error) {
        taken.error = error
        throw error
      }
    },
  }
  return { taken, into }
}

describe('a body that is streamed out', () => {
  it('has its length in the head, and arrives whole', async () => {
    const server = await httpServer(async (request, reply) => {
      let size = 0
      for await (const chunk of request) size += (chunk as Buffer).length
      reply.end(`${request.headers['content-length']} ${request.headers['transfer-encoding']} ${size}`)
    })
    const body = source(50)
    expect(text(await get(client(), server.origin, { method: 'POST', body }))).toBe(
      `${body.size} undefined ${body.size}`,
    )
  })

  it('is opened again for a redirect that keeps the method', async () => {
    const server = await httpServer(async (request, reply) => {
      let size = 0
      for await (const chunk of request) size += (chunk as Buffer).length
      if (request.url === '/') reply.writeHead(307, { location: '/next' }).end()
      else reply.end(String(size))
    })
    const body = source(5)
    expect(text(await get(client(), server.origin, { method: 'PUT', body }))).toBe(String(body.size))
    expect(body.opened).toBe(2)
  })

  it('leaves no socket in use where the server answers before the end of the body', async () => {
    const server = await rawServer((socket, head) => {
      if (head.startsWith('POST')) socket.write('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno')
      else if (head.startsWith('GET')) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    })
    const from = client()
    const early = await get(from, server.origin, { method: 'POST', body: source(2_000) })
    expect([early.status, text(early)]).toEqual([413, 'no'])
    expect(text(await get(from, server.origin))).toBe('ok')
    expect(from.stats()).toEqual({ inFlight: 0, waiting: 0 })
  })

  it('fails the request when it cannot be read', async () => {
    const server = await httpServer((request) => void request.resume())
    const broken = {
      size: 10,
      async *open(): AsyncIterable<Uint8Array> {
        yield Buffer.from('abc')
        throw new Error('the disk is gone')
      },
    }
    const { code, message } = await failure(get(client(), server.origin, { method: 'POST', body: broken }))
    expect([code, message]).toEqual(['connection_failed', expect.stringContaining('the disk is gone')])
  })
})

describe('a reply that is streamed in', () => {
  it('goes past the limit of replies in memory', async () => {
    const server = await httpServer((_request, reply) => reply.end(Buffer.alloc(5 * MB)))
    const { taken, into } = sink()
    const reply = await get(client({ maxBodyBytes: MB }), server.origin, { into })
    expect([reply.status, reply.body.length, taken.size, taken.ended]).toEqual([200, 0, 5 * MB, true])
  })

  it('is read to its end where all of it comes in one go, on a socket that was used before too', async () => {
    const server = await httpServer((_request, reply) => reply.end(Buffer.alloc(2 * MB)))
    const http = client()
    for (let round = 0; round < 10; round++) {
      const { taken, into } = sink()
      await get(http, server.origin, { into })
      expect(taken.size).toBe(2 * MB)
    }
  })

  it('stays in memory if it is an error', async () => {
    const server = await httpServer((_request, reply) => reply.writeHead(404).end('not here'))
    const { taken, into } = sink()
    expect(text(await get(client(), server.origin, { into }))).toBe('not here')
    expect(taken.ended).toBe(false)
  })

  it.each([
    ['declared', { 'content-length': String(3 * MB) }],
    ['found out', {}],
  ])('is refused if it is larger than its limit, which is %s', async (_how, headers) => {
    const server = await httpServer((_request, reply) => reply.writeHead(200, headers).end(Buffer.alloc(3 * MB)))
    const { taken, into } = sink(MB)
    const { code, message } = await failure(get(client(), server.origin, { into }))
    expect([code, message]).toEqual(['response_too_large', 'The reply of 127.0.0.1 is larger than 1 MiB'])
    expect(taken.ended).toBe(false)
    expect(taken.size).toBeLessThanOrEqual(MB)
  })

  it('that was small when it was encoded is held up, and refused at the limit', async () => {
    const bomb = gzipSync(Buffer.alloc(200 * MB))
    const server = await httpServer((_request, reply) => reply.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb))
    const { taken, into } = sink(10 * MB)
    const { code } = await failure(get(client(), server.origin, { into }))
    expect(code).toBe('response_too_large')
    expect(taken.size).toBeLessThanOrEqual(10 * MB)
  })

  it('fails what takes it, if it is cut off', async () => {
    const server = await rawServer((socket) => {
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc')
    })
    const { taken, into } = sink()
    expect((await failure(get(client(), server.origin, { into }))).code).toBe('response_invalid')
    expect(taken.error).toBeInstanceOf(Error)
  })

  it('fails if it cannot be taken', async () => {
    const server = await httpServer((_request, reply) => reply.end(Buffer.alloc(MB)))
    const into = { maxBytes: 10 * MB, take: () => Promise.reject(new Error('full')) }
    expect((await failure(get(client(), server.origin, { into }))).code).toBe('cancelled')
  })
})
