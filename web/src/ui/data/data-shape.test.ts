import { expect, it } from 'vitest'
import { schemaRows, tableOf } from './data-shape.ts'

const reply = {
  status: 200,
  body: {
    items: [
      { id: 1, title: 'Lamp' },
      { id: 2, title: null, sale: true },
    ],
  },
}

it('finds the list of objects near the top, with the columns of all its rows', () => {
  expect(tableOf(reply, 'steps.ask')).toMatchObject({
    path: 'steps.ask.body.items',
    columns: ['id', 'title', 'sale'],
  })
  expect(tableOf([1, 2], 'x')).toBeNull()
  expect(tableOf('text', 'x')).toBeNull()
})

it('says which fields there are, of which type, and which are not always there', () => {
  const rows = schemaRows(reply, 'steps.ask').map(
    ({ depth, name, type, optional }) => `${'  '.repeat(depth)}${name}${optional ? '?' : ''}: ${type}`,
  )
  expect(rows).toEqual([
    'steps.ask: object',
    '  status: number',
    '  body: object',
    '    items: list',
    '      each item: object',
    '        id: number',
    '        title: text or null',
    '        sale?: boolean',
  ])
})

it('stays small, however large or deep the data is', () => {
  let deep: unknown = 1
  for (let i = 0; i < 5_000; i++) deep = [deep]
  expect(schemaRows(deep, 'x').length).toBeLessThan(20)
  const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`k${i}`, i]))
  expect(schemaRows(wide, 'x').length).toBeLessThanOrEqual(300)
})
