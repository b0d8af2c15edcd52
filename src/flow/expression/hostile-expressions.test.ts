/** Tests the attacks of the design's list of hostile inputs, and those known from other interpreters. */
import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderValue } from './render.ts'
import { errorOf, evaluate, sampleBindings } from './sample-bindings.testkit.ts'
import { ExpressionError, TemplateSyntaxError } from './values/errors.ts'

// The promise is 100 ms. Under vitest, calls between files take up to three times as long as in plain Node.
const TIME_LIMIT_MS = 300

/** Returns the CPU time of this thread, which other work on the machine does not change. */
function cpuMsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(start)
  return (user + system) / 1000
}

describe('prototypes and host objects', () => {
  const poisoned = JSON.parse(
    '{"__proto__": {"polluted": 1}, "constructor": "mine", "list": [], "text": "x", "k": "constructor"}',
  )

  it.each([
    '[].constructor',
    "''.constructor",
    '(1).constructor',
    'true.constructor',
    '{}.constructor',
    'new Date(0).constructor',
    'new Date(0).ms',
    'new Date(0).toISOString',
    '[].map',
    "''.trim",
    '{}.__proto__',
    '{}.toString',
    '{}.hasOwnProperty',
    '[].__proto__',
    "''.__proto__",
    "[]['constructor']",
    '[][`constructor`]',
    "[]['const' + 'ructor']",
    "[][`${'const'}ructor`]",
    "[][['constructor'].join('')]",
    "''['__pro' + 'to__']",
    'webhook.body.list.constructor',
    'webhook.body.list[webhook.body.k]',
    'webhook.body.text[webhook.body.k]',
    'webhook.constructor',
    'webhook.__proto__',
    'webhook.body.polluted',
    'webhook.body.hasOwnProperty',
    '[{}].map(({ constructor }) => constructor)',
    '[{}].map(({ __proto__: p }) => p)',
    '[[]].map(({ constructor: { prototype } }) => prototype)',
    '[1].map(x => x.constructor)',
    "Object.fromEntries([['a', 1]]).constructor",
    "JSON.parse('{}').constructor",
    "JSON.parse('[]').__proto__",
    'JSON.parse(\'{"__proto__":{"x":1}}\').x',
    '{ __proto__: { x: 1 } }.x',
    "{ ['__proto__']: { x: 1 } }.x",
    "Object.fromEntries([['__proto__', { x: 1 }]]).x",
    '{ ...webhook.body }.polluted',
    'Object.entries([1])[0].constructor',
    "'a'.split('').constructor",
  ])('are never reached: {{ %s }}', (source) => {
    const { code, message } = errorOf(ExpressionError, () => evaluate(source, poisoned))
    expect(code, message).toMatch(/^(missing_value|expression_failed)$/)
  })

  it('leaves such names usable as ordinary data', () => {
    expect(evaluate('webhook.body.constructor', poisoned)).toBe('mine')
    expect(evaluate('webhook.body.__proto__.polluted', poisoned)).toBe(1)
    expect(evaluate('{ constructor: 1 }.constructor')).toBe(1)
    expect(JSON.stringify(evaluate("{ __proto__: 1, ['__proto__']: 2 }"))).toBe('{"__proto__":2}')
    expect(JSON.stringify(evaluate("Object.fromEntries([['__proto__', { x: 1 }]])"))).toBe('{"__proto__":{"x":1}}')
    expect(JSON.stringify(evaluate('{ ...webhook.body }', poisoned))).toBe(JSON.stringify(poisoned))
  })

  it('pollutes nothing', () => {
    evaluate(
      "[{ ...webhook.body }, Object.fromEntries([['__proto__', { polluted: 1 }]]), { __proto__: { polluted: 1 } }]",
      poisoned,
    )
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('makes objects without a prototype', () => {
    for (const source of ['{ a: 1 }', '{ ...{} }', "Object.fromEntries([['a', 1]])"]) {
      expect(Object.getPrototypeOf(evaluate(source))).toBeNull()
    }
  })

  it('takes a root only from the bindings itself', () => {
    const bindings = { ...sampleBindings({}), roots: {} }
    expect(errorOf(ExpressionError, () => renderValue(parseTemplate('{{ vars.x }}'), bindings)).code).toBe(
      'missing_value',
    )
  })
})

describe('too much work or data', () => {
  const big = 'a'.repeat(9_000_000)
  const other = `${'a'.repeat(8_999_999)}b`
  let deep: unknown = []
  for (let depth = 0; depth < 50_000; depth++) deep = [deep]
  const items = Array.from({ length: 20_000 }, (_, index) => index)
  const object = Object.fromEntries(items.map((index) => [`k${index}`, index]))
  const laughs = '.map(a => [a, a, a, a, a, a, a, a, a, a])'.repeat(12)
  const bindings = sampleBindings({ vars: { big, other, deep, items, object } })

  it.each([
    "'a'.repeat(1e9)",
    "'a'.repeat(1 / 0)",
    "'a'.padStart(1e9)",
    "'a'.padEnd(1e9, 'bc')",
    "''.padStart(1 / 0)",
    'vars.items.reduce(a => a.concat(a), [1])',
    'vars.items.reduce(a => [...a, ...a], [1])',
    'vars.items.reduce(a => a.flatMap(x => [x, x]), [1])',
    'vars.items.reduce((a, x) => [...a, x], [])',
    'vars.items.reduce((a, x) => ({ ...a, [x]: x }), {})',
    'vars.items.reduce((a, i) => a.with(i, 0), vars.items)',
    'vars.items.reduce(a => a.toSpliced(0, 1, 0), vars.items)',
    "vars.items.reduce(a => [a, a].join(','), 'x')",
    "vars.items.reduce(a => a + a, 'x')",
    "vars.items.reduce(a => a.concat(a), 'x')",
    "vars.items.reduce(a => `${a}${a}`, 'x')",
    "vars.items.reduce(a => a.replaceAll('x', 'xx'), 'x')",
    "vars.items.reduce(a => a.replaceAll('x', m => 'xx'), 'x')",
    "vars.big.replaceAll('', 'xxxxxxxxxx')",
    "vars.big.split('')",
    "vars.big.split('a')",
    'vars.items.map(a => vars.items.map(b => 1))',
    'vars.items.filter(a => vars.items.filter(b => false))',
    'vars.items.some(a => vars.items.some(b => vars.items.some(c => false)))',
    'vars.items.reduce((a, b) => vars.items.reduce((c, d) => c + d, 0), 0)',
    'vars.items.map(x => vars.items.toSorted((a, b) => b - a).length)',
    'vars.items.map(x => vars.items.sort().length)',
    `JSON.stringify(['lol']${laughs})`,
    `['lol']${laughs}`,
    'vars.items.slice(0, 40).reduce(a => [a, a], [])',
    'vars.items.slice(0, 40).reduce(a => [a, a], []).flat(1 / 0)',
    'vars.items.slice(0, 40).reduce(a => ({ a, b: a }), {})',
    'JSON.stringify(vars.items.slice(0, 40).reduce(a => ({ a, b: a }), {}))',
    'vars.items.reduce(a => [a], [])',
    "JSON.parse('['.repeat(100000) + ']'.repeat(100000))",
    "JSON.parse('{\"a\":'.repeat(100000) + '1' + '}'.repeat(100000))",
    "JSON.parse('[' + '[],'.repeat(3000000) + '[]]')",
    'vars.deep',
    'JSON.stringify(vars.deep)',
    'vars.deep.flat(1 / 0)',
    'vars.items.map(i => vars.big + i)',
    'vars.items.map(i => (vars.big + i).charCodeAt(3))',
    'vars.items.map(i => (vars.big + i)[3])',
    'vars.items.filter(i => vars.big == vars.other)',
    'vars.items.filter(i => vars.big < vars.other)',
    'vars.items.map(i => vars.big).includes(vars.other)',
    "vars.big.includes('a'.repeat(1000) + 'b' + 'a'.repeat(1000))",
    "vars.big.split('a'.repeat(1000) + 'b' + 'a'.repeat(1000))",
    "vars.big.replaceAll('a'.repeat(300) + 'b', 'x')",
    "vars.big.lastIndexOf('a'.repeat(4000) + 'b')",
    'vars.items.map(i => vars.big.toLowerCase().length)',
    "vars.items.map(i => vars.big.normalize('NFKD').length)",
    'vars.items.map(i => (vars.big + i).trim().length)',
    'vars.items.map(i => vars.big.localeCompare(vars.other))',
    'vars.items.map(i => base64(vars.big).length)',
    'vars.items.map(i => sha256(vars.big).length)',
    'vars.items.map(i => encodeURIComponent(vars.big).length)',
    'vars.items.map(i => Number(vars.big))',
    'vars.items.map(i => ({ ...vars.object }))',
    'vars.items.map(i => Object.keys(vars.object).length)',
    'vars.items.map(i => Object.fromEntries(Object.entries(vars.object)))',
    'vars.items.map(i => vars[vars.big + i] ?? 1)',
    'vars.items.map(i => vars.items.join().length)',
    'vars.items.map(i => Math.max(...vars.items))',
    'vars.items.filter(i => vars.items.includes(-1))',
    'vars.items.map(i => JSON.stringify(vars.items).length)',
    'JSON.stringify(vars.items.slice(0, 900).reduce(a => [a, a], 1), null, 10)',
    'vars.items.map(a => vars.items.map(i => i.toFixed(100)))',
    'vars.items.map(a => vars.items.map(i => new Date(i).toISOString()))',
    "vars.items.map(a => vars.items.map(i => Date.parse('2024-01-01T00:00:00Z')))",
    `vars.items.map(a => '${'x'.repeat(15_000)}' + a)`,
  ])('ends in a budget error in time: %s', (source) => {
    const template = parseTemplate(`{{ ${source} }}`)
    // The best of a few runs counts: the first ones are not compiled yet.
    let fastest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 4 && fastest > TIME_LIMIT_MS; attempt++) {
      const started = process.threadCpuUsage()
      const { code } = errorOf(ExpressionError, () => renderValue(template, bindings))
      fastest = Math.min(fastest, cpuMsSince(started))
      expect(code).toBe('expression_failed')
    }
    expect(fastest).toBeLessThan(TIME_LIMIT_MS)
  })

  const nested = (open: string, inner: string, close: string, depth: number) =>
    open.repeat(depth) + inner + close.repeat(depth)

  it.each([
    ['parentheses', nested('(', '1', ')', 10_000)],
    ['more parentheses', nested('(', '1', ')', 100_000)],
    ['lists', nested('[', '1', ']', 10_000)],
    ['objects', nested('{a:', '1', '}', 10_000)],
    ['template strings', nested('`${', '1', '}`', 10_000)],
    ['calls', nested('String(', '1', ')', 10_000)],
    ['arrow functions', nested('[1].map(a => ', '1', ')', 10_000)],
    ['minus signs', `${'- '.repeat(10_000)}1`],
    ['sums', `1${'+1'.repeat(10_000)}`],
    ['conditions', `${'1?1:'.repeat(10_000)}1`],
    ['properties', `webhook${'.a'.repeat(10_000)}`],
    ['optional properties', `webhook${'?.a'.repeat(10_000)}`],
    ['indexes', `webhook${'[vars.x]'.repeat(10_000)}`],
    ['method calls', `''${'.trim()'.repeat(10_000)}`],
    ['few enough for the parser', nested('[', '1', ']', 600)],
  ])('in the source is refused when it is parsed: %s', (_what, source) => {
    let fastest = Number.POSITIVE_INFINITY
    for (let attempt = 0; attempt < 4 && fastest > TIME_LIMIT_MS; attempt++) {
      const started = process.threadCpuUsage()
      const error = errorOf(TemplateSyntaxError, () => parseTemplate(`{{ ${source} }}`))
      fastest = Math.min(fastest, cpuMsSince(started))
      expect(error.message).toMatch(/nested too deep|too long/)
    }
    expect(fastest).toBeLessThan(TIME_LIMIT_MS)
  })
})

describe('ordinary work on much data', () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({
    id: index,
    name: `name ${(index * 7919) % 20_000}`,
    price: index / 4,
  }))
  const text = 'word, '.repeat(1_700_000)
  const bindings = sampleBindings({ vars: { rows, text, json: JSON.stringify(rows) } })

  it.each([
    ['vars.rows.map(r => ({ ...r, total: r.price * 2 })).filter(r => r.total > 100).length', 19_799],
    ['vars.rows.map(r => `${r.id}: ${r.name}`).join("\\n").length', 337_779],
    ["vars.rows.reduce((text, r) => text + r.name + ';', '').length", 208_890],
    ['vars.rows.reduce((sum, r) => sum + r.price, 0)', 49_997_500],
    ['vars.rows.toSorted((a, b) => b.price - a.price)[0].id', 19_999],
    ['vars.rows.toSorted((a, b) => a.name.localeCompare(b.name))[0].name', 'name 0'],
    ['vars.rows.map(r => r.name).sort()[0]', 'name 0'],
    ['vars.rows.map(r => sha256(r.name)).length', 20_000],
    ['Object.fromEntries(vars.rows.map(r => [r.name, r.id]))["name 7919"]', 1],
    ['JSON.parse(vars.json).length', 20_000],
    ['JSON.stringify(vars.rows) == vars.json', true],
    ['vars.rows.map(r => r.id).includes(19999)', true],
    ['Math.max(...vars.rows.map(r => r.price))', 4999.75],
    ["vars.text.includes('none')", false],
    ["vars.text.replaceAll('none', 'some').length", 10_200_000],
    ["vars.json.split('},').length", 20_000],
    ['base64(vars.text.slice(0, 1000000)).length', 1_333_336],
  ])('passes: %s', (source, expected) => {
    expect(renderValue(parseTemplate(`{{ ${source} }}`), bindings)).toBe(expected)
  })

  it('hands on a large body as it is', () => {
    expect(renderValue(parseTemplate('{{ vars.rows }}'), bindings)).toBe(rows)
    expect(renderValue(parseTemplate('{{ vars.text }}'), bindings)).toBe(text)
  })
})
