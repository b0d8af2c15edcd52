// Opens sockets: resolves the name, asks the guard about every address, connects, checks the certificate.
import { isIP, type LookupFunction, connect as netConnect, type Socket } from 'node:net'
import {
  createSecureContext,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
  connect as tlsConnect,
} from 'node:tls'
import type { TlsIdentity } from '../engine/ports/tls.ts'
import type { EgressGuard, Target } from './egress-guard.ts'
import { dialFailure } from './failures.ts'
import { openThroughProxy } from './proxy/open-through-proxy.ts'
import type { ProxyServer } from './proxy/proxy-settings.ts'
import type { Lookup, ResolvedAddress } from './resolve-names.ts'
import { secureOptions } from './tls/secure-options.ts'

export interface Destination {
  protocol: string
  /** The host as in the URL, without brackets. */
  hostname: string
  port: number
  target: Target
  /** The proxy on the way; null: the socket leads to the host itself. */
  proxy: ProxyServer | null
  tls: TlsIdentity | null
}

export type DialCallback = (error: Error | null, socket: Socket | null) => void

/** What a caller can do while the socket connects. */
export interface Dialling {
  destroy(): void
}

/** The last TLS session with a destination, to resume. */
export interface SessionCache {
  session: Buffer | undefined
}

export class Dialler {
  readonly #guard: EgressGuard
  readonly #lookup: Lookup
  readonly #trust: { ca?: string[] }
  readonly #secureContext: SecureContext
  /** Each lives as long as its identity, which a change of the connection replaces. */
  readonly #ofIdentity = new WeakMap<TlsIdentity, SecureContext>()

  constructor(guard: EgressGuard, lookup: Lookup, ca: readonly string[]) {
    this.#guard = guard
    this.#lookup = lookup
    this.#trust = ca.length ? { ca: [...getCACertificates('default'), ...ca] } : {}
    this.#secureContext = createSecureContext(this.#trust)
  }

  dial(destination: Destination, cache: SessionCache, callback: DialCallback): Dialling {
    const names = destination.target === 'outside' ? this.#guard.namedEndpoints(destination.port) : []
    if (names.length === 0) return this.#open(destination, [], cache, callback)
    let dialling: Dialling = { destroy: () => (destroyed = true) }
    let destroyed = false
    this.#resolveAll(names, (error, forbidden) => {
      if (destroyed) return
      // If the forbidden addresses are unknown, nothing may pass.
      if (error) callback(dialFailure(error, names[0]!, destination.port, false, null), null)
      else dialling = this.#open(destination, forbidden, cache, callback)
    })
    return { destroy: () => dialling.destroy() }
  }

  #open(destination: Destination, forbidden: readonly string[], cache: SessionCache, callback: DialCallback): Dialling {
    const { proxy, protocol, hostname, port } = destination
    if (proxy === null) return this.#connect(destination, null, forbidden, cache, callback)
    const refused = this.#guard.refusalByName(hostname, port, forbidden)
    if (refused) {
      callback(refused, null)
      return { destroy() {} }
    }
    // The operator names the proxy, whatever its address is.
    const way = { lookup: this.#guardedLookup(() => null), secureContext: this.#secureContext }
    let dialling = openThroughProxy(proxy, destination, way, (error, socket) => {
      if (error || protocol === 'http:') callback(error, socket)
      else dialling = this.#connect(destination, socket, forbidden, cache, callback)
    })
    return { destroy: () => dialling.destroy() }
  }

  /** `tunnel`: a socket that a proxy has connected to the host; null: a new one is opened. */
  #connect(
    destination: Destination,
    tunnel: Socket | null,
    forbidden: readonly string[],
    cache: SessionCache,
    callback: DialCallback,
  ): Dialling {
    const { protocol, hostname, port, target, tls } = destination
    const refusal = (address: string) =>
      target === 'webhook' || tunnel ? null : this.#guard.refusal(hostname, port, address, forbidden)
    // `lookup` is not asked about literal addresses.
    const refusedLiteral = isIP(hostname) ? refusal(hostname) : null
    if (refusedLiteral) {
      callback(refusedLiteral, null)
      return { destroy() {} }
    }
    const lookup = this.#guardedLookup(refusal)
    const secure = protocol === 'https:'
    const serverName = tls?.settings.serverName ?? hostname.replace(/\.$/, '')
    // `autoSelectFamily` is missing in the types of tls.connect, which hands it on.
    const tcp = { host: hostname, port, lookup, autoSelectFamily: true }
    const socket: Socket = secure
      ? tlsConnect({
          ...(tunnel ? { socket: tunnel } : tcp),
          secureContext: tls ? this.#contextOf(tls) : this.#secureContext,
          // RFC 6066: no server name for literal addresses.
          servername: isIP(serverName) ? undefined : serverName,
          // Said here, nothing in the environment takes it back.
          rejectUnauthorized: true,
          session: cache.session,
          ALPNProtocols: ['http/1.1'],
        })
      : netConnect(tcp)
    let answered = false
    const answer = (error: Error | null): void => {
      if (answered) return
      answered = true
      if (error) callback(error, null)
      else callback(null, socket)
    }
    socket.setNoDelay(true)
    socket.setKeepAlive(true, 60_000)
    socket.once('connect', () => {
      const refused = refusal(socket.remoteAddress!)
      if (refused) {
        answer(refused)
        socket.destroy()
      } else if (!secure) answer(null)
    })
    if (secure) {
      socket.once('secureConnect', () => answer(null))
      socket.on('session', (session: Buffer) => {
        cache.session = session
      })
    }
    socket.on('error', (error) => {
      // A session that led to a failure is not resumed.
      cache.session = undefined
      answer(dialFailure(error, hostname, port, Boolean((socket as Partial<TLSSocket>).authorizationError), tls))
    })
    return socket
  }

  #contextOf(tls: TlsIdentity): SecureContext {
    const known = this.#ofIdentity.get(tls)
    if (known) return known
    const made = createSecureContext({ ...this.#trust, ...secureOptions(tls.settings) })
    this.#ofIdentity.set(tls, made)
    return made
  }

  #guardedLookup(refusal: (address: string) => Error | null): LookupFunction {
    return (hostname, _options, callback) => {
      this.#lookup(hostname, (error, addresses) => {
        // One blocked address refuses the name: with a mixed answer the dialled one would be chance.
        const refused = addresses.map(({ address }) => refusal(address)).find((each) => each !== null)
        const fault = error ?? refused ?? (addresses.length === 0 ? noAddress() : null)
        callback(fault as NodeJS.ErrnoException | null, addresses as ResolvedAddress[])
      })
    }
  }

  #resolveAll(names: readonly string[], callback: (error: Error | null, addresses: string[]) => void): void {
    const found: string[] = []
    let fault: Error | null = null
    let open = names.length
    for (const name of names)
      this.#lookup(name, (error, addresses) => {
        fault ??= error
        found.push(...addresses.map(({ address }) => address))
        if (--open === 0) callback(fault, found)
      })
  }
}

function noAddress(): Error {
  return Object.assign(new Error('no address'), { code: 'ENOTFOUND' })
}
