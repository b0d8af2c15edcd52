// Parses MILLRACE_EGRESS_ALLOW: what may be reached although it is not public.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, isInRange } from '../base/address-range.ts'
import { type Range, unwrapped } from './address-ranges.ts'

interface Allowed<T> {
  what: T
  /** null: any port. */
  port: number | null
}

export interface EgressRules {
  ranges: readonly Allowed<Range>[]
  hosts: readonly Allowed<string>[]
}

const WORDS: Record<string, readonly string[]> = {
  private: ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'],
  loopback: ['127.0.0.0/8', '::1/128'],
}
const EXAMPLE = 'write for example private, loopback, 10.0.0.0/8, 192.168.1.20, [fd00::5]:8080 or api.internal:8080'

/** Throws an Error with one line that says what is wrong with an entry. */
export function parseEgressAllow(entries: readonly string[]): EgressRules {
  const ranges: Allowed<Range>[] = []
  const hosts: Allowed<string>[] = []
  for (const raw of entries) {
    const entry = raw.trim()
    const word = WORDS[entry.toLowerCase()]
    if (word) ranges.push(...word.map((cidr) => ({ what: ipaddr.parseCIDR(cidr), port: null })))
    else if (entry.includes('/')) ranges.push({ what: cidr(entry), port: null })
    else if (isIP(entry)) ranges.push({ what: single(entry), port: null })
    else hostOrAddress(entry, ranges, hosts)
  }
  return { ranges, hosts }
}

export function allowsHost(rules: EgressRules, hostname: string, port: number): boolean {
  const name = withoutFinalDot(hostname)
  return rules.hosts.some((host) => host.what === name && (host.port === null || host.port === port))
}

export function allowsAddress(rules: EgressRules, address: Address, port: number): boolean {
  return rules.ranges.some((range) => (range.port === null || range.port === port) && isInRange(address, range.what))
}

/** Returns whether a rule names exactly this address, and not a range that contains it. */
export function namesAddress(rules: EgressRules, address: Address, port: number): boolean {
  const bits = address.kind() === 'ipv4' ? 32 : 128
  const alone = rules.ranges.filter(({ what }) => what[1] === bits)
  return allowsAddress({ hosts: [], ranges: alone }, address, port)
}

/** Returns the name without a final dot: `localhost.` is `localhost`. */
export function withoutFinalDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname
}

function cidr(entry: string): Range {
  const [address, bits] = entry.split('/') as [string, string]
  const family = isIP(address)
  if (family === 0 || !/^\d{1,3}$/.test(bits) || Number(bits) > (family === 4 ? 32 : 128))
    throw new Error(`${JSON.stringify(entry)} is not a CIDR range; ${EXAMPLE}`)
  return [ipaddr.parse(address), Number(bits)]
}

function single(address: string): Range {
  const parsed = unwrapped(address)
  return [parsed, parsed.kind() === 'ipv4' ? 32 : 128]
}

function hostOrAddress(entry: string, ranges: Allowed<Range>[], hosts: Allowed<string>[]): void {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:/@?#[\]*]+)(?::(\d{1,5}))?$/i.exec(entry)
  const port = match?.[2] === undefined ? null : Number(match[2])
  const url = match && URL.parse(`http://${match[1]}`)
  if (!match || !url || port === 0 || (port ?? 0) > 65_535)
    throw new Error(`${JSON.stringify(entry)} is neither a CIDR range nor a host; ${EXAMPLE}`)
  // The name is parsed like the URL of a request, so that spellings agree.
  const name = withoutFinalDot(url.hostname)
  const literal = name.startsWith('[') ? name.slice(1, -1) : name
  if (isIP(literal)) ranges.push({ what: single(literal), port })
  else hosts.push({ what: name, port })
}
