// Writes the reply to a plain request, as node:http would.
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/** How long a connection may wait for its next request. */
export const KEEP_ALIVE_MS = 65_000

const KEEP_ALIVE = `Connection: keep-alive\r\nKeep-Alive: timeout=${KEEP_ALIVE_MS / 1_000}\r\n\r\n`
const CLOSE = 'Connection: close\r\n\r\n'

/** A body up to this length is sent with its head as one string. */
const SHORT_BODY = 16_384

/** What a reply needs of its connection. */
export interface RepliedOn {
  socket: Socket
  /** The connection closes after this reply. */
  isLast: boolean
  /** The reply is written. */
  replied(): void
}

export class PlainReply {
  statusCode = 0
  /** Called once: with false if the sender was gone. */
  onEnd: ((isSent: boolean) => void) | null = null
  readonly #connection: RepliedOn
  #head = ''
  #isEnded = false

  constructor(connection: RepliedOn) {
    this.#connection = connection
  }

  /** Headers as a flat list of names and values, which are known to have no line breaks. */
  writeHead(status: number, headers: readonly string[]): void {
    this.statusCode = status
    let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
    for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
    this.#head = `${head}Date: ${httpDate()}\r\n${this.#connection.isLast ? CLOSE : KEEP_ALIVE}`
  }

  end(body?: string | Uint8Array): void {
    const { socket } = this.#connection
    if (this.#isEnded) return
    if (body === undefined) socket.write(this.#head, 'latin1')
    else if (typeof body === 'string' && body.length <= SHORT_BODY && Buffer.byteLength(body) === body.length)
      socket.write(this.#head + body, 'latin1')
    else {
      socket.cork()
      socket.write(this.#head, 'latin1')
      socket.write(body)
      socket.uncork()
    }
    this.#end()
  }

  /** The body as it is read. */
  async stream(body: Readable): Promise<void> {
    const { socket } = this.#connection
    if (this.#isEnded) return void body.destroy()
    socket.write(this.#head, 'latin1')
    try {
      await pipeline(body, socket, { end: false })
    } catch {
      // The head has said how many bytes come: who does not get them all must not take the next reply for the rest.
      socket.destroy()
    }
    this.#end()
  }

  /** The sender has gone. */
  abandon(): void {
    this.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.onEnd?.(!this.#connection.socket.destroyed)
    this.#connection.replied()
  }
}

let second = Number.NaN
let date = ''

function httpDate(): string {
  const now = Math.floor(Date.now() / 1_000)
  if (now !== second) {
    date = new Date(now * 1_000).toUTCString()
    second = now
  }
  return date
}
