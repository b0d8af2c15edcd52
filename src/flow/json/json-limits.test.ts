import { describe, expect, it } from 'vitest'
import { jsonProblem, measureJson } from './json-limits.ts'

const limits = { depth: 5, values: 100, names: 10 }
const problem = (text: string) => jsonProblem(measureJson(text, limits), limits)
const names = (count: number, name = (i: number) => `"k${i}"`) =>
  `{${Array.from({ length: count }, (_, i) => `${name(i)}: 0`).join(', ')}}`

describe('the measure of a JSON text', () => {
  it.each([
    ['what is within all limits', '{"a": [1, 2, {"b": "c"}]}', null],
    ['nesting', '[[[[[[]]]]]]', 'nested more than 5 levels deep'],
    ['brackets in a text', '["[[[[[[[[", "\\"[[[[[["]', null],
    ['values', `[${'1,'.repeat(100)}1]`, 'made of more than 100 values'],
    ['empty objects', `[${'{},'.repeat(60)}{}]`, 'made of more than 100 values'],
    ['commas in a text', `["${','.repeat(200)}"]`, null],
    ['names that differ', names(11), 'made with more than 10 different field names'],
    ['as many names as may be', names(10), null],
    ['one name over and over', `[${'{"a":1,"b":2},'.repeat(15)}{}]`, null],
    [
      'names with escapes, which count as four',
      names(3, (i) => `"\\n${i}"`),
      'made with more than 10 different field names',
    ],
    ['one name with escapes over and over', `[${'{"\\u00e9":1},'.repeat(15)}{}]`, null],
    [
      'numbers as first names, which count as three more',
      `[${'{ "7" :1},'.repeat(20)}{}]`,
      'made of more than 100 values',
    ],
    ['numbers as first names with escapes', `[${'{"\\u0037":1},'.repeat(20)}{}]`, 'made of more than 100 values'],
    ['numbers as first names within one another', `[${'{"7":{"7":1}},'.repeat(11)}{}]`, 'made of more than 100 values'],
    ['numbers as further names', `[${'{"a":1,"7":1},'.repeat(20)}{}]`, null],
    [
      'numbers as names of one object',
      `{${Array.from({ length: 10 }, (_, i) => `"${i}":[0,0,0,0,0,0]`).join(',')}}`,
      null,
    ],
    ['colons in a text', `["${'a:'.repeat(50)}"]`, null],
  ])('is right about %s', (_what, text, expected) => {
    expect(problem(text)).toBe(expected)
  })

  it('sees numbers that a double may not hold', () => {
    expect(measureJson('[1e400]', limits).mayOverflow).toBe(true)
    expect(measureJson(`[${'9'.repeat(400)}]`, limits).mayOverflow).toBe(true)
    expect(measureJson('[12345, "1e400", true]', limits).mayOverflow).toBe(false)
  })
})
