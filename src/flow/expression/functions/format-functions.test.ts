import { describe, expect, it } from 'vitest'
import { errorOf, evaluate } from '../sample-bindings.testkit.ts'
import { ExpressionError } from '../values/errors.ts'

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))
const failure = (source: string, data: unknown = {}) => errorOf(ExpressionError, () => evaluate(source, data)).message

it.each([
  ["xml('<o id=\"007\"><i>a &amp; b</i></o>').o['@id']", '007'],
  ["xml('<o><i>a &amp; b</i></o>').o.i", 'a & b'],
  ["xml('<o><i>1</i></o>', { lists: ['o.i'] }).o.i.map(x => x + '!')", ['1!']],
  [
    "toXml({ o: { '@id': 7, i: ['<', 2], at: new Date(0) } })",
    '<o id="7"><i>&lt;</i><i>2</i><at>1970-01-01T00:00:00.000Z</at></o>',
  ],
  ["toXml(xml('<o><i>1</i><i/></o>'))", '<o><i>1</i><i/></o>'],
  ["csv('id,name\\n007,x')", [{ id: '007', name: 'x' }]],
  ["csv('1;2', { header: false, delimiter: ';' })", [['1', '2']]],
  ["toCsv([{ a: 1, b: 'x,y' }])", 'a,b\r\n1,"x,y"\r\n'],
  ["toCsv([['=1']], { escapeFormulas: true })", "'=1\r\n"],
])('%s', (source, expected) => expect(plain(evaluate(source, {}))).toEqual(expected))

describe('mistakes', () => {
  it.each([
    ["xml('<a>')", 'The text given to xml is not XML that can be read: the text ends before the element is closed'],
    ["xml('<!DOCTYPE a><a/>')", 'a document type (DOCTYPE)'],
    ["xml('<a/>', { list: ['a'] })", 'xml has the option lists, and no other'],
    ["toXml('text')", 'The value given to toXml cannot be XML: XML is made of an object with one key'],
    ['toXml({ a: NaN })', 'no number'],
    ["csv('a,a')", 'The text given to csv is not CSV that can be read: two columns'],
    ["csv('a', { header: 1 })", 'The option header is true or false'],
    ['toCsv(1)', 'The value given to toCsv cannot be CSV: CSV is made of a list of rows'],
  ])('%s', (source, message) => expect(failure(source)).toContain(message))

  it('are refused by the budget, before their data is made', () => {
    const many = { text: `<a>${'<b/>'.repeat(90_000)}</a>`, cells: 'a\n'.repeat(200_000) }
    expect(failure('[1, 2, 3].map(() => xml(webhook.body.text))', many)).toContain(
      'The expression takes too many operations',
    )
    expect(failure('[1, 2].map(() => csv(webhook.body.cells))', many)).toContain(
      'The expression takes too many operations',
    )
    const shared = "[1,2,3,4,5,6,7,8].reduce(v => ({ a: [v, v, v, v, v, v, v, v] }), 'some text')"
    expect(failure(`toXml({ r: ${shared} })`)).toMatch(/too many operations|too much data/)
  })
})
