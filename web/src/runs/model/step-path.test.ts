import { describe, expect, it } from 'vitest'
import { parentOf, roundOf, roundPath, roundsAlong, stepIdOf } from './step-path.ts'

describe('the path of a step', () => {
  it.each([
    ['order', null],
    ['big/tell', { path: 'big', attempt: 1, round: null }],
    ['all[3]/send', { path: 'all', attempt: 1, round: 3 }],
    ['all#2[3]/send', { path: 'all', attempt: 2, round: 3 }],
    ['big#3/tell', { path: 'big', attempt: 3, round: null }],
    ['outer[2]/inner[5]/send', { path: 'outer[2]/inner', attempt: 1, round: 5 }],
    ['outer#2[2]/inner/send', { path: 'outer#2[2]/inner', attempt: 1, round: null }],
  ])('%s names what is around it', (path, parent) => {
    expect(parentOf(path)).toEqual(parent)
  })

  it('tells a round from a step', () => {
    expect(roundOf('all[3]')).toEqual({ loop: 'all', attempt: 1, index: 3 })
    expect(roundOf('outer[1]/all#2[3]')).toEqual({ loop: 'outer[1]/all', attempt: 2, index: 3 })
    expect(roundOf('all[3]/send')).toBeNull()
    expect(roundOf('send')).toBeNull()
  })

  it('is made from a round and read back', () => {
    for (const path of ['all[0]', 'outer[1]/all#2[30]']) expect(roundPath(roundOf(path)!)).toBe(path)
  })

  it('leads through rounds, each by its loop', () => {
    expect([...roundsAlong('outer[2]/big/inner#2[5]/send')]).toEqual([
      ['outer[2]/big/inner', { loop: 'outer[2]/big/inner', attempt: 2, index: 5 }],
      ['outer', { loop: 'outer', attempt: 1, index: 2 }],
    ])
    expect(roundsAlong('big/tell').size).toBe(0)
    expect([...roundsAlong('all[3]').keys()]).toEqual(['all'])
  })

  it('ends with the id of the step', () => {
    expect(['order', 'big/tell', 'all[3]/send', 'outer[1]/all#2[3]'].map(stepIdOf)).toEqual([
      'order',
      'tell',
      'send',
      'all',
    ])
  })
})
