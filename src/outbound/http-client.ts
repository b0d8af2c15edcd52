// The guarded HTTP client, the only way out of the process.

import { checkHeaderName, checkHeaderValue, parseOutboundUrl } from '../engine/outbound-rules.ts'
import type { HttpClient, OutboundError, OutboundReply, OutboundRequest } from '../engine/ports/http-client.ts'
import { Dialler } from './dial.ts'
import { EgressGuard, type OwnService } from './egress-guard.ts'
import { parseEgressAllow } from './egress-rules.ts'
import { Exchange, type ExchangeContext, type OutboundMeter } from './exchange.ts'
import { cancelled } from './failures.ts'
import { InFlight } from './in-flight.ts'
import { type ProxySettings, serversOf } from './proxy/proxy-settings.ts'
import { type Lookup, sharedLookup } from './resolve-names.ts'
import { Slots } from './slots.ts'
import { SocketPool } from './socket-pool.ts'

export { type EgressRules, parseEgressAllow } from './egress-rules.ts'

export interface HttpClientOptions {
  /** The entries of MILLRACE_EGRESS_ALLOW. */
  allow: readonly string[]
  own: OwnService
  /** Requests in flight, in total and per origin. */
  concurrency: number
  perHost: number
  /** The limit of a reply's body, after decoding. */
  maxBodyBytes?: number
  /** Resolves names in place of the system. */
  lookup?: Lookup
  /** Certificates of authorities that are trusted besides the usual ones, in PEM. */
  ca?: readonly string[]
  meter?: OutboundMeter
  /** The proxy that requests go through; null: none. */
  proxies?: ProxySettings | null
}

export interface OutboundClient extends HttpClient {
  /** Fails the requests in flight as cancelled, and closes every socket. */
  close(): Promise<void>
  stats(): { inFlight: number; waiting: number }
}

const MAX_BODY_BYTES = 10_485_760

export function createHttpClient(options: HttpClientOptions): OutboundClient {
  const proxies = options.proxies ?? null
  // No flow reaches the proxy itself.
  const endpoints = [...options.own.endpoints, ...serversOf(proxies)]
  const guard = new EgressGuard(parseEgressAllow(options.allow), { ...options.own, endpoints })
  const context: ExchangeContext = {
    guard,
    pool: new SocketPool(new Dialler(guard, sharedLookup(options.lookup), options.ca ?? []), proxies),
    slots: new Slots(options.concurrency, options.perHost),
    inFlight: new InFlight(),
    maxBodyBytes: options.maxBodyBytes ?? MAX_BODY_BYTES,
    hopHeader: options.own.hopHeader.toLowerCase(),
    meter: options.meter ?? null,
  }
  let closed = false

  function send(request: OutboundRequest): Promise<OutboundReply> {
    return new Promise((resolve, reject) => {
      try {
        if (closed) throw cancelled('The service is stopping')
        const url = parseOutboundUrl(request.url)
        for (const { name, value } of request.headers) {
          checkHeaderName(name)
          checkHeaderValue(name, value)
        }
        new Exchange(context, request, url, resolve, reject).start()
      } catch (error) {
        context.meter?.failed((error as OutboundError).code)
        throw error
      }
    })
  }

  return {
    send,
    async close() {
      closed = true
      for (const exchange of context.inFlight.all()) exchange.fail(cancelled('The service is stopping'))
      await context.pool.closeAll()
    },
    stats: () => ({ inFlight: context.slots.active, waiting: context.slots.waiting }),
  }
}
