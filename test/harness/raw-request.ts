// A sender that controls every byte: sends requests that no HTTP client would send.
import { connect, type Socket } from 'node:net'
import type { Answer } from './millrace.ts'

export interface RequestParts {
  method?: string
  target: string
  /** Header lines as they are sent. Host, Content-Type and the length are added if they are missing. */
  headers?: string[]
  body?: string | Buffer
}

export function requestBytes({ method = 'POST', target, headers = [], body = '{}' }: RequestParts): Buffer {
  const given = (name: string) => headers.some((line) => line.toLowerCase().startsWith(`${name}:`))
  const lines = [`${method} ${target} HTTP/1.1`]
  if (!given('host')) lines.push('Host: 127.0.0.1')
  if (!given('content-type')) lines.push('Content-Type: application/json')
  lines.push(...headers)
  if (!given('content-length') && !given('transfer-encoding'))
    lines.push(`Content-Length: ${Buffer.byteLength(body as string)}`)
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body as string)])
}

export interface RawConnection {
  socket: Socket
  write(data: string | Buffer): void
  /** Resolves with the next reply, an interim one (100) included. */
  reply(): Promise<Answer>
  /** Returns everything that was received after the last reply. */
  rest(): string
  /** Resolves when the other side has closed. */
  ended: Promise<void>
}

export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = Buffer.alloc(0)
  let over = false
  let wake = () => {}
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk])
    wake()
  })
  socket.on('error', () => {})
  const ended = new Promise<void>((resolve) => {
    const end = () => {
      over = true
      wake()
      resolve()
    }
    socket.on('end', end)
    socket.on('close', end)
  })
  await new Promise<void>((resolve) => socket.on('connect', resolve))
  return {
    socket,
    ended,
    write: (data) => void socket.write(data),
    rest: () => received.toString('latin1'),
    async reply() {
      for (;;) {
        const parsed = parseReply(received)
        if (parsed) {
          received = received.subarray(parsed.length)
          return parsed.answer
        }
        if (over) throw new Error(`the connection ended before a whole reply: ${received.toString('latin1')}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
  }
}

/** Sends bytes on a new socket; returns the answer, and whether the service closed the socket after it. */
export async function sendRaw(port: number, bytes: string | Buffer): Promise<Answer> {
  const connection = await connectRaw(port)
  connection.write(bytes)
  try {
    return await connection.reply()
  } finally {
    connection.socket.destroy()
  }
}

function parseReply(bytes: Buffer): { answer: Answer; length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const [statusLine, ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine!)?.[1])
  const headers = new Headers(lines.map((line) => /^(.*?):\s*(.*)$/.exec(line)!.slice(1) as [string, string]))
  const bodyLength = Number(headers.get('content-length') ?? 0)
  const length = headEnd + 4 + bodyLength
  if (bytes.length < length) return null
  const text = bytes.subarray(headEnd + 4, length).toString()
  const isJson = headers.get('content-type')?.includes('json') && text !== ''
  return { answer: { status, headers, body: isJson ? JSON.parse(text) : text }, length }
}
