import { expect, it } from 'vitest'
import { hasLabels, labelFilter, labelOf, labelQuery } from './label-filter.ts'

it('reads a label from its text, and nothing from what is none', () => {
  expect(labelOf(' order=A=7 ')).toEqual(['order', 'A=7'])
  for (const text of ['order', '=7', 'order=', 'Order=7', 'order =7', 7, undefined]) expect(labelOf(text)).toBeNull()
  expect(labelQuery('order=7')).toEqual({ 'label.order': '7' })
  expect(labelQuery(undefined)).toEqual({})
})

it('reads several, one for each name, in their shortest form', () => {
  expect(labelFilter(['order=7', 'customer=ada'])).toEqual(['order=7', 'customer=ada'])
  expect(labelFilter(['order=7', 'nothing', 'order=8'])).toBe('order=8')
  expect(labelFilter([])).toBeUndefined()
  expect(labelFilter({ order: 7 })).toBeUndefined()
  expect(labelQuery(['order=7', 'customer=ada'])).toEqual({ 'label.order': '7', 'label.customer': 'ada' })
})

it('tells which runs have them', () => {
  expect(hasLabels({ order: '7' }, 'order=7')).toBe(true)
  expect(hasLabels({ order: '8' }, 'order=7')).toBe(false)
  expect(hasLabels({ order: '7' }, ['order=7', 'customer=ada'])).toBe(false)
  expect(hasLabels({ order: '7', customer: 'ada' }, ['order=7', 'customer=ada'])).toBe(true)
  expect(hasLabels(null, 'order=7')).toBe(false)
  expect(hasLabels(null, undefined)).toBe(true)
})
