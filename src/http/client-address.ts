// Finds the address of the client: the peer of the socket, or what trusted proxies say.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isInRanges, parseAddressRange } from '../base/address-range.ts'

type Received = Pick<IncomingMessage, 'headers' | 'socket'>

export type ClientAddress = (request: Received) => string

/** `trusted`: addresses and CIDRs of proxies whose X-Forwarded-For is trusted. */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return peerOf
  const ranges = trusted.map(parseAddressRange)
  return (request) => {
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
    // Reads from the nearest proxy backwards: each proxy added the address it saw; the first address that is not a trusted proxy is the client.
    let client = peerOf(request)
    while (isInRanges(client, ranges) && forwarded.length) {
      const before = forwarded.pop()!.trim()
      if (!ipaddr.isValid(before)) break
      client = before
    }
    return client
  }
}

/** Returns what is likely to be one client: an IPv4 address, or the 64 bits of an IPv6 network. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}

const peerOf = (request: Received): string => request.socket.remoteAddress ?? ''
