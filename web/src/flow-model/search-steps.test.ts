import { expect, it } from 'vitest'
import { sampleFlow } from './sample-flow.testkit.ts'
import { searchSteps } from './search-steps.ts'

const ids = (query: string) => searchSteps(sampleFlow(), query, (kind) => kind).map(({ step }) => step.id)

it('finds steps by their id, and after them by their settings', () => {
  expect(ids('order')).toEqual(['order', 'big', 'lines'])
  expect(ids('put lines')).toEqual(['line'])
})

it('finds a step inside others as itself, not by what is around it', () => {
  expect(ids('ALERT_URL')).toEqual(['tell'])
})

it('finds nothing where nothing is asked for', () => {
  expect(ids('  ')).toEqual([])
})
