// The counters, on every database: each delivery and each end of a run counts once, together with what it counts.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RunProgress } from '../../engine/ports/run-journal.ts'
import type { DeliveryOutcome } from '../../operations/ports/deliveries.ts'
import { COUNTERS, type Counts, HOUR_MS, KEPT_HOURS, KEPT_MINUTES, MINUTE_MS } from '../../operations/ports/stats.ts'
import { entry, newRun, type Stores, webhook } from './stores.testkit.ts'

const ended = (status: RunProgress['status'], finishedAt: number, change: Partial<RunProgress> = {}): RunProgress => ({
  status,
  startedAt: finishedAt - 40,
  finishedAt,
  resumeAt: null,
  error: null,
  entries: [],
  ...change,
})

const NOON = Date.UTC(2026, 0, 2, 12)
const MINUTE = NOON / MINUTE_MS
const HOUR = NOON / HOUR_MS
const NEVER_PUBLISHED = {
  slug: null,
  createdAt: NOON,
  updatedAt: NOON,
  updatedBy: null,
  version: null,
  publishedAt: null,
  pausedAt: null,
  liveTrigger: null,
}

/** Leaves out what is zero. */
const shown = ({ durations, ...counts }: Counts) => {
  const counted = Object.entries(counts).filter(
    ([name, count]) => (COUNTERS as readonly string[]).includes(name) && count,
  )
  return { ...Object.fromEntries(counted), timed: durations.reduce((sum, runs) => sum + runs, 0) }
}

export function statsContract(name: string, open: () => Promise<Stores>): void {
  describe(`the counters on ${name}`, () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const totals = async (flowId: string | null) => {
      await stores.stats.settle()
      const [all] = await stores.stats.series(flowId, 'hour', 0, 1_000_000_000)
      return all ? shown(all) : null
    }
    const start = async (flowId: string, change: Parameters<typeof newRun>[1] = {}) => {
      const run = newRun(flowId, { createdAt: NOON, ...change })
      await stores.runs.accept(run)
      return (await stores.journal.claim(run.id, NOON))!.claim
    }
    let deliveries = 0
    const deliver = (flowId: string, outcome: DeliveryOutcome) =>
      stores.deliveries.add({
        id: `dlv_stats${deliveries++}`,
        flowId,
        receivedAt: NOON,
        outcome,
        code: null,
        message: null,
        status: 200,
        runId: null,
        event: null,
        webhook: webhook({}),
      })

    it('count deliveries by outcome and runs by their end, but no test runs', async () => {
      const flowId = 'flow_counted'
      for (const outcome of ['duplicate', 'filtered', 'rejected', 'rejected'] as const) await deliver(flowId, outcome)
      const failure = { code: 'timeout', message: 'x' }
      await stores.journal.record(await start(flowId), ended('succeeded', NOON + 1))
      await stores.journal.record(await start(flowId), ended('failed', NOON + 2, { error: failure }))
      await stores.journal.record(await start(flowId, { test: true }), ended('failed', NOON, { error: failure }))
      const { runId } = await start(flowId, { replayOf: 'run_of_before' })
      await stores.runs.cancel(runId, NOON, { code: 'cancelled', message: 'x' })
      await start(flowId)
      expect(await totals(flowId)).toEqual({
        accepted: 3,
        duplicate: 1,
        filtered: 1,
        rejected: 2,
        started: 4,
        succeeded: 1,
        failed: 1,
        cancelled: 1,
        timed: 2,
      })
      expect(await stores.stats.errors([flowId, 'flow_none'], HOUR)).toEqual([{ flowId, code: 'timeout', runs: 1 }])
      expect(await stores.stats.errors([flowId], HOUR + 1)).toEqual([])
      expect(await stores.stats.hours([flowId, 'flow_none'], HOUR)).toEqual([
        { flowId, hour: HOUR, runs: 4, failed: 1 },
      ])
    })

    it('count a run once that many try to end, and not for a claim that was lost', async () => {
      const flowId = 'flow_once'
      const claim = await start(flowId)
      const again = (await stores.journal.claim(claim.runId, NOON))!.claim
      const ends = [again, again, claim].map((of) => stores.journal.record(of, ended('succeeded', NOON + 5)))
      await Promise.allSettled(ends)
      await stores.journal.record(claim, ended('failed', NOON + 6))
      expect(await stores.runs.cancel(claim.runId, NOON, { code: 'cancelled', message: 'x' })).toEqual([])
      expect(await totals(flowId)).toEqual({ accepted: 1, started: 1, succeeded: 1, timed: 1 })
    })

    it('count called runs, but as no deliveries, and those that are cancelled with their caller', async () => {
      const [flowId, callerId] = ['flow_called', 'flow_caller']
      const claim = await start(callerId)
      const called = () => {
        const parent = { run: claim.runId, step: 'call', waits: true }
        const by = { trigger: { kind: 'call' }, webhook: null, given: { input: 1 }, parent }
        return newRun(flowId, { createdAt: NOON, ...by })
      }
      const calls = ['a', 'b'].map((path, i) => ({
        ...entry(path, { seq: i + 1 }),
        child: { run: called(), concurrency: null },
      }))
      await stores.journal.record(claim, { ...ended('running', NOON, { entries: calls }), finishedAt: null })
      await stores.runs.accept({ ...called(), parent: null })
      expect(await totals(flowId)).toEqual({ started: 3, timed: 0 })
      await stores.runs.cancel(claim.runId, NOON, { code: 'cancelled', message: 'x' })
      expect(await totals(flowId)).toEqual({ started: 3, cancelled: 2, timed: 0 })
      expect(await totals(callerId)).toEqual({ accepted: 1, started: 1, cancelled: 1, timed: 0 })
    })

    it('count a duplicate of a dedupe key as none', async () => {
      const flowId = 'flow_deduped'
      const dedupe = { key: 'k', expiresAt: NOON + 1 }
      const runs = Array.from({ length: 20 }, () => newRun(flowId, { createdAt: NOON }))
      await Promise.all(runs.map((run) => stores.runs.accept(run, dedupe)))
      expect(await totals(flowId)).toEqual({ accepted: 1, started: 1, timed: 0 })
    })

    it('add up by the minute and by the hour, for a flow and for all', async () => {
      const before = (await totals(null)) as Record<string, number>
      const flowId = 'flow_times'
      const times = [0, 59_999, 60_000, 15 * MINUTE_MS, HOUR_MS]
      await Promise.all(times.map((after) => stores.runs.accept(newRun(flowId, { createdAt: NOON + after }))))
      await stores.stats.settle()
      const slots = async (unit: 'minute' | 'hour', from: number, step: number) =>
        (await stores.stats.series(flowId, unit, from, step)).map(({ slot, accepted }) => [slot, accepted])
      expect(await slots('minute', MINUTE, 1)).toEqual([
        [MINUTE, 2],
        [MINUTE + 1, 1],
        [MINUTE + 15, 1],
        [MINUTE + 60, 1],
      ])
      expect(await slots('minute', MINUTE, 15)).toEqual([
        [MINUTE / 15, 3],
        [MINUTE / 15 + 1, 1],
        [MINUTE / 15 + 4, 1],
      ])
      expect(await slots('hour', HOUR + 1, 1)).toEqual([[HOUR + 1, 1]])
      expect(((await totals(null)) as Record<string, number>)['accepted']).toBe(before['accepted']! + 5)
    })

    it('read the flows page by page, those without counts included', async () => {
      const flows = ['flow_page1', 'flow_page2', 'flow_page3'].map((id) => ({
        id,
        name: id,
        webhookId: id,
        ...NEVER_PUBLISHED,
      }))
      for (const flow of flows) await stores.flows.create({ ...flow, draft: '{}', revision: 1 })
      await stores.runs.accept(newRun('flow_page2', { createdAt: NOON }))
      await stores.stats.settle()
      const read = async (after: string | null) =>
        (await stores.stats.flows(after, 2, HOUR)).map(({ name: of, started }) => [of, started])
      expect(await read('flow_page')).toEqual([
        ['flow_page1', 0],
        ['flow_page2', 1],
      ])
      expect(await read('flow_page2')).toEqual([['flow_page3', 0]])
    })

    it('count the runs that end with their flow, and keep what was counted', async () => {
      const id = 'flow_removed'
      await stores.flows.create({ id, name: id, webhookId: id, draft: '{}', revision: 1, ...NEVER_PUBLISHED })
      await start(id)
      await start(id)
      await start(id, { test: true })
      await stores.flows.remove(id, NOON)
      expect(await totals(id)).toEqual({ accepted: 2, started: 2, cancelled: 2, timed: 0 })
    })

    it('know how many runs wait, up to a number', async () => {
      const flowId = 'flow_waits'
      for (let i = 0; i < 3; i++)
        await stores.journal.record(await start(flowId), {
          ...ended('waiting', NOON),
          finishedAt: null,
          resumeAt: NOON + 1,
        })
      expect(await stores.stats.waiting(flowId, 10)).toBe(3)
      expect(await stores.stats.waiting(flowId, 2)).toBe(2)
      expect(await stores.stats.waiting('flow_none', 2)).toBe(0)
    })

    it('go when their time is over: minutes after two days, hours after a year', async () => {
      const flowId = 'flow_old'
      await stores.journal.record(
        await start(flowId),
        ended('failed', NOON, { error: { code: 'timeout', message: 'x' } }),
      )
      await stores.stats.settle()
      const left = async () => [
        (await stores.stats.series(flowId, 'minute', 0, 1)).length,
        (await stores.stats.series(flowId, 'hour', 0, 1)).length,
        (await stores.stats.errors([flowId], 0)).length,
      ]
      const clear = async (now: number) => {
        while ((await stores.stats.deleteOld(now, 2)) > 0);
      }
      await clear(NOON + KEPT_MINUTES * MINUTE_MS)
      expect(await left()).toEqual([1, 1, 1])
      await clear(NOON + (KEPT_MINUTES + 1) * MINUTE_MS)
      expect(await left()).toEqual([0, 1, 1])
      await clear(NOON + (KEPT_HOURS + 1) * HOUR_MS)
      expect(await left()).toEqual([0, 0, 0])
    })
  })
}
