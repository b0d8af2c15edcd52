import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { lineDiff } from './line-diff.ts'
import { Terminal } from './terminal.ts'

const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() }
const terminal = new Terminal(streams, { noColor: true })
const diff = (before: string[], after: string[]) => lineDiff(terminal, before.join('\n'), after.join('\n'))

it('shows what changes, with two lines around it, and marks what it leaves out', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j']
  const after = ['a', 'b', 'C', 'd', 'e', 'f', 'g', 'h', 'new', 'i', 'j']
  expect(diff(before, after)).toEqual([
    '  a',
    '  b',
    '- c',
    '+ C',
    '  d',
    '  e',
    '  …',
    '  g',
    '  h',
    '+ new',
    '  i',
    '  j',
  ])
})

it('is empty where nothing changes, and whole where everything does', () => {
  expect(diff(['a', 'b'], ['a', 'b'])).toEqual([])
  expect(diff(['a'], ['b', 'c'])).toEqual(['- a', '+ b', '+ c'])
})
