// Keeps sockets alive, by origin. There is one undici Client per socket and one request per Client at a time, so that giving
// up a request frees exactly its socket, even while it connects.
import type { Socket } from 'node:net'
import Client from 'undici/lib/dispatcher/client.js'
import type { TlsIdentity } from '../engine/ports/tls.ts'
import type { Dialler, Dialling, SessionCache } from './dial.ts'
import type { Target } from './egress-guard.ts'
import { type ProxyServer, type ProxySettings, proxyFor } from './proxy/proxy-settings.ts'

const MAX_HEADER_BYTES = 65_536
/** Above this number the pool closes the socket that is unused for the longest time. */
const MAX_IDLE = 1024

export interface PooledSocket {
  readonly client: Client
  /** The proxy that the socket leads through; null: none. */
  readonly proxy: ProxyServer | null
  /** The proxy if it reads the requests, those of http URLs: in the tunnel of an https URL it sees none. */
  readonly reader: ProxyServer | null
  /** Whose certificate the socket shows; null: it shows none. */
  readonly tls: TlsIdentity | null
  /** What the server refused after the handshake, as TLS 1.3 does; undici reports only that the socket was closed. */
  readonly refusal: Error | null
  /** The socket has carried a request before. */
  used: boolean
  /** Closes the socket, connected or not. */
  destroy(): Promise<void>
}

class OriginSocket implements PooledSocket {
  readonly client: Client
  readonly proxy: ProxyServer | null
  readonly reader: ProxyServer | null
  readonly siblings: Siblings
  readonly tls: TlsIdentity | null
  refusal: Error | null = null
  used = false
  idle = false
  #dialling: Dialling | null = null

  constructor(
    siblings: Siblings,
    tls: TlsIdentity | null,
    dialler: Dialler,
    onDisconnect: (socket: OriginSocket) => void,
  ) {
    this.siblings = siblings
    this.tls = tls
    const { origin, target, proxy } = siblings
    this.proxy = proxy
    this.reader = origin.startsWith('http:') ? proxy : null
    this.client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // The timer of the exchange covers all of these.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
      connect: ({ hostname, protocol, port }, callback) => {
        const number = Number(port) || (protocol === 'https:' ? 443 : 80)
        const destination = { hostname, protocol, port: number, target, proxy, tls }
        this.#dialling = dialler.dial(destination, siblings, (error, socket) => {
          if (error) return callback(error, null)
          socket!.on('error', (fault: NodeJS.ErrnoException) => {
            if (fault.code?.startsWith('ERR_SSL')) this.refusal = fault
          })
          callback(null, socket as Socket)
        })
      },
    })
    this.client.on('disconnect', () => onDisconnect(this))
  }

  destroy(): Promise<void> {
    this.#dialling?.destroy()
    return this.client.destroy()
  }
}

/** The sockets of one origin, target and TLS identity, and so of one route. TLS sessions are resumed among them only. */
interface Siblings extends SessionCache {
  key: string
  origin: string
  target: Target
  proxy: ProxyServer | null
  idle: OriginSocket[]
  open: number
}

export class SocketPool {
  readonly #dialler: Dialler
  readonly #proxies: ProxySettings | null
  readonly #origins = new Map<string, Siblings>()
  readonly #all = new Set<OriginSocket>()
  /** The idle sockets, the longest unused first. */
  readonly #idle = new Set<OriginSocket>()

  constructor(dialler: Dialler, proxies: ProxySettings | null) {
    this.#dialler = dialler
    this.#proxies = proxies
  }

  /** Returns the idle socket that was used last, or a new one; never one that was opened for another target or as another identity. */
  take(origin: string, target: Target, tls: TlsIdentity | null, fresh: boolean): PooledSocket {
    const place = target === 'outside' ? origin : `${target} ${origin}`
    const key = tls === null ? place : `${place} ${tls.digest}`
    let siblings = this.#origins.get(key)
    if (siblings === undefined) {
      const proxy = target === 'outside' && this.#proxies ? proxyFor(this.#proxies, origin) : null
      siblings = { key, origin, target, proxy, idle: [], open: 0, session: undefined }
      this.#origins.set(key, siblings)
    }
    const reused = fresh ? undefined : siblings.idle.pop()
    if (reused) {
      this.#idle.delete(reused)
      reused.idle = false
      return reused
    }
    const socket = new OriginSocket(siblings, tls, this.#dialler, (closed) => closed.idle && this.discard(closed))
    siblings.open++
    this.#all.add(socket)
    return socket
  }

  give(socket: PooledSocket): void {
    const pooled = socket as OriginSocket
    pooled.used = true
    pooled.idle = true
    pooled.siblings.idle.push(pooled)
    this.#idle.add(pooled)
    if (this.#idle.size > MAX_IDLE) {
      const longest = this.#idle.values().next().value!
      this.discard(longest)
    }
  }

  discard(socket: PooledSocket): void {
    const pooled = socket as OriginSocket
    if (!this.#all.delete(pooled)) return
    const { siblings } = pooled
    if (pooled.idle) {
      pooled.idle = false
      this.#idle.delete(pooled)
      siblings.idle.splice(siblings.idle.indexOf(pooled), 1)
    }
    if (--siblings.open === 0) this.#origins.delete(siblings.key)
    void pooled.destroy()
  }

  async closeAll(): Promise<void> {
    const all = [...this.#all]
    for (const socket of all) this.discard(socket)
    await Promise.all(all.map((socket) => socket.destroy()))
  }
}
