// The behaviour that every database must have behind the ports of the stores: one suite, run by a test file per database.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../engine/ids.ts'
import { type JournalEntry, type NewRun, type RunJournal, startedByDelivery } from '../../engine/ports/run-journal.ts'
import type { KeyValueOperation } from '../../engine/step-kind.ts'
import { collectPairs, type WebhookData } from '../../engine/webhook-data.ts'
import type { DeliveryRecord, DeliveryStore, SampleStore } from '../../operations/ports/deliveries.ts'
import { type FlowRecord, type FlowStore, SlugTaken } from '../../operations/ports/flows.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { StatsStore } from '../../operations/ports/stats.ts'
import type { Housekeeping, VaultRecords } from '../../operations/ports/upkeep.ts'

export interface Stores {
  flows: FlowStore
  runs: RunStore
  journal: RunJournal
  deliveries: DeliveryStore
  samples: SampleStore
  housekeeping: Housekeeping
  stats: StatsStore
  vaultRecords: VaultRecords
  close(): Promise<void>
}

/** The secret that the stores under test must hide. */
export const STORE_SECRET = 'c4nary "of" the stores'

let time = Date.UTC(2026, 0, 1)
let counter = 0
const ids = createIds(
  () => time,
  (size) => new Uint8Array(size).map(() => (counter = (counter * 31 + 7) % 251)),
)

export function webhook(body: unknown): WebhookData {
  return {
    body,
    headers: Object.assign(Object.create(null), { 'content-type': 'application/json' }),
    query: Object.assign(Object.create(null), { a: '2' }),
    queryAll: collectPairs([
      ['a', '1'],
      ['a', '2'],
    ]),
    rawBody: JSON.stringify(body),
    metadata: {
      requestId: 'req_1',
      receivedAt: new Date(time).toISOString(),
      method: 'POST',
      path: '/api/v1/webhooks/x',
      ip: '127.0.0.1',
      userAgent: null,
      contentType: 'application/json',
      contentLength: 1,
      test: false,
    },
  }
}

/** A trigger that goes live and is no schedule. */
const BY_WEBHOOK = { kind: 'webhook', schedule: null }

const newFlow = (change: Partial<FlowRecord> = {}): FlowRecord => ({
  id: ids.next('flow'),
  name: 'A flow',
  draft: '{"name":"A flow","trigger":{"kind":"webhook"},"steps":[]}',
  revision: 1,
  webhookId: ids.webhookId(),
  slug: null,
  version: null,
  publishedAt: null,
  liveTrigger: null,
  pausedAt: null,
  createdAt: time,
  updatedAt: time,
  updatedBy: 'Ada',
  ...change,
})

export const newRun = (flowId: string, change: Partial<NewRun> = {}): NewRun => ({
  id: ids.next('run'),
  flowId,
  version: 1,
  document: null,
  test: false,
  ...startedByDelivery(webhook({ n: 1 })),
  hops: 0,
  replyStatus: 200,
  createdAt: time,
  replayOf: null,
  ...change,
})

export const entry = (path: string, change: Partial<JournalEntry> = {}): JournalEntry => ({
  path,
  id: path,
  kind: 'set',
  seq: 1,
  status: 'succeeded',
  attempt: 1,
  attempts: null,
  startedAt: time,
  finishedAt: time,
  outcome: 'done',
  decision: null,
  resumeAt: null,
  input: null,
  output: { x: 1 },
  error: null,
  logs: null,
  ...change,
})

const running = { status: 'running', finishedAt: null, resumeAt: null, error: null } as const
const page = { limit: 50, cursor: null }

export function storeContract(name: string, open: () => Promise<Stores>): void {
  describe(name, () => {
    let stores: Stores
    beforeAll(async () => {
      stores = await open()
    })
    afterAll(() => stores.close())

    describe('flows', () => {
      it('gives back a flow as it was created', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        expect(await stores.flows.get(flow.id)).toEqual(flow)
        expect(await stores.flows.get('flow_none')).toBeNull()
      })

      it('raises the revision with each draft, and refuses one made on an older revision', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        const change = { name: 'B', draft: '{"name":"B"}', updatedAt: time, updatedBy: 'Bob', expectedRevision: 1 }
        expect(await stores.flows.replaceDraft(flow.id, change)).toMatchObject({
          revision: 2,
          name: 'B',
          updatedBy: 'Bob',
        })
        expect(await stores.flows.replaceDraft(flow.id, change)).toBe('conflict')
        expect(await stores.flows.replaceDraft('flow_none', change)).toBeNull()
      })

      it('numbers versions 1, 2, 3 and makes none for an unchanged draft', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        const publish = async (revision: number) => {
          const published = await stores.flows.publish(flow.id, {
            revision,
            publishedAt: time,
            publishedBy: 'me',
            trigger: BY_WEBHOOK,
          })
          return (published as FlowRecord).version
        }
        expect(await publish(1)).toBe(1)
        expect(await publish(1)).toBe(1)
        await stores.flows.replaceDraft(flow.id, {
          name: 'B',
          draft: '{"b":1}',
          updatedAt: time,
          updatedBy: null,
          expectedRevision: null,
        })
        expect(await publish(2)).toBe(2)
        expect(
          await stores.flows.publish(flow.id, {
            revision: 1,
            publishedAt: time,
            publishedBy: 'me',
            trigger: BY_WEBHOOK,
          }),
        ).toBe('conflict')
        expect((await stores.flows.version(flow.id, 1))?.document).toBe(flow.draft)
        expect((await stores.flows.versions(flow.id, page)).items.map((v) => v.version)).toEqual([2, 1])
      })

      it('makes one version of a draft that is published twice at once', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        const publish = () =>
          stores.flows.publish(flow.id, { revision: 1, publishedAt: time, publishedBy: 'me', trigger: BY_WEBHOOK })
        const published = (await Promise.all([publish(), publish(), publish()])) as FlowRecord[]
        expect(published.map(({ version }) => version)).toEqual([1, 1, 1])
        expect((await stores.flows.versions(flow.id, page)).items).toHaveLength(1)
      })

      it('takes every character in a name that somebody looks for', async () => {
        const flow = { ...newFlow(), name: 'a\u0000b \ud800 é' }
        await stores.flows.create(flow)
        expect((await stores.flows.get(flow.id))?.draft).toBe(flow.draft)
        expect((await stores.flows.list(page, 'x\u0000y')).items).toEqual([])
        expect((await stores.flows.list(page, null, null, [])).items).toEqual([])
        expect(await stores.flows.idsWith([])).toEqual([])
        expect(await stores.flows.idsWith(['no flow has this tag'])).toEqual([])
        expect(await stores.flows.get('flow_\u0000')).toBeNull()
      })

      it('keeps the number when an unpublished flow is published again unchanged', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        await stores.flows.publish(flow.id, { revision: 1, publishedAt: time, publishedBy: 'me', trigger: BY_WEBHOOK })
        expect(await stores.flows.unpublish(flow.id, time)).toMatchObject({ version: null, publishedAt: null })
        expect(
          await stores.flows.publish(flow.id, {
            revision: 1,
            publishedAt: time,
            publishedBy: 'me',
            trigger: BY_WEBHOOK,
          }),
        ).toMatchObject({ version: 1 })
      })

      it('removes a flow with all that is its own and cancels its unfinished runs', async () => {
        const flow = newFlow()
        await stores.flows.create(flow)
        const run = newRun(flow.id)
        await stores.runs.accept(run)
        expect(await stores.flows.remove(flow.id, time)).toBe(true)
        expect(await stores.flows.remove(flow.id, time)).toBe(false)
        expect((await stores.runs.get(run.id))?.status).toBe('cancelled')
        expect((await stores.flows.routes()).some((route) => route.flowId === flow.id)).toBe(false)
      })

      it('lets one flow have a slug, also if two are saved at the same moment', async () => {
        const [first, second] = [newFlow({ slug: 'one-of-us' }), newFlow({ slug: 'one-of-us' })]
        const saved = await Promise.allSettled([stores.flows.create(first), stores.flows.create(second)])
        expect(saved.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
        expect(saved.find((one) => one.status === 'rejected')?.reason).toBeInstanceOf(SlugTaken)
        const other = newFlow()
        await stores.flows.create(other)
        const change = { ...other, slug: 'one-of-us', expectedRevision: null }
        await expect(stores.flows.replaceDraft(other.id, change)).rejects.toBeInstanceOf(SlugTaken)
      })

      it('pages through lists without a gap or a repeat', async () => {
        const made = [newFlow(), newFlow(), newFlow()]
        for (const flow of made) await stores.flows.create(flow)
        const seen: string[] = []
        for (let cursor: string | null = null; ; ) {
          const { items, nextCursor } = await stores.flows.list({ limit: 2, cursor })
          seen.push(...items.map((flow) => flow.id))
          if (!nextCursor) break
          cursor = nextCursor
        }
        expect(new Set(seen).size).toBe(seen.length)
        for (const flow of made) expect(seen).toContain(flow.id)
      })
    })

    describe('runs', () => {
      it('gives back what a delivery brought, byte for byte', async () => {
        const body = { text: 'é 𝄞 \u0000 \ud800 {{7*7}}', ['__proto__']: 1 }
        const run = newRun('flow_bytes', { webhook: webhook(JSON.parse(JSON.stringify(body))) })
        await stores.runs.accept(run)
        const stored = await stores.runs.get(run.id)
        expect(stored?.webhook?.rawBody).toBe(run.webhook!.rawBody)
        expect(JSON.stringify(stored?.webhook?.body)).toBe(run.webhook!.rawBody)
        expect(stored?.webhook?.queryAll['a']).toEqual(['1', '2'])
        expect(stored?.webhook?.query['a']).toBe('2')
        expect(stored).toMatchObject({ status: 'queued', version: 1, test: false, startedAt: null })
      })

      it('starts one run per dedupe key, however many come at once', async () => {
        const dedupe = { key: 'k1', expiresAt: time + 1000 }
        const runs = Array.from({ length: 20 }, () => newRun('flow_dedupe'))
        const results = await Promise.all(runs.map((run) => stores.runs.accept(run, dedupe)))
        const started = results.filter((result) => result.duplicateOf === null)
        expect(started).toHaveLength(1)
        const first = runs[results.indexOf(started[0]!)]!.id
        for (const { duplicateOf } of results) if (duplicateOf !== null) expect(duplicateOf).toBe(first)
        const { items } = await stores.runs.list(
          { flowId: 'flow_dedupe', status: null, since: null, until: null },
          page,
        )
        expect(items.map((run) => run.id)).toEqual([first])
      })

      it('reads no more of bodies and of what steps did than it is asked for', async () => {
        const run = newRun('flow_bounded', { webhook: webhook({ text: 'x'.repeat(100) }) })
        await stores.runs.accept(run)
        const { claim } = (await stores.journal.claim(run.id, time))!
        const large = { text: 'y'.repeat(100) }
        const entries = [
          entry('a', { seq: 1, output: large }),
          entry('b', { seq: 2, input: { n: 'b' }, output: { n: 'b' } }),
          entry('c', { seq: 3, input: null, output: { text: 'z'.repeat(40) } }),
        ]
        await stores.journal.record(claim, { ...running, startedAt: time, entries })
        expect((await stores.runs.get(run.id, 99))?.webhook).toMatchObject({
          body: null,
          rawBody: '',
          bodyOmitted: true,
        })
        expect((await stores.runs.get(run.id, 999))?.webhook).toEqual(run.webhook)
        const [delivery] = (await stores.deliveries.list({ flowId: run.flowId, outcome: null }, page, 99)).items
        expect(delivery?.webhook).toMatchObject({ body: null, bodyOmitted: true })
        expect((await stores.deliveries.get(delivery!.id, 99))?.webhook.bodyOmitted).toBe(true)
        const shown = await stores.runs.steps(run.id, 60)
        expect(shown.map(({ id, output, omitted }) => [id, output, omitted])).toEqual([
          ['a', null, ['output']],
          ['b', { n: 'b' }, undefined],
          ['c', null, ['output']],
        ])
        expect(await stores.runs.stepsPage(run.id, { under: '', after: -1, limit: 9 })).toEqual(entries)
      })

      it('takes a dedupe key again after its window, and keeps the keys of flows apart', async () => {
        await stores.runs.accept(newRun('flow_window'), { key: 'k', expiresAt: time + 1000 })
        expect(await stores.runs.accept(newRun('flow_other'), { key: 'k', expiresAt: time + 1000 })).toEqual({
          duplicateOf: null,
        })
        const later = newRun('flow_window', { createdAt: time + 1000 })
        expect(await stores.runs.accept(later, { key: 'k', expiresAt: time + 2000 })).toEqual({ duplicateOf: null })
      })

      it('journals outcomes under a claim and gives them back to the next claim', async () => {
        const run = newRun('flow_journal')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        expect(claimed).toMatchObject({ id: run.id, attempt: 1, journal: [], webhook: { body: { n: 1 } } })
        const entries = [
          entry('a'),
          entry('b/c', { seq: 2, status: 'waiting', outcome: null, resumeAt: time + 5, output: null, decision: 3 }),
        ]
        expect(
          await stores.journal.record(claimed!.claim, {
            ...running,
            status: 'waiting',
            resumeAt: time + 5,
            startedAt: time,
            entries,
          }),
        ).toBe(true)
        const again = await stores.journal.claim(run.id, time + 9)
        expect(again?.journal).toEqual(entries)
        expect(again?.startedAt).toBe(time)
        expect(await stores.runs.steps(run.id)).toEqual(entries)
      })

      it('journals every character, and the latest of several entries of a step', async () => {
        const run = newRun('flow_characters')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const text = 'é 𝄞 \u0000 \ud800 "quoted\\" {a,b} \n NULL'
        const entries = [
          entry('a', { status: 'running', outcome: null, output: null }),
          entry('b', { seq: 2, output: [text, { [text]: text }], logs: [text], error: { code: 'x', message: text } }),
          entry('a', { output: { text } }),
        ]
        await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries })
        const again = await stores.journal.claim(run.id, time)
        expect(again?.journal).toEqual([entries[2], entries[1]])
      })

      it('journals a value as the JSON that is given with it', async () => {
        const run = newRun('flow_texts')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const entries = [entry('a', { input: { n: 1 }, output: { n: 2 } }), entry('b', { seq: 2, output: { n: 3 } })]
        const texts = new Map<unknown, string>([
          [entries[0]!.input, '{"n":"one"}'],
          [entries[0]!.output, `{"n":"${'two'.repeat(9)}"}`],
        ])
        await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries, texts })
        const [a, b] = await stores.runs.steps(run.id)
        expect(a).toMatchObject({ input: { n: 'one' }, output: { n: 'two'.repeat(9) } })
        expect(b).toMatchObject({ output: { n: 3 } })
      })

      it('records what many runs come to at once, each for itself', async () => {
        const runs = Array.from({ length: 30 }, () => newRun('flow_many'))
        await Promise.all(runs.map((run) => stores.runs.accept(run)))
        const claims = await Promise.all(runs.map((run) => stores.journal.claim(run.id, time)))
        await stores.runs.cancel(runs[7]!.id, time, { code: 'cancelled', message: 'x' })
        const recorded = await Promise.all(
          claims.map((claimed, i) =>
            stores.journal.record(claimed!.claim, {
              ...running,
              startedAt: time,
              entries: [entry('n', { output: i })],
            }),
          ),
        )
        expect(recorded).toEqual(runs.map((_, i) => i !== 7))
        for (const [i, run] of runs.entries())
          expect((await stores.runs.steps(run.id)).map(({ output }) => output)).toEqual(i === 7 ? [] : [i])
      })

      it('lets a claim that was taken over change nothing', async () => {
        const run = newRun('flow_fence')
        await stores.runs.accept(run)
        const first = await stores.journal.claim(run.id, time)
        expect(await stores.journal.record(first!.claim, { ...running, startedAt: time, entries: [] })).toBe(true)
        const second = await stores.journal.claim(run.id, time)
        expect(second!.claim.epoch).toBeGreaterThan(first!.claim.epoch)
        expect(
          await stores.journal.record(second!.claim, { ...running, startedAt: time, entries: [entry('new')] }),
        ).toBe(true)
        expect(
          await stores.journal.record(first!.claim, {
            ...running,
            status: 'succeeded',
            finishedAt: time,
            startedAt: time,
            entries: [entry('late')],
          }),
        ).toBe(false)
        expect((await stores.runs.get(run.id))?.status).toBe('running')
        expect((await stores.runs.steps(run.id)).map((step) => step.path)).toEqual(['new'])
      })

      it('never changes a finished run', async () => {
        const run = newRun('flow_finished')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const end = {
          ...running,
          status: 'succeeded',
          finishedAt: time,
          startedAt: time,
          entries: [entry('a')],
        } as const
        expect(await stores.journal.record(claimed!.claim, end)).toBe(true)
        expect(await stores.journal.record(claimed!.claim, { ...end, status: 'failed' })).toBe(false)
        expect(await stores.journal.claim(run.id, time)).toBeNull()
        expect(await stores.runs.cancel(run.id, time, { code: 'cancelled', message: 'x' })).toEqual([])
        expect((await stores.runs.get(run.id))?.status).toBe('succeeded')
      })

      it('cancels many runs at once, each once, with those that they wait for', async () => {
        const calling = newRun('flow_many')
        const called = newRun('flow_called', { parent: { run: calling.id, step: 'a', waits: true } })
        const others = [newRun('flow_many'), newRun('flow_other'), newRun('flow_left')]
        for (const run of [calling, called, ...others]) await stores.runs.accept(run)
        const chosen = [others[1]!.id, calling.id, others[0]!.id, 'run_none']
        const cancel = () => stores.runs.cancel(chosen, time, { code: 'cancelled', message: 'x' })
        const ids = [calling, called, others[0]!, others[1]!].map(({ id }) => id)
        expect((await cancel()).map(({ id }) => id).sort()).toEqual(ids.sort())
        expect(await cancel()).toEqual([])
        for (const id of ids) expect((await stores.runs.get(id))?.status).toBe('cancelled')
        expect((await stores.runs.get(others[2]!.id))?.status).toBe('queued')
      })

      it('cancels what is under way, with its open steps, and fences the process that ran it', async () => {
        const run = newRun('flow_cancel')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const open = entry('slow', { status: 'running', outcome: null, finishedAt: null, output: null })
        await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries: [open] })
        expect(await stores.runs.cancel(run.id, time + 1, { code: 'cancelled', message: 'x' })).toEqual([
          { id: run.id, flowId: run.flowId },
        ])
        expect(await stores.runs.get(run.id)).toMatchObject({
          status: 'cancelled',
          finishedAt: time + 1,
          error: { code: 'cancelled' },
        })
        expect((await stores.runs.steps(run.id))[0]).toMatchObject({ status: 'cancelled', finishedAt: time + 1 })
        expect(
          await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries: [entry('late')] }),
        ).toBe(false)
      })

      it('finds what is unfinished, page by page, and what is due', async () => {
        time += 100_000
        const queued = newRun('flow_open')
        const waiting = newRun('flow_open')
        for (const run of [queued, waiting]) await stores.runs.accept(run)
        const claimed = await stores.journal.claim(waiting.id, time)
        await stores.journal.record(claimed!.claim, {
          ...running,
          status: 'waiting',
          resumeAt: time + 50,
          startedAt: time,
          entries: [],
        })
        const open = await stores.runs.active('queued', null, 1000)
        expect(open.map((run) => run.id)).toContain(queued.id)
        expect(open.map((run) => run.id)).not.toContain(waiting.id)
        expect(await stores.runs.active('queued', queued.id, 1000)).toEqual([])
        expect((await stores.runs.due(time + 49, 100)).runs.map((run) => run.id)).not.toContain(waiting.id)
        const version = { flowId: 'flow_open', version: 1 }
        expect(await stores.runs.waitingVersions()).toContainEqual(version)
        expect((await stores.runs.waiting(version, null, 1000)).map((run) => run.id)).toEqual([waiting.id])
        expect(await stores.runs.waiting(version, waiting.id, 1000)).toEqual([])
        expect(await stores.runs.waiting({ ...version, version: 2 }, null, 1000)).toEqual([])
        const draft = newRun('flow_open', { version: null, document: '{}' })
        for (const run of [newRun('flow_open', { version: 2 }), newRun('flow_opened', { version: 1 }), draft]) {
          await stores.runs.accept(run)
          const { claim } = (await stores.journal.claim(run.id, time))!
          const parked = { ...running, status: 'waiting' as const, resumeAt: time + 99, startedAt: time, entries: [] }
          await stores.journal.record(claim, parked)
        }
        expect((await stores.runs.waitingVersions()).filter(({ flowId }) => flowId.startsWith('flow_open'))).toEqual([
          version,
          { flowId: 'flow_open', version: 2 },
          { flowId: 'flow_opened', version: 1 },
        ])
        expect((await stores.runs.due(time + 49, 100)).nextAt).toBe(time + 50)
        expect((await stores.runs.due(time + 50, 100)).runs.map((run) => run.id)).toContain(waiting.id)
      })

      it('counts one more attempt of what a dead process left running', async () => {
        const run = newRun('flow_attempt')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries: [] })
        expect(await stores.runs.countRecovered()).toBeGreaterThanOrEqual(1)
        expect((await stores.journal.claim(run.id, time))?.attempt).toBe(2)
      })

      it('lists by flow, status and time, newest first', async () => {
        time += 10_000
        const old = newRun('flow_list')
        await stores.runs.accept(old)
        time += 10_000
        const recent = newRun('flow_list')
        await stores.runs.accept(recent)
        const list = async (filter: object) =>
          (
            await stores.runs.list({ flowId: 'flow_list', status: null, since: null, until: null, ...filter }, page)
          ).items.map((run) => run.id)
        expect(await list({})).toEqual([recent.id, old.id])
        expect(await list({ since: time - 5000 })).toEqual([recent.id])
        expect(await list({ until: time - 5000 })).toEqual([old.id])
        expect(await list({ status: 'failed' })).toEqual([])
        await stores.runs.cancel(old.id, time, { code: 'cancelled', message: 'x' })
        expect(await list({ status: 'cancelled' })).toEqual([old.id])
      })
    })

    describe('what the pages ask for', () => {
      it('finds the newest run of each flow', async () => {
        const ids: string[] = []
        for (const name of ['a', 'b', 'c']) {
          const flow = newFlow({ name })
          await stores.flows.create(flow)
          ids.push(flow.id)
        }
        const runs: NewRun[] = []
        for (const flowId of [ids[0]!, ids[1]!, ids[0]!]) {
          time += 1
          runs.push(newRun(flowId))
          await stores.runs.accept(runs.at(-1)!)
        }
        const latest = await stores.runs.latestOf(ids)
        expect(latest.toSorted((a, b) => a.createdAt - b.createdAt)).toEqual([
          { flowId: ids[1], id: runs[1]!.id, status: 'queued', createdAt: runs[1]!.createdAt },
          { flowId: ids[0], id: runs[2]!.id, status: 'queued', createdAt: runs[2]!.createdAt },
        ])
        expect(await stores.runs.latestOf([])).toEqual([])
        expect(await stores.flows.names([ids[1]!, ids[1]!, 'flow_none'])).toEqual(new Map([[ids[1], 'b']]))
        expect(await stores.flows.names([])).toEqual(new Map())
      })

      it('finds flows by a part of their name, taken literally', async () => {
        for (const name of ['Orders 100% new', 'orders 100 x', 'a_b\\c', 'axb'])
          await stores.flows.create(newFlow({ name }))
        const found = async (search: string) => (await stores.flows.list(page, search)).items.map((flow) => flow.name)
        expect(await found('ORDERS 1')).toEqual(['orders 100 x', 'Orders 100% new'])
        expect(await found('100%')).toEqual(['Orders 100% new'])
        expect(await found('a_b\\')).toEqual(['a_b\\c'])
        expect(await found("'; drop table flow")).toEqual([])
      })

      it('reads the steps of one round, page by page', async () => {
        const run = newRun('flow_rounds')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const paths = ['all', 'all[1]/x', 'all[1]/y', 'all[10]/x', 'after']
        const entries = paths.map((path, i) => entry(path, { seq: i + 1 }))
        await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries })
        const pathsOf = async (under: string, after = -1, limit = 10) =>
          (await stores.runs.stepsPage(run.id, { under, after, limit })).map(({ path }) => path)
        expect(await pathsOf('')).toEqual(paths)
        expect(await pathsOf('all[1]/')).toEqual(['all[1]/x', 'all[1]/y'])
        expect(await pathsOf('', 2, 2)).toEqual(['all[1]/y', 'all[10]/x'])
      })
    })

    describe("a flow's keys", () => {
      const operate = (op: KeyValueOperation['op'], key: string, value: unknown = null, ttlMs: number | null = null) =>
        stores.runs.operate('flow_keys', { op, key, value, ttlMs }, time)

      it('adds a key once, however many try at the same time', async () => {
        const results = await Promise.all(Array.from({ length: 20 }, (_, i) => operate('add', 'first', i)))
        const outputs = results.map((result) => (result as { output: { added: boolean; value: number } }).output)
        const winner = outputs.filter(({ added }) => added)
        expect(winner).toHaveLength(1)
        for (const { value } of outputs) expect(value).toBe(winner[0]!.value)
      })

      it('loses no increment of those that come at once', async () => {
        await Promise.all(Array.from({ length: 25 }, () => operate('increment', 'count', 2)))
        expect(await operate('get', 'count')).toEqual({ output: { value: 50 } })
        expect(await operate('increment', 'count', 'x')).toMatchObject({ error: { code: 'expression_failed' } })
      })

      it('forgets a key after its time, keeps the time of a counter, and deletes', async () => {
        await operate('set', 'short', { a: 1 }, 1000)
        await operate('set', 'counter', 1, 1000)
        await operate('increment', 'counter')
        expect(await operate('get', 'short')).toEqual({ output: { value: { a: 1 } } })
        time += 1000
        expect(await operate('get', 'short')).toEqual({ output: { value: null } })
        expect(await operate('get', 'counter')).toEqual({ output: { value: null } })
        expect(await operate('add', 'short', 2)).toEqual({ output: { added: true, value: 2 } })
        expect(await operate('delete', 'short')).toEqual({ output: { deleted: true } })
        expect(await operate('delete', 'short')).toEqual({ output: { deleted: false } })
      })

      it.each([
        ['a NUL', 'a\u0000b'],
        ['half a character', 'a\ud800b'],
        ['5,000 characters', 'k'.repeat(5000)],
        ['a secret', `key ${STORE_SECRET}`],
        ['nothing', ''],
      ])('takes a key of %s', async (_what, key) => {
        const value = { text: `é \u0000 \ud800 ${STORE_SECRET}` }
        await operate('set', key, value)
        await operate('set', `${key}.`, 'other')
        expect(await operate('get', key)).toEqual({ output: { value } })
      })

      it('operates in the write that journals the step, and not for a claim that was lost', async () => {
        const run = newRun('flow_keys')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const counted = (): JournalEntry =>
          entry('n', { operation: { op: 'increment', key: 'runs', value: null, ttlMs: null } })
        const first = counted()
        expect(await stores.journal.record(claimed!.claim, { ...running, startedAt: time, entries: [first] })).toBe(
          true,
        )
        expect(first).toMatchObject({ output: { value: 1 }, outcome: 'done', status: 'succeeded' })
        await stores.runs.cancel(run.id, time, { code: 'cancelled', message: 'x' })
        const late = { ...running, startedAt: time, entries: [counted()] }
        expect(await stores.journal.record(claimed!.claim, late)).toBe(false)
        expect(await operate('get', 'runs')).toEqual({ output: { value: 1 } })
      })
    })

    describe('secrets', () => {
      const hidden = (value: unknown) => expect(JSON.stringify(value)).not.toContain('c4nary')
      const webhookWithSecret = () => ({
        ...webhook({ key: STORE_SECRET, n: 1 }),
        headers: Object.assign(Object.create(null), { 'x-key': `Bearer ${STORE_SECRET}` }),
      })

      it('shows a run without them and hands it to the next claim as it was', async () => {
        const run = newRun('flow_secret', { webhook: webhookWithSecret() })
        await stores.runs.accept(run)
        const shown = await stores.runs.get(run.id)
        hidden(shown)
        expect(shown?.webhook).toMatchObject({
          body: { key: '[secret]', n: 1 },
          headers: { 'x-key': 'Bearer [secret]' },
          rawBody: '{"key":"[secret]","n":1}',
        })
        hidden((await stores.deliveries.list({ flowId: 'flow_secret', outcome: null }, page)).items)
        expect((await stores.journal.claim(run.id, time))?.webhook).toEqual(run.webhook)
      })

      it('shows steps without them and hands them to the next claim as they were', async () => {
        const run = newRun('flow_secret')
        await stores.runs.accept(run)
        const claimed = await stores.journal.claim(run.id, time)
        const error = { code: 'x', message: `at ${STORE_SECRET}` }
        const entries = [
          entry('plain'),
          entry('output', { seq: 2, output: { echo: STORE_SECRET } }),
          entry('decision', { seq: 3, decision: STORE_SECRET, outcome: null, status: 'running' }),
          entry('error', { seq: 4, error, outcome: 'failed', status: 'failed' }),
          entry('shown', { seq: 5, input: [STORE_SECRET], logs: [`log ${STORE_SECRET}`] }),
          entry('derived', { seq: 6, output: { reversed: 'terces' }, shown: { output: '[secret]' } }),
        ]
        await stores.journal.record(claimed!.claim, {
          ...running,
          startedAt: time,
          entries,
          error,
        })
        const shown = await stores.runs.steps(run.id)
        hidden(shown)
        hidden(await stores.runs.get(run.id))
        expect(shown[1]).toEqual({ ...entries[1], output: { echo: '[secret]' } })
        expect(shown[4]).toMatchObject({ input: ['[secret]'], logs: ['log [secret]'] })
        expect(JSON.stringify(shown)).not.toContain('terces')
        const again = await stores.journal.claim(run.id, time)
        const asShown = { shown: { output: { echo: '[secret]' } } }
        expect(again?.journal.slice(0, 4)).toEqual([entries[0], { ...entries[1], ...asShown }, ...entries.slice(2, 4)])
        // An output that is written again stays hidden.
        expect(again?.journal[5]).toEqual(entries[5])
      })

      it('keeps deliveries, samples and step results without them', async () => {
        const flowId = 'flow_secret_inbox'
        await stores.deliveries.add({
          id: ids.next('dlv'),
          flowId,
          receivedAt: time,
          outcome: 'rejected',
          code: 'bad_request',
          message: `not ${STORE_SECRET}`,
          status: 400,
          runId: null,
          event: null,
          webhook: webhookWithSecret(),
        })
        await stores.samples.add({ id: ids.next('smp'), flowId, receivedAt: time, webhook: webhookWithSecret() }, 3)
        await stores.samples.setStepResult(flowId, 'a', { echo: STORE_SECRET }, time)
        const inbox = (await stores.deliveries.list({ flowId, outcome: null }, page)).items
        expect(inbox[0]).toMatchObject({ message: 'not [secret]', webhook: { body: { key: '[secret]' } } })
        hidden(inbox)
        hidden(await stores.samples.list(flowId))
        expect((await stores.samples.stepResults(flowId))['a']).toEqual({ echo: '[secret]' })
      })

      it('knows the documents that hold sealed values, and the keys that are needed', async () => {
        const sealed = (keyId: string) => `sealed:${keyId}.AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAAAAAAAAAA`
        const document = (keyId: string) => JSON.stringify({ token: sealed(keyId) })
        const flow = { ...newFlow(), draft: document('aaaaaaaa') }
        await stores.flows.create(flow)
        const publish = (revision: number) =>
          stores.flows.publish(flow.id, { revision, publishedAt: time, publishedBy: 'me', trigger: BY_WEBHOOK })
        await publish(1)
        const replace = (draft: string) =>
          stores.flows.replaceDraft(flow.id, {
            name: 'A',
            draft,
            updatedAt: time,
            updatedBy: null,
            expectedRevision: null,
          })
        await replace(document('bbbbbbbb'))
        await publish(2)
        await replace(document('cccccccc'))
        const documents = (await stores.flows.sealedDocuments()).filter(({ flowId }) => flowId === flow.id)
        expect(documents.map((one) => one.document).sort()).toEqual(['aaaaaaaa', 'bbbbbbbb', 'cccccccc'].map(document))
        const inUse = await stores.vaultRecords.keyIdsInUse()
        expect(inUse).toEqual(expect.arrayContaining(['bbbbbbbb', 'cccccccc']))
        expect(inUse).not.toContain('aaaaaaaa')
      })

      it('needs the keys of runs until they end, and those of the keys of flows', async () => {
        const own = await open()
        const inUse = () => own.vaultRecords.keyIdsInUse()
        const cancel = (id: string) => own.runs.cancel(id, time, { code: 'cancelled', message: 'x' })
        const [queued, parked] = [newRun('flow_keys', { webhook: webhook(STORE_SECRET) }), newRun('flow_keys')]
        for (const run of [queued, parked]) await own.runs.accept(run)
        expect(await inUse()).toEqual([expect.stringMatching(/^[0-9a-f]{8}$/)])
        await cancel(queued.id)
        expect(await inUse()).toEqual([])
        const { claim } = (await own.journal.claim(parked.id, time))!
        const entries = [entry('a', { output: STORE_SECRET })]
        await own.journal.record(claim, { ...running, status: 'waiting', resumeAt: time, startedAt: time, entries })
        expect(await inUse()).toHaveLength(1)
        await cancel(parked.id)
        expect(await inUse()).toEqual([])
        await own.runs.operate('flow_keys', { op: 'set', key: 'k', value: STORE_SECRET, ttlMs: null }, time)
        expect(await inUse()).toHaveLength(1)
        await own.close()
      })

      it('keeps one text to check the key by', async () => {
        expect(await stores.vaultRecords.check()).toBeNull()
        await stores.vaultRecords.setCheck('sealed:1', ['a'])
        await stores.vaultRecords.setCheck('sealed:2', ['b', 'a'])
        expect(await stores.vaultRecords.check()).toEqual({ sealed: 'sealed:2', keyIds: ['b', 'a'] })
      })
    })

    describe('deliveries and samples', () => {
      const delivery = (flowId: string): DeliveryRecord => ({
        id: ids.next('dlv'),
        flowId,
        receivedAt: time,
        outcome: 'rejected',
        code: 'unauthorized',
        message: 'no',
        status: 401,
        runId: null,
        event: null,
        webhook: { ...webhook(null), rawBody: '', body: null },
      })

      it('shows accepted, rejected and other deliveries in one list, in order, without test runs and replays', async () => {
        time += 1000
        const accepted = newRun('flow_inbox')
        await stores.runs.accept(accepted)
        time += 1
        const rejected = delivery('flow_inbox')
        await stores.deliveries.add(rejected)
        await stores.runs.accept(newRun('flow_inbox', { test: true }))
        await stores.runs.accept(newRun('flow_inbox', { replayOf: accepted.id }))
        const first = await stores.deliveries.list({ flowId: 'flow_inbox', outcome: null }, { limit: 1, cursor: null })
        expect(first.items).toEqual([rejected])
        const second = await stores.deliveries.list(
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
        await stores.runs.accept(accepted)
        time += 1
        const rejected = delivery('flow_inbox_b')
        await stores.deliveries.add(rejected)
        const newest = async (outcome: DeliveryRecord['outcome'] | null) =>
          (await stores.deliveries.list({ flowId: null, outcome }, { limit: 1, cursor: null })).items[0]
        expect(await newest(null)).toEqual(rejected)
        expect(await newest('rejected')).toEqual(rejected)
        expect((await newest('accepted'))?.runId).toBe(accepted.id)
        expect(await newest('duplicate')).toBeUndefined()
        expect(await stores.deliveries.get(rejected.id)).toEqual(rejected)
        const { id } = (await newest('accepted'))!
        expect(await stores.deliveries.get(id)).toMatchObject({ outcome: 'accepted', runId: accepted.id })
        expect(await stores.deliveries.get('dlv_none')).toBeNull()
      })

      it('is listed for some flows only, page by page, whatever became of it', async () => {
        const flows = ['flow_among_a', 'flow_among_b', 'flow_among_c']
        for (const flowId of flows) {
          await stores.runs.accept(newRun(flowId))
          time += 1
          await stores.deliveries.add(delivery(flowId))
          time += 1
        }
        const filter = { flowId: null, outcome: null, among: [flows[0]!, flows[2]!] }
        const found: string[] = []
        for (let cursor: string | null = null; ; ) {
          const { items, nextCursor } = await stores.deliveries.inbox(filter, { limit: 1, cursor })
          found.push(...items.map(({ flowId }) => flowId))
          cursor = nextCursor
          if (cursor === null) break
        }
        expect(found).toEqual([flows[2], flows[2], flows[0], flows[0]])
        const none = { flowId: null, outcome: null, among: [] }
        expect((await stores.deliveries.inbox(none, page)).items).toEqual([])
        expect((await stores.deliveries.inbox({ ...filter, flowId: flows[1]! }, page)).items).toEqual([])
      })

      it('is searched by the type of the event, which of an accepted delivery is a label', async () => {
        const flowId = 'flow_events'
        const paid = newRun(flowId, { labels: { event: 'invoice.paid', shop: '7' } })
        await stores.runs.accept(paid)
        await stores.runs.accept(newRun(flowId, { labels: { event: 'invoice.sent' } }))
        time += 1
        const filtered = { ...delivery(flowId), outcome: 'filtered' as const, event: 'invoice.paid' }
        await stores.deliveries.add(filtered)
        await stores.deliveries.add(delivery(flowId))
        const found = async (filter: object) =>
          (await stores.deliveries.list({ flowId, outcome: null, ...filter }, page)).items.map(({ runId, event }) => [
            runId,
            event,
          ])
        const accepted = [paid.id, 'invoice.paid']
        expect(await found({ event: 'invoice.paid' })).toEqual([[null, 'invoice.paid'], accepted])
        expect(await found({ event: 'invoice.paid', outcome: 'accepted' })).toEqual([accepted])
        expect(await found({ event: 'invoice.paid', labels: { shop: '7' } })).toEqual([accepted])
        expect(await found({ event: 'invoice' })).toEqual([])
        expect((await stores.deliveries.inbox({ flowId, outcome: null }, page)).items).toHaveLength(4)
        expect(await stores.deliveries.get(filtered.id)).toEqual(filtered)
      })

      it('keeps the last rejected deliveries of a flow and the last handshakes, and all others', async () => {
        const add = async (flowId: string, outcome: DeliveryRecord['outcome']) => {
          time += 1
          const one = { ...delivery(flowId), outcome }
          await stores.deliveries.add(one)
          return one.id
        }
        await add('flow_trim', 'rejected')
        await add('flow_trim', 'handshake')
        const shaken = [await add('flow_trim', 'handshake'), await add('flow_trim', 'handshake')]
        const filtered = await add('flow_trim', 'filtered')
        const kept = [await add('flow_trim', 'rejected'), await add('flow_trim', 'rejected')]
        const other = await add('flow_trim_other', 'rejected')
        await stores.deliveries.trimRejected('flow_trim', 2)
        const idsOf = async (flowId: string) =>
          (await stores.deliveries.inbox({ flowId, outcome: null }, page)).items.map(({ id }) => id)
        expect(await idsOf('flow_trim')).toEqual([kept[1], kept[0], filtered, shaken[1], shaken[0]])
        await stores.deliveries.trimRejected('flow_trim', 2)
        expect(await idsOf('flow_trim')).toHaveLength(5)
        expect(await idsOf('flow_trim_other')).toEqual([other])
      })

      it('keeps bodies of rejected deliveries, sealed where they hold a secret, for one run each and not for ever', async () => {
        const add = async (body: unknown, kept: boolean) => {
          time += 1
          const one = { ...delivery('flow_bodies'), webhook: webhook(body), ...(kept && { bodyKept: true as const }) }
          await stores.deliveries.add(one)
          return one.id
        }
        const [plain, first, second, third] = [
          await add({ n: 0 }, false),
          await add({ n: 1 }, true),
          await add({ n: 2, said: STORE_SECRET }, true),
          await add({ n: 3 }, true),
        ]
        const body = async (id: string) => (await stores.deliveries.keptRequest(id))?.body ?? null
        expect(await body(plain)).toBeNull()
        expect(await body(second)).toEqual({ n: 2, said: STORE_SECRET })
        expect(JSON.stringify(await stores.deliveries.get(second))).not.toContain(STORE_SECRET)
        await stores.deliveries.trimBodies('flow_bodies', 2)
        expect([await body(first), await body(third)]).toEqual([null, { n: 3 }])
        expect(await stores.deliveries.get(first)).toMatchObject({ webhook: { rawBody: '' } })
        expect(await stores.deliveries.leadTo(third, 'run_a')).toBe('run_a')
        expect(await stores.deliveries.leadTo(third, 'run_b')).toBe('run_a')
        expect(await stores.deliveries.leadTo(third, 'run_c', 'run_a')).toBe('run_c')
        expect(await stores.deliveries.deleteBodies(time)).toBe(1)
        expect([await body(second), await body(third)]).toEqual([null, { n: 3 }])
      })

      it('keeps the last samples only', async () => {
        for (let i = 0; i < 5; i++) {
          time += 1
          await stores.samples.add(
            { id: ids.next('smp'), flowId: 'flow_samples', receivedAt: time, webhook: webhook({ i }) },
            3,
          )
        }
        const samples = await stores.samples.list('flow_samples')
        expect(samples.map((sample) => (sample.webhook.body as { i: number }).i)).toEqual([4, 3, 2])
      })

      it('reads what is small of both, and says nothing of samples of which one is large', async () => {
        const keep = (n: number, text: string) => {
          time += 1
          const sample = { id: ids.next('smp'), flowId: 'flow_small', receivedAt: time, webhook: webhook({ n, text }) }
          return stores.samples.add(sample, 3)
        }
        await stores.samples.setStepResult('flow_small', 'a', { n: 1 }, time)
        await stores.samples.setStepResult('flow_small', 'b', { text: 'x'.repeat(100) }, time)
        await keep(1, '')
        await keep(2, '')
        const { webhooks, results } = await stores.samples.small('flow_small', 99)
        expect(webhooks.map(({ body }) => body)).toEqual([
          { n: 2, text: '' },
          { n: 1, text: '' },
        ])
        expect({ ...results }).toEqual({ a: { n: 1 } })
        await keep(3, 'x'.repeat(100))
        expect((await stores.samples.small('flow_small', 99)).webhooks).toEqual([])
        expect((await stores.samples.small('flow_small', 999)).webhooks).toHaveLength(3)
      })

      it('keeps the latest result of each tested step', async () => {
        await stores.samples.setStepResult('flow_results', 'a', { n: 1 }, time)
        await stores.samples.setStepResult('flow_results', 'a', { n: 2 }, time)
        await stores.samples.setStepResult('flow_results', 'b', null, time)
        expect({ ...(await stores.samples.stepResults('flow_results')) }).toEqual({ a: { n: 2 }, b: null })
      })
    })

    describe('housekeeping', () => {
      it('deletes what is past its time in batches, and nothing else', async () => {
        time += 1_000_000
        const finish = async (run: NewRun, at: number) => {
          await stores.runs.accept(run)
          const claimed = await stores.journal.claim(run.id, at)
          await stores.journal.record(claimed!.claim, {
            ...running,
            status: 'succeeded',
            finishedAt: at,
            startedAt: at,
            entries: [entry('a')],
          })
        }
        const old = newRun('flow_old', { labels: { order: 'old-7', kind: 'old-kind' } })
        const oldButOpen = newRun('flow_old')
        await finish(old, time)
        await stores.runs.accept(oldButOpen)
        const before = time + 1
        time += 10
        const recent = newRun('flow_old', { labels: { order: 'old-7' } })
        await finish(recent, time)
        expect(await stores.runs.labelsLike('old-', 9)).toEqual([
          { name: 'order', value: 'old-7', runId: recent.id },
          { name: 'kind', value: 'old-kind', runId: old.id },
        ])
        for (let deleted = 1; deleted > 0; )
          deleted = await stores.housekeeping.deleteOlderThan(before, time + 3_600_000, 2)
        expect(await stores.runs.get(old.id)).toBeNull()
        expect(await stores.runs.steps(old.id)).toEqual([])
        expect(await stores.runs.labelsLike('old-', 9)).toEqual([{ name: 'order', value: 'old-7', runId: recent.id }])
        expect((await stores.runs.get(oldButOpen.id))?.status).toBe('queued')
        expect((await stores.runs.get(recent.id))?.status).toBe('succeeded')
        expect(await stores.samples.list('flow_samples')).toEqual([])
        expect(
          await stores.runs.accept(newRun('flow_window', { createdAt: time }), { key: 'k', expiresAt: time + 9 }),
        ).toEqual({ duplicateOf: null })
      })
    })
  })
}
