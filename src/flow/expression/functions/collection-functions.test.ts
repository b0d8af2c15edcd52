import { describe, expect, it } from 'vitest'
import { errorOf, evaluate } from '../sample-bindings.testkit.ts'
import { ExpressionError } from '../values/errors.ts'

const body = {
  orders: [
    { id: 1, country: 'DE', price: 10 },
    { id: 2, country: 'FR', price: '2.5' },
    { id: 3, country: 'DE', price: 0.5 },
  ],
  person: { name: 'Ada', mail: 'ada@example.com', password: 'x' },
}
const failure = (source: string, data: unknown = body) => errorOf(ExpressionError, () => evaluate(source, data)).message

it.each([
  ['unique([1, "1", 1, null, null])', [1, '1', null]],
  ['unique([{ a: 1 }, { a: 1 }, [1], [1]])', [{ a: 1 }, [1]]],
  ['unique([new Date(0), new Date(0)])', ['1970-01-01T00:00:00.000Z']],
  ["unique(webhook.body.orders, 'country').map(x => x.id)", [1, 2]],
  ['unique(webhook.body.orders, x => x.id > 1).map(x => x.id)', [1, 2]],
  ["groupBy(webhook.body.orders, 'country').DE.map(x => x.id)", [1, 3]],
  ["Object.keys(groupBy(webhook.body.orders, x => x.price > 1 ? 'dear' : 'cheap'))", ['dear', 'cheap']],
  ["groupBy([{ k: '__proto__' }], 'k')['__proto__']", [{ k: '__proto__' }]],
  ['sum([1, "2", 0.5])', 3.5],
  ['sum([])', 0],
  ["sum(webhook.body.orders, 'price')", 13],
  ['sum(webhook.body.orders, x => x.price * 2)', 26],
  ["pick(webhook.body.person, ['name', 'nothing'])", { name: 'Ada' }],
  ["omit(webhook.body.person, ['password'])", { name: 'Ada', mail: 'ada@example.com' }],
  ["urlEncode('a b/ü&')", 'a%20b%2F%C3%BC%26'],
  ["urlEncode({ q: 'a b', tag: ['x', 'y'], n: 1 })", 'q=a%20b&tag=x&tag=y&n=1'],
])('%s', (source, expected) => expect(evaluate(source, body)).toEqual(expected))

describe('mistakes', () => {
  it.each([
    ['unique(1)', 'A list was expected here, not a number'],
    ["groupBy(webhook.body.orders, 'contry')", 'groupBy finds nothing in an item of the list'],
    ['groupBy(webhook.body.orders, 1)', 'groupBy takes the name of a property or a function, not a number'],
    ["sum(webhook.body.orders, 'nothing')", 'sum finds nothing in an item of the list'],
    ["sum(['x'])", 'A calculation gives no number (NaN)'],
    ["pick('x', ['a'])", 'An object was expected here, not text'],
    ["pick({}, 'a')", 'A list was expected here, not text'],
    ['urlEncode({ a: { b: 1 } })', 'Text was expected here, not an object'],
  ])('%s', (source, message) => expect(failure(source)).toBe(`${message}, in {{ ${source} }}`))

  it.each([
    'unique(webhook.body)',
    'groupBy(webhook.body, x => x)',
    'webhook.body.map(x => unique(webhook.body).length)',
    'webhook.body.map(x => sum(webhook.body))',
    'webhook.body.map(x => urlEncode({ a: webhook.body })).length',
  ])('%s is within the budget, or refused', (source) => {
    const many = Array.from({ length: 60_000 }, (_, i) => i)
    try {
      evaluate(source, many)
    } catch (error) {
      expect((error as Error).message).toMatch(/takes too many operations|produces too much data/)
    }
  })
})
