import { describe, expect, it } from 'vitest'
import { dataPath } from './data-path.ts'
import { dataRows } from './data-rows.ts'

const untouched = { toggled: new Map<string, boolean>(), shown: new Map<string, number>() }

describe('dataPath', () => {
  it('writes an expression that reads the value', () => {
    expect(dataPath('', 'webhook')).toBe('webhook')
    expect(dataPath('webhook.headers', 'x-delivery')).toBe("webhook.headers['x-delivery']")
    expect(dataPath('steps.a.body', 0)).toBe('steps.a.body[0]')
    expect(dataPath('vars', "it's")).toBe("vars['it\\'s']")
    expect(dataPath('vars', '0')).toBe("vars['0']")
  })
})

describe('dataRows', () => {
  it('shows short data opened, each line with its path', () => {
    const rows = dataRows({ order: { id: 7, tags: ['a'] } }, 'webhook.body', untouched)
    expect(rows.map(({ depth, name, path, kind, open }) => [depth, name, path, kind, open])).toEqual([
      [0, null, 'webhook.body', 'object', true],
      [1, 'order', 'webhook.body.order', 'object', true],
      [2, 'id', 'webhook.body.order.id', 'leaf', false],
      [2, 'tags', 'webhook.body.order.tags', 'list', false],
    ])
  })

  it('shows a hundred of many, and says how many more there are', () => {
    const list = Array.from({ length: 100_000 }, (_, i) => ({ i }))
    const rows = dataRows(list, 'x', untouched)
    expect(rows).toHaveLength(102)
    expect(rows.at(-1)).toMatchObject({ kind: 'more', count: 99_900, value: '' })
    expect(dataRows(list, 'x', { ...untouched, shown: new Map([['', 300]]) })).toHaveLength(302)
  })

  it('opens and closes what was toggled', () => {
    const value = { a: { b: { c: 1 } } }
    expect(dataRows(value, 'x', { ...untouched, toggled: new Map([['/a', false]]) })).toHaveLength(2)
    expect(dataRows(value, 'x', { ...untouched, toggled: new Map([['/a/b', true]]) })).toHaveLength(4)
  })

  it('tells keys apart that look like pointers', () => {
    const ids = dataRows({ 'a/b': 1, a: { b: 2 } }, 'x', untouched).map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })
})
