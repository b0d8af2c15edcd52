import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../../src/flow/expression/index.ts'
import {
  type Comparison,
  type ConditionRow,
  type ConditionRows,
  isComplete,
  type Operator,
  printCondition,
  type RowValue,
  readCondition,
} from './condition-rows.ts'

const field = fc.constantFrom(
  'webhook.body.total',
  "webhook.headers['x-kind']",
  'steps.order.body.items[0].price',
  'steps.order?.body.total',
  'vars.name.toLowerCase()',
  'steps.order.body.items.length',
  'loop.item',
)
const value: fc.Arbitrary<RowValue> = fc.oneof(
  fc.record({ kind: fc.constant('text' as const), value: fc.string({ unit: 'binary' }) }),
  fc.record({ kind: fc.constant('number' as const), value: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
  fc.record({ kind: fc.constant('boolean' as const), value: fc.boolean() }),
  fc.record({ kind: fc.constant('data' as const), value: field }),
)
const compared = fc.constantFrom<Operator>(
  ...(['==', '!=', '===', '!==', '>', '>=', '<', '<='] satisfies Comparison[]),
  'includes',
  'startsWith',
  'endsWith',
  'not includes',
  'not startsWith',
  'not endsWith',
)
const alone = fc.constantFrom<Operator>('isTrue', 'isNotTrue', 'exists', 'isMissing')
const row: fc.Arbitrary<ConditionRow> = fc.oneof(
  fc.record({ field, operator: compared, value }),
  fc.record({ field, operator: alone, value: fc.constant(null) }),
)
const condition: fc.Arbitrary<ConditionRows> = fc
  .record({ join: fc.constantFrom('and' as const, 'or' as const), rows: fc.array(row, { minLength: 1, maxLength: 6 }) })
  .map(({ join, rows }) => ({ join: rows.length === 1 ? ('and' as const) : join, rows }))

describe('conditions as rows', () => {
  it('are the same after they were written and read again', () => {
    fc.assert(
      fc.property(condition, (rows) => {
        expect(readCondition(printCondition(rows))).toEqual({ rows })
        expect(isComplete(rows)).toBe(true)
      }),
    )
  })

  it('are written as expressions that the service takes', () => {
    fc.assert(
      fc.property(condition, (rows) => {
        expect(parseTemplate(printCondition(rows)).parts).toHaveLength(1)
      }),
    )
  })

  it.each([
    ["{{ webhook.body.type == 'order' && steps.a.body.total >= -5 }}"],
    ['{{ !webhook.body.tags.includes(vars.tag) || webhook.body.id != null }}'],
    ['{{ webhook.body.paid }}'],
  ])('come back as they were: %s', (text) => {
    const read = readCondition(text)
    expect('rows' in read && printCondition(read.rows)).toBe(text)
  })

  it.each([
    ['{{ a.b > 1 && c.d > 2 || e.f }}', 'It mixes and with or'],
    ['{{ a.b > 1 && (c.d > 2 && e.f) }}', 'It mixes and with or'],
    ['{{ (a.b > 1) }}', 'It uses parentheses, or is not one expression'],
    ['{{ a.b ?? c.d }}', 'It uses ??'],
    ['{{ a.b + 1 > 2 }}', 'It compares something else than a field'],
    ['{{ a.b > c.d + 1 }}', 'It compares something else than a field'],
    ['{{ 1 < a.b }}', 'It compares something else than a field'],
    ['{{ a.b ? true : false }}', 'It compares something else than a field'],
    ['{{ a.b in c.d }}', 'It uses in'],
    ['{{ a.b === null }}', 'It compares something else than a field'],
    ['{{ a.b > }}', 'It is not complete yet'],
    ['{{ a.b }} and {{ c.d }}', 'It uses parentheses, or is not one expression'],
    ['true', 'It is not one expression in braces'],
  ])('are not made of %s', (text, reason) => {
    expect(readCondition(text)).toEqual({ reason })
  })

  it('are not complete while something is missing, or the field is none', () => {
    const whole: ConditionRow = { field: 'vars.a', operator: '==', value: { kind: 'number', value: 1 } }
    const rows = (one: Partial<ConditionRow>): ConditionRows => ({ join: 'and', rows: [whole, { ...whole, ...one }] })
    expect(isComplete(rows({}))).toBe(true)
    expect(isComplete(rows({ field: '' }))).toBe(false)
    expect(isComplete(rows({ field: 'vars.' }))).toBe(false)
    expect(isComplete(rows({ field: 'a || b' }))).toBe(false)
    expect(isComplete(rows({ value: null }))).toBe(false)
    expect(isComplete(rows({ value: { kind: 'data', value: '' } }))).toBe(false)
  })
})
