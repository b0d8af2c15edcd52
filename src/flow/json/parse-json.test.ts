import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

describe('parseJson', () => {
  it('does not let one document change the keys of another', () => {
    parseJson('{"a":1,"\\\\":2}')
    expect(Object.keys(parseJson('{"a":1,"\\n":2}') as object)).toEqual(['a', '\n'])
    parseJson('[{"b":{"x":1,"\\\\":2}}]')
    expect(parseJson('[{"b":{"x":1,"\\t":2}}]')).toEqual([{ b: { x: 1, '\t': 2 } }])
  })

  it('reads whatever JSON.stringify writes', () => {
    const keys = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('\\', '\n', '"', '@key0', '__proto__', '\ud800', '\\"'),
    )
    const json = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.jsonValue(),
        fc.array(tie('value'), { maxLength: 4 }),
        fc.dictionary(keys, tie('value'), { maxKeys: 5, noNullPrototype: false }),
      ),
    })).value
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value)
        expect(JSON.stringify(parseJson(text))).toBe(text)
      }),
      { numRuns: 1000 },
    )
  })

  it('reads strings of any length', () => {
    const long = 'x'.repeat(12 << 20)
    for (const value of [{ a: `${long}\n` }, { a: long, '\n': 1 }, { [`${long}\n`]: 1 }])
      expect(JSON.stringify(parseJson(JSON.stringify(value))) === JSON.stringify(value)).toBe(true)
  })

  it('takes white space before the colon, and marks of its own in the text', () => {
    parseJson('{"a":1,"\\\\":2}')
    expect(parseJson('{"a":1,"\\n" \t\r\n:"@key0","@key@0":3}')).toEqual({ a: 1, '\n': '@key0', '@key@0': 3 })
  })

  it.each([
    '{"a":1,"\\u0061":2,"a":3}',
    '{"\\u0061":1,"a":2,"\\u0061":3}',
    '{"\\n":1,"\\u000a":2,"\\u000A":3,"b":4}',
    '{"\\u0040key0":1,"\\n":2,"@key1":3,"\\t":4}',
    '{"b":1,"\\n":2,"\\u0031":3}',
    '{"\\u005f_proto__":1,"\\n":{"__proto__":2}}',
  ])('reads %s as JSON.parse does', (text) => {
    expect(JSON.stringify(parseJson(text))).toBe(JSON.stringify(JSON.parse(text)))
  })

  it('names the place of a fault in the text that was given', () => {
    expect(() => parseJson('{"\\u0061\\u0062":1,"\\n":2, ?}')).toThrow('at position 26')
  })

  it.each(['{"\\":1}', '{"\\n":}', '{"\\x":1}', '"\\', '{"a\\n":1', '{"a\\n"', '{"a":"\\\\', ''])(
    'refuses %s as JSON.parse does',
    (text) => {
      expect(() => parseJson(text)).toThrow(SyntaxError)
    },
  )
})
