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
  expect(memory.room).toEqual({ bytes: 0, bytesOfOne: 0 })
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
  // What may be read at once is less.
  expect(memory.room).toEqual({ bytes: 1_300_000, bytesOfOne: Number.MAX_SAFE_INTEGER })
})

it('counts a run with the most that it may take while it is read, then with what it takes, and twice its bytes at least', async () => {
  const memory = new RunMemory(100 * MB)
  let told = 0
  memory.onRoom = () => told++
  memory.begun('a', MB)
  expect(memory.room).toEqual({ bytes: 300_000, bytesOfOne: 300_000 })
  await memory.opened('a', async () => 30 * MB)
  expect(memory.room.bytesOfOne).toBe(35 * MB)
  memory.begun('b', 20 * MB)
  expect(memory.room).toEqual({ bytes: 0, bytesOfOne: 0 })
  await memory.opened('b', async () => 0)
  expect(memory.room.bytesOfOne).toBe(15 * MB)
  // It ended while it was weighed.
  memory.begun('e', MB)
  const weighed = memory.opened('e', async () => 10 * MB)
  memory.ended('e')
  await weighed
  expect(memory.room.bytesOfOne).toBe(15 * MB)
  // It ended before it was read.
  memory.begun('c', MB)
  memory.ended('c')
  expect(memory.room.bytesOfOne).toBe(15 * MB)
  // Small ones are not weighed.
  memory.begun('d', 8_192)
  expect(memory.opened('d', async () => 50 * MB)).toBeNull()
  expect(memory.room.bytesOfOne).toBe(15 * MB)
  expect(told).toBe(4)
})
