import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeBase64, encodeBase64 } from './base64.ts'

describe('base64', () => {
  it('agrees with Node on any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(encodeBase64(text)).toBe(Buffer.from(text).toString('base64'))
        expect(decodeBase64(Buffer.from(text).toString('base64'))).toBe(text)
        expect(decodeBase64(Buffer.from(text).toString('base64url'))).toBe(text)
      }),
    )
  })

  it.each(['a', 'a=', 'ab=', 'a===', '====', 'ab=c', 'aé==', '/w==', '!!!!'])('refuses %j', (text) => {
    expect(decodeBase64(text)).toBeUndefined()
  })

  it('ignores white space and keeps a byte order mark', () => {
    expect(decodeBase64(' aMOp\r\nbGxv ')).toBe('héllo')
    expect(decodeBase64('77u/YQ==')).toBe('\ufeffa')
  })
})
