import { describe, expect, it } from 'vitest'
import { placeOfId, searchPalette } from './palette-search.ts'

const entry = (label: string, more: { description?: string; keywords?: string } = {}) => ({ id: label, label, ...more })
const groups = [
  { name: 'On this page', entries: [entry('Test flow'), entry('Show as YAML', { keywords: 'code text' })] },
  {
    name: 'Flows',
    entries: Array.from({ length: 50 }, (_, i) => entry(`Orders ${i}`, { description: 'Published' })),
    most: { found: 10, unasked: 3 },
  },
]
const found = (query: string) => searchPalette(groups, query).map(({ name, entries }) => [name, entries.length])

describe('the palette', () => {
  it('begins with what can be done here, and shows only a few of the flows', () => {
    expect(found('')).toEqual([
      ['On this page', 2],
      ['Flows', 3],
    ])
  })

  it('finds every word, in labels, descriptions and keywords', () => {
    expect(found('yaml')).toEqual([['On this page', 1]])
    expect(found('TEXT show')).toEqual([['On this page', 1]])
    expect(found('published 4')).toEqual([['Flows', 10]])
    expect(found('nothing')).toEqual([])
  })

  it('leads from an id to its page', () => {
    const id = '01m7h52jaz4k8wxqk7znewdprn'
    expect(placeOfId(` run_${id} `)?.to).toBe(`/runs/run_${id}`)
    expect(placeOfId(`flow_${id}`)?.to).toBe(`/flows/flow_${id}`)
    expect(placeOfId(`dlv_${id}`)?.to).toBe(`/inbox?delivery=dlv_${id}`)
    expect(placeOfId('run_')).toBeNull()
    expect(placeOfId(`run_${id}/../..`)).toBeNull()
  })
})
