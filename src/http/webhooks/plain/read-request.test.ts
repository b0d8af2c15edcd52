// Compares what is read here with what node:http makes of the same bytes.
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRequest } from './read-request.ts'

interface Read {
  method: string | undefined
  url: string | undefined
  httpVersion: string
  rawHeaders: string[]
  body: string
}

let server: Server
let port: number
const byNode: Read[] = []

beforeAll(async () => {
  server = createServer({ requireHostHeader: false }, async (request, response) => {
    const { method, url, httpVersion, rawHeaders } = request
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    byNode.push({ method, url, httpVersion, rawHeaders, body: Buffer.concat(chunks).toString('latin1') })
    response.end()
  })
  server.on('clientError', (_error, socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})
afterAll(() => server.close())

/** Resolves with the requests that node:http finds in the bytes. */
async function readByNode(bytes: Buffer): Promise<Read[]> {
  byNode.length = 0
  const socket = connect(port, '127.0.0.1')
  socket.end(bytes)
  socket.on('error', () => {})
  socket.resume()
  await new Promise((resolve) => socket.on('close', resolve))
  return [...byNode]
}

const socket = new Socket()

const readHere = (bytes: Buffer): Read | null => {
  const request = readRequest(bytes, socket)
  if (!request) return null
  const { method, url, httpVersion, rawHeaders, body } = request
  return { method, url, httpVersion, rawHeaders, body: body.toString('latin1') }
}

const START = 'POST /api/v1/webhooks/abc HTTP/1.1'
const USUAL = ['Host: a.example', 'Content-Type: application/json', 'Content-Length: 2']

const bytesOf = (lines: string[], body = '{}', start = START): Buffer =>
  Buffer.from(`${[start, ...lines].join('\r\n')}\r\n\r\n${body}`, 'latin1')

const TAKEN: [what: string, bytes: Buffer][] = [
  ['the usual', bytesOf(USUAL)],
  ['a query', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/abc?a=b&c=%20 HTTP/1.1')],
  ['names and values in any case', bytesOf(['HOST: A', 'content-TYPE: application/json', 'Content-length: 2'])],
  ['blanks around values', bytesOf(['Host: \t a \t ', 'Content-Type:application/json', 'Content-Length:  2 '])],
  ['an empty value', bytesOf([...USUAL, 'X-Empty:', 'X-Blank:  '])],
  ['values with bytes above ASCII, also at their end', bytesOf([...USUAL, 'X-Name: caf\xe9\xa0', 'X-Other: \xa0'])],
  ['repeated headers', bytesOf([...USUAL, 'X-Forwarded-For: 1.1.1.1', 'X-Forwarded-For: 2.2.2.2', 'X-A: 1', 'X-A: 2'])],
  ['names that objects have', bytesOf([...USUAL, '__proto__: 1', 'constructor: 2'])],
  ['a connection that stays', bytesOf([...USUAL, 'Connection: Keep-Alive'])],
  ['a charset', bytesOf(['Host: a', 'Content-Type: application/json; charset=utf-8', 'Content-Length: 2'])],
  [
    'a body with line breaks',
    bytesOf(['Host: a', 'Content-Type: application/json', 'Content-Length: 6'], '\r\n\r\n{}'),
  ],
  ['colons in values', bytesOf([...USUAL, 'X-Url: http://a:80/::'])],
  [
    'the longest body',
    bytesOf(['Host: a', 'Content-Type: application/json', 'Content-Length: 16384'], 'x'.repeat(16_384)),
  ],
]

const LEFT: [what: string, bytes: Buffer][] = [
  ['nothing', Buffer.alloc(0)],
  ['another method', bytesOf(USUAL, '{}', 'PUT /api/v1/webhooks/abc HTTP/1.1')],
  ['another path', bytesOf(USUAL, '{}', 'POST /api/v1/flows HTTP/1.1')],
  ['another version', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/abc HTTP/1.0')],
  ['no version', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/abc')],
  ['two blanks in the first line', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/abc  HTTP/1.1')],
  ['a fragment', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/abc#d HTTP/1.1')],
  ['bytes above ASCII in the path', bytesOf(USUAL, '{}', 'POST /api/v1/webhooks/\xe9 HTTP/1.1')],
  ['a head that has not ended', Buffer.from(`${START}\r\n${USUAL.join('\r\n')}\r\n`)],
  ['a body that has not ended', bytesOf(USUAL, '{')],
  ['a second request', bytesOf(USUAL, '{}POST /api')],
  ['no Host', bytesOf(USUAL.slice(1))],
  ['two Hosts', bytesOf([...USUAL, 'host: b'])],
  ['no type', bytesOf(['Host: a', 'Content-Length: 2'])],
  ['two types', bytesOf([...USUAL, 'Content-Type: application/json'])],
  ['a type like JSON', bytesOf(['Host: a', 'Content-Type: application/jsonp', 'Content-Length: 2'])],
  ['another type', bytesOf(['Host: a', 'Content-Type: multipart/form-data; boundary=a', 'Content-Length: 2'])],
  ['no length', bytesOf(USUAL.slice(0, 2))],
  ['two lengths', bytesOf([...USUAL, 'Content-Length: 2'])],
  ...['+2', '02', '2, 2', '0x2', '2.0', '-2', '', '2e0', '99999'].map((length): [string, Buffer] => [
    `the length ${length}`,
    bytesOf(['Host: a', 'Content-Type: application/json', `Content-Length: ${length}`]),
  ]),
  ['a long body', bytesOf(['Host: a', 'Content-Type: application/json', 'Content-Length: 16385'], 'x'.repeat(16_385))],
  ['an empty body', bytesOf(['Host: a', 'Content-Type: application/json', 'Content-Length: 0'], '')],
  ['a long head', bytesOf([...USUAL, `X-Long: ${'x'.repeat(8_192)}`])],
  ...[
    'Transfer-Encoding: chunked',
    'transfer-encoding: identity',
    'Content-Encoding: gzip',
    'Expect: 100-continue',
    'Upgrade: h2c',
    'Connection: close',
    'Connection: keep-alive, Upgrade',
    'Keep-Alive: timeout=5',
    'TE: trailers',
    'Trailer: X-A',
    'Transfer-Encoding : chunked',
    ' folded: line',
    '\tfolded',
    'no colon',
    ': no name',
    'X-A\x00: b',
    'X-A: b\x00c',
    'X-A: b\x7f',
    'X-A: b\nTransfer-Encoding: chunked',
    'X-A: b\rc',
    'X-A: b\r\r',
    'X(A): b',
  ].map((line): [string, Buffer] => [JSON.stringify(line), bytesOf([...USUAL, line])]),
]

describe('a plain request', () => {
  it.each(TAKEN)('is read as node:http reads it: %s', async (_what, bytes) => {
    const read = readHere(bytes)
    expect(read).not.toBeNull()
    expect([read]).toEqual(await readByNode(bytes))
  })

  it.each(LEFT)('is not one with %s', (_what, bytes) => {
    expect(readHere(bytes)).toBeNull()
  })

  it('is none where it comes in two parts, wherever it is cut', () => {
    const [[, bytes]] = TAKEN as [[string, Buffer]]
    for (let at = 0; at < bytes.length; at++) expect(readHere(bytes.subarray(0, at))).toBeNull()
  })

  it('is what node:http reads in the same bytes, however they are changed', async () => {
    const pieces = [
      '\r\n',
      '\r',
      '\n',
      ' ',
      '\t',
      ':',
      ',',
      '\0',
      '\x7f',
      '\xa0',
      '\xff',
      '0',
      'a',
      'A',
      '-',
      '#',
      '?',
      '{}',
    ]
    const lines = [
      'Connection: keep-alive',
      'X-A: b',
      'Content-Length: 2',
      'Transfer-Encoding: chunked',
      'Host: b',
      'X-A : c',
    ]
    const change = fc.record({
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      removed: fc.integer({ min: 0, max: 3 }),
      added: fc.oneof(
        fc.constantFrom(...pieces),
        fc.constantFrom(...lines.map((line) => `\r\n${line}`)),
        fc.constant(''),
      ),
    })
    let taken = 0
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...TAKEN), fc.array(change, { maxLength: 3 }), async ([, original], changes) => {
        let text = original.toString('latin1')
        for (const { at, removed, added } of changes) {
          const place = Math.floor(at * text.length)
          text = text.slice(0, place) + added + text.slice(place + removed)
        }
        const bytes = Buffer.from(text, 'latin1')
        const read = readHere(bytes)
        if (!read) return
        taken++
        expect([read]).toEqual(await readByNode(bytes))
      }),
      { numRuns: 3_000 },
    )
    expect(taken).toBeGreaterThan(300)
  })
})
