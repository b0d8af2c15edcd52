import { describe, expect, it } from 'vitest'
import { networkOf } from './client-address.ts'

describe('the network of an address', () => {
  it.each([
    ['203.0.113.7', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ])('of %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
