import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decoded, spansBefore, unescaped } from './encodings.ts'

/** Writes a text in another encoding. */
const asEntities = (text: string) => Array.from(text, (c) => `&#${c.codePointAt(0)};`).join('')
const asHexEntities = (text: string) => Array.from(text, (c) => `&#x${c.codePointAt(0)!.toString(16)};`).join('')
const withoutBreaks = (text: string) => text.replaceAll(/[\r\n]/g, '')

/** Texts in which nothing looks encoded. */
const unmarked = fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/[%&\\]/g, ''))

describe('decoded', () => {
  it('decodes what is valid and leaves the rest', () => {
    expect(decoded('a%20b%E2%82%ACc%zz%C3%28%F0%9F%90%A4%4')).toBe('a b€c%zz%C3(🐤%4')
    expect(decoded('&lt;a&#39;b&#x1F424;&nix;&amp')).toBe("<a'b🐤&nix;&amp")
    expect(decoded('\\"\\x41\\u00e4\\q')).toBe('"Aä\\q')
    expect(decoded('a\r\nb%0Ac\\nd&#10;e')).toBe('abcde')
  })

  it.each(['plain', '100%', '%', '%a', '%C3', '%ff%ff', '%ED%A0%80', '%C0%80', '%F4%90%80%80', '\\', '\\q', '\\u12'])(
    'finds nothing to decode in %s',
    (text) => expect(decoded(text)).toBeNull(),
  )

  it.each(['&', '&;', '&#;', '&#x;', '&#xd800;', '&#99999999;', '&#1', '&unknown;', '&ampere;'])(
    'finds no entity in %s',
    (text) => expect(decoded(text)).toBeNull(),
  )

  it('takes percent-encoding as decodeURIComponent does', () => {
    const byte = fc.integer({ min: 0x80, max: 0xff }).map((n) => `%${n.toString(16)}`)
    fc.assert(
      fc.property(fc.array(byte, { minLength: 1, maxLength: 4 }), (bytes) => {
        const source = bytes.join('')
        let expected: string | null = null
        try {
          expected = decodeURIComponent(source)
        } catch {}
        if (expected !== null) expect(decoded(source)).toBe(expected)
        else expect(decoded(source) ?? source).toContain('%')
      }),
      { numRuns: 5000 },
    )
  })

  it.each<[string, (text: string) => string]>([
    ['percent-encoding', encodeURIComponent],
    ['the escapes of JSON', (text) => JSON.stringify(text).slice(1, -1)],
    ['entities', asEntities],
    ['hexadecimal entities', asHexEntities],
  ])('reverses %s, but for line breaks', (_name, encode) => {
    fc.assert(
      fc.property(unmarked, (text) => {
        const encoded = encode(text)
        expect(decoded(encoded) ?? encoded).toBe(withoutBreaks(text))
      }),
    )
  })
})

describe('spansBefore', () => {
  it('knows where each part of the decoded text stood', () => {
    const source = 'a%20b%E2%82%AC\r\nc%F0%9F%90%A4&lt;%4'
    const text = decoded(source)!
    const sourceOf = (...parts: string[]) =>
      spansBefore(
        source,
        parts.map((part) => ({ start: text.indexOf(part), end: text.indexOf(part) + part.length })),
      ).map(({ start, end }) => source.slice(start, end))
    expect(sourceOf('€')).toEqual(['%E2%82%AC'])
    expect(sourceOf('€c')).toEqual(['%E2%82%AC\r\nc'])
    expect(sourceOf('a', 'c', '🐤', '%4')).toEqual(['a', 'c', '%F0%9F%90%A4', '%4'])
    expect(sourceOf('\udc24<')).toEqual(['%F0%9F%90%A4&lt;'])
  })
})

describe('unescaped', () => {
  it('reverses what JSON escapes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(unescaped(JSON.stringify(text).slice(1, -1))).toBe(text)
      }),
    )
  })

  it.each(['plain', '\\', '\\q', '\\u12'])('leaves %s as it is', (text) => {
    expect(unescaped(text)).toBe(text)
  })
})
