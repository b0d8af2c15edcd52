import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { laterRun } from '../runs/model/run-filter.ts'
import { type LiveList, mergeLive } from './live-list.ts'

interface Item {
  id: string
  status: string
}
const item = (id: string, status = 'succeeded'): Item => ({ id, status })
const told = (...items: Item[]) => new Map(items.map((one) => [one.id, one]))
const list = (more: Partial<LiveList<Item>>): LiveList<Item> => ({
  loaded: [],
  live: new Map(),
  matches: () => true,
  complete: true,
  held: null,
  later: laterRun,
  ...more,
})
const idsOf = (more: Partial<LiveList<Item>>) => mergeLive(list(more)).rows.map(({ id }) => id)

describe('a live list', () => {
  it('takes in what is new, newest first', () => {
    expect(idsOf({ loaded: [item('c'), item('a')], live: told(item('b'), item('d')) })).toEqual(['d', 'c', 'b', 'a'])
  })

  it('shows the state that was told last', () => {
    const { rows } = mergeLive(list({ loaded: [item('a', 'running')], live: told(item('a', 'failed')) }))
    expect(rows).toEqual([item('a', 'failed')])
  })

  it('does not let a late word change what has finished', () => {
    const { rows } = mergeLive(list({ loaded: [item('a', 'failed')], live: told(item('a', 'running')) }))
    expect(rows).toEqual([item('a', 'failed')])
  })

  it('ignores what the filter hides', () => {
    const matches = ({ status }: Item) => status === 'failed'
    expect(
      idsOf({ loaded: [item('a', 'failed')], live: told(item('b', 'queued'), item('c', 'failed')), matches }),
    ).toEqual(['c', 'a'])
  })

  it('lets go of what leaves the filter', () => {
    const matches = ({ status }: Item) => status === 'running'
    expect(idsOf({ loaded: [item('a', 'running')], live: told(item('a', 'succeeded')), matches })).toEqual([])
  })

  it('keeps a row that leaves the filter while somebody reads, with its new state', () => {
    const matches = ({ status }: Item) => status === 'running'
    const { rows } = mergeLive(
      list({
        loaded: [item('a', 'running')],
        live: told(item('a', 'succeeded')),
        matches,
        held: [item('a', 'running')],
      }),
    )
    expect(rows).toEqual([item('a', 'succeeded')])
  })

  it('counts what is new while somebody reads', () => {
    const loaded = [item('b'), item('a')]
    const held = list({ loaded, live: told(item('c'), item('d')), held: loaded })
    expect(mergeLive(held)).toEqual({ rows: loaded, unseen: 2 })
    expect(mergeLive({ ...held, held: null })).toMatchObject({ unseen: 0 })
  })

  it('counts what a reload brought while somebody reads', () => {
    const held = [item('b'), item('a')]
    expect(mergeLive(list({ loaded: [item('c'), ...held], held })).unseen).toBe(1)
  })

  it('keeps what somebody reads when all that is loaded is newer', () => {
    const held = [item('b', 'running'), item('a')]
    const { rows, unseen } = mergeLive(
      list({ loaded: [item('z'), item('y')], live: told(item('b', 'failed')), complete: false, held }),
    )
    expect(rows).toEqual([item('b', 'failed'), item('a')])
    expect(unseen).toBe(2)
  })

  it('takes in older pages below what somebody reads', () => {
    const held = [item('f'), item('e')]
    expect(idsOf({ loaded: [...held, item('d'), item('c')], held, complete: false })).toEqual(['f', 'e', 'd', 'c'])
  })

  it('leaves to its page what is older than what is loaded', () => {
    const loaded = [item('f'), item('e')]
    expect(idsOf({ loaded, live: told(item('b', 'failed')), complete: false })).toEqual(['f', 'e'])
    expect(idsOf({ loaded, live: told(item('b', 'failed')), complete: true })).toEqual(['f', 'e', 'b'])
  })

  it('is in order and without doubles, whatever was loaded and told', () => {
    const items = fc.uniqueArray(
      fc.record({ id: fc.stringMatching(/^[a-d]{1,2}$/), status: fc.constantFrom('queued', 'failed') }),
      {
        selector: ({ id }) => id,
      },
    )
    fc.assert(
      fc.property(
        items,
        items,
        fc.boolean(),
        fc.option(items.filter((held) => held.length > 0)),
        (loaded, live, complete, given) => {
          const newestFirst = (all: Item[]) => all.toSorted((a, b) => (a.id < b.id ? 1 : -1))
          const held = given && newestFirst(given)
          const sorted = newestFirst(loaded)
          const { rows } = mergeLive(list({ loaded: sorted, live: told(...live), complete, held }))
          const ids = rows.map(({ id }) => id)
          expect(ids).toEqual([...new Set(ids)].sort().reverse())
          for (const { id } of held ?? sorted) expect(ids).toContain(id)
        },
      ),
    )
  })
})
