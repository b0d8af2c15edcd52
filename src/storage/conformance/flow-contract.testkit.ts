// The behaviour that every database must have: flows and what pages ask for.
import { describe, expect, it } from 'vitest'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { FlowRecord } from '../../operations/ports/flows.ts'
import { SlugTaken } from '../../operations/ports/flows.ts'
import { BY_WEBHOOK, entry, newFlow, newRun, page, running, type Stores, storeClock } from './stores.testkit.ts'

export function flowContract(stores: () => Stores): void {
  describe('flows', () => {
    it('gives back a flow as it was created', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      expect(await stores().flows.get(flow.id)).toEqual(flow)
      expect(await stores().flows.get('flow_none')).toBeNull()
    })

    it('raises the revision with each draft, and refuses one made on an older revision', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      const change = {
        name: 'B',
        draft: '{"name":"B"}',
        updatedAt: storeClock.time,
        updatedBy: 'Bob',
        expectedRevision: 1,
      }
      expect(await stores().flows.replaceDraft(flow.id, change)).toMatchObject({
        revision: 2,
        name: 'B',
        updatedBy: 'Bob',
      })
      expect(await stores().flows.replaceDraft(flow.id, change)).toBe('conflict')
      expect(await stores().flows.replaceDraft('flow_none', change)).toBeNull()
    })

    it('numbers versions 1, 2, 3 and makes none for an unchanged draft', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      const publish = async (revision: number) => {
        const published = await stores().flows.publish(flow.id, {
          revision,
          publishedAt: storeClock.time,
          publishedBy: 'me',
          trigger: BY_WEBHOOK,
        })
        return (published as FlowRecord).version
      }
      expect(await publish(1)).toBe(1)
      expect(await publish(1)).toBe(1)
      await stores().flows.replaceDraft(flow.id, {
        name: 'B',
        draft: '{"b":1}',
        updatedAt: storeClock.time,
        updatedBy: null,
        expectedRevision: null,
      })
      expect(await publish(2)).toBe(2)
      expect(
        await stores().flows.publish(flow.id, {
          revision: 1,
          publishedAt: storeClock.time,
          publishedBy: 'me',
          trigger: BY_WEBHOOK,
        }),
      ).toBe('conflict')
      expect((await stores().flows.version(flow.id, 1))?.document).toBe(flow.draft)
      expect((await stores().flows.versions(flow.id, page)).items.map((v) => v.version)).toEqual([2, 1])
    })

    it('makes one version of a draft that is published twice at once', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      const publish = () =>
        stores().flows.publish(flow.id, {
          revision: 1,
          publishedAt: storeClock.time,
          publishedBy: 'me',
          trigger: BY_WEBHOOK,
        })
      const published = (await Promise.all([publish(), publish(), publish()])) as FlowRecord[]
      expect(published.map(({ version }) => version)).toEqual([1, 1, 1])
      expect((await stores().flows.versions(flow.id, page)).items).toHaveLength(1)
    })

    it('takes every character in a name that somebody looks for', async () => {
      const flow = { ...newFlow(), name: 'a\u0000b \ud800 é' }
      await stores().flows.create(flow)
      expect((await stores().flows.get(flow.id))?.draft).toBe(flow.draft)
      expect((await stores().flows.list(page, 'x\u0000y')).items).toEqual([])
      expect((await stores().flows.list(page, null, null, [])).items).toEqual([])
      expect(await stores().flows.idsWith([])).toEqual([])
      expect(await stores().flows.idsWith(['no flow has this tag'])).toEqual([])
      expect(await stores().flows.get('flow_\u0000')).toBeNull()
    })

    it('keeps the number when an unpublished flow is published again unchanged', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      await stores().flows.publish(flow.id, {
        revision: 1,
        publishedAt: storeClock.time,
        publishedBy: 'me',
        trigger: BY_WEBHOOK,
      })
      expect(await stores().flows.unpublish(flow.id, storeClock.time)).toMatchObject({
        version: null,
        publishedAt: null,
      })
      expect(
        await stores().flows.publish(flow.id, {
          revision: 1,
          publishedAt: storeClock.time,
          publishedBy: 'me',
          trigger: BY_WEBHOOK,
        }),
      ).toMatchObject({ version: 1 })
    })

    it('removes a flow with all that is its own and cancels its unfinished runs', async () => {
      const flow = newFlow()
      await stores().flows.create(flow)
      const run = newRun(flow.id)
      await stores().runs.accept(run)
      expect(await stores().flows.remove(flow.id, storeClock.time)).toBe(true)
      expect(await stores().flows.remove(flow.id, storeClock.time)).toBe(false)
      expect((await stores().runs.get(run.id))?.status).toBe('cancelled')
      expect((await stores().flows.routes()).some((route) => route.flowId === flow.id)).toBe(false)
    })

    it('lets one flow have a slug, also if two are saved at the same moment', async () => {
      const [first, second] = [newFlow({ slug: 'one-of-us' }), newFlow({ slug: 'one-of-us' })]
      const saved = await Promise.allSettled([stores().flows.create(first), stores().flows.create(second)])
      expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
      expect(saved.find((one) => one.status === 'rejected')?.reason).toBeInstanceOf(SlugTaken)
      const other = newFlow()
      await stores().flows.create(other)
      const change = { ...other, slug: 'one-of-us', expectedRevision: null }
      await expect(stores().flows.replaceDraft(other.id, change)).rejects.toBeInstanceOf(SlugTaken)
    })

    it('pages through lists without a gap or a repeat', async () => {
      const made = [newFlow(), newFlow(), newFlow()]
      for (const flow of made) await stores().flows.create(flow)
      const seen: string[] = []
      for (let cursor: string | null = null; ; ) {
        const { items, nextCursor } = await stores().flows.list({ limit: 2, cursor })
        seen.push(...items.map((flow) => flow.id))
        if (!nextCursor) break
        cursor = nextCursor
      }
      expect(new Set(seen).size).toBe(seen.length)
      for (const flow of made) expect(seen).toContain(flow.id)
    })
  })

  describe('what the pages ask for', () => {
    it('finds the newest run of each flow', async () => {
      const ids: string[] = []
      for (const name of ['a', 'b', 'c']) {
        const flow = newFlow({ name })
        await stores().flows.create(flow)
        ids.push(flow.id)
      }
      const runs: NewRun[] = []
      for (const flowId of [ids[0]!, ids[1]!, ids[0]!]) {
        storeClock.time += 1
        runs.push(newRun(flowId))
        await stores().runs.accept(runs.at(-1)!)
      }
      const latest = await stores().runs.latestOf(ids)
      expect(latest.toSorted((a, b) => a.createdAt - b.createdAt)).toEqual([
        { flowId: ids[1], id: runs[1]!.id, status: 'queued', createdAt: runs[1]!.createdAt },
        { flowId: ids[0], id: runs[2]!.id, status: 'queued', createdAt: runs[2]!.createdAt },
      ])
      expect(await stores().runs.latestOf([])).toEqual([])
      expect(await stores().flows.names([ids[1]!, ids[1]!, 'flow_none'])).toEqual(new Map([[ids[1], 'b']]))
      expect(await stores().flows.names([])).toEqual(new Map())
    })

    it('finds flows by a part of their name, taken literally', async () => {
      for (const name of ['Orders 100% new', 'orders 100 x', 'a_b\\c', 'axb'])
        await stores().flows.create(newFlow({ name }))
      const found = async (search: string) => (await stores().flows.list(page, search)).items.map((flow) => flow.name)
      expect(await found('ORDERS 1')).toEqual(['orders 100 x', 'Orders 100% new'])
      expect(await found('100%')).toEqual(['Orders 100% new'])
      expect(await found('a_b\\')).toEqual(['a_b\\c'])
      expect(await found("'; drop table flow")).toEqual([])
    })

    it('reads the steps of one round, page by page', async () => {
      const run = newRun('flow_rounds')
      await stores().runs.accept(run)
      const claimed = await stores().journal.claim(run.id, storeClock.time)
      const paths = ['all', 'all[1]/x', 'all[1]/y', 'all[10]/x', 'after']
      const entries = paths.map((path, i) => entry(path, { seq: i + 1 }))
      await stores().journal.record(claimed!.claim, { ...running, startedAt: storeClock.time, entries })
      const pathsOf = async (under: string, after = -1, limit = 10) =>
        (await stores().runs.stepsPage(run.id, { under, after, limit })).map(({ path }) => path)
      expect(await pathsOf('')).toEqual(paths)
      expect(await pathsOf('all[1]/')).toEqual(['all[1]/x', 'all[1]/y'])
      expect(await pathsOf('', 2, 2)).toEqual(['all[1]/y', 'all[10]/x'])
    })
  })
}
