import { expect, it } from 'vitest'
import { KeptRejections } from './kept-rejections.ts'

it('keeps so many a second of each flow', () => {
  const rejections = new KeptRejections(
    { trimRejected: async () => {}, trimBodies: async () => {} },
    { perSecond: 2, kept: 10, bodies: 10 },
  )
  const admitted = (flowId: string, now: number, count: number) =>
    Array.from({ length: count }, () => rejections.admits(flowId, now)).filter(Boolean).length
  expect(admitted('a', 0, 100)).toBe(4)
  expect(admitted('b', 0, 1)).toBe(1)
  expect(admitted('a', 1000, 100)).toBe(2)
})

it('has the oldest deleted at the first one, and then after each tenth of what is kept', async () => {
  const trimmed: [string, number][] = []
  const trimmedBodies: [string, number][] = []
  const store = {
    trimRejected: async (flowId: string, keep: number) => void trimmed.push([flowId, keep]),
    trimBodies: async (flowId: string, keep: number) => void trimmedBodies.push([flowId, keep]),
  }
  const rejections = new KeptRejections(store, { perSecond: 2, kept: 20, bodies: 10 })
  for (let i = 0; i < 7; i++) await rejections.added('a')
  await rejections.added('b')
  expect(trimmedBodies).toEqual([])
  for (let i = 0; i < 3; i++) await rejections.added('c', true)
  expect(trimmedBodies).toEqual([
    ['c', 10],
    ['c', 10],
  ])
  expect(trimmed).toEqual([
    ['a', 20],
    ['a', 20],
    ['a', 20],
    ['b', 20],
    ['c', 20],
  ])
})

it('reads no more bodies at once than 20', async () => {
  const store = { trimRejected: async () => {}, trimBodies: async () => {} }
  const rejections = new KeptRejections(store)
  const { promise, resolve } = Promise.withResolvers<Buffer>()
  const reading = Array.from({ length: 20 }, () => rejections.reading(() => promise))
  expect(await rejections.reading(() => promise)).toBeNull()
  resolve(Buffer.from('x'))
  await Promise.all(reading)
  expect(await rejections.reading(() => promise)).toEqual(Buffer.from('x'))
})
