// Handles undici's events of one hop: reads the reply, then hands the socket back or closes it.
import type { Dispatcher } from 'undici'
import type { OutboundError, ReplySink } from '../engine/ports/http-client.ts'
import { invalidReply, type Phase, replyFailure, tooLarge } from './failures.ts'
import { askedForUser } from './proxy/open-through-proxy.ts'
import { type BodyOwner, type ReplyBody, replyBody } from './reply-body.ts'
import type { PooledSocket, SocketPool } from './socket-pool.ts'
import { StreamedBody } from './streamed-body.ts'

/** The exchange that the hop is part of. */
export interface HopOwner {
  /** What takes the body of a reply that is no error; null: memory. */
  readonly into: ReplySink | null
  readonly context: { readonly pool: SocketPool; readonly maxBodyBytes: number }
  wantsRedirect(status: number, location: string | undefined): location is string
  redirected(status: number, location: string, setCookies: readonly string[]): void
  sendAgain(): void
  /** Returns whether the request may be written to its socket at this moment. */
  mayWrite(): boolean
  /** Called when the request was not written. */
  heldBack(): void
  /** Returns when to read on: now (true), or when the promise resolves. */
  takeRoom(): true | Promise<void>
  done(status: number, headers: Record<string, string>, cookies: readonly string[], body: Uint8Array): void
  fail(error: OutboundError): void
}

type Controller = Dispatcher.DispatchController
type Headers = Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>[2]

const MAX_INFORMATIONAL = 32
const FIRST_ERROR = 400
const MAX_REDIRECT_BODY_BYTES = 65_536

export class HopHandler implements Dispatcher.DispatchHandler, BodyOwner {
  readonly hostname: string
  maxBodyBytes: number
  phase: Phase = 'connecting'
  readonly #exchange: HopOwner
  readonly #socket: PooledSocket
  readonly #method: string
  #controller: Controller | null = null
  #status = 0
  #headers: Record<string, string> = {}
  #cookies: readonly string[] = []
  #body: ReplyBody | null = null
  #location: string | null = null
  #redirectBytes = 0
  #informational = 0
  #awaitsRoom = false
  /** The socket is back in the pool or closed; later reports of undici about this hop are ignored. */
  #over = false

  constructor(exchange: HopOwner, socket: PooledSocket, hostname: string, method: string) {
    this.#exchange = exchange
    this.#socket = socket
    this.hostname = hostname
    this.maxBodyBytes = exchange.context.maxBodyBytes
    this.#method = method
  }

  onRequestStart(controller: Controller): void {
    if (!this.#exchange.mayWrite()) {
      this.giveUp()
      controller.abort(new Error('held back'))
      this.#exchange.heldBack()
      return
    }
    this.#controller = controller
    this.phase = 'waiting'
  }

  onResponseStarted(): void {
    this.phase = 'reading'
  }

  onResponseStart(_controller: Controller, status: number, headers: Headers): void {
    if (this.#over) return
    if (status < 200) {
      if (++this.#informational > MAX_INFORMATIONAL)
        this.#exchange.fail(invalidReply(this.hostname, `it began with more than ${MAX_INFORMATIONAL} interim replies`))
      return
    }
    const { reader } = this.#socket
    if (status === 407 && reader) {
      this.#exchange.fail(askedForUser(reader))
      return
    }
    this.#status = status
    const location = first(headers['location'])
    if (this.#exchange.wantsRedirect(status, location)) {
      this.#location = location
      this.#takeCookies(headers)
      return
    }
    this.#takeHeaders(headers)
    const into = status < FIRST_ERROR ? this.#exchange.into : null
    if (into) this.maxBodyBytes = into.maxBytes
    try {
      this.#body = replyBody(
        this,
        this.#headers['content-encoding'],
        into ? (owner, flow) => new StreamedBody(owner, flow, into) : undefined,
      )
    } catch (error) {
      this.#exchange.fail(error as OutboundError)
      return
    }
    const encoded = this.#headers['content-encoding'] !== undefined
    const bodiless = this.#method === 'HEAD' || status === 204 || status === 304
    if (!encoded && !bodiless && Number(this.#headers['content-length']) > this.maxBodyBytes)
      this.#exchange.fail(tooLarge(this.hostname, this.maxBodyBytes))
  }

  // undici parsed the headers into an object that nothing else uses.
  #takeHeaders(headers: Headers): void {
    this.#takeCookies(headers)
    for (const name in headers) {
      const value = headers[name]
      if (typeof value !== 'string') headers[name] = value!.join(', ')
    }
    this.#headers = headers as Record<string, string>
  }

  #takeCookies(headers: Headers): void {
    const cookies = headers['set-cookie']
    if (cookies !== undefined) this.#cookies = typeof cookies === 'string' ? [cookies] : cookies
  }

  onResponseData(_controller: Controller, chunk: Buffer): void {
    if (this.#over) return
    if (this.#body) this.#body.write(chunk)
    else this.#skip(chunk.length)
  }

  #skip(bytes: number): void {
    this.#redirectBytes += bytes
    if (this.#redirectBytes <= MAX_REDIRECT_BODY_BYTES) return
    // Opening another socket is cheaper than reading a body that is not used.
    this.giveUp()
    this.#exchange.redirected(this.#status, this.#location!, this.#cookies)
  }

  onResponseEnd(): void {
    if (this.#over) return
    this.#over = true
    this.#exchange.context.pool.give(this.#socket)
    if (this.#body) this.#body.end()
    else this.#exchange.redirected(this.#status, this.#location!, this.#cookies)
  }

  onResponseError(_controller: Controller | null, error: Error): void {
    if (this.#over) return
    const stale = this.#socket.used && this.phase === 'waiting' && isSafe(this.#method)
    this.giveUp()
    if (stale) this.#exchange.sendAgain()
    else this.#exchange.fail(replyFailure(this.#socket.refusal ?? error, this.hostname, this.phase, this.#socket.tls))
  }

  /** Frees the socket in any state. */
  giveUp(): void {
    this.#body?.destroy()
    if (this.#over) return
    this.#over = true
    this.#exchange.context.pool.discard(this.#socket)
  }

  pause(): void {
    this.#controller?.pause()
  }

  resume(): void {
    if (!this.#over && !this.#awaitsRoom) this.#controller?.resume()
  }

  isLarge(): void {
    const room = this.#exchange.takeRoom()
    if (room === true) return
    this.#awaitsRoom = true
    this.pause()
    void room.then(() => {
      this.#awaitsRoom = false
      this.resume()
    })
  }

  bodyDone(body: Buffer): void {
    this.#exchange.done(this.#status, this.#headers, this.#cookies, body)
  }

  bodyFailed(error: OutboundError): void {
    this.#exchange.fail(error)
  }
}

// RFC 9110 §9.2.2: only a method that changes nothing is repeated without being asked.
function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS'
}

function first(value: string | string[] | undefined): string | undefined {
  return typeof value === 'object' ? value[0] : value
}
