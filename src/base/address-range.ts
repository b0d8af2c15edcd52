// Ranges of IP addresses, as CIDR or as one address. An IPv4 address inside of an IPv6 one is that IPv4 address.
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js'

export type Address = IPv4 | IPv6
export type AddressRange = readonly [Address, number]

export const isAddress = (text: string): boolean => ipaddr.isValid(text)

export const isAddressRange = (text: string): boolean =>
  text.includes('/') ? ipaddr.isValidCIDR(text) : ipaddr.isValid(text)

/** Of a text that is one. */
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

/** false: it is no address, or in none of them. */
export function isInRanges(text: string, ranges: readonly AddressRange[]): boolean {
  if (!ipaddr.isValid(text)) return false
  const address = ipaddr.process(text)
  return ranges.some((range) => isInRange(address, range))
}
