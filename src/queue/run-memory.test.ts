import { expect, it } from 'vitest'
import { RunMemory } from './run-memory.ts'

const MB = 1_000_000

it('has large replies wait until there is room, and the run that came first never', async () => {
  const memory = new RunMemory(42 * MB)
  const passed: string[] = []
  const grow = (runId: string) => {
    const room = memory.grow(runId, 10 * MB)
    if (room === true) passed.push(runId)
    else void room.then(() => passed.push(runId))
  }
  for (const runId of ['a', 'b', 'c', 'd', 'b', 'a']) grow(runId)
  expect(passed).toEqual(['a', 'b', 'a'])
  expect(memory.room).toEqual({ bytes: 0, oneAtLeast: false })
  // The room reserved for the largest reply was not needed.
  memory.shrink('a', 19 * MB)
  await Promise.resolve()
  expect(passed.slice(3)).toEqual(['c'])
  memory.ended('a')
  await Promise.resolve()
  expect(passed.slice(4)).toEqual(['b'])
  // The run ended while it waited for room.
  memory.ended('d')
  memory.ended('b')
  memory.ended('c')
  await Promise.resolve()
  expect(passed).toHaveLength(5)
  expect(memory.room).toEqual({ bytes: 21 * MB, oneAtLeast: true })
})
