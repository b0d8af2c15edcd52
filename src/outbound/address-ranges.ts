// Tells which addresses are public, by the IANA special-purpose registries; an address not known to be public is not. Where
// only a name is known, tells which names cannot be public.
import ipaddr, { type IPv6 } from 'ipaddr.js'
import { type Address, isInRange } from '../base/address-range.ts'

export type Range = [Address, number]

const NOT_PUBLIC_V4: readonly [string, string][] = [
  ['0.0.0.0/8', 'unspecified'],
  ['10.0.0.0/8', 'private'],
  ['100.64.0.0/10', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'loopback'],
  // Azure's host services: routable space, answered inside the machine.
  ['168.63.129.16/32', 'cloud metadata'],
  ['169.254.0.0/16', 'link-local'],
  ['172.16.0.0/12', 'private'],
  ['192.0.0.0/24', 'reserved'],
  ['192.0.2.0/24', 'documentation'],
  ['192.88.99.0/24', 'reserved'],
  ['192.168.0.0/16', 'private'],
  ['198.18.0.0/15', 'benchmarking'],
  ['198.51.100.0/24', 'documentation'],
  ['203.0.113.0/24', 'documentation'],
  ['224.0.0.0/4', 'multicast'],
  ['255.255.255.255/32', 'broadcast'],
  ['240.0.0.0/4', 'reserved'],
]

const NOT_PUBLIC_V6: readonly [string, string][] = [
  ['::/128', 'unspecified'],
  ['::1/128', 'loopback'],
  ['::/96', 'IPv4-compatible'],
  ['::ffff:0:0:0/96', 'IPv4-translated'],
  ['64:ff9b:1::/48', 'local NAT64'],
  ['100::/64', 'discard'],
  ['2001::/32', 'Teredo'],
  ['2001::/23', 'reserved'],
  ['2001:db8::/32', 'documentation'],
  ['2002::/16', '6to4'],
  ['3fff::/20', 'documentation'],
  ['fc00::/7', 'private'],
  ['fe80::/10', 'link-local'],
  ['fec0::/10', 'site-local'],
  ['ff00::/8', 'multicast'],
]

/** The addresses where clouds hand out credentials to every program on a machine. Nothing else uses these blocks. */
const METADATA: readonly Range[] = [
  '169.254.169.254/32',
  // AWS, for containers: tasks, and pods.
  '169.254.170.2/32',
  '169.254.170.23/32',
  'fd00:ec2::/32',
  // Google.
  'fd20:ce::/32',
  // Azure.
  '168.63.129.16/32',
  // Alibaba.
  '100.100.100.200/32',
  // Oracle.
  '192.0.0.192/32',
  'fd00:c1::a9fe:a9fe/128',
  // Scaleway.
  '169.254.42.42/32',
  'fd00:42::42/128',
  // Tencent.
  '169.254.0.23/32',
  // Akamai.
  'fd00:a9fe:a9fe::1/128',
  // OpenStack.
  'fe80::a9fe:a9fe/128',
].map((cidr) => ipaddr.parseCIDR(cidr))

const named = (list: readonly [string, string][]): [Range, string][] =>
  list.map(([cidr, name]) => [ipaddr.parseCIDR(cidr), name])
const V4 = named(NOT_PUBLIC_V4)
const V6 = named(NOT_PUBLIC_V6)
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')
const NAT64 = ipaddr.parseCIDR('64:ff9b::/96')

/** Returns the address that a packet goes to: for IPv4 inside mapped IPv6 or the well-known NAT64 prefix, that IPv4. */
export function unwrapped(text: string): Address {
  const address = ipaddr.parse(text.split('%', 1)[0]!)
  if (address.kind() === 'ipv4') return address
  const v6 = address as IPv6
  if (v6.isIPv4MappedAddress()) return v6.toIPv4Address()
  if (isInRange(v6, NAT64)) return new ipaddr.IPv4(v6.toByteArray().slice(12))
  return v6
}

/** Returns the name of the special range that holds the address; null for a public address. */
export function specialRange(address: Address): string | null {
  const list = address.kind() === 'ipv4' ? V4 : V6
  for (const [range, name] of list) if (isInRange(address, range)) return name
  if (address.kind() === 'ipv6' && !isInRange(address, GLOBAL_UNICAST)) return 'reserved'
  return null
}

export const isMetadata = (address: Address): boolean => METADATA.some((range) => isInRange(address, range))

const METADATA_NAMES = new Set(['metadata.google.internal', 'metadata.goog', 'metadata', 'instance-data'])

export const isMetadataName = (name: string): boolean => METADATA_NAMES.has(name)

/** RFC 6762 with its appendix G, RFC 8375, and what ICANN keeps for private use: none of these is in the public DNS. */
const PRIVATE_NAMES = /(?:^|\.)(?:local|localdomain|localhost|internal|intranet|private|corp|home|lan|home\.arpa)$/

/** Returns whether a name, in lower case and without a final dot, can only be that of a private network. */
export const isPrivateName = (name: string): boolean => !name.includes('.') || PRIVATE_NAMES.test(name)
