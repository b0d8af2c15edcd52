// The behaviour that every database must have: deliveries, samples and what is past its time.
import { describe, expect, it } from 'vitest'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import type { DeliveryRecord } from '../../operations/ports/deliveries.ts'
import { entry, ids, newRun, page, running, STORE_SECRET, type Stores, storeClock, webhook } from './stores.testkit.ts'

export function deliveryContract(stores: () => Stores): void {
  describe('deliveries and samples', () => {
    const delivery = (flowId: string): DeliveryRecord => ({
      id: ids.next('dlv'),
      flowId,
      receivedAt: storeClock.time,
      outcome: 'rejected',
      code: 'unauthorized',
      message: 'no',
      status: 401,
      runId: null,
      event: null,
      webhook: { ...webhook(null), rawBody: '', body: null },
    })

    it('shows accepted, rejected and other deliveries in one list, in order, without test runs and replays', async () => {
      storeClock.time += 1000
      const accepted = newRun('flow_inbox')
      await stores().runs.accept(accepted)
      storeClock.time += 1
      const rejected = delivery('flow_inbox')
      await stores().deliveries.add(rejected)
      await stores().runs.accept(newRun('flow_inbox', { test: true }))
      await stores().runs.accept(newRun('flow_inbox', { replayOf: accepted.id }))
      const first = await stores().deliveries.list({ flowId: 'flow_inbox', outcome: null }, { limit: 1, cursor: null })
      expect(first.items).toEqual([rejected])
      const second = await stores().deliveries.list(
        { flowId: 'flow_inbox', outcome: null },
        { limit: 1, cursor: first.nextCursor },
      )
      expect(second.items).toMatchObject([
        { outcome: 'accepted', runId: accepted.id, status: 200, webhook: { body: { n: 1 } } },
      ])
      expect(second.nextCursor).toBeNull()
    })

    it('is searched by outcome over all flows, and read one by one', async () => {
      const accepted = newRun('flow_inbox_a')
      await stores().runs.accept(accepted)
      storeClock.time += 1
      const rejected = delivery('flow_inbox_b')
      await stores().deliveries.add(rejected)
      const newest = async (outcome: DeliveryRecord['outcome'] | null) =>
        (await stores().deliveries.list({ flowId: null, outcome }, { limit: 1, cursor: null })).items[0]
      expect(await newest(null)).toEqual(rejected)
      expect(await newest('rejected')).toEqual(rejected)
      expect((await newest('accepted'))?.runId).toBe(accepted.id)
      expect(await newest('duplicate')).toBeUndefined()
      expect(await stores().deliveries.get(rejected.id)).toEqual(rejected)
      const { id } = (await newest('accepted'))!
      expect(await stores().deliveries.get(id)).toMatchObject({ outcome: 'accepted', runId: accepted.id })
      expect(await stores().deliveries.get('dlv_none')).toBeNull()
    })

    it('is listed for some flows only, page by page, whatever became of it', async () => {
      const flows = ['flow_among_a', 'flow_among_b', 'flow_among_c']
      for (const flowId of flows) {
        await stores().runs.accept(newRun(flowId))
        storeClock.time += 1
        await stores().deliveries.add(delivery(flowId))
        storeClock.time += 1
      }
      const filter = { flowId: null, outcome: null, among: [flows[0]!, flows[2]!] }
      const found: string[] = []
      for (let cursor: string | null = null; ; ) {
        const { items, nextCursor } = await stores().deliveries.inbox(filter, { limit: 1, cursor })
        found.push(...items.map(({ flowId }) => flowId))
        cursor = nextCursor
        if (cursor === null) break
      }
      expect(found).toEqual([flows[2], flows[2], flows[0], flows[0]])
      const none = { flowId: null, outcome: null, among: [] }
      expect((await stores().deliveries.inbox(none, page)).items).toEqual([])
      expect((await stores().deliveries.inbox({ ...filter, flowId: flows[1]! }, page)).items).toEqual([])
    })

    it('is searched by the type of the event, which of an accepted delivery is a label', async () => {
      const flowId = 'flow_events'
      const paid = newRun(flowId, { labels: { event: 'invoice.paid', shop: '7' } })
      await stores().runs.accept(paid)
      await stores().runs.accept(newRun(flowId, { labels: { event: 'invoice.sent' } }))
      storeClock.time += 1
      const filtered = { ...delivery(flowId), outcome: 'filtered' as const, event: 'invoice.paid' }
      await stores().deliveries.add(filtered)
      await stores().deliveries.add(delivery(flowId))
      const found = async (filter: object) =>
        (await stores().deliveries.list({ flowId, outcome: null, ...filter }, page)).items.map(({ runId, event }) => [
          runId,
          event,
        ])
      const accepted = [paid.id, 'invoice.paid']
      expect(await found({ event: 'invoice.paid' })).toEqual([[null, 'invoice.paid'], accepted])
      expect(await found({ event: 'invoice.paid', outcome: 'accepted' })).toEqual([accepted])
      expect(await found({ event: 'invoice.paid', labels: { shop: '7' } })).toEqual([accepted])
      expect(await found({ event: 'invoice' })).toEqual([])
      expect((await stores().deliveries.inbox({ flowId, outcome: null }, page)).items).toHaveLength(4)
      expect(await stores().deliveries.get(filtered.id)).toEqual(filtered)
    })

    it('keeps the last rejected deliveries of a flow and the last handshakes, and all others', async () => {
      const add = async (flowId: string, outcome: DeliveryRecord['outcome']) => {
        storeClock.time += 1
        const one = { ...delivery(flowId), outcome }
        await stores().deliveries.add(one)
        return one.id
      }
      await add('flow_trim', 'rejected')
      await add('flow_trim', 'handshake')
      const shaken = [await add('flow_trim', 'handshake'), await add('flow_trim', 'handshake')]
      const filtered = await add('flow_trim', 'filtered')
      const kept = [await add('flow_trim', 'rejected'), await add('flow_trim', 'rejected')]
      const other = await add('flow_trim_other', 'rejected')
      await stores().deliveries.trimRejected('flow_trim', 2)
      const idsOf = async (flowId: string) =>
        (await stores().deliveries.inbox({ flowId, outcome: null }, page)).items.map(({ id }) => id)
      expect(await idsOf('flow_trim')).toEqual([kept[1], kept[0], filtered, shaken[1], shaken[0]])
      await stores().deliveries.trimRejected('flow_trim', 2)
      expect(await idsOf('flow_trim')).toHaveLength(5)
      expect(await idsOf('flow_trim_other')).toEqual([other])
    })

    it('keeps bodies of rejected deliveries, sealed where they hold a secret, for one run each and not for ever', async () => {
      const add = async (body: unknown, kept: boolean) => {
        storeClock.time += 1
        const one = { ...delivery('flow_bodies'), webhook: webhook(body), ...(kept && { bodyKept: true as const }) }
        await stores().deliveries.add(one)
        return one.id
      }
      const [plain, first, second, third] = [
        await add({ n: 0 }, false),
        await add({ n: 1 }, true),
        await add({ n: 2, said: STORE_SECRET }, true),
        await add({ n: 3 }, true),
      ]
      const body = async (id: string) => (await stores().deliveries.keptRequest(id))?.body ?? null
      expect(await body(plain)).toBeNull()
      expect(await body(second)).toEqual({ n: 2, said: STORE_SECRET })
      expect(JSON.stringify(await stores().deliveries.get(second))).not.toContain(STORE_SECRET)
      await stores().deliveries.trimBodies('flow_bodies', 2)
      expect([await body(first), await body(third)]).toEqual([null, { n: 3 }])
      expect(await stores().deliveries.get(first)).toMatchObject({ webhook: { rawBody: '' } })
      expect(await stores().deliveries.leadTo(third, 'run_a')).toBe('run_a')
      expect(await stores().deliveries.leadTo(third, 'run_b')).toBe('run_a')
      expect(await stores().deliveries.leadTo(third, 'run_c', 'run_a')).toBe('run_c')
      expect(await stores().deliveries.deleteBodies(storeClock.time)).toBe(1)
      expect([await body(second), await body(third)]).toEqual([null, { n: 3 }])
    })

    it('keeps the last samples only', async () => {
      for (let i = 0; i < 5; i++) {
        storeClock.time += 1
        await stores().samples.add(
          { id: ids.next('smp'), flowId: 'flow_samples', receivedAt: storeClock.time, webhook: webhook({ i }) },
          3,
        )
      }
      const samples = await stores().samples.list('flow_samples')
      expect(samples.map((sample) => (sample.webhook.body as { i: number }).i)).toEqual([4, 3, 2])
    })

    it('reads what is small of both, and says nothing of samples of which one is large', async () => {
      const keep = (n: number, text: string) => {
        storeClock.time += 1
        const sample = {
          id: ids.next('smp'),
          flowId: 'flow_small',
          receivedAt: storeClock.time,
          webhook: webhook({ n, text }),
        }
        return stores().samples.add(sample, 3)
      }
      await stores().samples.setStepResult('flow_small', 'a', { n: 1 }, storeClock.time)
      await stores().samples.setStepResult('flow_small', 'b', { text: 'x'.repeat(100) }, storeClock.time)
      await keep(1, '')
      await keep(2, '')
      const { webhooks, results } = await stores().samples.small('flow_small', 99)
      expect(webhooks.map(({ body }) => body)).toEqual([
        { n: 2, text: '' },
        { n: 1, text: '' },
      ])
      expect({ ...results }).toEqual({ a: { n: 1 } })
      await keep(3, 'x'.repeat(100))
      expect((await stores().samples.small('flow_small', 99)).webhooks).toEqual([])
      expect((await stores().samples.small('flow_small', 999)).webhooks).toHaveLength(3)
    })

    it('keeps the latest result of each tested step', async () => {
      await stores().samples.setStepResult('flow_results', 'a', { n: 1 }, storeClock.time)
      await stores().samples.setStepResult('flow_results', 'a', { n: 2 }, storeClock.time)
      await stores().samples.setStepResult('flow_results', 'b', null, storeClock.time)
      expect({ ...(await stores().samples.stepResults('flow_results')) }).toEqual({ a: { n: 2 }, b: null })
    })
  })

  describe('housekeeping', () => {
    it('deletes what is past its time in batches, and nothing else', async () => {
      storeClock.time += 1_000_000
      const finish = async (run: NewRun, at: number) => {
        await stores().runs.accept(run)
        const claimed = await stores().journal.claim(run.id, at)
        await stores().journal.record(claimed!.claim, {
          ...running,
          status: 'succeeded',
          finishedAt: at,
          startedAt: at,
          entries: [entry('a')],
        })
      }
      const old = newRun('flow_old', { labels: { order: 'old-7', kind: 'old-kind' } })
      const oldButOpen = newRun('flow_old')
      await finish(old, storeClock.time)
      await stores().runs.accept(oldButOpen)
      const before = storeClock.time + 1
      storeClock.time += 10
      const recent = newRun('flow_old', { labels: { order: 'old-7' } })
      await finish(recent, storeClock.time)
      expect(await stores().runs.labelsLike('old-', 9)).toEqual([
        { name: 'order', value: 'old-7', runId: recent.id },
        { name: 'kind', value: 'old-kind', runId: old.id },
      ])
      for (let deleted = 1; deleted > 0; )
        deleted = await stores().housekeeping.deleteOlderThan(before, storeClock.time + 3_600_000, 2)
      expect(await stores().runs.get(old.id)).toBeNull()
      expect(await stores().runs.steps(old.id)).toEqual([])
      expect(await stores().runs.labelsLike('old-', 9)).toEqual([{ name: 'order', value: 'old-7', runId: recent.id }])
      expect((await stores().runs.get(oldButOpen.id))?.status).toBe('queued')
      expect((await stores().runs.get(recent.id))?.status).toBe('succeeded')
      expect(await stores().samples.list('flow_samples')).toEqual([])
      expect(
        await stores().runs.accept(newRun('flow_window', { createdAt: storeClock.time }), {
          key: 'k',
          expiresAt: storeClock.time + 9,
        }),
      ).toEqual({ duplicateOf: null })
    })
  })
}
