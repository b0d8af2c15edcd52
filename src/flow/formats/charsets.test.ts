import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesAsSent, charsetOf, charsetOfBody, encodeText, isWritable } from './charsets.ts'

const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

describe('the charset of a body', () => {
  it.each([
    ['text/plain; charset=UTF-8', 'utf-8'],
    ['text/plain;charset="Latin1"; x=y', 'latin1'],
    ["text/plain; x=y; charset = 'koi8-r'", 'koi8-r'],
    ['text/plain; charset=', null],
    ['text/plain', null],
  ])('is named by %s', (type, charset) => expect(charsetOf(type)).toBe(charset))

  it('is found by its mark first, then its type, then its declaration', () => {
    const declared = bytes('<?xml version="1.0" encoding="koi8-r" standalone="no"?><a/>')
    expect(charsetOfBody(declared, 'text/xml', true)).toBe('koi8-r')
    expect(charsetOfBody(declared, 'text/xml', false)).toBe('utf-8')
    expect(charsetOfBody(declared, 'text/xml; charset=latin1', true)).toBe('windows-1252')
    expect(charsetOfBody(bytes('\xff\xfe<\0'), 'text/xml; charset=latin1', true)).toBe('utf-16le')
    expect(charsetOfBody(bytes('\0<\0a'), 'text/xml', true)).toBe('utf-16be')
    // Whatever could be read up to here as single bytes is not in UTF-16.
    expect(charsetOfBody(bytes('<?xml version="1.0" encoding="utf-16"?><a/>'), null, true)).toBe('utf-8')
    expect(charsetOfBody(bytes(`<?xml ${' '.repeat(1_000)} encoding="koi8-r"?>`), null, true)).toBe('utf-8')
  })
})

describe('encodeText', () => {
  it.each(['windows-1252', 'iso-8859-15', 'koi8-u', 'ibm866', 'macintosh', 'utf-16le', 'utf-16be', 'utf-16'])(
    'writes in %s what its decoder reads',
    (charset) => {
      const decoder = new TextDecoder(charset, { fatal: true })
      const known = charset.startsWith('utf-16')
        ? fc.string({ unit: 'grapheme' })
        : fc.array(fc.integer({ min: 0, max: 127 })).map((codes) => String.fromCharCode(...codes))
      fc.assert(
        fc.property(known, (text) => {
          expect(decoder.decode(encodeText(text, charset) as Uint8Array)).toBe(text.replace(/^\ufeff/, ''))
        }),
      )
    },
  )

  it('takes ASCII and Latin 1 literally, and says what a charset lacks', () => {
    expect([...(encodeText('\x80é', 'iso-8859-1') as Uint8Array)]).toEqual([0x80, 0xe9])
    for (const [text, charset] of [
      ['€', 'latin1'],
      ['é', 'us-ascii'],
      ['😀', 'windows-1252'],
    ] as const)
      expect(() => encodeText(text, charset)).toThrow(`a character is not in the charset ${charset}`)
    const written = encodeText('a😀é', 'us-ascii', (code) => `&#${code};`) as Uint8Array
    expect(String.fromCharCode(...written)).toBe('a&#128512;&#233;')
    expect(encodeText('é', 'UTF8')).toBe('é')
    for (const charset of ['shift_jis', 'gb18030', 'nonsense', 'x-user-defined'])
      expect(() => encodeText('a', charset)).toThrow('texts cannot be written in the charset')
    expect(['utf-8', 'utf-16', 'latin1', 'big5', 'nonsense'].map(isWritable)).toEqual([true, true, true, false, false])
  })
})

it('forwards a body in the bytes that it came in', () => {
  expect(bytesAsSent('é', 'text/plain; charset=latin1')).toEqual(bytes('\xe9'))
  expect(bytesAsSent('{"a":"é"}', 'application/json; charset=latin1')).toBe('{"a":"é"}')
  expect(bytesAsSent('a=é', 'application/x-www-form-urlencoded; charset=latin1')).toBe('a=é')
  const text = '<?xml version="1.0" encoding="iso-8859-1"?><a>é</a>'
  expect(bytesAsSent(text, 'application/xml')).toEqual(bytes(text))
  expect(bytesAsSent('漢', 'text/plain; charset=latin1')).toBe('漢')
  expect(bytesAsSent('é', null)).toBe('é')
})
