import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderCondition, renderOptional, renderText, renderValue } from './render.ts'
import { errorOf, evaluate, sampleBindings } from './sample-bindings.testkit.ts'
import { MISSING } from './values/bindings.ts'
import { ExpressionError } from './values/errors.ts'

const body = {
  name: 'Ada',
  empty: '',
  zero: 0,
  nothing: null,
  list: [1, 'two', null],
  user: { mail: 'ada@example.com', tags: ['a', 'b'] },
  items: [{ id: 1, price: 5 }, { id: 2 }],
  injected: '{{ 7 * 7 }} ${7 * 7}',
}
const bindings = sampleBindings({ webhook: { body }, vars: {} })
const value = (source: string) => renderValue(parseTemplate(source), bindings)
const text = (source: string) => renderText(parseTemplate(source), bindings)
const failure = (source: string) => errorOf(ExpressionError, () => value(source))

describe('a template that is exactly one expression', () => {
  it.each([
    ['{{ webhook.body.zero }}', 0],
    ['{{ webhook.body.nothing }}', null],
    ['{{ webhook.body.list }}', [1, 'two', null]],
    ['{{ webhook.body.user }}', body.user],
    ['{{ true }}', true],
    ["{{ new Date('2024-05-06') }}", '2024-05-06T00:00:00.000Z'],
    ["{{ { at: [new Date('2024-05-06')], n: 1 } }}", { at: ['2024-05-06T00:00:00.000Z'], n: 1 }],
  ])('%s keeps its type', (source, expected) => {
    expect(value(source)).toEqual(expected)
  })

  it('becomes text with anything around it, even white space', () => {
    expect(value('{{ webhook.body.zero }} ')).toBe('0 ')
    expect(value('n{{ 1 }}{{ 2 }}')).toBe('n12')
  })

  it('leaves the data of the bindings as it is', () => {
    const before = structuredClone(body)
    value('{{ webhook.body.list.reverse().concat(webhook.body.items.sort((a, b) => b.id - a.id)) }}')
    expect(body).toEqual(before)
  })
})

describe('text', () => {
  it('holds numbers, truth values and null as they are written, and lists and objects as JSON', () => {
    expect(text('{{ 1.50 }} {{ true }} {{ null }} {{ [1, null] }} {{ { a: "é" } }}')).toBe(
      '1.5 true null [1,null] {"a":"é"}',
    )
    expect(text('{{ new Date(0) }}{{ [new Date(0)] }}')).toBe('1970-01-01T00:00:00.000Z["1970-01-01T00:00:00.000Z"]')
    expect(text('{{ webhook.body.zero }}')).toBe('0')
    expect(text('plain')).toBe('plain')
  })

  it('never evaluates what was inserted', () => {
    expect(text('{{ webhook.body.injected }}')).toBe('{{ 7 * 7 }} ${7 * 7}')
    expect(text('a {{ `${webhook.body.injected}` }}')).toBe('a {{ 7 * 7 }} ${7 * 7}')
  })
})

describe('a missing value', () => {
  it.each([
    ['{{ webhook.body.usr }}', 'webhook.body.usr'],
    ['Hi {{ webhook.body.usr }}', 'webhook.body.usr'],
    ["{{ webhook.body['usr'] }}", "webhook.body['usr']"],
    ['{{ vars.x }}', 'vars.x'],
    ['{{ steps }}', 'steps'],
    ['{{ webhook.body.list[3] }}', 'webhook.body.list[3]'],
    ['{{ webhook.body.name[9] }}', 'webhook.body.name[9]'],
    ['{{ webhook.body.nothing.x }}', 'webhook.body.nothing.x'],
    ['{{ webhook.body.zero.x }}', 'webhook.body.zero.x'],
    ['{{ webhook?.body?.usr }}', 'webhook?.body?.usr'],
    ['{{ webhook.body.a ?? webhook.body.b }}', 'webhook.body.b'],
    ['{{ webhook.body.a || webhook.body.b }}', 'webhook.body.b'],
    ['{{ webhook.body.a && webhook.body.name }}', 'webhook.body.a'],
    ['{{ webhook.body.zero ? 1 : webhook.body.c }}', 'webhook.body.c'],
    ['{{ webhook.body.a + 1 }}', 'webhook.body.a'],
    ['{{ 1 - webhook.body.a }}', 'webhook.body.a'],
    ['{{ webhook.body.a + (webhook.body.b ?? 1) }}', 'webhook.body.a'],
    ['{{ webhook.body.a < 1 }}', 'webhook.body.a'],
    ['{{ -webhook.body.a }}', 'webhook.body.a'],
    ['{{ `x${webhook.body.a}` }}', 'webhook.body.a'],
    ['{{ [webhook.body.a] }}', 'webhook.body.a'],
    ['{{ ({ x: webhook.body.a }) }}', 'webhook.body.a'],
    ['{{ ({ [webhook.body.a]: 1 }) }}', 'webhook.body.a'],
    ['{{ [...webhook.body.a] }}', 'webhook.body.a'],
    ['{{ ({ ...webhook.body.a }) }}', 'webhook.body.a'],
    ['{{ String(webhook.body.a) }}', 'webhook.body.a'],
    ['{{ Math.max(...webhook.body.a) }}', 'webhook.body.a'],
    ["{{ 'a'.concat(webhook.body.a) }}", 'webhook.body.a'],
    ['{{ webhook.body[webhook.body.a] }}', 'webhook.body.a'],
    ['{{ webhook.body.a.trim() }}', 'webhook.body.a'],
    ['{{ webhook.body.a.map(x => x) }}', 'webhook.body.a'],
    ['{{ webhook.body?.a.trim() }}', 'webhook.body?.a'],
    ['{{ webhook.body.items.map(i => i.price) }}', 'i.price'],
    ['{{ webhook.body.items.map(({ price }) => price) }}', 'price'],
    ['{{ [[1]].map(([a, b]) => b) }}', 'b'],
    ['{{ [1].map((a, b, c, d) => d) }}', 'd'],
    ['{{ webhook.body.items.find(i => i.id == 9) }}', 'webhook.body.items.find(i => i.id == 9)'],
    ['{{ webhook.body.list.at(9) }}', 'webhook.body.list.at(9)'],
    ['{{ undefined }}', 'undefined'],
  ])('%s is an error that names %s', (source, reference) => {
    const error = failure(source)
    expect(error.code).toBe('missing_value')
    expect(error.message).toBe(`${reference} is missing; use \`{{ ${reference} ?? '' }}\` if it may be`)
  })

  it('is named in full below something that is missing, with what that is', () => {
    expect(failure('{{ webhook.body.usr.name.first }}').message).toBe(
      "webhook.body.usr.name.first is missing (there is no webhook.body.usr); use `{{ webhook.body.usr.name.first ?? '' }}` if it may be",
    )
    expect(failure('{{ webhook.body.usr[`${1}`] }}').message).toContain('(there is no webhook.body.usr)')
  })

  it.each([
    ["webhook.body.a ?? 'x'", 'x'],
    ["webhook.body.a.b.c ?? 'x'", 'x'],
    ["webhook.body.nothing.b ?? 'x'", 'x'],
    ["webhook.body.nothing ?? 'x'", 'x'],
    ["webhook.body.a?.b.trim() ?? 'x'", 'x'],
    ["webhook.body.a?.trim().length ?? 'x'", 'x'],
    ["webhook.body.nothing?.trim() ?? 'x'", 'x'],
    ["webhook.body.a?.[webhook.body.nope] ?? 'x'", 'x'],
    ["webhook.body.a?.b[webhook.body.nope] ?? 'x'", 'x'],
    ["webhook.body.items.find(i => i.id == 9)?.price ?? 'x'", 'x'],
    ['webhook.body.a == null', true],
    ['null == webhook.body.a', true],
    ['webhook.body.a == undefined', true],
    ['webhook.body.a === undefined', true],
    ['webhook.body.a === null', false],
    ['webhook.body.a != null', false],
    ["webhook.body.a == ''", false],
    ['webhook.body.a == webhook.body.b', true],
    ['!webhook.body.a', true],
    ["webhook.body.a || 'x'", 'x'],
    ['webhook.body.a ? 1 : 2', 2],
    ['typeof webhook.body.a', 'undefined'],
    ['webhook.body.items.filter(i => i.price).length', 1],
    ['webhook.body.items.some(i => i.nope)', false],
    ['webhook.body.items.every(i => i.price)', false],
    ['webhook.body.items.find(i => i.price).id', 1],
    ['webhook.body.items.map(i => i.price ?? 0)', [5, 0]],
  ])('may be tested: {{ %s }}', (source, expected) => {
    expect(evaluate(source, body)).toEqual(expected)
  })
})

describe('conditions', () => {
  const condition = (source: string) => renderCondition(parseTemplate(source), bindings)

  it.each([
    ['{{ webhook.body.name }}', true],
    ['{{ webhook.body.empty }}', false],
    ['{{ webhook.body.zero }}', false],
    ['{{ webhook.body.nothing }}', false],
    ['{{ webhook.body.usr }}', false],
    ['{{ webhook.body.usr.x.y }}', false],
    ['{{ webhook.body.usr?.trim() }}', false],
    ['{{ [] }}', true],
    ["{{ 'false' }}", true],
    [' {{ 1 > 0 }}\n', true],
  ])('%j is %s', (source, expected) => {
    expect(condition(source)).toBe(expected)
  })

  it.each(['true', '', '{{ 1 }} == {{ 2 }}', 'not {{ true }}'])(
    '%j is an error, being no single expression',
    (source) => {
      expect(errorOf(ExpressionError, () => condition(source)).message).toBe('A condition must be one expression')
    },
  )

  it('still fail where a missing value is calculated with, or the result is no number', () => {
    expect(errorOf(ExpressionError, () => condition('{{ webhook.body.usr > 1 }}')).code).toBe('missing_value')
    expect(errorOf(ExpressionError, () => condition("{{ 'x' * 2 }}")).code).toBe('expression_failed')
  })
})

describe('optional rendering', () => {
  const optional = (source: string) => renderOptional(parseTemplate(source), bindings)

  it('gives MISSING where an inserted value is missing', () => {
    expect(optional('{{ webhook.body.usr }}')).toBe(MISSING)
    expect(optional('order-{{ webhook.body.usr }}')).toBe(MISSING)
  })

  it('is like any other rendering otherwise', () => {
    expect(optional('{{ webhook.body.zero }}')).toBe(0)
    expect(optional('order-{{ webhook.body.user }}')).toBe(`order-${JSON.stringify(body.user)}`)
    expect(errorOf(ExpressionError, () => optional('{{ sha256(webhook.body.usr) }}')).code).toBe('missing_value')
  })
})

describe('NaN and Infinity', () => {
  it.each([
    "'abc' * 2",
    '1 / 0',
    "Number('x')",
    '-(1 / 0)',
    '[0 / 0]',
    '{ a: 1 / 0 }',
    "'x' + 0 / 0",
    '`${1 / 0}`',
    'JSON.stringify(0 / 0)',
    '[0 / 0].join()',
    "new Date('x')",
    "new Date('x').toISOString()",
    "Date.parse('x')",
  ])('never come out: {{ %s }}', (source) => {
    const error = errorOf(ExpressionError, () => evaluate(source))
    expect(error.code).toBe('expression_failed')
    expect(error.message).toContain(`in {{ ${source} }}`)
  })

  it('may be calculated with and tested', () => {
    expect(evaluate("isNaN('x' * 1) ? 'none' : 1")).toBe('none')
    expect(evaluate("Number.isFinite(1 / 0) || isNaN(Date.parse('x'))")).toBe(true)
    expect(evaluate('Math.min(1 / 0, 5)')).toBe(5)
    expect(evaluate('NaN == NaN')).toBe(false)
  })
})
