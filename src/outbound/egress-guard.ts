// Decides what a request may reach: by its URL before it is sent, and by the address when a socket connects.
import { isIP } from 'node:net'
import { hostname as machineName, networkInterfaces } from 'node:os'
import type { Address } from '../base/address-range.ts'
import { CODE, filled, OUTBOUND_ERRORS } from '../base/error-catalogue.ts'
import { OutboundError } from '../engine/ports/http-client.ts'
import { isMetadata, isMetadataName, isPrivateName, specialRange, unwrapped } from './address-ranges.ts'
import { allowsAddress, allowsHost, type EgressRules, namesAddress, withoutFinalDot } from './egress-rules.ts'

export interface OwnService {
  /** The origin of MILLRACE_BASE_URL. */
  origin: string
  /** The origin of MILLRACE_WEBHOOK_BASE_URL; the same if it is not set. */
  webhookOrigin: string
  webhookPrefix: string
  /** The header that says how many webhooks of this service precede a call. */
  hopHeader: string
  /** The addresses that this service listens on, its database and its proxy: never reachable, whatever is allowed. */
  endpoints: readonly { host: string; port: number }[]
}

/** `webhook`: a webhook of this service; `outside`: everything else. */
export type Target = 'webhook' | 'outside'

const LOOPBACK_HOSTS = ['localhost', '127.0.0.1', '[::1]']
export class EgressGuard {
  readonly #rules: EgressRules
  readonly #own: OwnService
  readonly #ownOrigins: ReadonlySet<string>
  readonly #webhookOrigins: ReadonlySet<string>

  constructor(rules: EgressRules, own: OwnService) {
    this.#rules = rules
    this.#own = own
    this.#webhookOrigins = new Set(spellings(own.webhookOrigin))
    this.#ownOrigins = new Set([...spellings(own.origin), ...this.#webhookOrigins])
  }

  /** Checks every send and redirect: a pooled socket must not carry a request that could not have opened it. */
  target(url: URL): Target {
    const origin = url.hostname.endsWith('.') ? url.origin.replace(url.hostname, url.hostname.slice(0, -1)) : url.origin
    if (!this.#ownOrigins.has(origin)) return 'outside'
    if (this.#webhookOrigins.has(origin) && this.#isWebhook(url.pathname)) return 'webhook'
    throw this.#ownRefusal(url.host)
  }

  // Plain segments only: no escape, empty or dot segment that a proxy in front could read as another path.
  #isWebhook(path: string): boolean {
    const { webhookPrefix } = this.#own
    return path.startsWith(webhookPrefix) && /^[\w-]+(?:\/[\w-]+)*\/?$/.test(path.slice(webhookPrefix.length))
  }

  /** Checks the address of every socket to the outside. `forbidden`: the addresses that `namedEndpoints` resolved to. */
  refusal(hostname: string, port: number, dialled: string, forbidden: readonly string[]): OutboundError | null {
    const address = unwrapped(dialled)
    if (this.#isOwnEndpoint(address, port, forbidden)) return this.#ownRefusal(`${hostname}:${port}`)
    // Metadata addresses hand out the machine's credentials: neither an allowed network nor an allowed name leads to them.
    if (isMetadata(address) && !namesAddress(this.#rules, address, port)) return this.#metadataRefusal(hostname)
    const range = specialRange(address)
    if (range === null || allowsHost(this.#rules, hostname, port) || allowsAddress(this.#rules, address, port))
      return null
    // The message does not name the address behind a host name: it would reveal the internal network.
    return blocked(
      filled(OUTBOUND_ERRORS.blocked_address.message, { host: hostname, leadsTo: leadsTo(hostname), range }),
    )
  }

  /** Checks what can be known of a request before a proxy gets it, which resolves the name itself. */
  refusalByName(hostname: string, port: number, forbidden: readonly string[]): OutboundError | null {
    if (isIP(hostname)) return this.refusal(hostname, port, hostname, forbidden)
    const name = withoutFinalDot(hostname)
    if (this.#isOwnName(name, port)) return this.#ownRefusal(`${hostname}:${port}`)
    if (isMetadataName(name)) return this.#metadataRefusal(hostname)
    if (!isPrivateName(name) || allowsHost(this.#rules, hostname, port)) return null
    return blocked(
      `${hostname} is a name of private networks`,
      'Only public hosts can be reached by default. The operator of this service can open more with MILLRACE_EGRESS_ALLOW.',
    )
  }

  /** The names of the own machine count on the ports of all own endpoints. */
  #isOwnName(name: string, port: number): boolean {
    const endpoints = this.#own.endpoints.filter((endpoint) => endpoint.port === port)
    if (endpoints.length === 0) return false
    const ours = [this.#own.origin, this.#own.webhookOrigin].map((origin) => new URL(origin).hostname)
    const names = [...endpoints.map(({ host }) => host), ...ours, machineName()]
    return names.some((each) => withoutFinalDot(each.toLowerCase()) === name)
  }

  #metadataRefusal(hostname: string): OutboundError {
    const hint =
      'The operator of this service can allow it with MILLRACE_EGRESS_ALLOW, with the exact address and not a range.'
    return blocked(`${hostname} ${leadsTo(hostname)} an address of cloud metadata`, hint)
  }

  /** Returns the names among the own endpoints on that port; their addresses must be known before dialling. */
  namedEndpoints(port: number): string[] {
    return this.#own.endpoints
      .filter((endpoint) => endpoint.port === port && !isIP(endpoint.host) && endpoint.host !== 'localhost')
      .map((endpoint) => endpoint.host)
  }

  #isOwnEndpoint(address: Address, port: number, forbidden: readonly string[]): boolean {
    const endpoints = this.#own.endpoints.filter((endpoint) => endpoint.port === port)
    if (endpoints.length === 0) return false
    const addresses = [...forbidden, ...endpoints.map((endpoint) => endpoint.host).filter((host) => isIP(host))]
    const local = endpoints.some((endpoint) => endpoint.host === 'localhost') || addresses.some(isThisMachine)
    return (local && isThisMachine(address.toString())) || addresses.some((own) => same(unwrapped(own), address))
  }

  #ownRefusal(host: string): OutboundError {
    return blocked(
      `${host} belongs to this service itself`,
      `Flows can call only the webhooks of this service: ${this.#own.webhookOrigin}${this.#own.webhookPrefix}<webhook id>.`,
    )
  }
}

const leadsTo = (hostname: string): string => (isIP(hostname) ? 'is' : 'resolves to')

/** Returns the spellings of one origin. */
function spellings(own: string): string[] {
  const { protocol, hostname, port } = new URL(own)
  const hosts = LOOPBACK_HOSTS.includes(hostname) ? LOOPBACK_HOSTS : [withoutFinalDot(hostname)]
  return hosts.map((host) => `${protocol}//${host}${port ? `:${port}` : ''}`)
}

export function blocked(message: string, hint?: string): OutboundError {
  return new OutboundError(CODE.blocked_address, message, hint)
}

/** Returns whether the address is a loopback or wildcard address, or one of an interface. */
function isThisMachine(text: string): boolean {
  const address = unwrapped(text)
  const range = specialRange(address)
  if (range === 'loopback' || range === 'unspecified') return true
  return Object.values(networkInterfaces()).some((list) =>
    list?.some((entry) => same(unwrapped(entry.address), address)),
  )
}

function same(a: Address, b: Address): boolean {
  return a.toString() === b.toString()
}
