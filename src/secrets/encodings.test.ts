import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { percentDecoded, unescaped } from './encodings.ts'

describe('percentDecoded', () => {
  it('decodes what is valid, leaves the rest, and knows where each character stood', () => {
    const source = 'a%20b%E2%82%ACc%zz%C3%28%F0%9F%90%A4%4'
    const decoded = percentDecoded(source)!
    expect(decoded.text).toBe('a b€c%zz%C3(🐤%4')
    const sourceOf = (text: string) => source.slice(decoded.sourceOf(decoded.text.indexOf(text)))
    expect(sourceOf('€')).toBe('%E2%82%ACc%zz%C3%28%F0%9F%90%A4%4')
    expect(sourceOf('🐤')).toBe('%F0%9F%90%A4%4')
    expect(sourceOf('%4')).toBe('%4')
    expect(decoded.sourceOf(decoded.text.length)).toBe(source.length)
  })

  it.each(['plain', '100%', '%', '%a', '%C3'])('finds nothing to decode in %s', (text) => {
    expect(percentDecoded(text)).toBeNull()
  })

  it('reverses encodeURIComponent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const encoded = encodeURIComponent(text)
        expect(percentDecoded(encoded)?.text ?? encoded).toBe(text)
      }),
    )
  })
})

describe('unescaped', () => {
  it('reverses what JSON escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const escaped = JSON.stringify(text).slice(1, -1)
        expect(unescaped(escaped)?.text ?? escaped).toBe(text)
      }),
    )
  })

  it.each(['plain', '\\', '\\x', '\\u12'])('finds nothing to unescape in %s', (text) => {
    expect(unescaped(text)).toBeNull()
  })
})
