import { describe, expect, it } from 'vitest'
import { Fifo } from './fifo.ts'

describe('a fifo', () => {
  it('gives back ten thousand things in order, also while more come', () => {
    const fifo = new Fifo<number>()
    const taken: number[] = []
    for (let i = 0; i < 10_000; i++) {
      fifo.push(i)
      if (i % 3 === 0) taken.push(fifo.shift()!)
    }
    expect(fifo.size).toBe(10_000 - taken.length)
    for (let next = fifo.shift(); next !== undefined; next = fifo.shift()) taken.push(next)
    expect(taken).toEqual(Array.from({ length: 10_000 }, (_, i) => i))
    expect(fifo.size).toBe(0)
  })

  it('takes out what matches and keeps the order of the rest', () => {
    const fifo = new Fifo<number>()
    for (let i = 0; i < 6; i++) fifo.push(i)
    fifo.shift()
    expect(fifo.remove((n) => n % 2 === 0)).toEqual([2, 4])
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([1, 3, 5, undefined])
  })

  it('takes one back to the front, and tells its last', () => {
    const fifo = new Fifo<number>()
    expect(fifo.last).toBe(undefined)
    fifo.unshift(1)
    fifo.push(2)
    fifo.push(3)
    fifo.unshift(fifo.shift()!)
    expect(fifo.last).toBe(3)
    expect([fifo.shift(), fifo.shift(), fifo.shift(), fifo.shift()]).toEqual([1, 2, 3, undefined])
    expect(fifo.last).toBe(undefined)
  })
})
