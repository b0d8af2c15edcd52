import { describe, expect, it } from 'vitest'
import { type Expression, parseTemplate } from './parse-template.ts'
import { renderText, renderValue } from './render.ts'
import { errorOf, sampleBindings } from './sample-bindings.testkit.ts'
import { TemplateSyntaxError } from './values/errors.ts'

const bindings = sampleBindings({ webhook: { body: { a: 1 } } })
const render = (source: string) => renderValue(parseTemplate(source), bindings)
const refusal = (source: string) => errorOf(TemplateSyntaxError, () => parseTemplate(source))
const expressions = (source: string) =>
  parseTemplate(source).parts.filter((part): part is Expression => typeof part !== 'string')
const references = (source: string) => expressions(`{{ ${source} }}`).flatMap(({ references }) => references)
const paths = (source: string) => references(source).map(({ path }) => path.join('/'))

describe('the extent of an expression', () => {
  it('keeps text without braces as it is', () => {
    expect(parseTemplate('a { b } }} c').parts).toEqual(['a { b } }} c'])
    expect(parseTemplate('').parts).toEqual([])
  })

  it('separates text and expressions, with offsets into the template', () => {
    const { parts } = parseTemplate('Order {{ webhook.body.a }}!')
    expect(parts).toMatchObject(['Order ', { source: 'webhook.body.a', start: 9, end: 23 }, '!'])
  })

  it.each([
    ["{{ 'a}}b' }}", 'a}}b'],
    ['{{ "}}" + "{{" }}', '}}{{'],
    ['{{ `x}}${1}}}` }}', 'x}}1}}'],
    ['{{{a:{b:1}}}}', { a: { b: 1 } }],
    ['{{ {a:{b:1}}.a.b }}', 1],
    ['{{1}}', 1],
    ['{{\n1\t}}', 1],
    ['{{ (1) }}', 1],
    ['{{ ((1 + 2)) }}', 3],
    ['{{ (1) + (2) }}', 3],
  ])('ends %s where its syntax ends', (source, value) => {
    expect(render(source)).toEqual(value)
  })

  it('takes braces after the closing ones as text', () => {
    expect(renderText(parseTemplate('{{ 1 }}}'), bindings)).toBe('1}')
    expect(renderText(parseTemplate('{{ 1 }} }}'), bindings)).toBe('1 }}')
    expect(renderText(parseTemplate('{{{a:1}.a}} '), bindings)).toBe('1 ')
  })

  it.each(['{{', 'ab {{ 1', 'ab {{ webhook.', 'ab {{ (1', 'ab {{ [1,'])('refuses %j as never closed', (source) => {
    const { message, position, hint } = refusal(source)
    expect(message).toBe('This {{ is never closed')
    expect(position).toBe(source.indexOf('{{'))
    expect(hint).toContain("{{ '{{' }}")
  })

  it.each([
    ['{{}}', 0],
    ['x {{   }}', 2],
  ])('refuses %j as empty', (source, position) => {
    expect(refusal(source)).toMatchObject({ message: 'There is no expression between {{ and }}', position })
  })

  it.each([
    ['{{ 1 2 }}', 5, 'The expression ends here'],
    ['{{ 1) }}', 4, 'The expression ends here'],
    ['{{ (1)) }}', 6, 'The expression ends here'],
    ['{{ 1; 2 }}', 4, 'The expression ends here'],
    ['{{ 1 } }', 5, 'The expression ends here'],
    ['{{ 1 }', 5, '}} was expected'],
    ['{{ 1, 2 }}', 3, 'Only one expression'],
    ['{{ 1 + }}', 7, 'Unexpected token "}"'],
    ["{{ 'abc }}", 3, 'Unterminated string'],
    ['{{ 1 /* why */ }}', 5, 'Comments'],
    ['{{ // why\n 1 }}', 3, 'Comments'],
    ['{{#if x}}', 2, 'in the expression'],
    ['{{#!x\n1}}', 3, 'in the expression'],
  ])('refuses %j at the right place', (source, position, message) => {
    const error = refusal(source)
    expect(error.message).toContain(message)
    expect(error.position).toBe(position)
    expect(error.hint).not.toBe('')
  })

  it('ends for each of many expressions', () => {
    expect(parseTemplate('{{ 1 }}\n'.repeat(5_000)).parts).toHaveLength(10_000)
  })
})

describe('what the language lacks', () => {
  it.each([
    'this',
    'this.constructor',
    'function () {}',
    'function* () {}',
    'class {}',
    'async () => 1',
    'await webhook',
    'import("fs")',
    'import.meta',
    'new.target',
    'new Function("1")',
    'new Map()',
    'new webhook.body.x()',
    'webhook = 1',
    'webhook.body.x = 1',
    '[webhook.body.x] = [1]',
    'webhook.body.x += 1',
    'webhook.body.x ??= 1',
    'webhook.body.x++',
    '--webhook.body.x',
    'delete webhook.body',
    'void 0',
    '~1',
    '1 & 2',
    '1 | 2',
    '1 ^ 2',
    '1 << 2',
    '1 >>> 2',
    '"a" in webhook',
    'webhook instanceof Object',
    '/a/',
    '10n',
    'String.raw`a`',
    'tag`a`',
    '({ get a() { return 1 } })',
    '({ set a(x) {} })',
    '({ a() { return 1 } })',
    '({ async a() {} })',
    '[1, , 2]',
    '[1].map(x => { return x })',
    '[1].map(async x => x)',
    '[1].map((x = 1) => x)',
    '[1].map((...x) => x)',
    '[1].map(([x, ...y]) => x)',
    '[1].map(({ x = 1 }) => x)',
    '[1].map(({ ["x"]: y }) => y)',
    '[1].map((a, b, c, d, e) => e)',
    'x => x',
    '(x => x)(1)',
    '[x => x]',
    '({ f: x => x })',
    '`${x => x}`',
    'webhook ?? (x => x)',
    'String(x => x)',
    '"a".concat(x => x)',
    'webhook.body.f()',
    'webhook()',
    'webhook.body.a["trim"]()',
    'webhook.body[`trim`]()',
    'webhook.body.a.trim?.()',
    'String?.(1)',
    'webhook.body.a.constructor("x")',
    '"".constructor.constructor("return 1")()',
    '[].map.call([], x => x)',
    'globalThis',
    'process.env',
    'require("fs")',
    'Function("1")',
    'eval("1")',
    'Symbol.iterator',
    'Reflect.ownKeys(webhook)',
    'Proxy',
    'Promise.resolve(1)',
    'Object',
    'Object.prototype',
    'Object.constructor',
    'Object.assign({}, {})',
    'Object.getPrototypeOf(webhook)',
    'Object["keys"](webhook)',
    'Object.keys.constructor("x")',
    'Math',
    'Math.random()',
    'Math.constructor',
    'Math.max.constructor("x")',
    'JSON.__proto__',
    'Array(1e9)',
    'new Array(1e9)',
    'Array.from({ length: 1e9 })',
    'Array.of(1)',
    'String.fromCharCode(65)',
    'Number.prototype',
    'Date()',
    'Date.now()',
    'Date.UTC(2024, 1)',
    'new Date()',
    'new Date(2024, 1)',
    'console.log(1)',
    'setTimeout(x => x)',
    'arguments',
    'super.x',
    '[1].push(2)',
    '[1].forEach(x => x)',
    '[1].splice(0)',
    '"a".match("a")',
    '"a".search("a")',
    '"a".matchAll("a")',
    '"a".anchor("a")',
    '"a".toLocaleUpperCase()',
    '[1].__defineGetter__("a", x => x)',
    'webhook.hasOwnProperty("a")',
    '(1, eval)("1")',
    '#x in webhook',
    'items.map(i => i)',
    'hello',
    '[1].map(1)',
    '[1].map(...[1])',
    '[1].sort(1)',
    '[1].reduce()',
    'JSON.parse("1", x => x)',
    'parseInt',
    'Math.max',
    '[Math.max]',
  ])('refuses {{ %s }} when it is parsed, with a hint', (source) => {
    const error = refusal(`{{ ${source} }}`)
    expect(error.message).not.toBe('')
    expect(error.hint).not.toBe('')
  })

  it.each(['"a".match("b")', 'eval("1")', 'this', '1 << 2', 'Object.assign({}, {})', 'class {}'])(
    'points from {{ %s }} to the code step',
    (source) => {
      expect(refusal(`{{ ${source} }}`).hint).toContain('code step')
    },
  )

  it('points to now() for the current time', () => {
    for (const source of ['Date.now()', 'new Date()', 'Date()'])
      expect(refusal(`{{ ${source} }}`).hint).toContain('now()')
  })

  it('names the roots where a name is not known', () => {
    expect(refusal('{{ wehbook.body }}')).toMatchObject({ message: 'wehbook is not known here', position: 3 })
    expect(refusal('{{ wehbook.body }}').hint).toContain('webhook, input, steps, vars')
  })

  it('counts the arguments', () => {
    expect(refusal("{{ 'a'.repeat() }}").message).toBe("'a'.repeat takes 1 argument")
    expect(refusal('{{ hmacSha256(1) }}').message).toBe('hmacSha256 takes 2 arguments')
    expect(refusal("{{ 'a'.slice(1, 2, 3) }}").message).toBe("'a'.slice takes at most 2 arguments")
  })
})

describe('references', () => {
  it.each([
    ['webhook', ['webhook']],
    ['steps.order.body[0].x', ['steps/order/body/0/x']],
    ["webhook.headers['x-id']", ['webhook/headers/x-id']],
    ['webhook.headers[`x-id`]', ['webhook/headers/x-id']],
    ['webhook?.body?.["a"]', ['webhook/body/a']],
    ['(steps.a?.b).c', ['steps/a/b/c']],
    ['steps.a.body.name.trim().length', ['steps/a/body/name']],
    ['steps.a?.body.trim()', ['steps/a/body']],
    ['steps.a[webhook.body.k].x', ['steps/a', 'webhook/body/k']],
    ['steps.a[`x${vars.k}`]', ['steps/a', 'vars/k']],
    ['steps.a.items.map(i => i.x + vars.y)', ['steps/a/items', 'vars/y']],
    ['steps.a.items.map(vars => vars.y)', ['steps/a/items']],
    ['({ webhook, a: [...steps.x.y] })', ['webhook', 'steps/x/y']],
    ['Math.max(...steps.x.y) + JSON.stringify(env.A)', ['steps/x/y', 'env/A']],
    ["'webhook.body'", []],
    ['{ webhook: 1 }.webhook', []],
  ])('of {{ %s }} are found', (source, expected) => {
    expect(paths(source)).toEqual(expected)
  })

  it.each([
    ['webhook.body.a', false],
    ['webhook.body.a ?? 1', true],
    ["webhook.body.a || ''", true],
    ['webhook.body?.a', true],
    ['webhook.body.a?.trim()', true],
    ['webhook.body.a != null', true],
    ['undefined === webhook.body.a', true],
    ["typeof webhook.body.a == 'string'", true],
    ["webhook.body.a == 'x'", false],
    ['webhook.body.a && 1', false],
    ['!webhook.body.a', false],
    ['webhook.body.a ? 1 : 2', false],
    ['1 ?? webhook.body.a', false],
    ['(null ?? 1) + webhook.body.a', false],
  ])('of {{ %s }} may be missing: %s', (source, optional) => {
    expect(references(source).map((reference) => reference.optional ?? false)).toEqual([optional])
  })

  it('carry offsets into the template', () => {
    const source = 'Dear {{ webhook.body.name.trim() }}, {{ vars["x"] }}'
    const found = expressions(source).flatMap(({ references }) => references)
    expect(found.map(({ start, end }) => source.slice(start, end))).toEqual(['webhook.body.name', 'vars["x"]'])
  })
})
