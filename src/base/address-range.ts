// Parses ranges of IP addresses, as CIDR or single. An IPv4-mapped IPv6 address counts as the IPv4 address.
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

export type Address = IPv4 | IPv6
export type AddressRange = readonly [Address, number]

export const isAddress = (text: string): boolean => ipaddr.isValid(text)

export const isAddressRange = (text: string): boolean =>
  text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text)

/** Parses a valid range or address. */
export function parseAddressRange(text: string): AddressRange {
  if (!text.includes('/')) {
    const address = ipaddr.process(text)
    return [address, address.kind() === 'ipv4' ? 32 : 128]
  }
  const [address, bits] = ipaddr.parseCIDR(text)
  return address instanceof ipaddr.IPv6 && address.isIPv4MappedAddress() && bits >= 96
    ? [address.toIPv4Address(), bits - 96]
    : [address, bits]
}

export const isInRange = (address: Address, range: AddressRange): boolean =>
  address.kind() === range[0].kind() && address.match(range as [Address, number])

/** Returns false if the text is no address or is in none of the ranges. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some((range) => isInRange(address, range))
}
