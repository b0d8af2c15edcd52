import { expect, it } from 'vitest'
import { hasLabel, labelOf, labelQuery } from './label-filter.ts'

it('reads a label from its text, and nothing from what is none', () => {
  expect(labelOf(' order=A=7 ')).toEqual(['order', 'A=7'])
  for (const text of ['order', '=7', 'order=', 'Order=7', 'order =7', 7, undefined]) expect(labelOf(text)).toBeNull()
  expect(labelQuery('order=7')).toEqual({ 'label.order': '7' })
  expect(labelQuery(undefined)).toEqual({})
})

it('tells which runs have it', () => {
  expect(hasLabel({ order: '7' }, 'order=7')).toBe(true)
  expect(hasLabel({ order: '8' }, 'order=7')).toBe(false)
  expect(hasLabel(null, 'order=7')).toBe(false)
  expect(hasLabel(null, undefined)).toBe(true)
})
