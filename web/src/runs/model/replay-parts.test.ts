import { expect, it } from 'vitest'
import { changesOf, partsOf } from './replay-parts.ts'

const webhook = { body: { n: 1 }, headers: { a: '[secret]' }, query: {} } as never
const parts = partsOf({ webhook })

it('sends only the parts that were changed', () => {
  expect(changesOf(parts, {})).toEqual({ changes: {}, problem: null })
  expect(changesOf(parts, { body: '{"n":2}' })).toEqual({ changes: { webhook: { body: { n: 2 } } }, problem: null })
  expect(changesOf(parts, { query: '{"q":"1"}', steps: '{"a":7}' }).changes).toEqual({
    webhook: { query: { q: '1' } },
    steps: { a: 7 },
  })
})

it('says what is wrong', () => {
  expect(changesOf(parts, { body: '{' }).problem).toContain('not valid JSON')
  expect(changesOf(parts, { headers: '[]' }).problem).toContain('write an object')
})

it('offers only results of steps where no delivery started the run', () => {
  expect(partsOf({ webhook: null }).map(({ part }) => part)).toEqual(['steps'])
})
