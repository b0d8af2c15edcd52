import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { decodeBody } from './decode-body.ts'

const decode = (body: string | Buffer, type?: string) => decodeBody(Buffer.from(body as string), type)

describe('decodeBody', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/problem+json',
    'application/vnd.api+json;v=1',
  ])('parses %s', (type) => expect(decode('{"a":[1,"ü"]}', type)).toEqual({ a: [1, 'ü'] }))

  it('reads what an unknown encoding was left on by its type where it is text, and keeps its bytes where not', () => {
    const encoded = (body: string | Buffer, type?: string, encoding = 'none') =>
      decodeBody(Buffer.from(body as string), type, encoding)
    expect(encoded('{"a":1}', 'application/json')).toEqual({ a: 1 })
    expect(encoded('ü', 'text/plain')).toBe('ü')
    expect(encoded(Buffer.from('ü', 'latin1'), 'text/plain; charset=iso-8859-1')).toBe('ü')
    expect(encoded('ü', 'text/plain; charset=nonsense')).toBe('ü')
    const packed = gzipSync('{"a":1}')
    const kept = { base64: packed.toString('base64'), contentType: 'application/json', size: packed.length }
    expect(encoded(packed, 'application/json', 'gzip, none')).toEqual(kept)
    expect(encoded(packed, undefined, 'gzip, none')).toEqual({ ...kept, contentType: null })
    // An encoding that was undone changes nothing.
    expect(encoded(Buffer.from([0x61, 0xff]), 'text/plain', 'gzip')).toBe('a\ufffd')
  })

  it('gives null for no body, whatever the type', () => {
    for (const type of [undefined, 'application/json', 'text/plain', 'image/png']) expect(decode('', type)).toBeNull()
  })

  it('leaves JSON that does not parse as text', () => {
    expect(decode('{"a":', 'application/json')).toBe('{"a":')
    expect(decode('<html>', 'application/json')).toBe('<html>')
  })

  it('leaves JSON nested deeper than 200 as text', async () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    expect(decode(nested(200), 'application/json')).toBeInstanceOf(Array)
    expect(decode(nested(201), 'application/json')).toBe(nested(201))
    expect(await decode(nested(1_000_000), 'application/json')).toHaveLength(2_000_000)
    const wide = JSON.stringify(Array.from({ length: 500 }, () => ({ a: [] })))
    expect(decode(wide, 'application/json')).toHaveLength(500)
  })

  it('takes a hostile key of JSON as data', () => {
    const value = decode('{"__proto__":{"x":1}}', 'application/json') as object
    expect(Object.keys(value)).toEqual(['__proto__'])
    expect('x' in value).toBe(false)
  })

  it('decodes text by its charset', () => {
    expect(decode(Buffer.from('é', 'latin1'), 'text/plain; charset=ISO-8859-1')).toBe('é')
    expect(decode(Buffer.from('é', 'utf16le'), 'text/plain; charset="utf-16le"')).toBe('é')
    expect(decode(Buffer.from([0x83, 0x65]), 'text/html;charset=Shift_JIS')).toBe('テ')
    expect(decode(Buffer.from('{"a":"é"}', 'latin1'), 'application/json; charset=latin1')).toEqual({ a: 'é' })
  })

  it('reads an unknown charset as UTF-8', () => {
    expect(decode('é', 'text/plain; charset=klingon')).toBe('é')
    expect(decode(Buffer.from([0x61, 0xff]), 'text/plain; charset=klingon')).toBe('a\ufffd')
  })

  it('strips a byte order mark', () => {
    expect(decode('\ufefftext', 'text/plain')).toBe('text')
    expect(decode('\ufeff{"a":1}', 'application/json')).toEqual({ a: 1 })
    expect(decode('\ufefftext')).toBe('text')
    expect(decode(Buffer.from('\ufeffé', 'utf16le'), 'text/plain; charset=utf-16')).toBe('é')
  })

  it.each([
    'text/html',
    'text/json',
    'application/xml',
    'application/soap+xml',
    'image/svg+xml',
    'application/javascript',
    'application/x-www-form-urlencoded',
    'application/x-ndjson',
  ])('takes %s as text', (type) => expect(decode('{"a":1}', type)).toBe('{"a":1}'))

  it.each(['image/png', 'application/octet-stream', 'application/pdf', 'multipart/form-data; boundary=x'])(
    'gives %s as base64',
    (type) => expect(decode('abc', type)).toEqual({ base64: 'YWJj', contentType: type, size: 3 }),
  )

  it('goes by the bytes where there is no type', () => {
    for (const type of [undefined, '', 'nonsense']) {
      expect(decode('{"a":"ü"}', type)).toBe('{"a":"ü"}')
      expect(decode(Buffer.from([0xff, 0]), type)).toEqual({ base64: '/wA=', contentType: null, size: 2 })
    }
  })
})
