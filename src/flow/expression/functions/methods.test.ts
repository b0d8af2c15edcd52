import { describe, expect, it } from 'vitest'
import { errorOf, evaluate } from '../sample-bindings.testkit.ts'
import { ExpressionError } from '../values/errors.ts'

const body = {
  text: '  Ünï "x"  ',
  csv: 'a,b,,c',
  n: 1234.5678,
  list: [3, 1, 2],
  rows: [
    { id: 1, tag: 'b', sub: [1, 2] },
    { id: 2, tag: 'a', sub: [] },
  ],
  object: { b: 1, a: { c: 2 } },
}

const failure = (source: string) => errorOf(ExpressionError, () => evaluate(source, body))

/** Expects each result; `$x` is short for `webhook.body.x`. */
function yields(cases: [source: string, expected: unknown][]): void {
  it.each(cases)('%s', (source, expected) => {
    expect(evaluate(source.replace(/\$(?=[a-z])/g, 'webhook.body.'), body)).toEqual(expected)
  })
}

describe('operators', () => {
  yields([
    ['1 + 2 * 3 ** 2 % 5', 1 + ((2 * 3 ** 2) % 5)],
    ["'a' + 1 + true + null", 'a1truenull'],
    ["1 + 2 + 'a'", '3a'],
    ['null + 1', 1],
    ["'6' / '2' - '1'", 2],
    ["+'4' + -'1'", 3],
    ["'10' == 10", true],
    ["'10' === 10", false],
    ['true == 1', true],
    ["'' == 0", true],
    ['null == 0', false],
    ['null >= 0', true],
    ['[1] == [1]', false],
    ["[1] == '1'", false],
    ['$list == $list', true],
    ["'b' > 'a' && 'B' < 'a'", true],
    ["'10' < '9'", true],
    ["'10' < 9", false],
    [
      "typeof 1 + typeof '' + typeof true + typeof null + typeof [] + typeof {}",
      'numberstringbooleanobjectobjectobject',
    ],
    ['0 || null || "x"', 'x'],
    ['0 ?? 1', 0],
    ['1 && 0 && 2', 0],
    ['1 > 2 ? 3 : 4', 4],
    ['`a${1}b${[1].length}`', 'a1b1'],
    ['0x10 + 1_000 + .5', 1016.5],
  ])

  it.each([
    "[] + ''",
    '{ a: 1 }.a + {}',
    '`${[1]}`',
    '-[1]',
    '[2] * 2',
    '({}) > 1',
    'String([1])',
    'Number([1])',
    "'a'.concat([1])",
  ])('never turn a list or object into text or a number: %s', (source) => {
    expect(failure(source).message).toContain('expected here, not')
  })
})

describe('lists and objects', () => {
  yields([
    ['[1, ...[2, 3], ..."é😀"]', [1, 2, 3, 'é', '😀']],
    ['{ a: 1, "b c": 2, [`d${1}`]: 3, 4: 5, ...{ a: 6 } }', { a: 6, 'b c': 2, d1: 3, 4: 5 }],
    ['{ a: 1, ...null, ...false && { b: 1 } }', { a: 1 }],
    ['{ ...$object, $: 1 }', { b: 1, a: { c: 2 }, $: 1 }],
    ['$list.length + $csv.length', 9],
    ['$csv[0] + $list[1]', 'a1'],
    ['$list["1"]', 1],
    ['Object.keys($object)', ['b', 'a']],
    ['Object.values($object)', [1, { c: 2 }]],
    ['Object.entries($object).map(([k, v]) => k)', ['b', 'a']],
    [
      'Object.entries($list)',
      [
        ['0', 3],
        ['1', 1],
        ['2', 2],
      ],
    ],
    ['Object.fromEntries($rows.map(r => [r.tag, r.id]))', { b: 1, a: 2 }],
    ['Array.isArray($list) && !Array.isArray($object)', true],
    ['JSON.parse(JSON.stringify($object))', { b: 1, a: { c: 2 } }],
    ['JSON.stringify({ a: [1] }, null, 2)', '{\n  "a": [\n    1\n  ]\n}'],
    ['JSON.stringify([1], null, "--")', '[\n--1\n]'],
    ['JSON.stringify(new Date(0))', '"1970-01-01T00:00:00.000Z"'],
    ['JSON.parse(`{"a":1e3}`).a', 1000],
  ])

  it('refuse what cannot be spread, listed or parsed, without quoting it', () => {
    expect(failure('[...1]').message).toContain('Only a list can be spread')
    expect(failure("({ ...'abc' })").message).toContain('Only an object can be spread')
    expect(failure('({ ...[1] })').message).toContain('Only an object can be spread')
    expect(failure('Object.keys(1)').message).toContain('An object was expected')
    expect(failure('Object.fromEntries([1])').message).toContain('A list was expected')
    expect(failure('Object.fromEntries([[1]])').message).toContain('pairs')
    expect(failure("JSON.parse('{secret')").message).toMatch(/^The text given to JSON.parse is not valid JSON, in/)
    expect(failure('JSON.stringify(1, [1])').message).toContain('second argument')
  })
})

describe('text methods', () => {
  yields([
    ['$text.trim().toUpperCase()', 'ÜNÏ "X"'],
    ['" a ".trimStart() + "|" + " a ".trimEnd() + "|"', 'a | a|'],
    ['"ABC".toLowerCase().at(-1)', 'c'],
    ['"abc".charAt(1) + "abc".charCodeAt(1) + "😀".codePointAt(0)', 'b98128512'],
    ['"abc".charAt(9)', ''],
    ['"a".concat("b", 1, null)', 'ab1null'],
    ['"abc".startsWith("b", 1) && "abc".endsWith("b", 2) && "abc".includes("c")', true],
    [
      '["abcb".indexOf("b"), "abcb".indexOf("b", 2), "abcb".lastIndexOf("b"), "abcb".lastIndexOf("b", 2), "a".indexOf("z")]',
      [1, 3, 3, 1, -1],
    ],
    ['"é".normalize("NFD").length', 2],
    ['"5".padStart(3, "0") + "5".padEnd(3) + "|"', '0055  |'],
    ['"ab".repeat(2.9) + "ab".repeat(0)', 'abab'],
    ['"a.b.c".replace(".", "-") + "a.b.c".replaceAll(".", "-")', 'a-b.ca-b-c'],
    ['"abc".replaceAll("", "-")', '-a-b-c-'],
    ['"abc".replace("", "-")', '-abc'],
    ['"price".replace("price", "$&$1$$")', '$&$1$$'],
    ['"aXbX".replaceAll("X", (m, i) => m + i)', 'aX1bX3'],
    ['"aXbX".replace("X", m => m.toLowerCase())', 'axbX'],
    ['"hello".slice(-3, -1) + "hello".substring(3, 1)', 'llel'],
    ['$csv.split(",")', ['a', 'b', '', 'c']],
    ['$csv.split(",", 2)', ['a', 'b']],
    ['$csv.split(",", 0)', []],
    ['"ab".split("")', ['a', 'b']],
    ['"".split(",")', ['']],
    ['"".split("")', []],
    ['"x".toString()', 'x'],
    ['["b", "a", "Z", "ä"].sort((a, b) => a.localeCompare(b))', ['a', 'ä', 'b', 'Z']],
  ])

  it('refuse impossible settings', () => {
    expect(failure("'a'.repeat(-1)").code).toBe('expression_failed')
    expect(failure("'a'.normalize('x')").code).toBe('expression_failed')
    expect(failure("'a'.split(...[])").message).toContain('takes at least 1')
  })

  it('find long parts as exactly as short ones', () => {
    const long = { text: `${'a'.repeat(600)}b${'a'.repeat(900)}c`, part: `${'a'.repeat(900)}c` }
    expect(evaluate('webhook.body.text.indexOf(webhook.body.part)', long)).toBe(601)
    expect(evaluate("webhook.body.text.includes('a'.repeat(901))", long)).toBe(false)
    expect(evaluate("webhook.body.text.split('a'.repeat(600)).length", long)).toBe(3)
  })
})

describe('list methods', () => {
  yields([
    ['[$list.at(-1), $list.at(0)]', [2, 3]],
    ['[1].concat([2], 3, [[4]])', [1, 2, 3, [4]]],
    ['[$list.every(x => x > 0), $list.some(x => x > 2)]', [true, true]],
    ['$list.filter((x, i) => i > 0)', [1, 2]],
    ['[null, "", "a", 0, 1].filter(Boolean)', ['a', 1]],
    ['["1", "2"].map(Number)', [1, 2]],
    ['[1, 2].map(String)', ['1', '2']],
    ['[-1, 1.5].map(Math.abs)', [1, 1.5]],
    [
      '[$list.find(x => x < 3), $list.findIndex(x => x < 3), $list.findLast(x => x < 3), $list.findLastIndex(x => x < 3)]',
      [1, 1, 2, 2],
    ],
    ['[$list.findIndex(x => x > 9), $list.findLastIndex(x => x > 9)]', [-1, -1]],
    ['[1, [2, [3, [4]]]].flat()', [1, 2, [3, [4]]]],
    ['[1, [2, [3, [4]]]].flat(1 / 0)', [1, 2, 3, 4]],
    ['[1, [2]].flat(0)', [1, [2]]],
    ['$rows.flatMap(r => r.sub)', [1, 2]],
    [
      '[$list.includes(1), $list.includes(1, 2), $list.includes("1"), $list.includes(2, -1)]',
      [true, false, false, true],
    ],
    ['[$list.indexOf(2), $list.indexOf(3, 1), $list.lastIndexOf(3)]', [2, -1, 0]],
    ['[1, null, "a", true].join("-")', '1--a-true'],
    ['[1, 2].join()', '1,2'],
    ['$list.map((x, i, all) => x + i + all.length)', [6, 5, 7]],
    ['$list.reduce((a, b) => a + b)', 6],
    ['$list.reduce((a, b, i) => ({ ...a, [i]: b }), {})', { 0: 3, 1: 1, 2: 2 }],
    ['$list.reduceRight((a, b) => a + b, "")', '213'],
    ['$list.reverse().concat($list)', [2, 1, 3, 3, 1, 2]],
    ['$list.toReversed()', [2, 1, 3]],
    ['[10, 9, 1].sort()', [1, 10, 9]],
    ['[10, 9, 1].toSorted((a, b) => a - b)', [1, 9, 10]],
    ['$rows.sort((a, b) => a.tag < b.tag ? -1 : 1).map(r => r.id)', [2, 1]],
    ['$list.slice(1)', [1, 2]],
    ['$list.with(-1, 9)', [3, 1, 9]],
    [
      '[$list.toSpliced(0, 1), $list.toSpliced(1, 0, 7, 8), $list.toSpliced(1), $list.toSpliced()]',
      [[1, 2], [3, 7, 8, 1, 2], [3], [3, 1, 2]],
    ],
    [
      '[$list.keys(), $list.values(), $list.entries()]',
      [
        [0, 1, 2],
        [3, 1, 2],
        [
          [0, 3],
          [1, 1],
          [2, 2],
        ],
      ],
    ],
    ['$rows.map(({ id, sub: [first] }) => first ?? id)', [1, 2]],
    ['$rows.map(webhook => webhook.id)', [1, 2]],
    ['$rows.map(r => r.sub.map(s => r.id * 10 + s))', [[11, 12], []]],
  ])

  it('refuse what JavaScript refuses', () => {
    expect(failure('[[1]].join()').message).toContain('a list inside a list')
    expect(failure('[].reduce((a, b) => a)').code).toBe('expression_failed')
    expect(failure('[1].with(1, 2)').code).toBe('expression_failed')
    expect(failure('[1].map(([a]) => a)').message).toContain('takes a list apart, not a number')
    expect(failure('[1].map(({ a }) => a)').message).toContain('takes an object apart, not a number')
  })
})

describe('numbers', () => {
  yields([
    [
      '$n.toFixed(2) + " " + $n.toPrecision(3) + " " + $n.toExponential(1) + " " + (255).toString(16)',
      '1234.57 1.23e+3 1.2e+3 ff',
    ],
    ['$n.toFixed() + $n.toString()', '12351234.5678'],
    [
      '[Math.round(2.5), Math.floor(-1.5), Math.max(1, "3", 2), Math.min(...[4, 2]), Math.pow(2, 3), Math.hypot(3, 4)]',
      [3, -2, 3, 2, 8, 5],
    ],
    ['Math.PI > 3 && Number.MAX_SAFE_INTEGER > 1e15', true],
    ['[Number("12"), Number(""), Number(true), Number(null)]', [12, 0, 1, 0]],
    [
      '[parseInt("12px"), parseInt("ff", 16), parseInt("0x1f"), parseFloat("1.5kg"), Number.parseFloat("2.5")]',
      [12, 255, 31, 1.5, 2.5],
    ],
    [
      '[Number.isInteger(1.5), Number.isFinite("1"), isFinite("1"), isNaN("x"), Number.isNaN("x")]',
      [false, false, true, true, false],
    ],
    ['[Boolean(""), Boolean([]), String(null), String(1.0)]', [false, true, 'null', '1']],
  ])

  it('refuse impossible settings', () => {
    for (const source of ['(1).toFixed(101)', '(1).toString(1)', '(1).toPrecision(0)']) {
      expect(failure(source).message).toContain('must lie between')
    }
  })
})

describe('dates', () => {
  yields([
    ['new Date("2024-02-03T04:05:06.789Z").getTime()', Date.UTC(2024, 1, 3, 4, 5, 6, 789)],
    ['new Date(0)', '1970-01-01T00:00:00.000Z'],
    ['new Date(new Date(5)).getTime()', 5],
    ['new Date("2024-02-03T23:30:00").getHours()', 23],
    ['new Date("2024-02-03T23:30:00").getDate() + new Date("2024-02-03").getDay()', 9],
    ['new Date("2024-02-03").getUTCFullYear() + new Date("2024-02-03").getMonth()', 2025],
    ['Date.parse("2024-02-03") - Date.parse("2024-02-02")', 86_400_000],
    ['new Date("2024-02-03") - new Date("2024-02-02")', 86_400_000],
    ['new Date("2024-02-03") > new Date("2024-02-02")', true],
    ['new Date(Date.parse(now()) + 1000).toISOString()', '2026-03-04T05:06:08.089Z'],
    ['"at " + new Date(0)', 'at 1970-01-01T00:00:00.000Z'],
    ['`${new Date(0)}`', '1970-01-01T00:00:00.000Z'],
    ['new Date(0).toJSON() == String(new Date(0))', true],
    ['typeof new Date(0)', 'object'],
    ['Object.entries([new Date(0)])', [['0', '1970-01-01T00:00:00.000Z']]],
  ])
})

describe('functions of Millrace', () => {
  yields([
    ['now()', '2026-03-04T05:06:07.089Z'],
    ['uuid()', '11111111-2222-4333-8444-555555555555'],
    ['sha256(1)', 'sha256 of 1'],
    ['hmacSha256("a", "key")', 'hmac of a with key'],
    ['hmacSha512("a", "key")', 'long hmac of a with key'],
    ['base64("héllo")', 'aMOpbGxv'],
    ['unbase64("aMOpbGxv")', 'héllo'],
    ['raw([1])', [1]],
    ['encodeURIComponent("a b&é") + decodeURIComponent("%C3%A9")', 'a%20b%26%C3%A9é'],
  ])

  it('fail with an error that does not quote the text', () => {
    for (const source of [
      'unbase64("secret!")',
      'decodeURIComponent("%")',
      'encodeURIComponent("\\ud800")',
      'base64("\\ud800")',
    ]) {
      expect(failure(source).code).toBe('expression_failed')
    }
  })
})

describe('a method the value lacks', () => {
  it('is an error that names the value, its type and the methods there are', () => {
    const error = failure('webhook.body.text.map(x => x)')
    expect(error.message).toBe(
      'webhook.body.text is text, which has no method map, in {{ webhook.body.text.map(x => x) }}',
    )
    expect(error.hint).toContain('split')
    expect(failure('webhook.body.list.trim()').hint).toContain('flatMap')
    expect(failure('webhook.body.object.map(x => x)').hint).toContain('Object.values')
    expect(failure('null.trim()').message).toContain('null is null')
  })
})
