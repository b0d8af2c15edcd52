import { describe, expect, it } from 'vitest'
import { parseTemplate } from '../../../src/flow/expression/index.ts'
import { leafPaths, type PickRoot, pickRows, searchPickRows } from './pick-rows.ts'

const roots: PickRoot[] = [
  {
    path: 'webhook',
    value: {
      headers: { 'x-kind': 'order' },
      rawBody: '{}',
      body: {
        id: 7,
        lines: [
          { sku: 'A1', 'unit-price': 2 },
          { sku: 'B2', 'unit-price': 3 },
        ],
        tags: ['new', 'paid'],
      },
    },
  },
]
const closed = new Map<string, boolean>()
const names = (toggled = closed) => pickRows(roots, toggled).map(({ name, depth }) => `${'  '.repeat(depth)}${name}`)

describe('the rows of the picker', () => {
  it('begin with the body, with headers and the raw body folded and last', () => {
    expect(names()).toEqual(['webhook', '  body', '    id', '    lines', '    tags', '  headers', '  rawBody'])
  })

  it('show values beside the names', () => {
    const rows = pickRows(roots, closed)
    expect(rows.find(({ name }) => name === 'id')!.shown).toBe('7')
    expect(rows.find(({ name }) => name === 'lines')!.shown).toBe('2 items')
  })

  it('offer the first item of a list, and one property of each', () => {
    const lines = 'webhook/body/lines'
    const rows = pickRows(roots, new Map([lines, `${lines}/first`, `${lines}/each`].map((id) => [id, true])))
    const paths = rows.flatMap(({ path }) => (path?.includes('lines') ? [path] : []))
    expect(paths).toEqual([
      'webhook.body.lines',
      'webhook.body.lines[0]',
      'webhook.body.lines[0].sku',
      "webhook.body.lines[0]['unit-price']",
      'webhook.body.lines.map((item) => item.sku)',
      "webhook.body.lines.map((item) => item['unit-price'])",
      'webhook.body.lines[1]',
    ])
    for (const path of paths) expect(parseTemplate(`{{ ${path} }}`).parts).toHaveLength(1)
    expect(rows.find(({ path }) => path?.endsWith('item.sku)'))!.shown).toBe('A1, B2')
  })

  it('are found by path and by value', () => {
    expect(searchPickRows(roots, 'KIND').map(({ path }) => path)).toEqual(["webhook.headers['x-kind']"])
    expect(searchPickRows(roots, 'paid').map(({ path }) => path)).toEqual(['webhook.body.tags[1]'])
  })

  it('stay few, however large the data is', () => {
    const large = [{ path: 'steps.big', value: { body: Array.from({ length: 100_000 }, (_, id) => ({ id })) } }]
    expect(pickRows(large, new Map([['steps.big/body', true]])).length).toBeLessThan(50)
    expect(searchPickRows(large, 'id').length).toBeLessThanOrEqual(100)
  })

  it('give the paths of single values as suggestions', () => {
    expect(leafPaths(roots)).toContain('webhook.body.id')
    expect(leafPaths(roots)).not.toContain('webhook.body')
  })
})
