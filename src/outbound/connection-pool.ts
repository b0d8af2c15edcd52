// Keep-alive connections by origin. One undici Client per socket and one request per Client at a time, so that giving up
// a request frees exactly its socket, also while it connects.
import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { Dialler, Dialling, SessionCache } from './dial.ts'
import type { Target } from './egress-guard.ts'

const MAX_HEADER_BYTES = 65_536
/** Above this the longest unused connection is closed. */
const MAX_IDLE = 1024

export interface Connection {
  readonly client: Client
  /** It carried a request before. */
  used: boolean
  /** Closes the socket, connected or not. */
  destroy(): Promise<void>
}

class PooledConnection implements Connection {
  readonly client: Client
  readonly siblings: Siblings
  used = false
  idle = false
  #dialling: Dialling | null = null

  constructor(siblings: Siblings, dialler: Dialler, onDisconnect: (connection: PooledConnection) => void) {
    this.siblings = siblings
    const { origin, target } = siblings
    this.client = new Client(origin, {
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // One timer of the exchange covers everything.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveMaxTimeout: 60_000,
      connect: ({ hostname, protocol, port }, callback) => {
        const destination = { hostname, protocol, port: Number(port) || (protocol === 'https:' ? 443 : 80), target }
        this.#dialling = dialler.dial(destination, siblings, (error, socket) => {
          if (error) callback(error, null)
          else callback(null, socket as Socket)
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

/** The connections of one origin and target. */
interface Siblings extends SessionCache {
  key: string
  origin: string
  target: Target
  idle: PooledConnection[]
  open: number
}

export class ConnectionPool {
  readonly #dialler: Dialler
  readonly #origins = new Map<string, Siblings>()
  readonly #all = new Set<PooledConnection>()
  /** Longest unused first. */
  readonly #idle = new Set<PooledConnection>()

  constructor(dialler: Dialler) {
    this.#dialler = dialler
  }

  /** An idle connection, the last used first, or a new one. Never one that was opened for another target. */
  take(origin: string, target: Target, fresh: boolean): Connection {
    const key = target === 'outside' ? origin : `${target} ${origin}`
    let siblings = this.#origins.get(key)
    if (siblings === undefined) {
      siblings = { key, origin, target, idle: [], open: 0, session: undefined }
      this.#origins.set(key, siblings)
    }
    const reused = fresh ? undefined : siblings.idle.pop()
    if (reused) {
      this.#idle.delete(reused)
      reused.idle = false
      return reused
    }
    const connection = new PooledConnection(siblings, this.#dialler, (closed) => closed.idle && this.discard(closed))
    siblings.open++
    this.#all.add(connection)
    return connection
  }

  give(connection: Connection): void {
    const pooled = connection as PooledConnection
    pooled.used = true
    pooled.idle = true
    pooled.siblings.idle.push(pooled)
    this.#idle.add(pooled)
    if (this.#idle.size > MAX_IDLE) {
      const longest = this.#idle.values().next().value!
      this.discard(longest)
    }
  }

  discard(connection: Connection): void {
    const pooled = connection as PooledConnection
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
    for (const connection of all) this.discard(connection)
    await Promise.all(all.map((connection) => connection.destroy()))
  }
}
