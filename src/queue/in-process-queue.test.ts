import { describe, expect, it, vi } from 'vitest'
import type { Advanced } from '../engine/ports/run-journal.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'
import { InProcessQueue } from './in-process-queue.ts'
import { RunMemory } from './run-memory.ts'

const turns = async () => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

/** Creates a queue whose runs end when the test says so. */
function setUp(concurrency: number, memoryBytes = 0, bytesOf: Record<string, number> = {}) {
  const begun: string[] = []
  const ends = new Map<string, (advanced: Advanced) => void>()
  const due: QueuedRun[] = []
  let time = 0
  let nextAt: number | null = null
  let busy = 0
  const memory = new RunMemory(memoryBytes)
  const queue = new InProcessQueue(concurrency, memory, {
    bytesOf: (id) => bytesOf[id] ?? 0,
    advance: ({ id }) => {
      begun.push(id)
      return new Promise((resolve) => ends.set(id, resolve))
    },
    due: async () => ({ runs: due.splice(0), nextAt }),
    now: () => time,
    busy: () => busy,
    failed: (error) => {
      throw error
    },
    troubled: (_runId, error) => {
      throw error
    },
  })
  return {
    queue,
    begun,
    due,
    read: (id: string, bytes: number) => memory.opened(id, async () => bytes),
    add: (id: string, flowId = 'f', limit: number | null = null, awaited = false) =>
      queue.add({ id, flowId, concurrency: limit, fresh: null, since: time, awaited }),
    setBusy: (share: number) => {
      busy = share
    },
    async end(id: string, advanced: Advanced = { state: 'finished' }) {
      ends.get(id)!(advanced)
      await turns()
    },
    setTime: (now: number, next: number | null = null) => {
      time = now
      nextAt = next
    },
  }
}

describe('the in-process queue', () => {
  it('runs in order of arrival, at most so many at once', async () => {
    const { queue, begun, add, end } = setUp(2)
    for (const id of ['a', 'b', 'c', 'd']) add(id)
    expect(begun).toEqual([])
    expect(queue.size).toBe(4)
    queue.start()
    expect(begun).toEqual(['a', 'b'])
    expect(queue.size).toBe(2)
    await end('b')
    await end('a')
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    queue.stop()
  })

  it('begins large runs only as memory has room for them, and others beside them', async () => {
    const mb = 1_000_000
    const sizes = { a: 10 * mb, b: 10 * mb, c: 10 * mb, d: 90 * mb, e: 1 * mb }
    const { queue, begun, add, end, read } = setUp(10, 40 * mb, sizes)
    for (const id of ['a', 'b', 'c', 'small', 'd', 'e']) add(id)
    queue.start()
    // Nobody knows what a run takes before it is read: the next one waits for that.
    expect(begun).toEqual(['a', 'small'])
    await read('a', 0)
    // Each run counts twice: its bytes as received, and its parsed values.
    expect(begun.slice(2)).toEqual(['b'])
    await read('b', 0)
    expect(queue.size).toBe(3)
    await end('a')
    expect(begun.slice(3)).toEqual(['c'])
    await read('c', 0)
    await end('b')
    await end('c')
    // A run that exceeds the whole limit starts alone.
    expect(begun.slice(4)).toEqual(['d'])
    await read('d', 0)
    await end('small')
    add('another')
    expect(begun.slice(5)).toEqual(['another'])
    queue.forget({ id: 'e', flowId: 'f' })
    expect(queue.size).toBe(0)
    await end('d')
    expect(begun).not.toContain('e')
    queue.stop()
  })

  it('begins large runs by what they take in memory as soon as that is known', async () => {
    const sizes = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`r${i}`, 200_000]))
    const { queue, begun, add, end, read } = setUp(100, 128 << 20, sizes)
    queue.start()
    for (const id of Object.keys(sizes)) add(id)
    // As many as the memory for reading has room for, if each was made of nothing but braces.
    expect(begun).toHaveLength(6)
    for (let i = 0; i < begun.length; i++) await read(`r${i}`, 8 << 20)
    // What they take is known: sixteen fit, and those that were being read meanwhile.
    expect(begun).toHaveLength(21)
    for (let i = 0; i < 5; i++) await end(`r${i}`)
    expect(begun).toHaveLength(21)
    await end('r5')
    expect(begun).toHaveLength(27)
    queue.stop()
  })

  it('begins fewer of those that senders wait for while there is no time left, and the others as ever', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const { queue, begun, add, end, setBusy } = setUp(100)
    queue.start()
    setBusy(1)
    for (let i = 0; i < 200; i++) add(`awaited${i}`, 'f', null, true)
    expect(begun).toHaveLength(100)
    vi.advanceTimersByTime(300)
    for (let i = 0; i < 68; i++) await end(`awaited${i}`)
    expect(begun).toHaveLength(100)
    await end('awaited68')
    expect(begun).toHaveLength(101)
    // Time is left again, although none of them ends: so more of them begin.
    setBusy(0.1)
    vi.advanceTimersByTime(100)
    expect(begun).toHaveLength(109)
    queue.forgetAllOf('f')
    for (let i = 0; i < 200; i++) add(`other${i}`)
    expect(begun.filter((id) => id.startsWith('other'))).toHaveLength(60)
    queue.stop()
    vi.useRealTimers()
  })

  it('is slow while a run that joins the line would wait for longer than runs usually take, and never when it is short', async () => {
    const { queue, add, end, setTime } = setUp(1)
    queue.start()
    const fill = (count: number) => {
      for (let i = 0; i < count; i++) add(`more${i}`)
    }
    add('first')
    fill(1000)
    // The queue does not know yet how long runs take.
    expect(queue.isSlow(0)).toBe(false)
    setTime(60)
    await end('first')
    // The wait is a twentieth of 60 ms, times 999.
    expect(queue.isSlow(0)).toBe(true)
    queue.forgetAllOf('f')
    expect(queue.isSlow(0)).toBe(false)
    fill(64)
    expect(queue.isSlow(0)).toBe(false)
    // A run that is being stored is ahead of the one that asks.
    expect(queue.isSlow(1)).toBe(true)
    fill(1)
    expect(queue.isSlow(0)).toBe(true)
    queue.stop()
  })

  it('is not slow where runs take as long when nobody waits', async () => {
    const { queue, add, end, setTime } = setUp(100)
    queue.start()
    add('first')
    setTime(4_000)
    await end('first')
    for (let i = 0; i < 200; i++) add(`more${i}`)
    // Each run takes a twentieth of 4 s: a run that joins the hundred in line waits as long as a run takes.
    expect(queue.isSlow(0)).toBe(false)
    expect(queue.isSlow(1)).toBe(true)
    queue.stop()
  })

  it('is not slow where a long line moves fast', async () => {
    const { queue, add, end, setTime } = setUp(100)
    queue.start()
    add('first')
    setTime(20)
    await end('first')
    for (let i = 0; i < 1000; i++) add(`more${i}`)
    expect(queue.size).toBe(900)
    expect(queue.isSlow(0)).toBe(false)
    queue.stop()
  })

  it('lets a flow run only as many at once as it allows, in order, and others past it', async () => {
    const { queue, begun, add, end } = setUp(10)
    queue.start()
    for (const id of ['a1', 'a2', 'a3']) add(id, 'a', 1)
    add('b1', 'b')
    expect(begun).toEqual(['a1', 'b1'])
    expect(queue.size).toBe(2)
    await end('a1')
    await end('a2')
    expect(begun).toEqual(['a1', 'b1', 'a2', 'a3'])
    queue.stop()
  })

  it("keeps a waiting run's place in its flow, also after a restart", async () => {
    const { queue, begun, add, end, due, setTime } = setUp(10)
    queue.hold({ id: 'waits', flowId: 'a', concurrency: 1, fresh: null, since: 0 })
    queue.start()
    await turns()
    add('next', 'a', 1)
    expect(begun).toEqual([])
    due.push({ id: 'waits', flowId: 'a', concurrency: 1, fresh: null, since: 0 })
    setTime(10)
    queue.wakeAt(10)
    await expect.poll(() => begun).toEqual(['waits'])
    await end('waits', { state: 'parked', resumeAt: 1e9 })
    expect(begun).toEqual(['waits'])
    due.push({ id: 'waits', flowId: 'a', concurrency: 1, fresh: null, since: 0 })
    queue.wakeAt(11)
    await expect.poll(() => begun).toEqual(['waits', 'waits'])
    await end('waits')
    expect(begun).toEqual(['waits', 'waits', 'next'])
    queue.stop()
  })

  it('does not take up a waiting run twice while it is in line', async () => {
    const { queue, begun, add, due } = setUp(1)
    queue.start()
    add('busy')
    await turns()
    const waits = { id: 'waits', flowId: 'f', concurrency: null, fresh: null, since: 0 }
    due.push(waits)
    queue.wakeAt(0)
    await expect.poll(() => queue.size).toBe(1)
    due.push(waits)
    queue.wakeAt(-1)
    await turns()
    expect(queue.size).toBe(1)
    expect(begun).toEqual(['busy'])
    queue.stop()
  })

  it('forgets a run wherever it stands, and gives its place to the next', async () => {
    const { queue, begun, add, end } = setUp(10)
    queue.start()
    for (const id of ['a1', 'a2', 'a3']) add(id, 'a', 1)
    queue.forget({ id: 'a2', flowId: 'a' })
    expect(queue.size).toBe(1)
    await end('a1')
    expect(begun).toEqual(['a1', 'a3'])
    queue.forget({ id: 'never-seen', flowId: 'a' })
    queue.stop()
  })

  it('forgets all runs of a flow', async () => {
    const { queue, begun, add, end } = setUp(1)
    queue.start()
    add('b1', 'b')
    for (const id of ['a1', 'a2']) add(id, 'a', 1)
    add('a3', 'a')
    add('b2', 'b')
    queue.forgetAllOf('a')
    expect(queue.size).toBe(1)
    await end('b1')
    expect(begun).toEqual(['b1', 'b2'])
    queue.stop()
  })

  it('knows since when the first in line waits, also in the line of a flow', async () => {
    const { queue, add, end, setTime } = setUp(1)
    queue.start()
    expect(queue.oldestSince).toBe(null)
    setTime(100)
    add('a1', 'a', 1)
    setTime(200)
    add('a2', 'a', 1)
    setTime(300)
    add('b1', 'b')
    expect(queue.oldestSince).toBe(200)
    queue.forget({ id: 'a2', flowId: 'a' })
    expect(queue.oldestSince).toBe(300)
    await end('a1')
    expect(queue.oldestSince).toBe(null)
    queue.stop()
  })

  it('follows the limit of the version that is first in line', async () => {
    const { queue, begun, add, end } = setUp(10)
    queue.start()
    for (const id of ['a1', 'a2']) add(id, 'a', 2)
    for (const id of ['b1', 'b2']) add(id, 'a', 1)
    await end('a1')
    expect(begun).toEqual(['a1', 'a2'])
    await end('a2')
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    add('c1', 'a', 5)
    expect(begun).toEqual(['a1', 'a2', 'b1'])
    // The first in line goes first; then the limit of the newest version leaves room.
    await end('b1')
    expect(begun).toEqual(['a1', 'a2', 'b1', 'b2', 'c1'])
    queue.stop()
  })

  it('tries a run again that could not be carried on', async () => {
    let tries = 0
    const failures: unknown[] = []
    const queue = new InProcessQueue(1, new RunMemory(0), {
      bytesOf: () => 0,
      advance: async () => {
        if (++tries === 1) throw new Error('the disk hiccups')
        return { state: 'finished' }
      },
      due: async () => ({ runs: [], nextAt: null }),
      now: () => 0,
      busy: () => 0,
      failed: (error) => {
        throw error
      },
      troubled: (_runId, error) => {
        failures.push(error)
        return 1
      },
    })
    queue.start()
    queue.add({ id: 'a', flowId: 'f', concurrency: null, fresh: null, since: 0 })
    await expect.poll(() => tries, { timeout: 5000 }).toBe(2)
    expect(failures).toHaveLength(1)
    queue.stop()
  })
})

describe('a paused flow in the queue', () => {
  it('holds what has not begun, in order, and neither what has begun nor other flows', async () => {
    const { queue, begun, add, end } = setUp(1)
    queue.start()
    for (const id of ['a', 'b', 'c']) add(id, 'f', 1)
    add('d', 'other')
    await queue.pause('f')
    expect(add('e', 'f', 1)).toBe(true)
    expect([queue.held, await queue.heldOf('f'), queue.size]).toEqual([3, 3, 1])
    // A run that waited goes on.
    expect(queue.add({ id: 'woken', flowId: 'f', concurrency: null, fresh: null, since: 0, exempt: true })).toBe(false)
    await end('a')
    await end('d')
    await end('woken')
    expect(begun).toEqual(['a', 'd', 'woken'])
    queue.forget({ id: 'c', flowId: 'f' })
    expect(queue.held).toBe(2)
    await queue.resume('f')
    await end('b')
    expect(begun.slice(3)).toEqual(['b', 'e'])
    expect([queue.held, queue.size]).toEqual([0, 0])
    queue.stop()
  })

  it('forgets what it holds of a deleted flow', async () => {
    const { queue, begun, add } = setUp(1)
    await queue.pause('f')
    add('a')
    queue.forgetAllOf('f')
    queue.start()
    expect([queue.held, begun]).toEqual([0, []])
    queue.stop()
  })
})
