/** Tests properties that hold for arbitrary data and sources. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { renderText, renderValue } from './render.ts'
import { renderUrl } from './render-url.ts'
import { sampleBindings } from './sample-bindings.testkit.ts'
import { compileTree, renderTree } from './tree-template.ts'
import { DateValue } from './values/date-value.ts'
import { ExpressionError, TemplateSyntaxError } from './values/errors.ts'

const hostileText = fc.constantFrom(
  '{{7*7}}',
  '${7*7}',
  '"}',
  '\\',
  '__proto__',
  'constructor',
  '\u0000',
  '\ud800',
  '</script>',
  '}}',
  '{{',
)
const text = fc.oneof(fc.string({ unit: 'binary' }), hostileText)
// Excludes a lone backslash: once V8 13.6 (Node 24) has parsed it as a key, JSON.parse misreads later escaped keys
// (nodejs/node#63785).
const key = text.filter((name) => name !== '\\')
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant(null),
    fc.boolean(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
    text,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries)),
  ),
})).value

/** Copies by JSON, as data arrives: an own `__proto__` stays one. */
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('arbitrary data', () => {
  it('is inserted into a tree as it is and cannot change the structure around it', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        const bindings = sampleBindings({ vars: { a: copy(a), b: copy(b) } })
        const tree = compileTree({
          x: '{{ vars.a }}',
          y: ['{{ [vars.b] }}', '{{ { k: vars.a } }}', 'text'],
          z: 'q"{{ vars.b }}',
        })
        const rendered = copy(renderTree(tree, bindings)) as { z: string }
        const shown = typeof b === 'string' ? b : JSON.stringify(b)
        expect(rendered).toEqual({ x: copy(a), y: [[copy(b)], { k: copy(a) }, 'text'], z: `q"${shown}` })
      }),
      { numRuns: 500 },
    )
  })

  it('inserted as text is never evaluated', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const bindings = sampleBindings({ vars: { a, b } })
        expect(renderText(parseTemplate('{{ vars.a }}{{ vars.b }}'), bindings)).toBe(a + b)
        expect(renderText(parseTemplate('{{ `${vars.a}` + vars.b }}-'), bindings)).toBe(`${a}${b}-`)
      }),
      { numRuns: 500 },
    )
  })

  it('inserted into a URL after its origin changes neither host nor the other parts of the path', () => {
    fc.assert(
      fc.property(json, json, (a, b) => {
        let rendered: string
        try {
          rendered = renderUrl(
            parseTemplate('https://api.example.com/one/{{ vars.a }}/two?q={{ vars.b }}#end'),
            sampleBindings({ vars: { a: copy(a), b: copy(b) } }),
          )
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_url' })
          return
        }
        const url = new URL(rendered)
        expect([url.origin, url.hash, url.searchParams.size]).toEqual(['https://api.example.com', '#end', 1])
        const segments = url.pathname.split('/')
        expect([segments.length, segments[1], segments[3]]).toEqual([4, 'one', 'two'])
        expect(url.searchParams.get('q')).toBe(typeof b === 'string' ? b : JSON.stringify(b))
      }),
      { numRuns: 500 },
    )
  })

  it('inserted into the host never leaves it', () => {
    fc.assert(
      fc.property(text, (a) => {
        try {
          const rendered = renderUrl(
            parseTemplate('https://{{ vars.a }}.example.com/x'),
            sampleBindings({ vars: { a } }),
          )
          expect(rendered).toMatch(/^https:\/\/[A-Za-z0-9.-]+\.example\.com\/x$/)
        } catch (error) {
          expect(error).toMatchObject({ code: 'invalid_url' })
        }
      }),
      { numRuns: 500 },
    )
  })
})

const SCRAPS = [
  'webhook',
  'vars',
  'x',
  '.',
  '?.',
  '[',
  ']',
  '(',
  ')',
  '{',
  '}',
  '}}',
  '{{',
  '=>',
  ',',
  ':',
  '?',
  '??',
  '+',
  '-',
  '!',
  '==',
  '<',
  '`',
  '${',
  "'",
  '"',
  '...',
  '1',
  '0x',
  '1n',
  '/',
  '//',
  '/*',
  '*/',
  '<!--',
  '\\u{61}',
  '\\',
  '#',
  '@',
  'new',
  'Date',
  'this',
  'async',
  'await',
  'yield',
  'function',
  'class',
  'import',
  'super',
  'delete',
  'typeof',
  'in',
  'of',
  '=',
  '++',
  ';',
  '\n',
  '\u2028',
  'map',
  'constructor',
  '__proto__',
  'Math',
  'Object',
  'JSON',
  'null',
  'undefined',
  'π',
  '\ud800',
  '\u0000',
]

describe('arbitrary sources', () => {
  const source = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(fc.constantFrom(...SCRAPS), { maxLength: 20 }).map((scraps) => `{{ ${scraps.join('')} }}`),
    fc.array(fc.constantFrom(...SCRAPS), { maxLength: 20 }).map((scraps) => `{{ ${scraps.join(' ')} }}`),
  )

  it('parse, or fail with TemplateSyntaxError at a place in them; and render, or fail with ExpressionError', () => {
    const bindings = sampleBindings({ webhook: { x: [1, { map: 'm' }] }, vars: { x: 'text' } })
    fc.assert(
      fc.property(source, (text) => {
        try {
          const value = renderValue(parseTemplate(text), bindings)
          expect(isData(value)).toBe(true)
        } catch (error) {
          if (error instanceof TemplateSyntaxError) {
            expect(error.position).toBeGreaterThanOrEqual(0)
            expect(error.position).toBeLessThanOrEqual(text.length)
          } else if (!(error instanceof ExpressionError)) throw error
        }
      }),
      { numRuns: 20_000 },
    )
  })
})

describe('arbitrary expressions', () => {
  const names = [
    'constructor',
    '__proto__',
    'prototype',
    'length',
    'map',
    'toString',
    'valueOf',
    'a',
    '0',
    'ms',
    'call',
  ]
  const methods = [
    'at(0)',
    'map(p => p)',
    'filter(p => p.constructor)',
    'find(p => p)',
    'concat(1)',
    'slice()',
    'trim()',
    "split('')",
    'flat()',
    'entries()',
    'toString()',
    'toISOString()',
    'getTime()',
    'reverse()',
    'sort()',
    'reduce((p, q) => q)',
    'flatMap(p => [p, p])',
    'join()',
  ]
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom(
        'webhook',
        'vars.a',
        '1',
        "'abc'",
        'null',
        'true',
        '[]',
        '{}',
        'new Date(0)',
        'undefined',
        'JSON.parse(\'{"__proto__":{"a":1}}\')',
      ),
      fc.tuple(tie('expression'), fc.constantFrom(...names)).map(([object, name]) => `(${object}).${name}`),
      fc.tuple(tie('expression'), fc.constantFrom(...names)).map(([object, name]) => `(${object})?.['${name}']`),
      fc.tuple(tie('expression'), tie('expression')).map(([object, key]) => `(${object})[${key}]`),
      fc.tuple(tie('expression'), fc.constantFrom(...methods)).map(([object, call]) => `(${object}).${call}`),
      fc
        .tuple(
          tie('expression'),
          fc.constantFrom(
            'Object.keys',
            'Object.values',
            'Object.entries',
            'Object.fromEntries',
            'JSON.stringify',
            'String',
            'Number',
            'raw',
            'Math.max',
          ),
        )
        .map(([argument, called]) => `${called}(${argument})`),
      fc
        .tuple(tie('expression'), tie('expression'), fc.constantFrom('+', '-', '??', '||', '&&', '==', '<'))
        .map(([a, b, operator]) => `((${a}) ${operator} (${b}))`),
      fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ...[${b}]]`),
      fc.tuple(tie('expression'), fc.constantFrom(...names)).map(([a, name]) => `{ ${name}: ${a}, ...(${a}) }`),
    ),
  }))

  it('never yield a function, a host object or an inherited value', () => {
    const bindings = sampleBindings({
      webhook: copy({ a: ['x', { constructor: 1 }], __proto__: 1 }),
      vars: { a: { a: [[1], 'two'] } },
    })
    let rendered = 0
    fc.assert(
      fc.property(expression, (source) => {
        try {
          const value = renderValue(parseTemplate(`{{ ${source} }}`), bindings)
          rendered++
          expect(isData(value), source).toBe(true)
        } catch (error) {
          if (!(error instanceof ExpressionError) && !(error instanceof TemplateSyntaxError)) throw error
        }
      }),
      { numRuns: 10_000 },
    )
    expect(rendered).toBeGreaterThan(500)
  })
})

/** Returns whether the value is JSON data made of plain lists and objects only. */
function isData(value: unknown): boolean {
  if (value === null || ['string', 'boolean'].includes(typeof value)) return true
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value instanceof DateValue) return false
  if (Array.isArray(value)) return value.every(isData)
  const prototype: unknown = Object.getPrototypeOf(value)
  const isPlain = prototype === null || prototype === Object.prototype
  return isPlain && value !== Object.prototype && Object.values(value).every(isData)
}
