import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { client, failure, get, header, httpServer, rawServer, text } from './servers.testkit.ts'

const LIMIT = 10_485_760
const ENCODINGS: [string, (data: Buffer) => Buffer][] = [
  ['gzip', (data) => gzipSync(data)],
  ['x-gzip', (data) => gzipSync(data)],
  ['deflate', (data) => deflateSync(data)],
  ['Deflate', (data) => deflateRawSync(data)],
  ['br', (data) => brotliCompressSync(data)],
  ['zstd', (data) => zstdCompressSync(data)],
]
// The text is varied, so that no decoder passes the limit in one chunk, but regular enough to be encoded fast.
const filled = (size: number) => Buffer.alloc(size, 'flow automation ')

const serving = (body: Buffer, headers: Record<string, string> = {}) =>
  httpServer((_, reply) => {
    reply.writeHead(200, headers)
    reply.end(body)
  })

describe('content encodings', () => {
  it.each(ENCODINGS)('undoes %s', async (name, encode) => {
    const server = await serving(encode(Buffer.from('hello')), { 'content-encoding': name })
    expect(text(await get(client(), server.origin))).toBe('hello')
  })

  it.each(ENCODINGS)('takes exactly 10 MiB out of %s, and not one byte more', async (name, encode) => {
    const http = client()
    const exact = await serving(encode(filled(LIMIT)), { 'content-encoding': name })
    expect((await get(http, exact.origin)).body.length).toBe(LIMIT)
    const over = await serving(encode(filled(LIMIT + 1)), { 'content-encoding': name })
    expect(await failure(get(http, over.origin))).toMatchObject({ code: 'response_too_large' })
  })

  it('undoes a chain of five, and refuses six', async () => {
    let body: Buffer = Buffer.from('deep')
    const names = ['gzip', 'br', 'deflate', 'zstd', 'gzip']
    for (const name of names) body = ENCODINGS.find(([each]) => each === name)![1](body)
    const five = await serving(body, { 'content-encoding': names.join(', ') })
    expect(text(await get(client(), five.origin))).toBe('deep')
    const six = await serving(gzipSync(body), { 'content-encoding': [...names, 'gzip'].join(',') })
    expect(await failure(get(client(), six.origin))).toMatchObject({ code: 'response_invalid' })
  })

  it('stops a bomb inside a chain at the inner stage', async () => {
    const empty = gzipSync('')
    const bomb = gzipSync(gzipSync(Buffer.concat(Array.from({ length: 800_000 }, () => empty))))
    const server = await serving(bomb, { 'content-encoding': 'gzip, gzip, gzip' })
    expect(await failure(get(client(), server.origin))).toMatchObject({ code: 'response_too_large' })
  })

  // Decoding them takes its time on a busy machine.
  it('stops compressed bytes that decode to nothing', { timeout: 60_000 }, async () => {
    const padding = Buffer.concat(Array.from({ length: 50_000 }, () => gzipSync('')))
    const server = await httpServer((_, reply) => {
      reply.writeHead(200, { 'content-encoding': 'gzip' })
      const more = () => {
        while (!reply.destroyed && reply.write(padding));
      }
      reply.on('drain', more)
      more()
    })
    expect(await failure(get(client(), server.origin))).toMatchObject({ code: 'response_too_large' })
  })

  it.each(['none', 'utf-8', 'aws-chunked', 'compress', 'constructor', 'none, none, none, none, none, none'])(
    'passes through what is said to be %s',
    async (name) => {
      const server = await serving(Buffer.from('as it is'), { 'content-encoding': name })
      const reply = await get(client(), server.origin)
      expect(text(reply)).toBe('as it is')
      expect(reply.headers['content-encoding']).toBe(name)
    },
  )

  it('undoes what was applied after an encoding it does not know, and nothing before', async () => {
    const data = Buffer.from('plain')
    const outside = await serving(gzipSync(brotliCompressSync(data)), { 'content-encoding': 'none, br, gzip' })
    expect(text(await get(client(), outside.origin))).toBe('plain')
    const inside = await serving(gzipSync(data), { 'content-encoding': 'gzip, none' })
    expect((await get(client(), inside.origin)).body).toEqual(gzipSync(data))
  })

  it('holds what it passes through to the limit', async () => {
    const exact = await serving(filled(LIMIT), { 'content-encoding': 'none' })
    expect((await get(client(), exact.origin)).body.length).toBe(LIMIT)
    const over = await serving(filled(LIMIT + 1), { 'content-encoding': 'none' })
    expect(await failure(get(client(), over.origin))).toMatchObject({ code: 'response_too_large' })
  })

  it.each(ENCODINGS)('refuses damaged and truncated %s', async (name, encode) => {
    const good = encode(filled(100_000))
    const http = client()
    const cut = await serving(good.subarray(0, good.length - 9), { 'content-encoding': name })
    expect(await failure(get(http, cut.origin))).toMatchObject({ code: 'response_invalid' })
    const noise = await serving(Buffer.from('\x78\x9cthis is no such thing'), { 'content-encoding': name })
    expect(await failure(get(http, noise.origin))).toMatchObject({ code: 'response_invalid' })
  })

  it('takes identity, and an encoded reply without a body, as they are', async () => {
    const plain = await serving(Buffer.from('plain'), { 'content-encoding': 'identity' })
    expect(text(await get(client(), plain.origin))).toBe('plain')
    const none = await serving(Buffer.alloc(0), { 'content-encoding': 'gzip' })
    expect((await get(client(), none.origin)).body.length).toBe(0)
    expect((await get(client(), none.origin, { method: 'HEAD' })).status).toBe(200)
  })

  it('asks for the encodings it knows, unless the flow says what it wants', async () => {
    const server = await httpServer((request, reply) => reply.end(request.headers['accept-encoding']))
    expect(text(await get(client(), server.origin))).toBe('gzip, deflate, br, zstd')
    expect(text(await get(client(), server.origin, { headers: [header('ACCEPT-ENCODING', 'identity')] }))).toBe(
      'identity',
    )
  })
})

describe('the size limit', () => {
  const forms: [string, (size: number) => string, boolean][] = [
    ['by length', (size) => `Content-Length: ${size}\r\n\r\n`, false],
    ['chunked', (size) => `Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`, false],
    ['close-delimited', () => 'Connection: close\r\n\r\n', true],
  ]
  it.each(forms)('takes 10 MiB %s', async (_name, head, close) => {
    const server = await rawServer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\n${head(LIMIT)}`)
      socket.write(filled(LIMIT))
      if (close) socket.end()
      else socket.write(head(1).includes('chunked') ? '\r\n0\r\n\r\n' : '')
    })
    expect((await get(client(), server.origin)).body.length).toBe(LIMIT)
  })

  it.each(forms)('refuses one byte more %s and closes the connection', async (_name, head) => {
    let closed: Promise<unknown> = Promise.resolve()
    const server = await rawServer((socket) => {
      closed = new Promise((resolve) => socket.once('close', resolve))
      socket.write(`HTTP/1.1 200 OK\r\n${head(LIMIT + 1)}`)
      socket.write(filled(LIMIT + 1))
    })
    const error = await failure(get(client(), server.origin))
    expect(error).toMatchObject({ code: 'response_too_large' })
    expect(error.message).toContain('10 MiB')
    await closed
  })

  it('does not mind the length that a HEAD or 304 reply announces', async () => {
    const server = await httpServer((request, reply) => {
      reply.writeHead(request.method === 'HEAD' ? 200 : 304, { 'content-length': String(LIMIT * 2) }).end()
    })
    expect((await get(client(), server.origin, { method: 'HEAD' })).headers['content-length']).toBe(String(LIMIT * 2))
    expect((await get(client(), server.origin)).status).toBe(304)
  })

  it('frees what fifty refused replies held', async () => {
    const server = await httpServer((_, reply) => reply.end(filled(LIMIT + 1)))
    const http = client()
    const before = process.memoryUsage.rss()
    for (let i = 0; i < 50; i++) expect((await failure(get(http, server.origin))).code).toBe('response_too_large')
    expect(process.memoryUsage.rss() - before).toBeLessThan(300_000_000)
    expect(http.stats()).toEqual({ inFlight: 0, waiting: 0 })
  })
})
