// Hostile senders: they hold sockets and never finish, or send bodies that should not be read.
import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { sleep } from './service.ts'

export interface Sluggards {
  /** How long each socket lived until the service ended it, in seconds. */
  endedAfter: { header: number[]; body: number[] }
  open(): number
  stop(): void
}

/** Each time a hundredth of the sockets sends: one byte per socket and second, spread over the second. */
const FEED_EVERY_MS = 10
const SHARE = 100
/** The number per kind: 400 sockets a second, so that the time to open them is not measured. */
const OPENED_AT_ONCE = 2

/** Opens sockets that send a byte of a header, or of a body, each second, and never the last. */
export function startSluggards(port: number, path: string, ofEach: number): Sluggards {
  const endedAfter = { header: [] as number[], body: [] as number[] }
  const sockets = new Set<Socket>()
  const start = (kind: 'header' | 'body', first: string) => {
    const opened = performance.now()
    const socket = connect(port, '127.0.0.1')
    socket.write(first)
    sockets.add(socket)
    socket.on('error', () => {})
    socket.resume()
    socket.on('close', () => {
      if (sockets.delete(socket)) endedAfter[kind].push((performance.now() - opened) / 1000)
    })
  }
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n`
  let started = 0
  let turn = 0
  const feeding = setInterval(() => {
    for (let i = 0; i < OPENED_AT_ONCE && started < ofEach; i++, started++) {
      start('header', `${head}X-Slow: `)
      start('body', `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"slow":"`)
    }
    turn = (turn + 1) % SHARE
    let i = 0
    for (const socket of sockets) if (i++ % SHARE === turn) socket.write('x')
  }, FEED_EVERY_MS)
  return {
    endedAfter,
    open: () => sockets.size,
    stop() {
      clearInterval(feeding)
      const left = [...sockets]
      sockets.clear()
      for (const socket of left) socket.destroy()
    },
  }
}

const MB = 1 << 20
const json = 'Content-Type: application/json\r\n'

const UPLOADS: Record<string, { head: string; body(): Iterable<Buffer>; expected: number }> = {
  'a gigabyte declared': { head: `${json}Content-Length: ${1024 * MB}`, body: () => repeated(64), expected: 413 },
  'a gigabyte in chunks': { head: `${json}Transfer-Encoding: chunked`, body: () => chunked(1024), expected: 413 },
  'a gzip bomb': gzipped(Buffer.alloc(64 * MB, ' '), 413),
  'nested 100,000 deep': whole('['.repeat(100_000) + ']'.repeat(100_000), 400),
  'not the end of it': whole('{"order":', 400),
  'a header of 17 KiB': {
    head: `${json}X-Long: ${'x'.repeat(17 * 1024)}\r\nContent-Length: 2`,
    body: () => [],
    expected: 431,
  },
  'two lengths': { head: `${json}Content-Length: 2\r\nTransfer-Encoding: chunked`, body: () => [], expected: 400 },
}

function whole(text: string, expected: number) {
  return { head: `${json}Content-Length: ${Buffer.byteLength(text)}`, body: () => [Buffer.from(text)], expected }
}

function gzipped(content: Buffer, expected: number) {
  const body = gzipSync(content)
  return { head: `${json}Content-Encoding: gzip\r\nContent-Length: ${body.length}`, body: () => [body], expected }
}

function* repeated(times: number): Iterable<Buffer> {
  const megabyte = Buffer.alloc(MB, ' ')
  for (let i = 0; i < times; i++) yield megabyte
}

function* chunked(times: number): Iterable<Buffer> {
  const chunk = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), Buffer.alloc(MB, ' '), Buffer.from('\r\n')])
  for (let i = 0; i < times; i++) yield chunk
}

/** Sends each upload again and again until stopped; then returns how often each got which answer. */
export function startUploads(port: number, path: string): { stop(): Promise<Map<string, string>> } {
  let stopped = false
  const answers = Object.entries(UPLOADS).map(async ([name, upload]) => {
    const counts: Record<string, number> = {}
    while (!stopped) {
      const status = await send(port, path, upload.head, upload.body())
      counts[status] = (counts[status] ?? 0) + 1
      await sleep(100)
    }
    return [name, `${upload.expected}: ${JSON.stringify(counts).replaceAll('"', '')}`] as const
  })
  return {
    stop: async () => {
      stopped = true
      return new Map(await Promise.all(answers))
    },
  }
}

function send(port: number, path: string, head: string, body: Iterable<Buffer>): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let status = 'no answer'
    socket.setTimeout(20_000, () => socket.destroy())
    socket.on('error', () => {})
    socket.on('data', (data) => {
      status = data.toString('latin1', 9, 12)
      socket.destroy()
    })
    socket.on('close', () => resolve(status))
    socket.write(`POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${head}\r\n\r\n`)
    const pieces = body[Symbol.iterator]()
    const feed = () => {
      for (let piece = pieces.next(); !piece.done && !socket.destroyed; piece = pieces.next())
        if (!socket.write(piece.value)) return
    }
    socket.on('drain', feed)
    feed()
  })
}
