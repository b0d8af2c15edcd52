import { describe, expect, it } from 'vitest'
import { shapesOf } from '../../../../src/flow/shape/data-shapes.ts'
import type { EditedFlow } from '../flow-tree.ts'
import { sampleFlow } from '../sample-flow.testkit.ts'
import { complete, inShort } from './complete.ts'
import { previewContext } from './preview.ts'
import type { SampleData } from './sample-data.ts'

const webhook = {
  body: { id: 7, 'odd key': 1, when: 'x', items: [{ sku: 'A-1', tags: ['t'] }] },
  headers: { 'x-delivery': 'd1', host: 'h' },
}
const steps = { order: { status: 200, body: { total: 120, lines: [{ id: 'l1' }, { id: 'l2', note: 'fragile' }] } } }
const other = { body: { id: 8, coupon: { code: 'X', parts: [1] }, note: null }, headers: { 'x-late': '1' } }
const data: SampleData = {
  webhook,
  steps,
  shapes: shapesOf([webhook, other, { body: { note: 'n' } }], steps),
  env: ['API_URL'],
  config: { BASE_URL: 'https://api.example.com' },
  connections: [{ name: 'shop', fields: ['token'] }],
  flow: { id: 'f', name: 'F', version: null },
  now: '2026-11-15T08:00:00.000Z',
}

/** `|` is the cursor. */
function suggest(marked: string, path = '/steps/3/vars/count', document: EditedFlow = sampleFlow()) {
  const cursor = marked.indexOf('|')
  const text = marked.slice(0, cursor) + marked.slice(cursor + 1)
  const found = complete(text, cursor, previewContext(document, path, data))
  return found && { typed: text.slice(found.from, cursor), options: found.options }
}
const labels = (marked: string, path?: string) => suggest(marked, path)?.options.map(({ label }) => label) ?? null
const option = (marked: string, label: string, path?: string) =>
  suggest(marked, path)!.options.find((one) => one.label === label)

/** The text after the option was taken. */
function taken(marked: string, label: string): string {
  const cursor = marked.indexOf('|')
  const { insert, back } = option(marked, label)!
  const { typed } = suggest(marked)!
  return marked.slice(0, cursor - typed.length - back) + insert + marked.slice(cursor + 1)
}

describe('where nothing is offered', () => {
  it.each([
    'plain| text',
    '{{ webhook.body.id }} after|',
    '{{ webhook.body "|',
    "{{ 'text in webhook.|' }}",
    '{{ 5.| }}',
    '{{ webhook.body.id w| }}',
  ])('%s', (marked) => expect(labels(marked)).toBe(null))
})

describe('at the start of a value', () => {
  it('offers the roots with what they hold, and functions', () => {
    const found = labels('{{ | }}')!
    expect(found.slice(0, 8)).toEqual(['webhook', 'steps', 'vars', 'env', 'config', 'connections', 'run', 'flow'])
    expect(found).toEqual(expect.arrayContaining(['now()', 'Math.max()', 'Math.PI', 'base64()']))
    expect(option('{{ | }}', 'webhook')!.detail).toBe('{ body, headers }')
    expect(suggest('a {{ we|')!.typed).toBe('we')
  })

  it('offers no roots that the place does not know', () => {
    expect(labels('{{ | }}', '/steps/0/url')).not.toContain('loop')
    expect(labels('{{ | }}', '/steps/0/url')).not.toContain('steps')
    expect(labels('{{ | }}', '/steps/2/steps/0/url')).toEqual(expect.arrayContaining(['loop', 'loops', 'steps']))
    expect(labels('{{ | }}', '/trigger/auth/value')!.slice(0, 3)).toEqual(['env', 'config', 'connections'])
  })

  it('offers them inside calls, after operators and in later templates', () => {
    for (const marked of [
      '{{ webhook.body.id }} {{ | }}',
      '{{ 1 + | }}',
      '{{ Math.max(1, | }}',
      '{{ a ? | : 1 }}',
      '{{ { x: | } }}',
    ])
      expect(labels(marked), marked).toContain('webhook')
  })
})

describe('below data', () => {
  it('offers fields of the sample with their values', () => {
    expect(labels('{{ webhook.| }}')!.slice(0, 6)).toEqual([
      'body',
      'headers',
      'query',
      'queryAll',
      'rawBody',
      'metadata',
    ])
    expect(option('{{ webhook.body.| }}', 'id')).toMatchObject({ insert: 'id', detail: '7', kind: 'data' })
    expect(option('{{ webhook.body?.i| }}', 'id')).toMatchObject({ insert: 'id' })
  })

  it('offers only steps that run before, and their results', () => {
    expect(labels('{{ steps.| }}', '/steps/1/cases/0/when')).toEqual(['order'])
    expect(labels('{{ steps.| }}')).toEqual(['order', 'tell', 'pause', 'wrong', 'big', 'lines'])
    expect(option('{{ steps.order.body.| }}', 'total')!.detail).toBe('120')
  })

  it('knows what an untested step will leave', () => {
    expect(labels('{{ steps.lines.| }}')).toEqual(['count', 'results', 'errors'])
    expect(labels('{{ steps.tell.| }}')).toEqual(['status', 'headers', 'body', 'url', 'redirects', 'durationMs'])
  })

  it('takes a kind with the name of what every object has for one that it does not know', () => {
    const document = { ...sampleFlow(), steps: [{ id: 'odd', kind: 'constructor' }, ...sampleFlow().steps] }
    expect(suggest('{{ steps.odd.|', '/steps/1/url', document)?.options).toEqual([])
  })

  it('offers secrets by name only', () => {
    expect(option('{{ env.| }}', 'API_URL')).toMatchObject({ kind: 'secret', detail: 'secret' })
    expect(labels('{{ connections.shop.| }}')).toEqual(['token'])
  })

  it('offers plain variables with their values', () => {
    expect(option('{{ config.| }}', 'BASE_URL')).toMatchObject({ kind: 'data', detail: '"https://api.example.com"' })
  })

  it('offers variables and loops', () => {
    expect(labels('{{ vars.| }}')).toEqual(['part'])
    expect(labels('{{ loops.| }}', '/steps/2/steps/1/steps/0/vars/part')).toEqual(['lines', 'parts'])
    expect(labels('{{ loop.| }}', '/steps/2/steps/0/url')).toEqual(['item', 'index', 'count'])
    expect(option('{{ loop.item.| }}', 'id', '/steps/2/steps/0/url')!.detail).toBe('"l1"')
  })

  it('offers what other samples had, and says so', () => {
    expect(labels('{{ webhook.body.| }}')).toEqual(['id', 'odd key', 'when', 'items', 'coupon', 'note'])
    expect(option('{{ webhook.body.| }}', 'coupon')).toMatchObject({
      insert: 'coupon',
      detail: 'object, in other samples',
    })
    expect(option('{{ webhook.body.| }}', 'note')!.detail).toBe('null or text, in other samples')
    expect(labels('{{ webhook.body.coupon.| }}')).toEqual(['code', 'parts'])
    expect(labels('{{ webhook.body.coupon.code.| }}')).toEqual(expect.arrayContaining(['length', 'trim()']))
    expect(labels('{{ webhook.body.coupon.parts.| }}')).toEqual(expect.arrayContaining(['[0]', 'map()']))
    expect(labels('{{ webhook.body.note.| }}')).toContain('trim()')
    expect(taken('{{ webhook.headers.| }}', 'x-late')).toBe("{{ webhook.headers['x-late'] }}")
    // A list is what any of its items is.
    expect(labels('{{ steps.order.body.lines.map(l => l.| ) }}')).toEqual(['id', 'note'])
    expect(labels('{{ loop.item.| }}', '/steps/2/steps/0/url')).toEqual(['id', 'note'])
  })

  it('writes names that are no identifiers in brackets', () => {
    expect(taken('{{ webhook.headers.| }}', 'x-delivery')).toBe("{{ webhook.headers['x-delivery'] }}")
    expect(taken('{{ webhook.headers?.x| }}', 'x-delivery')).toBe("{{ webhook.headers?.['x-delivery'] }}")
    expect(taken("{{ webhook.headers['x| }}", 'x-delivery')).toBe("{{ webhook.headers['x-delivery'] }}")
    expect(taken("{{ webhook.headers['x|'] }}", 'x-delivery')).toBe("{{ webhook.headers['x-delivery'] }}")
    expect(taken('{{ webhook.body["odd| }}', 'odd key')).toBe('{{ webhook.body["odd key"] }}')
  })
})

describe('methods', () => {
  it('fit the type of the value', () => {
    expect(labels('{{ webhook.body.when.| }}')).toEqual(expect.arrayContaining(['length', 'trim()', 'split()']))
    expect(labels('{{ webhook.body.when.| }}')).not.toContain('map()')
    expect(labels('{{ steps.order.body.lines.| }}')).toEqual(expect.arrayContaining(['[0]', 'length', 'map()']))
    expect(labels('{{ steps.order.body.total.| }}')).toEqual(expect.arrayContaining(['toFixed()']))
    expect(labels('{{ new Date(now()).| }}')).toEqual(expect.arrayContaining(['getFullYear()']))
    expect(labels("{{ webhook.body.when.toUpperCase().split('').| }}")).toContain('join()')
    expect(taken('{{ steps.order.body.lines.| }}', 'map()')).toBe('{{ steps.order.body.lines.map(item => ) }}')
    expect(taken('{{ steps.order.body.lines.| }}', '[0]')).toBe('{{ steps.order.body.lines[0] }}')
  })

  it('know the parameters of arrow functions', () => {
    expect(labels('{{ webhook.body.items.map(i => i.| ) }}')).toEqual(['sku', 'tags'])
    expect(labels('{{ webhook.body.items.map(i => | ) }}')![0]).toBe('i')
    expect(labels('{{ webhook.body.items.map((one, at) => one.tags.map(t => t.| )) }}')).toContain('trim()')
    expect(labels('{{ webhook.body.items.reduce((sum, i) => sum + i.| , 0) }}')).toEqual(['sku', 'tags'])
    expect(labels('{{ webhook.body.items.map(({ sku, tags: t }) => sku.| ) }}')).toContain('trim()')
    expect(labels('{{ Object.entries(webhook.body).map(([key, v]) => key.| ) }}')).toContain('trim()')
    expect(labels('{{ webhook.body.items.map(i => i.sku) + | }}')).not.toContain('i')
  })
})

it.each([
  [undefined, ''],
  [null, 'null'],
  ['x', '"x"'],
  ['x'.repeat(100), `"${'x'.repeat(39)}…`],
  [[1, 2], 'list of 2'],
  [{ a: 1, b: 2, c: 3, d: 4 }, '{ a, b, c, … }'],
])('shows %j in short', (value, short) => expect(inShort(value)).toBe(short))
