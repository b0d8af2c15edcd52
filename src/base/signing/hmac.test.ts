import { createHmac, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { HMAC_ALGORITHMS } from './algorithm-names.ts'
import { HmacKey, hmacOnce, isSameText } from './hmac.ts'

describe('an HMAC', () => {
  const KEY_BYTES = [1, 20, 63, 64, 65, 127, 128, 129, 300]
  const MESSAGE_BYTES = [0, 1, 505, 16_319, 16_320, 16_321, 100_000]

  it.each(HMAC_ALGORITHMS)('of %s is that of Node, whatever the length of key and message', (algorithm) => {
    for (const keyBytes of KEY_BYTES) {
      const bytes = randomBytes(keyBytes)
      const key = new HmacKey(bytes)
      for (const length of MESSAGE_BYTES) {
        const message = randomBytes(length)
        const [head, rest] = [message.subarray(0, length / 3), message.subarray(length / 3)]
        const expected = (encoding: 'hex' | 'base64') => createHmac(algorithm, bytes).update(message).digest(encoding)
        expect(key.of(algorithm, [message], 'hex')).toBe(expected('hex'))
        expect(key.of(algorithm, [head, rest], 'base64')).toBe(expected('base64'))
        expect(key.of(algorithm, [head.toString('latin1'), rest], 'hex')).toBe(expected('hex'))
      }
    }
  })

  it.each(HMAC_ALGORITHMS)('of %s with a key that is used once is that of Node, for texts and bytes', (algorithm) => {
    const keys = [
      ...KEY_BYTES.map((length) => randomBytes(length)),
      '',
      'Jefe',
      'é'.repeat(30),
      'k'.repeat(64),
      '\ud800',
    ]
    const messages = [
      ['a', randomBytes(7), 'é€😀\0\ud800'],
      [],
      [''],
      ...MESSAGE_BYTES.map((length) => ['x'.repeat(length)]),
    ]
    for (const key of keys)
      for (const parts of messages) {
        const expected = () => parts.reduce((hmac, part) => hmac.update(part), createHmac(algorithm, key))
        expect(hmacOnce(algorithm, key, parts, 'hex')).toBe(expected().digest('hex'))
        expect(hmacOnce(algorithm, key, parts, 'buffer')).toEqual(expected().digest())
      }
  })

  it('takes one key for several algorithms', () => {
    const key = new HmacKey(Buffer.from('Jefe'))
    const message = Buffer.from('what do ya want for nothing?')
    // RFC 2202 and RFC 4231.
    expect(key.of('sha1', [message], 'hex')).toBe('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79')
    expect(key.of('sha256', [message], 'hex')).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
    expect(key.of('sha512', [message], 'hex')).toMatch(
      /^164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554/,
    )
  })
})

describe('comparing texts', () => {
  it('tells every difference', () => {
    expect(isSameText('abc', 'abc')).toBe(true)
    expect(isSameText('', '')).toBe(true)
    for (const other of ['abd', 'ab', 'abcd', '', 'aBc', 'ab\0']) expect(isSameText(other, 'abc')).toBe(false)
    const long = 'f'.repeat(128)
    expect(isSameText(long, long)).toBe(true)
    expect(isSameText(`${long.slice(1)}e`, long)).toBe(false)
  })

  it('takes no character for another whose low byte is the same', () => {
    expect(isSameText('\u0161bc', 'abc')).toBe(false)
  })
})
