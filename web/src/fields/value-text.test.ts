import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { inBraces, textToCondition, textToNumber, textToValue, valueToText } from './value-text.ts'

describe('a JSON value in a field', () => {
  it('comes back as it was, whatever it is', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.string(),
          fc.constantFrom('5', 'true', 'null', '{', '[1]', '"x"', '{{ a }}', ' x ', '12 pieces'),
        ),
        (value) => {
          expect(textToValue(valueToText(value))).toEqual({ value: JSON.parse(JSON.stringify(value)) })
        },
      ),
      { numRuns: 500 },
    )
  })

  it.each([
    ['hello', 'hello'],
    ['{{ webhook.body }}', '{{ webhook.body }}'],
    ['Order {{ webhook.body.id }}', 'Order {{ webhook.body.id }}'],
    ['5', 5],
    ['"5"', '5'],
    ['true', true],
    ['{ "a": [1] }', { a: [1] }],
    ['12 pieces', '12 pieces'],
    ['  ', undefined],
  ])('%s is read as %j', (text, value) => expect(textToValue(text)).toEqual({ value }))

  it('says what is not finished', () => {
    for (const text of ['{ "a": ', '[1,', '"x'])
      expect(textToValue(text)).toMatchObject({ error: expect.stringMatching(/^Not valid JSON yet: ./) })
  })
})

it('takes numbers as numbers and templates as text', () => {
  expect(['5', '0.50', '{{ vars.n }}', '', '5 s', '1.', '{'].map(textToNumber)).toEqual([
    5,
    0.5,
    '{{ vars.n }}',
    undefined,
    null,
    null,
    null,
  ])
})

it('takes true and false in conditions, and puts braces around a bare comparison', () => {
  expect(['true', ' false ', '{{ a }}'].map(textToCondition)).toEqual([true, false, '{{ a }}'])
  expect(['a == b', '{{ a }}', 'true', '{{  }}', ''].map(inBraces)).toEqual(['{{ a == b }}', '{{ a }}', 'true', '', ''])
})
