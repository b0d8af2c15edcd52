import { expect, it } from 'vitest'
import { byteRange } from './byte-range.ts'

it.each([
  [undefined, null],
  ['bytes=0-', { start: 0, end: 10 }],
  ['bytes=2-4', { start: 2, end: 5 }],
  ['bytes=2-400', { start: 2, end: 10 }],
  ['bytes=-3', { start: 7, end: 10 }],
  ['bytes=-30', { start: 0, end: 10 }],
  ['bytes=10-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=4-2', null],
  ['bytes=-', null],
  ['bytes=0-1,3-4', null],
  ['bytes=99999999999999999999-', null],
  ['lines=0-1', null],
])('reads %s of ten bytes', (header, range) => {
  expect(byteRange(header, 10)).toEqual(range)
})
