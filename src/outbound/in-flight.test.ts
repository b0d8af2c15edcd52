import fc from 'fast-check'
import { expect, it } from 'vitest'
import { InFlight, type Placed } from './in-flight.ts'

it('has what was added and not deleted, whatever the order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 9 }))), (moves) => {
      const things: Placed[] = Array.from({ length: 10 }, () => ({ place: -1 }))
      const inFlight = new InFlight<Placed>()
      const expected = new Set<Placed>()
      for (const [comes, which] of moves) {
        const thing = things[which]!
        if (!comes) {
          inFlight.delete(thing)
          expected.delete(thing)
        } else if (!expected.has(thing)) {
          inFlight.add(thing)
          expected.add(thing)
        }
        expect(inFlight.all()).toHaveLength(expected.size)
        expect(new Set(inFlight.all())).toEqual(expected)
      }
      for (const thing of things) expect(thing.place !== -1).toBe(expected.has(thing))
    }),
  )
})
