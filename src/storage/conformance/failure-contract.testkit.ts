// Groups of failures and the jobs that replay many runs, on every database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { NewRun, RunError, RunJournal, RunProgress } from '../../engine/ports/run-journal.ts'
import { type FailureStore, KEPT_FAILURE_HOURS, KEPT_FAILURE_VERSIONS } from '../../operations/ports/failures.ts'
import type { ReplayStore, RunSelection } from '../../operations/ports/replays.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import { HOUR_MS } from '../../operations/ports/stats.ts'
import { entry, newRun, STORE_SECRET } from './stores.testkit.ts'

export interface FailureStores {
  runs: RunStore
  journal: RunJournal
  failures: FailureStore
  replays: ReplayStore
  close(): Promise<void>
}

const NOON = Date.UTC(2026, 0, 2, 12)
const FIRST_PAGE = { limit: 100, cursor: null }

const broken = (message: string, change: Partial<RunError> = {}): RunError => ({
  code: 'http_5xx',
  message,
  step: 'send',
  status: 503,
  ...change,
})

const ended = (at: number, error: RunError | null, change: Partial<RunProgress> = {}): RunProgress => ({
  status: error ? 'failed' : 'succeeded',
  startedAt: at - 40,
  finishedAt: at,
  resumeAt: null,
  error,
  entries: [],
  ...change,
})

export function failureContract(name: string, open: () => Promise<FailureStores>): void {
  describe(`failures on ${name}`, () => {
    let stores: FailureStores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    const start = async (flowId: string, change: Partial<NewRun> = {}) => {
      const run = newRun(flowId, { createdAt: NOON, ...change })
      await stores.runs.accept(run)
      return { run, claim: (await stores.journal.claim(run.id, NOON))!.claim }
    }
    const fail = async (flowId: string, error: RunError, change: Partial<NewRun> = {}, at = NOON) => {
      const { run, claim } = await start(flowId, change)
      expect(await stores.journal.record(claim, ended(at, error))).toBe(true)
      return run.id
    }
    const groups = async (flowId: string) => {
      await stores.failures.settle()
      return (await stores.failures.list({ flowId, state: null }, FIRST_PAGE, NOON)).items
    }
    const chosen = (change: Partial<RunSelection>): RunSelection => ({
      flowId: null,
      failure: null,
      statuses: ['failed'],
      since: null,
      until: null,
      labels: null,
      replays: false,
      ...change,
    })

    it('are listed for some flows only, and so are runs', async () => {
      for (const flowId of ['flow_among_a', 'flow_among_b', 'flow_among_c']) await fail(flowId, broken('Of some flows'))
      await stores.failures.settle()
      const flowsOf = async (among: string[], flowId: string | null = null) => {
        const failures = await stores.failures.list({ flowId, state: null, among }, FIRST_PAGE, NOON)
        const filter = { flowId, status: 'failed' as const, since: null, until: null, among }
        const runs = await stores.runs.list(filter, FIRST_PAGE)
        return [failures, runs].map(({ items }) => items.map((one) => one.flowId).sort())
      }
      const two = ['flow_among_a', 'flow_among_c']
      expect(await flowsOf(two)).toEqual([two, two])
      expect(await flowsOf(two, 'flow_among_b')).toEqual([[], []])
      expect(await flowsOf(two, 'flow_among_c')).toEqual([['flow_among_c'], ['flow_among_c']])
      expect(await flowsOf([])).toEqual([[], []])
    })

    it('groups failed runs by flow, step, code, status and normalized message, with exact counts', async () => {
      const failing = Array.from({ length: 30 }, (_, i) => fail('flow_g', broken(`Order ${i} of shop "s-${i}" failed`)))
      const ids = await Promise.all(failing)
      await fail('flow_g', broken('Order 7 failed', { step: 'other' }))
      await fail('flow_g', broken('Order 7 of shop "s-7" failed', { status: 500 }))
      await fail('flow_h', broken('Order 7 of shop "s-7" failed'))
      const [first, ...others] = (await groups('flow_g')).toSorted((a, b) => b.count - a.count)
      expect(first).toMatchObject({
        flowId: 'flow_g',
        step: 'send',
        code: 'http_5xx',
        status: 503,
        message: 'Order … of shop "…" failed',
        count: 30,
        firstAt: NOON,
        lastAt: NOON,
        versions: [1],
        latestRun: ids.toSorted().at(-1),
        state: 'open',
      })
      expect(others.map(({ count }) => count)).toEqual([1, 1])
      expect((await groups('flow_h')).map(({ count }) => count)).toEqual([1])
    })

    it('counts neither test runs nor runs that end in another way, and hides secrets', async () => {
      await fail('flow_t', broken('x'), { test: true })
      const { claim } = await start('flow_t')
      await stores.journal.record(claim, ended(NOON, null))
      const cancelled = await start('flow_t')
      await stores.runs.cancel(cancelled.run.id, NOON, { code: 'cancelled', message: 'x' })
      expect(await stores.journal.record(cancelled.claim, ended(NOON, broken('too late')))).toBe(false)
      expect(await groups('flow_t')).toEqual([])
      await fail('flow_t', broken(`key ${STORE_SECRET}`))
      expect(JSON.stringify(await groups('flow_t'))).not.toContain('c4nary')
    })

    it('remembers the newest versions and the latest hours', async () => {
      for (let i = 1; i <= KEPT_FAILURE_VERSIONS + 2; i++)
        await fail('flow_v', broken('x'), { version: i }, NOON + i * 4 * HOUR_MS)
      const [group] = await groups('flow_v')
      expect(group!.versions).toHaveLength(KEPT_FAILURE_VERSIONS)
      expect(group!.versions[0]).toBe(KEPT_FAILURE_VERSIONS + 2)
      expect(group!.hours.length).toBeLessThanOrEqual(KEPT_FAILURE_HOURS)
      expect(group!.hours.at(-1)).toEqual([(NOON + (KEPT_FAILURE_VERSIONS + 2) * 4 * HOUR_MS) / HOUR_MS, 1])
    })

    it('opens a resolved group when it fails again, and not for what had failed before', async () => {
      await fail('flow_r', broken('x'))
      const { id } = (await groups('flow_r'))[0]!
      const stateOf = async (now = NOON) => {
        await stores.failures.settle()
        return (await stores.failures.get(id, now))!.state
      }
      await stores.failures.setState(id, 'resolved', NOON + 10, null)
      await fail('flow_r', broken('x'), {}, NOON + 5)
      expect(await stateOf()).toBe('resolved')
      await fail('flow_r', broken('x'), {}, NOON + 20)
      expect(await stateOf()).toBe('open')
      await stores.failures.setState(id, 'muted', NOON + 30, NOON + 1000)
      await fail('flow_r', broken('x'), {}, NOON + 40)
      expect(await stateOf(NOON + 999)).toBe('muted')
      expect(await stateOf(NOON + 1000)).toBe('open')
      const open = (now: number) => stores.failures.list({ flowId: 'flow_r', state: 'open' }, FIRST_PAGE, now)
      expect((await open(NOON + 999)).items).toEqual([])
      expect((await open(NOON + 1000)).items).toHaveLength(1)
    })

    it('lists page by page, the latest first, and deletes what is old', async () => {
      for (const [i, step] of ['a', 'b', 'c'].entries()) await fail('flow_p', broken('x', { step }), {}, NOON - 100 + i)
      await stores.failures.settle()
      const of = { flowId: 'flow_p', state: null }
      const first = await stores.failures.list(of, { limit: 2, cursor: null }, NOON)
      expect(first.items.map(({ step }) => step)).toEqual(['c', 'b'])
      const second = await stores.failures.list(of, { limit: 2, cursor: first.nextCursor }, NOON)
      expect(second.items.map(({ step }) => step)).toEqual(['a'])
      expect(await stores.failures.deleteOlderThan(NOON - 98, 100)).toBe(2)
      expect((await groups('flow_p')).map(({ step }) => step)).toEqual(['c'])
    })

    it('chooses runs by group, flow, status and time, and says which were replayed with success', async () => {
      const id = await fail('flow_s', broken('x'))
      const other = await fail('flow_s', broken('y'))
      const well = await start('flow_s', { replayOf: id })
      await stores.journal.record(well.claim, ended(NOON, null))
      const badly = await fail('flow_s', broken('x'), { replayOf: other })
      const [group] = (await groups('flow_s')).filter(({ message }) => message === 'x')
      const select = (change: Partial<RunSelection>) => stores.replays.select(chosen(change), null, 100)
      expect(await select({ flowId: 'flow_s' })).toEqual([
        { id, replayed: true },
        { id: other, replayed: false },
      ])
      expect((await select({ failure: group!.id })).map((run) => run.id)).toEqual([id])
      expect((await select({ failure: group!.id, replays: true })).map((run) => run.id)).toEqual([id, badly])
      expect(await select({ flowId: 'flow_s', statuses: ['succeeded'] })).toEqual([])
      expect(await select({ flowId: 'flow_s', until: 1 })).toEqual([])
      expect(await stores.replays.select(chosen({ flowId: 'flow_s' }), id, 100)).toHaveLength(1)
    })

    const makeJob = async (jobId: string, runIds: readonly string[]) => {
      await stores.replays.begin({ id: jobId, createdAt: NOON, createdBy: 'ada', request: '{}', pace: 50 })
      expect(await stores.replays.get(jobId)).toBe(null)
      await stores.replays.addItems(jobId, runIds)
      await stores.replays.release(jobId, runIds.length, 0)
    }
    const replayOf = (jobId: string, runId: string, change = {}) => ({
      jobId,
      runId,
      run: newRun('flow_j', { createdAt: NOON, replayOf: runId }),
      journal: null,
      concurrency: null,
      ...change,
    })

    it('starts exactly one replay per item, also if several try', async () => {
      const runs = [await fail('flow_j', broken('x')), await fail('flow_j', broken('x'))]
      await makeJob('rpl_1', runs)
      const tries = runs.flatMap((id) => [replayOf('rpl_1', id), replayOf('rpl_1', id), replayOf('rpl_1', id)])
      const started = await Promise.all(tries.map((one) => stores.replays.start(one)))
      expect(started.filter(Boolean)).toHaveLength(2)
      const there = await Promise.all(tries.map(({ run }) => stores.runs.get(run.id)))
      expect(there.map((run) => run !== null)).toEqual(started)
      expect(await stores.replays.waiting('rpl_1', 10)).toEqual([])
      expect(await stores.replays.settle('rpl_1', null, 10)).toEqual({ after: null, ended: 0 })
      for (const [i, { run }] of tries.filter((_, n) => started[n]).entries()) {
        const { claim } = (await stores.journal.claim(run.id, NOON))!
        await stores.journal.record(claim, ended(NOON, i === 0 ? null : broken('again')))
      }
      expect(await stores.replays.finish('rpl_1', NOON)).toBe(false)
      expect(await stores.replays.settle('rpl_1', null, 10)).toEqual({ after: null, ended: 2 })
      expect(await stores.replays.settle('rpl_1', null, 10)).toEqual({ after: null, ended: 0 })
      expect(await stores.replays.finish('rpl_1', NOON)).toBe(true)
      expect(await stores.replays.get('rpl_1')).toMatchObject({
        state: 'done',
        total: 2,
        started: 2,
        done: 1,
        failed: 1,
      })
    })

    it('takes the journal and given results into a replay', async () => {
      const { run, claim } = await start('flow_j')
      const entries = [entry('first'), entry('second', { seq: 2 })]
      await stores.journal.record(claim, ended(NOON, broken('x'), { entries }))
      await makeJob('rpl_2', [run.id])
      const given = [entry('second', { seq: 2, output: 'given' })]
      const one = replayOf('rpl_2', run.id, { journal: { runId: run.id, before: 2, given } })
      one.run.edited = true
      expect(await stores.replays.start(one)).toBe(true)
      const steps = await stores.runs.steps(one.run.id)
      expect(steps.map(({ path, output }) => [path, output])).toEqual([
        ['first', entries[0]!.output],
        ['second', 'given'],
      ])
      expect((await stores.runs.get(one.run.id))!.edited).toBe(true)
      expect((await stores.runs.original(one.run.id))!.edited).toBe(true)
    })

    it('starts nothing for a job that is paused or cancelled, and counts what cannot be replayed', async () => {
      const runs = [await fail('flow_j', broken('x')), await fail('flow_j', broken('x'))]
      await makeJob('rpl_3', runs)
      expect(await stores.replays.takeTurn('rpl_3', NOON, 100)).toBe(true)
      expect(await stores.replays.takeTurn('rpl_3', NOON + 99, 100)).toBe(false)
      expect(await stores.replays.takeTurn('rpl_3', NOON + 100, 100)).toBe(true)
      expect(await stores.replays.setState('rpl_3', ['running'], 'paused')).toBe(true)
      expect(await stores.replays.setState('rpl_3', ['running'], 'paused')).toBe(false)
      expect(await stores.replays.takeTurn('rpl_3', NOON + 5000, 100)).toBe(false)
      expect(await stores.replays.start(replayOf('rpl_3', runs[0]!))).toBe(false)
      await stores.replays.refuse('rpl_3', runs[0]!, 'It is gone.')
      await stores.replays.refuse('rpl_3', runs[0]!, 'It is gone.')
      expect(await stores.replays.problems('rpl_3', 5)).toEqual([{ message: 'It is gone.', count: 1 }])
      expect(await stores.replays.setState('rpl_3', ['running', 'paused'], 'cancelled')).toBe(true)
      expect((await stores.replays.active(10)).map(({ id }) => id)).toContain('rpl_3')
      expect(await stores.replays.finish('rpl_3', NOON)).toBe(true)
      expect(await stores.replays.get('rpl_3')).toMatchObject({ state: 'cancelled', started: 1, failed: 1 })
      expect((await stores.replays.active(10)).map(({ id }) => id)).not.toContain('rpl_3')
      while ((await stores.replays.deleteOlderThan(NOON + 1, NOON, 1)) > 0);
      expect(await stores.replays.get('rpl_3')).toBe(null)
    })
  })
}
