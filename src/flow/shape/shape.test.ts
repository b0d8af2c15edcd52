import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stepKinds } from '../../steps/index.ts'
import { validate, warnings } from '../validate/validate.ts'
import { shapesOf } from './data-shapes.ts'
import { inferShape, lookUp, type Shape } from './shape.ts'

/** Draws a shape: `text`, `[number]`, `{a, b?}`, with a question mark if not every object had the key. */
function drawn({ types, keys, items, objects }: Shape): string {
  const parts = [...types].map((type) => {
    if (type === 'list') return `[${items ? drawn(items) : ''}]`
    if (type !== 'object') return type
    return `{${[...keys].map(([key, shape]) => `${key}${shape.seen < objects ? '?' : ''}: ${drawn(shape)}`).join(', ')}}`
  })
  return parts.join(' or ')
}

describe('the shape of samples', () => {
  it.each([
    [[1], 'number'],
    [[1, 'a', null, true], 'number or text or null or boolean'],
    [[{ a: 1 }, { a: 'x', b: [] }, {}], '{a?: number or text, b?: []}'],
    [[[{ a: 1 }, { b: 2 }], [{ a: null }]], '[{a?: number or null, b?: number}]'],
    [[{ a: { b: 1 } }, { a: { b: 2 } }], '{a: {b: number}}'],
  ])('%j', (samples, shape) => expect(drawn(inferShape(samples))).toBe(shape))

  it('takes hostile keys as keys', () => {
    const shape = inferShape([JSON.parse('{"__proto__":{"x":1},"constructor":2}')])
    expect(drawn(shape)).toBe('{__proto__: {x: number}, constructor: number}')
    expect(lookUp(shape, ['toString']).kind).toBe('unseen')
  })

  it('looks at so much only, and then knows that there may be more', () => {
    const long = inferShape([{ list: Array.from({ length: 101 }, (_, i) => (i === 100 ? { late: 1 } : { early: 1 })) }])
    expect(lookUp(long, ['list', '0', 'late']).kind).toBe('unknown')
    expect(lookUp(long, ['list', '0', 'early']).kind).toBe('seen')
    expect(lookUp(long, ['none']).kind).toBe('unseen')
    const wide = inferShape([Object.fromEntries(Array.from({ length: 1_001 }, (_, i) => [`k${i}`, i]))])
    expect(lookUp(wide, ['k1000']).kind).toBe('unknown')
    let deep: unknown = { end: 1 }
    for (let i = 0; i < 30; i++) deep = { a: deep }
    expect(lookUp(inferShape([deep]), [...Array.from({ length: 30 }, () => 'a'), 'end']).kind).toBe('unknown')
    const many = inferShape(
      Array.from({ length: 300 }, () => Object.fromEntries(Array.from({ length: 900 }, (_, i) => [`k${i}`, 0]))),
    )
    expect(many.partial).toBe(true)
  })

  it('never calls unseen what a sample has', () => {
    const json = fc.jsonValue({ maxDepth: 5 })
    fc.assert(
      fc.property(fc.array(json, { minLength: 1, maxLength: 5 }), (samples) => {
        const shape = inferShape(samples)
        const check = (value: unknown, path: string[]): void => {
          expect(lookUp(shape, path).kind).not.toBe('unseen')
          if (typeof value === 'object' && value !== null)
            for (const [key, item] of Object.entries(value)) check(item, [...path, key])
        }
        for (const sample of samples) check(sample, [])
      }),
      { numRuns: 300 },
    )
  })
})

describe('references held against samples', () => {
  const samples = [
    { body: { user: { name: 'Ada' }, items: [{ sku: 'A' }], note: null, empty: [], text: 'x' }, query: {} },
    { body: { user: { name: 'Bob', mail: 'b@example.com' }, items: [{ sku: 'B', count: 2 }] }, query: {} },
  ]
  const results = {
    order: { status: 200, body: { total: 1, lines: [{ id: 1 }] } },
    broken: { status: 404, body: { message: 'no' }, error: { code: 'http_404', message: 'replied 404' } },
    odd: { error: 'text that a code step gave' },
  }
  const data = shapesOf(samples, results)
  const found = (steps: object[], given = data, trigger: object = {}) =>
    warnings(
      validate({ name: 'F', trigger: { kind: 'webhook', ...trigger }, steps }, stepKinds, {
        connections: new Map(),
        env: new Set(),
        config: new Set(),
        data: given,
      }),
    ).filter(({ code }) => code === 'unseen_reference')
  const tested = ['order', 'broken', 'odd', 'fresh'].map((id) => ({ id, kind: 'stop' }))
  const said = (expression: string, given = data) =>
    found([...tested, { id: 'x', kind: 'set', vars: { v: `{{ ${expression} }}` } }], given).map(
      ({ message }) => message,
    )

  it.each([
    ['webhook.body.usr.name', 'webhook.body.usr is in none of the 2 samples; did you mean webhook.body.user.name?'],
    [
      'webhook.body.user.nme',
      'webhook.body.user.nme is in none of the 2 samples; did you mean webhook.body.user.name?',
    ],
    ['webhook.user.mail', 'webhook.user is in none of the 2 samples; did you mean webhook.body.user.mail?'],
    ['webhook.body.sku', 'webhook.body.sku is in none of the 2 samples; did you mean webhook.body.items[0].sku?'],
    ['webhook.bdy.whatever', 'webhook.bdy is in none of the 2 samples; did you mean webhook.body?'],
    ['webhook.body.items[0].price', 'webhook.body.items[0].price is in none of the 2 samples.'],
    ["webhook.query['page-no']", "webhook.query['page-no'] is in none of the 2 samples."],
    ['webhook.body.text.length.x', null],
    ['webhook.body.text.name', 'webhook.body.text.name is in none of the 2 samples.'],
    [
      'steps.order.total',
      'steps.order.total is not in what the last test of order gave; did you mean steps.order.body.total?',
    ],
    ['steps.odd.name', 'steps.odd.name is not in what the last test of odd gave.'],
    ["webhook.body.usr == 'x'", 'webhook.body.usr is in none of the 2 samples; did you mean webhook.body.user?'],
    ['webhook.body.user.mail', null],
    ['webhook.body.items[7].count', null],
    ['webhook.body.items.length', null],
    ['webhook.body.items.map(i => i.sku)', null],
    ['webhook.body.note.inside', null],
    ['webhook.body.empty[0].inside', null],
    ['webhook.body.usr ?? 1', null],
    ['webhook.body?.usr', null],
    ['webhook.body.usr != null', null],
    ['steps.broken.body.id', null],
    ['steps.fresh.body.id', null],
    ['steps.order.error', null],
  ])('%s', (expression, message) => {
    expect(said(expression)).toEqual(
      message === null ? [] : [expect.stringContaining(`${message} If it may be missing, say`)],
    )
  })

  it('point to the setting and the character', () => {
    expect(found([{ id: 'x', kind: 'http', method: 'GET', url: 'https://x.example/{{ webhook.body.usr }}' }])).toEqual([
      { path: '/steps/0/url', code: 'unseen_reference', message: expect.stringContaining('(at character 22)') },
    ])
    expect(found([], data, { when: '{{ webhook.body.knd == 1 }}' })).toMatchObject([{ path: '/trigger/when' }])
  })

  it('say nothing where there is no sample', () => {
    expect(said('webhook.body.usr + steps.order.total', shapesOf([], {}))).toEqual([])
    expect(said('webhook.body.usr', shapesOf([samples[0]], {}))).toEqual([
      expect.stringContaining('not in the one sample that there is'),
    ])
  })

  it('know the items of loops, also of loops inside loops', () => {
    const line = (expression: string) => [{ id: 'x', kind: 'set', vars: { v: `{{ ${expression} }}` } }]
    const inLoop = (expression: string, each = '{{ webhook.body.items }}') =>
      found([{ id: 'all', kind: 'loop', each, steps: line(expression) }]).map(({ message }) => message)
    expect(inLoop('loop.item.sku + loop.item.count + loop.index')).toEqual([])
    expect(inLoop('loop.item.skuu')).toEqual([
      expect.stringContaining('loop.item.skuu is in none of the 2 samples; did you mean loop.item.sku?'),
    ])
    expect(inLoop('loops.all.item.skuu')).toEqual([expect.stringContaining('did you mean loops.all.item.sku?')])
    expect(inLoop('loop.item.skuu', '{{ webhook.body.items.slice(1) }}')).toEqual([])
    // The problem is reported once, for the loop itself.
    expect(inLoop('loop.item.sku', '{{ webhook.body.itms }}')).toEqual([
      expect.stringContaining('webhook.body.itms is'),
    ])
    const nested = shapesOf([{ body: { orders: [{ lines: [{ id: 1 }] }] } }], {})
    const inner = {
      id: 'in',
      kind: 'loop',
      each: '{{ loop.item.lines }}',
      steps: line('loop.item.idd + loops.out.item.line'),
    }
    expect(
      found([{ id: 'out', kind: 'loop', each: '{{ webhook.body.orders }}', steps: [inner] }], nested).map(
        ({ message }) => message,
      ),
    ).toEqual([
      expect.stringContaining('loop.item.idd is not in the one sample that there is; did you mean loop.item.id?'),
      expect.stringContaining('did you mean loops.out.item.lines?'),
    ])
  })
})
