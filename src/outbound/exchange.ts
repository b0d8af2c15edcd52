// Performs one request from its slot to its reply, with the time limit and the redirects.
import type { OutboundErrorCode } from '../base/error-catalogue.ts'
import {
  type BodySource,
  isBodySource,
  type OutboundError,
  type OutboundHop,
  type OutboundReply,
  type OutboundRequest,
  type ReplySink,
} from '../engine/ports/http-client.ts'
import { CookieJar } from './cookie-jar.ts'
import type { EgressGuard, Target } from './egress-guard.ts'
import { cancelled, timedOut } from './failures.ts'
import { HopHandler, type HopOwner } from './hop-handler.ts'
import type { InFlight, Placed } from './in-flight.ts'
import { isRedirect, MAX_REDIRECTS, nextHop, tooManyRedirects } from './redirect.ts'
import type { Slots, Waiter } from './slots.ts'
import type { SocketPool } from './socket-pool.ts'
import { wireHeaders } from './wire-headers.ts'

/** Counts how requests end. */
export interface OutboundMeter {
  replied(status: number, durationMs: number): void
  failed(code: OutboundErrorCode): void
}

export interface ExchangeContext {
  readonly guard: EgressGuard
  readonly pool: SocketPool
  readonly slots: Slots
  readonly inFlight: InFlight<Exchange>
  readonly maxBodyBytes: number
  readonly hopHeader: string
  readonly meter: OutboundMeter | null
}

export class Exchange implements Waiter, HopOwner, Placed {
  readonly context: ExchangeContext
  readonly #request: OutboundRequest
  readonly #resolve: (reply: OutboundReply) => void
  readonly #reject: (error: OutboundError) => void
  /** The hop without the cookies of the jar, which are added when it is sent. */
  #hop: OutboundHop
  readonly #jar: CookieJar | null
  #sending: HopHandler | null = null
  #redirects = 0
  /** The origin whose slot is held or waited for. */
  #slot: string
  #holdsSlot = false
  #startedAt = 0
  #remainingMs: number
  #deadline = 0
  #timer: NodeJS.Timeout | undefined
  #settled = false
  /** The memory that is reserved for a large reply. */
  #roomBytes = 0
  place = -1

  constructor(
    context: ExchangeContext,
    request: OutboundRequest,
    url: URL,
    resolve: (reply: OutboundReply) => void,
    reject: (error: OutboundError) => void,
  ) {
    this.context = context
    this.#request = request
    this.#resolve = resolve
    this.#reject = reject
    const { method, headers, body, tls = null, sign = null } = request
    this.#hop = { url, method, headers, body, tls, sign }
    this.#jar = request.cookies ? new CookieJar() : null
    this.#slot = url.origin
    this.#remainingMs = request.timeoutMs
  }

  start(): void {
    const { signal } = this.#request
    this.#request.check?.(this.#hop)
    if (signal?.aborted) {
      this.cancel()
      return
    }
    signal?.addEventListener('abort', this.cancel)
    this.context.inFlight.add(this)
    if (this.context.slots.acquire(this.#slot, this)) this.granted()
  }

  granted(): void {
    this.#holdsSlot = true
    // The time limit pauses while a redirect waits for the slot of its host.
    const now = performance.now()
    if (this.#startedAt === 0) this.#startedAt = now
    this.#deadline = now + this.#remainingMs
    this.#timer = setTimeout(onTimeout, this.#remainingMs, this)
    this.#send(false)
  }

  get into(): ReplySink | null {
    return this.#request.into ?? null
  }

  timeOut(): void {
    const phase = this.#sending?.phase ?? 'connecting'
    this.fail(timedOut(this.#sending?.hostname ?? this.#hop.url.hostname, phase, this.#request.timeoutMs))
  }

  readonly cancel = (): void => this.fail(cancelled('The request was cancelled'))

  fail(error: OutboundError): void {
    if (!this.#settle()) return
    this.#sending?.giveUp()
    this.#keepRoom(0)
    this.context.meter?.failed(error.code)
    this.#reject(error)
  }

  done(status: number, headers: Record<string, string>, cookies: readonly string[], body: Uint8Array): void {
    if (!this.#settle()) return
    const { url } = this.#hop
    this.#keepRoom(body.length)
    if (url.hash) url.hash = ''
    const durationMs = performance.now() - this.#startedAt
    this.context.meter?.replied(status, durationMs)
    this.#resolve({
      status,
      headers,
      cookies,
      body,
      url: url.href,
      redirects: this.#redirects,
      durationMs: Math.round(durationMs),
    })
  }

  wantsRedirect(status: number, location: string | undefined): location is string {
    return this.#request.followRedirects && isRedirect(status, location)
  }

  redirected(status: number, location: string, setCookies: readonly string[]): void {
    try {
      if (this.#redirects === MAX_REDIRECTS) throw tooManyRedirects(this.#hop.url.hostname)
      this.#jar?.keep(this.#hop.url, setCookies, Date.now())
      this.#hop = nextHop(this.#hop, status, location)
      this.#request.check?.(this.#withCookies())
    } catch (error) {
      this.fail(error as OutboundError)
      return
    }
    this.#redirects++
    const { origin } = this.#hop.url
    if (origin === this.#slot) {
      this.#send(false)
      return
    }
    clearTimeout(this.#timer)
    this.#remainingMs = Math.max(1, this.#deadline - performance.now())
    this.#releaseSlot()
    this.#slot = origin
    if (this.context.slots.acquire(origin, this)) this.granted()
  }

  takeRoom(): true | Promise<void> {
    const { room } = this.#request
    const { maxBodyBytes } = this.context
    // A request that is sent again has reserved its memory already.
    if (!room || this.#roomBytes > 0) return true
    const granted = room.grow(maxBodyBytes)
    if (granted === true) {
      this.#roomBytes = maxBodyBytes
      return true
    }
    return granted.then(() => {
      this.#roomBytes = maxBodyBytes
      // The request ended meanwhile: nothing reads the reply.
      if (this.#settled) this.#keepRoom(0)
    })
  }

  /** Keeps the part of the reserved memory that is needed until the run ends, and frees the rest. */
  #keepRoom(bytes: number): void {
    if (this.#roomBytes > bytes) this.#request.room!.shrink(this.#roomBytes - bytes)
    this.#roomBytes = Math.min(this.#roomBytes, bytes)
  }

  /** Sends the request once more on a new socket: the server closed the kept one just as the request left. */
  sendAgain(): void {
    this.#send(true)
  }

  mayWrite(): boolean {
    return this.#request.standing?.isCertain() ?? true
  }

  heldBack(): void {
    this.#sending = null
    void this.#request.standing!.confirm().then((stands) => {
      if (!stands) this.cancel()
      else if (!this.#settled) this.#send(false)
    })
  }

  #withCookies(): OutboundHop {
    return this.#jar ? this.#jar.addTo(this.#hop, Date.now()) : this.#hop
  }

  #send(fresh: boolean): void {
    const { url, method, headers, body, tls = null } = this.#withCookies()
    const { guard, pool, hopHeader } = this.context
    let target: Target
    try {
      target = guard.target(url)
    } catch (error) {
      this.fail(error as OutboundError)
      return
    }
    const socket = pool.take(url.origin, target, tls, fresh)
    const { proxy, reader } = socket
    this.#sending = new HopHandler(this, socket, proxy ? `${url.hostname}, by ${proxy.label},` : url.hostname, method)
    const hops = target === 'webhook' ? this.#request.hops + 1 : null
    const flat = wireHeaders(headers, hopHeader, hops, reader)
    const sent = isBodySource(body) ? sentSource(body, flat) : body
    const path = url.pathname + url.search
    // RFC 9112 §3.2.2: a proxy gets the whole URL.
    socket.client.dispatch(
      { path: reader ? url.origin + path : path, method, headers: flat, body: sent as string },
      this.#sending,
    )
  }

  #settle(): boolean {
    if (this.#settled) return false
    this.#settled = true
    clearTimeout(this.#timer)
    this.#request.signal?.removeEventListener('abort', this.cancel)
    this.context.inFlight.delete(this)
    if (this.#holdsSlot) this.#releaseSlot()
    else this.context.slots.cancel(this.#slot, this)
    return true
  }

  #releaseSlot(): void {
    this.#holdsSlot = false
    this.context.slots.release(this.#slot)
  }
}

/** undici takes what can be iterated as a body, and is told its length by the header. */
function sentSource({ size, open }: BodySource, headers: string[]): AsyncIterable<Uint8Array> | string {
  if (size === 0) return ''
  headers.push('Content-Length', String(size))
  return open()
}

function onTimeout(exchange: Exchange): void {
  exchange.timeOut()
}
