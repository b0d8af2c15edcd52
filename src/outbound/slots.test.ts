import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Slots } from './slots.ts'

function waiterLog() {
  const granted: string[] = []
  return { granted, waiter: (name: string) => ({ granted: () => granted.push(name) }) }
}

describe('Slots', () => {
  it('grants waiters of one host in the order they came', () => {
    const slots = new Slots(10, 1)
    const { granted, waiter } = waiterLog()
    expect(slots.acquire('a', waiter('a1'))).toBe(true)
    for (const name of ['a2', 'a3', 'a4']) expect(slots.acquire('a', waiter(name))).toBe(false)
    slots.release('a')
    slots.release('a')
    expect(granted).toEqual(['a2', 'a3'])
    expect(slots).toMatchObject({ active: 1, waiting: 1 })
  })

  it('lets another host pass a host that is at its limit', () => {
    const slots = new Slots(3, 2)
    const { waiter } = waiterLog()
    for (const name of ['a1', 'a2', 'a3', 'a4', 'a5']) slots.acquire('a', waiter(name))
    expect(slots.acquire('b', waiter('b1'))).toBe(true)
  })

  it('lets hosts take turns when the total is the limit, however long one queue is', () => {
    const slots = new Slots(1, 1)
    const { granted, waiter } = waiterLog()
    slots.acquire('a', waiter('a0'))
    for (const name of ['a1', 'a2', 'a3']) slots.acquire('a', waiter(name))
    slots.acquire('b', waiter('b1'))
    slots.acquire('c', waiter('c1'))
    let holder = 'a'
    for (let i = 0; i < 5; i++) {
      slots.release(holder)
      holder = granted.at(-1)![0]!
    }
    expect(granted).toHaveLength(5)
    expect(granted.indexOf('b1')).toBeLessThan(3)
    expect(granted.indexOf('c1')).toBeLessThan(3)
  })

  it('skips a waiter that gave up', () => {
    const slots = new Slots(1, 1)
    const { granted, waiter } = waiterLog()
    slots.acquire('a', waiter('a0'))
    const gone = waiter('a1')
    slots.acquire('a', gone)
    slots.acquire('a', waiter('a2'))
    slots.cancel('a', gone)
    slots.cancel('a', gone)
    slots.release('a')
    expect(granted).toEqual(['a2'])
  })

  it('grants on when ten thousand waiters release at once inside their grant', () => {
    const slots = new Slots(1, 1)
    let granted = 0
    slots.acquire('a', { granted() {} })
    for (let i = 0; i < 10_000; i++)
      slots.acquire('a', {
        granted() {
          granted++
          slots.release('a')
        },
      })
    slots.release('a')
    expect(granted).toBe(10_000)
    expect(slots).toMatchObject({ active: 0, waiting: 0 })
  })

  it('never passes a limit, never leaves a free slot unused and forgets nobody', () => {
    const action = fc.record({
      host: fc.constantFrom('a', 'b', 'c'),
      what: fc.constantFrom('acquire', 'release', 'cancel'),
    })
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(action),
        (total, perHost, actions) => {
          const slots = new Slots(total, perHost)
          const held: string[] = []
          const waiting: { host: string; granted(): void }[] = []
          for (const { host, what } of actions) {
            if (what === 'acquire') {
              const waiter = {
                host,
                granted: () => void held.push(waiting.splice(waiting.indexOf(waiter), 1)[0]!.host),
              }
              if (slots.acquire(host, waiter)) held.push(host)
              else waiting.push(waiter)
            } else if (what === 'release' && held.includes(host)) {
              held.splice(held.indexOf(host), 1)
              slots.release(host)
            } else if (what === 'cancel') {
              const at = waiting.findIndex((waiter) => waiter.host === host)
              if (at !== -1) slots.cancel(host, waiting.splice(at, 1)[0]!)
            }
            const count = (name: string) => held.filter((each) => each === name).length
            expect(held.length).toBeLessThanOrEqual(total)
            for (const name of ['a', 'b', 'c']) expect(count(name)).toBeLessThanOrEqual(perHost)
            if (held.length < total) for (const waiter of waiting) expect(count(waiter.host)).toBe(perHost)
            expect(slots).toMatchObject({ active: held.length, waiting: waiting.length })
          }
        },
      ),
    )
  })
})
