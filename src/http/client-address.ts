// Whose request it is: the socket's peer, or what trusted proxies say of it.
import type { IncomingMessage } from 'node:http'
import ipaddr from 'ipaddr.js'
import { isInRanges, parseAddressRange } from '../base/address-range.ts'

export type ClientAddress = (request: IncomingMessage) => string

/** `trusted`: addresses and CIDRs of proxies whose X-Forwarded-For is believed. */
export function createClientAddress(trusted: readonly string[]): ClientAddress {
  if (trusted.length === 0) return peerOf
  const ranges = trusted.map(parseAddressRange)
  return (request) => {
    const forwarded = String(request.headers['x-forwarded-for'] ?? '').split(',')
    // From the nearest backwards: each proxy added whom it saw; the first that is no proxy of ours is the client.
    let client = peerOf(request)
    while (isInRanges(client, ranges) && forwarded.length) {
      const before = forwarded.pop()!.trim()
      if (!ipaddr.isValid(before)) break
      client = before
    }
    return client
  }
}

/** Who shares it is likely to be one and the same: an IPv4 address, or the 64 bits that a network of IPv6 has. */
export function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  const prefix = (parsed as ipaddr.IPv6).parts.slice(0, 4).map((part) => part.toString(16))
  return `${prefix.join(':')}::/64`
}

const peerOf = (request: IncomingMessage): string => request.socket.remoteAddress ?? ''
