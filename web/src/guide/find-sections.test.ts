import { expect, it } from 'vitest'
import { findSections } from './find-sections.ts'

const section = (heading: string, text: string, page = 'Flows') => ({
  url: `/docs/flows#${heading}`,
  page,
  heading,
  text,
})
const SECTIONS = [
  section('Retry', 'After a failure the step waits and tries again.'),
  section('Wait', 'Pauses the run.'),
  section('Secrets in a flow', 'A secret stays hidden; wait for nothing.'),
]
const headings = (query: string) => findSections(SECTIONS, query).map(({ heading }) => heading)

it('puts a heading before a text', () => {
  expect(headings('wait')).toEqual(['Wait', 'Retry', 'Secrets in a flow'])
})

it('wants every word, in any order and case', () => {
  expect(headings('FLOW secret')).toEqual(['Secrets in a flow'])
  expect(headings('wait banana')).toEqual([])
})

it('finds nothing for no words, and reads a long query only in part', () => {
  expect(headings('  ')).toEqual([])
  expect(headings(`${'wait '.repeat(20)}banana`)).toContain('Wait')
})

it('shows the text around the word', () => {
  const [found] = findSections([section('A', `${'x '.repeat(200)}needle and more`)], 'needle')
  expect(found!.excerpt).toMatch(/^….*needle and more$/)
})
