// Serves plain deliveries straight from their sockets: node:http takes more time for each than all of Millrace's own checks. A
// connection is node:http's for good as soon as anything else comes on it, or requests that do not wait for one another.
import type { Socket } from 'node:net'
import { PlainExchange } from '../exchange.ts'
import { KEEP_ALIVE_MS, PlainReply, type RepliedOn } from './plain-reply.ts'
import { type PlainRequest, readRequest } from './read-request.ts'

export interface PlainTerms {
  take(exchange: PlainExchange): void
  /** Gives a connection to node:http, with its bytes put back. */
  leave(socket: Socket): void
  /** Nothing came on it. */
  late(socket: Socket): void
  /** How long a connection may wait for its first request. */
  firstWithinMs: number
}

const LOOK_MS = 1_000

export class PlainConnections {
  readonly terms: PlainTerms
  readonly #open = new Set<PlainConnection>()
  readonly #looking: NodeJS.Timeout
  /** How often was looked for connections that were quiet for too long. A timer for each would be set anew with each request. */
  looks = 0
  isClosing = false

  constructor(terms: PlainTerms) {
    this.terms = terms
    this.#looking = setInterval(() => {
      this.looks++
      for (const connection of this.#open) connection.closeIfLate()
    }, LOOK_MS).unref()
  }

  accept(socket: Socket): void {
    this.#open.add(new PlainConnection(socket, this))
  }

  gone(connection: PlainConnection): void {
    this.#open.delete(connection)
  }

  /** Closes each connection once its reply is sent. */
  close(): void {
    this.isClosing = true
    clearInterval(this.#looking)
    for (const connection of this.#open) connection.closeIfIdle()
  }

  destroyAll(): void {
    for (const { socket } of this.#open) socket.destroy()
  }
}

class PlainConnection implements RepliedOn {
  readonly socket: Socket
  readonly #all: PlainConnections
  /** What the sender waits for. */
  #reply: PlainReply | null = null
  #hasServed = false
  #quietSince: number
  #hasEnded = false
  /** The sender did not wait for the reply before it went on. */
  #isAhead = false

  constructor(socket: Socket, all: PlainConnections) {
    this.socket = socket
    this.#all = all
    socket.on('data', this.#onData)
    socket.on('end', this.#onEnd)
    socket.on('close', this.#onClose)
    socket.on('error', this.#onError)
    this.#quietSince = all.looks
  }

  get isLast(): boolean {
    return this.#hasEnded || this.#all.isClosing
  }

  readonly #onData = (bytes: Buffer): void => {
    const { socket } = this
    const isAhead = this.#reply !== null || socket.writableNeedDrain
    const request = isAhead ? null : readRequest(bytes, socket)
    if (request) this.#serve(request)
    else {
      socket.pause()
      socket.unshift(bytes)
      if (this.#reply === null) this.#leave()
      else this.#isAhead = true
    }
  }

  #serve(request: PlainRequest): void {
    this.#hasServed = true
    this.#reply = new PlainReply(this)
    this.#all.terms.take(new PlainExchange(request, this.#reply))
  }

  #leave(): void {
    const { socket } = this
    this.#all.gone(this)
    socket.off('data', this.#onData)
    socket.off('end', this.#onEnd)
    socket.off('close', this.#onClose)
    socket.off('error', this.#onError)
    this.#all.terms.leave(socket)
    socket.resume()
  }

  replied(): void {
    this.#reply = null
    this.#quietSince = this.#all.looks
    if (this.socket.destroyed) return
    if (this.isLast) this.socket.destroySoon()
    else if (this.#isAhead) this.#leave()
  }

  closeIfIdle(): void {
    if (this.#reply === null) this.socket.destroySoon()
  }

  /** The sender sends no more, but may still read. */
  readonly #onEnd = (): void => {
    this.#hasEnded = true
    this.closeIfIdle()
  }

  readonly #onClose = (): void => {
    this.#all.gone(this)
    this.#reply?.abandon()
  }

  /** The socket closes after it. */
  readonly #onError = (): void => {}

  /** Nobody is late who waits for a reply, or is still reading one. */
  closeIfLate(): void {
    const { socket } = this
    const { looks, terms } = this.#all
    if (this.#reply !== null || socket.writableLength > 0) this.#quietSince = looks
    // The first of these looks may have come at once.
    const quietMs = (looks - this.#quietSince - 1) * LOOK_MS
    if (!this.#hasServed && quietMs >= terms.firstWithinMs) terms.late(socket)
    else if (quietMs >= KEEP_ALIVE_MS) socket.destroy()
  }
}
