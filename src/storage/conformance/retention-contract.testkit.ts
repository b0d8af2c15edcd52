// What both databases have to do with the data of runs that their flows do not keep, and with flows that keep theirs for another time.
import type { Kysely } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../engine/ids.ts'
import { FAILURE, handlerIdOf, type NewRun, type RunJournal, type RunProgress } from '../../engine/ports/run-journal.ts'
import type { RetentionDocument } from '../../flow/document.ts'
import type { CallbackStore } from '../../operations/ports/callbacks/callbacks.ts'
import { type DeliveryStore, withoutData } from '../../operations/ports/deliveries.ts'
import type { FlowStore } from '../../operations/ports/flows.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { Erasing, Housekeeping } from '../../operations/ports/upkeep.ts'
import type { Tables } from '../rows/tables.ts'
import { entry, newRun, webhook } from './stores.testkit.ts'

export interface RetentionStores {
  kysely: Kysely<Tables>
  flows: FlowStore
  runs: RunStore
  journal: RunJournal
  deliveries: DeliveryStore
  callbacks: CallbackStore
  housekeeping: Housekeeping
  erasing: Erasing
  close(): Promise<void>
}

const CANARY = 'ada@example.org'
const DAY_MS = 86_400_000
const LATER = Date.UTC(2100, 0, 1)

const ids = createIds(Date.now, (size) => crypto.getRandomValues(new Uint8Array(size)))
const idsAt = (time: number) =>
  createIds(
    () => time,
    (size) => crypto.getRandomValues(new Uint8Array(size)),
  )

const ended = (change: Partial<RunProgress> = {}): RunProgress => ({
  status: 'succeeded',
  startedAt: 1,
  finishedAt: 2,
  resumeAt: null,
  error: null,
  entries: [
    entry('note', {
      input: { mail: CANARY },
      output: { mail: CANARY },
      logs: [CANARY],
      decision: CANARY,
      outcome: 'assign',
    }),
  ],
  ...change,
})

export function retentionContract(database: string, openStores: () => Promise<RetentionStores>): void {
  let stores: RetentionStores
  beforeAll(async () => {
    stores = await openStores()
  })
  afterAll(() => stores.close())

  async function published(retention?: RetentionDocument): Promise<string> {
    const id = ids.next('flow')
    const document = { name: 'A flow', trigger: { kind: 'webhook' }, steps: [], ...(retention && { retention }) }
    const unpublished = { version: null, publishedAt: null, slug: null, liveTrigger: null, pausedAt: null }
    const at = { createdAt: 1, updatedAt: 1, updatedBy: null }
    const draft = JSON.stringify(document)
    const flow = { id, name: 'A flow', draft, revision: 1, webhookId: ids.webhookId() }
    await stores.flows.create({ ...flow, ...unpublished, ...at })
    await stores.flows.publish(id, {
      revision: 1,
      publishedAt: 1,
      publishedBy: 'me',
      trigger: { kind: 'webhook', schedule: null },
    })
    return id
  }

  const personal = (flowId: string, change: Partial<NewRun> = {}): NewRun => ({
    ...newRun(flowId, { id: ids.next('run'), webhook: webhook({ mail: CANARY }), labels: { order: '7' } }),
    ...change,
  })

  async function finish(run: NewRun, progress: RunProgress): Promise<void> {
    await stores.runs.accept(run)
    const claimed = await stores.journal.claim(run.id, 1)
    expect(await stores.journal.record(claimed!.claim, progress)).toBe(true)
  }

  const eraseAll = () => stores.erasing.eraseSome(LATER, 100)

  /** Returns everything that the database has of a run, as text. */
  async function storedOf(id: string): Promise<string> {
    const { kysely } = stores
    const run = await kysely.selectFrom('run').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    const steps = await kysely.selectFrom('step').selectAll().where('run_id', '=', id).execute()
    return JSON.stringify([run, new TextDecoder().decode(run.raw_body), steps])
  }

  describe(`the data of a run on ${database}`, () => {
    it('is shown no more from the end on that marks it, and then deleted; labels, status, times and error stay', async () => {
      const run = personal('flow_a')
      const error = { code: 'failed' as const, message: 'There is none' }
      await finish(run, ended({ status: 'failed', error, erase: true }))
      const before = (await stores.runs.get(run.id))!
      expect(before.dataDeleted).toBe(true)
      expect(await storedOf(run.id)).toContain(CANARY)
      expect(await eraseAll()).toBe(1)
      expect(await storedOf(run.id)).not.toContain(CANARY)
      const { webhook: _before, ...summary } = before
      const { webhook: _after, ...left } = (await stores.runs.get(run.id))!
      expect(left).toEqual(summary)
      expect(left).toMatchObject({ status: 'failed', finishedAt: 2, error, labels: { order: '7' } })
      const [step] = await stores.runs.steps(run.id)
      expect(step).toMatchObject({ path: 'note', status: 'succeeded', input: null, output: null, logs: null })
      expect(await stores.runs.original(run.id)).toMatchObject({ dataDeleted: true })
      expect(await stores.journal.endOf(run.id)).toMatchObject({ status: 'failed' })
      expect(await eraseAll()).toBe(0)
    })

    it('stays where nothing marks it, and until its time comes', async () => {
      const kept = personal('flow_a')
      await finish(kept, ended())
      const marked = personal('flow_a')
      await finish(marked, ended({ finishedAt: 1_000, erase: true }))
      expect(await stores.erasing.eraseSome(999, 100)).toBe(0)
      expect(await eraseAll()).toBe(1)
      expect(await storedOf(kept.id)).toContain(CANARY)
      expect((await stores.runs.get(kept.id))?.dataDeleted).toBeUndefined()
    })

    it('is deleted of what no delivery started, and of thousands of steps', async () => {
      const trigger = { kind: 'call' }
      const run = personal('flow_a', { trigger, webhook: null, given: { input: { mail: CANARY } } })
      const entries = Array.from({ length: 1_200 }, (_, i) =>
        entry(`all[${i}]/note`, { seq: i + 1, output: { mail: CANARY } }),
      )
      await finish(run, ended({ entries, erase: true }))
      expect(await eraseAll()).toBe(1)
      expect(await storedOf(run.id)).not.toContain(CANARY)
      expect(await stores.journal.endOf(run.id)).toEqual({ status: 'succeeded', error: null, result: null })
    })

    it('is there until its failure handler has ended', async () => {
      const run = personal('flow_a')
      const handler = personal('flow_a', {
        id: handlerIdOf(run.id),
        trigger: { kind: FAILURE, forFailure: true },
        webhook: null,
        given: { error: CANARY },
        parent: { run: run.id, step: 'onFailure', waits: false },
        labels: null,
      })
      const error = { code: 'failed' as const, message: 'no' }
      await finish(run, ended({ status: 'failed', error, handler, erase: true }))
      expect(await eraseAll()).toBe(0)
      expect((await stores.journal.ended(run.id))?.webhook?.body).toEqual({ mail: CANARY })
      const claimed = await stores.journal.claim(handler.id, 1)
      await stores.journal.record(claimed!.claim, ended({ forFailure: true, erase: true }))
      expect(await eraseAll()).toBe(2)
      expect(await storedOf(run.id)).not.toContain(CANARY)
      expect(await storedOf(handler.id)).not.toContain(CANARY)
    })

    it('is there until the run that waits for its result has taken it', async () => {
      const parent = personal('flow_b')
      await stores.runs.accept(parent)
      const { claim } = (await stores.journal.claim(parent.id, 1))!
      const child = personal('flow_a', { parent: { run: parent.id, step: 'ask', waits: true } })
      const waiting = entry('ask', { kind: 'call', status: 'waiting', finishedAt: null, outcome: 'call', output: null })
      const going = { status: 'waiting' as const, finishedAt: null }
      await stores.journal.record(claim, ended({ ...going, entries: [waiting] }))
      await finish(child, ended({ erase: true }))
      expect(await eraseAll()).toBe(0)
      expect(await stores.journal.endOf(child.id)).toMatchObject({ result: { mail: CANARY } })
      const again = (await stores.journal.claim(parent.id, 1))!
      await stores.journal.record(again.claim, ended({ status: 'running', finishedAt: null, entries: [entry('ask')] }))
      expect(await eraseAll()).toBe(1)
      expect(await storedOf(child.id)).not.toContain(CANARY)
    })

    it('goes with its callbacks: what was asked, read and answered, but not how an answer is recognized', async () => {
      const run = personal('flow_a')
      await stores.runs.accept(run)
      const { claim } = (await stores.journal.claim(run.id, 1))!
      const made = { runId: run.id, flowId: run.flowId, path: 'ask', step: 'ask', isApproval: true }
      const { id, token } = await stores.callbacks.of(made)
      const asks = { title: CANARY, text: CANARY }
      await stores.callbacks.open(id, run.flowId, { expiresAt: LATER, asks: asks as never, reads: { mail: CANARY } })
      const record = (await stores.callbacks.find(token))!
      const data = { body: { mail: CANARY }, headers: {}, query: {}, rawBody: CANARY, receivedAt: '2026-01-01' }
      await stores.callbacks.answer(record, {
        id: ids.next('cbk'),
        digest: 'd1',
        data,
        receivedAt: 1,
        by: null,
      } as never)
      await stores.journal.record(claim, ended({ erase: true }))
      expect(await eraseAll()).toBe(1)
      expect(await stores.callbacks.find(token)).toMatchObject({ state: 'answered', asks: null })
      expect(await stores.callbacks.reads(id)).toEqual({})
      expect(await stores.callbacks.answerOf(id)).toEqual({ digest: 'd1', data: {} })
    })

    it('is deleted of a cancelled run by what its flow says, also if the flow is deleted', async () => {
      const [never, failed, always] = [
        await published({ keepBodies: false }),
        await published({ keepBodies: 'failed' }),
        await published(),
      ]
      const runs = [never, failed, always].map((flowId) => personal(flowId))
      const test = personal(never, { test: true })
      for (const run of [...runs, test]) await stores.runs.accept(run)
      const why = { code: 'cancelled' as const, message: 'Cancelled' }
      await stores.runs.cancel(
        [...runs, test].map(({ id }) => id),
        2,
        why,
      )
      const deleted = personal(never)
      await stores.runs.accept(deleted)
      await stores.flows.remove(never, 2)
      expect(await eraseAll()).toBe(3)
      expect(await storedOf(runs[0]!.id)).not.toContain(CANARY)
      expect(await storedOf(runs[1]!.id)).not.toContain(CANARY)
      expect(await storedOf(runs[2]!.id)).toContain(CANARY)
      expect(await storedOf(test.id)).toContain(CANARY)
      expect(await storedOf(deleted.id)).not.toContain(CANARY)
    })

    it('is not in the inbox, neither of a run nor of a delivery that started none', async () => {
      const run = personal('flow_inbox')
      await finish(run, ended({ erase: true }))
      const id = ids.next('dlv')
      const outcome = { outcome: 'filtered' as const, code: null, message: null, status: 200, runId: null, event: null }
      const sent = withoutData(webhook({ mail: CANARY }))
      await stores.deliveries.add({ id, flowId: 'flow_inbox', receivedAt: 1, ...outcome, webhook: sent })
      const list = () =>
        stores.deliveries.list({ flowId: 'flow_inbox', outcome: null, labels: null }, { limit: 9, cursor: null })
      expect((await list()).items.map((item) => item.webhook.dataDeleted)).toEqual([true, true])
      expect((await stores.deliveries.get(id))?.webhook).toEqual(sent)
      await eraseAll()
      expect(JSON.stringify((await list()).items)).not.toContain(CANARY)
      expect((await list()).items.map((item) => item.webhook.dataDeleted)).toEqual([true, true])
    })
  })

  describe(`retention on ${database}`, () => {
    it('is that of the flow where it says something, of failed runs apart, and else that of the instance', async () => {
      const now = Date.UTC(2030, 0, 100)
      const short = await published({ days: 1 })
      const long = await published({ days: 90 })
      const failures = await published({ days: 1, failedDays: 90 })
      const plain = await published({ keepBodies: false })
      const made = async (flowId: string, days: number, status: 'succeeded' | 'failed') => {
        const at = now - days * DAY_MS
        const run = personal(flowId, { id: idsAt(at).next('run'), createdAt: at, labels: null })
        const error = status === 'failed' ? { code: 'failed' as const, message: 'no' } : null
        await finish(run, ended({ status, error, startedAt: at, finishedAt: at, entries: [] }))
        const id = idsAt(at).next('dlv')
        const outcome = { outcome: 'duplicate' as const, code: null, message: null, status: 200, runId: null }
        await stores.deliveries.add({ id, flowId, receivedAt: at, ...outcome, event: null, webhook: webhook(1) })
        return { run: run.id, delivery: id }
      }
      const all: [name: string, kept: boolean, run: string, delivery: string, deliveryKept: boolean][] = []
      for (const [name, flowId, days, status, kept, deliveryKept] of [
        ['short, 2 days old', short, 2, 'succeeded', false, false],
        ['short, half a day old', short, 0.5, 'failed', true, true],
        ['long, 60 days old', long, 60, 'succeeded', true, true],
        ['long, 91 days old', long, 91, 'failed', false, false],
        ['failed, 60 days old', failures, 60, 'failed', true, false],
        ['failed, 91 days old', failures, 91, 'failed', false, false],
        ['of the same flow, succeeded 2 days ago', failures, 2, 'succeeded', false, false],
        ['plain, 29 days old', plain, 29, 'failed', true, true],
        ['plain, 31 days old', plain, 31, 'succeeded', false, false],
        ['of a flow that is gone, 31 days old', 'flow_gone', 31, 'succeeded', false, false],
        ['of a flow that is gone, 29 days old', 'flow_gone', 29, 'succeeded', true, true],
      ] as const) {
        const { run, delivery } = await made(flowId, days, status)
        all.push([name, kept, run, delivery, deliveryKept])
      }
      const before = now - 30 * DAY_MS
      for (let deleted = 1; deleted > 0; ) deleted = await stores.housekeeping.deleteOlderThan(before, now, 2)
      for (const [name, kept, run, delivery, deliveryKept] of all) {
        expect((await stores.runs.get(run)) !== null, name).toBe(kept)
        expect((await stores.deliveries.get(delivery)) !== null, name).toBe(deliveryKept)
      }
      // A flow that is not published goes by its last version.
      await stores.flows.unpublish(long, now)
      for (let deleted = 1; deleted > 0; ) deleted = await stores.housekeeping.deleteOlderThan(before, now, 2)
      expect(await stores.runs.get(all[2]![2])).not.toBeNull()
    })
  })
}
