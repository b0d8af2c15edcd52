// What both databases have to do with schedules.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createIds } from '../../engine/ids.ts'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { planSchedule } from '../../operations/flows/plan-schedule.ts'
import type { FlowStore } from '../../operations/ports/flows.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { DueSchedule, Firing, ScheduleStore } from '../../operations/ports/schedules.ts'
import type { Housekeeping } from '../../operations/ports/upkeep.ts'

export interface ScheduleStores {
  flows: FlowStore
  runs: RunStore
  schedules: ScheduleStore
  housekeeping: Housekeeping
  close(): Promise<void>
}

const ids = createIds(Date.now, (size) => crypto.getRandomValues(new Uint8Array(size)))
const EVERY = { kind: 'schedule', every: 10 } as const

export function scheduleContract(database: string, openStores: () => Promise<ScheduleStores>): void {
  let stores: ScheduleStores
  beforeAll(async () => {
    stores = await openStores()
  })
  afterAll(() => stores.close())

  /** Publishes a flow as if a minute ago, so that its schedule is due. */
  async function published(trigger: object = EVERY, ago = 60_000): Promise<string> {
    const at = Date.now() - ago
    const document = { name: 'Nightly', trigger, steps: [] }
    const id = ids.next('flow')
    const record = { id, name: 'Nightly', draft: JSON.stringify(document), revision: 1, webhookId: ids.webhookId() }
    const unpublished = {
      version: null,
      publishedAt: null,
      slug: null,
      liveTrigger: null,
      pausedAt: null,
      createdAt: at,
      updatedAt: at,
      updatedBy: null,
    }
    await stores.flows.create({ ...record, ...unpublished })
    await publish(id, document, at)
    return id
  }

  const publish = (id: string, document: object, at: number) =>
    stores.flows.publish(id, {
      revision: 1,
      publishedAt: at,
      publishedBy: 'me',
      trigger: { kind: 'schedule', schedule: planSchedule(id, document as never, at) },
    })

  const dueOf = async (flowId: string): Promise<DueSchedule | undefined> =>
    (await stores.schedules.due(1_000)).schedules.find((schedule) => schedule.flowId === flowId)

  const runOf = (flowId: string, at: number): NewRun => ({
    id: ids.next('run'),
    flowId,
    version: 1,
    document: null,
    test: false,
    trigger: { kind: 'schedule', at },
    webhook: null,
    given: { schedule: { at: new Date(at).toISOString(), input: { a: 1 } } },
    parent: null,
    hops: 0,
    replyStatus: null,
    createdAt: Date.now(),
    replayOf: null,
  })

  const firingOf = ({ flowId, version, nextAt, runsAt }: DueSchedule, run: NewRun | null): Firing => ({
    flowId,
    version,
    at: nextAt,
    concurrency: 1,
    occurrences: [{ at: nextAt, run }],
    becomes: { nextAt: nextAt + 3_600_000, runsAt: runsAt + 3_600_000, previousAt: nextAt, missed: 2 },
  })

  describe(`schedules on ${database}`, () => {
    it('store a run with its planned time and move on, all or nothing', async () => {
      const flowId = await published()
      const due = (await dueOf(flowId))!
      expect(due).toMatchObject({
        version: 1,
        settings: JSON.stringify(EVERY),
        missed: 0,
        previousAt: due.nextAt - 10_000,
      })
      const run = runOf(flowId, due.nextAt)
      expect(await stores.schedules.fire(firingOf(due, run))).toBe(true)
      expect(await stores.runs.get(run.id)).toMatchObject({
        status: 'queued',
        trigger: { kind: 'schedule', at: due.nextAt },
        webhook: null,
        given: run.given,
      })
      expect(await stores.schedules.last(flowId, 10)).toEqual([{ at: due.nextAt, runId: run.id, status: 'queued' }])
      expect(await stores.schedules.get(flowId)).toMatchObject({
        nextAt: due.nextAt + 3_600_000,
        missed: 2,
        paused: false,
      })
      expect(await dueOf(flowId)).toBeUndefined()
      expect(await stores.schedules.isUnderWay(flowId)).toBe(true)
    })

    it('start each time once, however many try at the same moment', async () => {
      const flows = await Promise.all(Array.from({ length: 20 }, () => published()))
      const due = (await stores.schedules.due(1_000)).schedules.filter(({ flowId }) => flows.includes(flowId))
      expect(due).toHaveLength(20)
      const tries = [...due, ...due, ...due].map((schedule) =>
        firingOf(schedule, runOf(schedule.flowId, schedule.nextAt)),
      )
      const won = await Promise.all(tries.map((firing) => stores.schedules.fire(firing)))
      expect(won.filter(Boolean)).toHaveLength(20)
      for (const flowId of flows) {
        const filter = { flowId, status: null, since: null, until: null }
        expect((await stores.runs.list(filter, { limit: 10, cursor: null })).items).toHaveLength(1)
      }
    })

    it('store nothing of a firing whose time has come already', async () => {
      const flowId = await published()
      const due = (await dueOf(flowId))!
      await stores.schedules.fire(firingOf(due, null))
      expect(await stores.schedules.last(flowId, 10)).toEqual([{ at: due.nextAt, runId: null, status: null }])
      expect(await stores.schedules.isUnderWay(flowId)).toBe(false)
      // The schedule is at this time again, as after a restored backup: the key keeps the time from coming twice.
      const again = { ...due, nextAt: due.nextAt + 3_600_000 }
      const run = runOf(flowId, due.nextAt)
      const firing = { ...firingOf(again, run), occurrences: [{ at: due.nextAt, run }] }
      await expect(stores.schedules.fire(firing)).rejects.toThrow()
      expect(await stores.runs.get(run.id)).toBeNull()
      expect(await stores.schedules.get(flowId)).toMatchObject({ nextAt: again.nextAt })
    })

    it('end with the flow, and with its publication', async () => {
      const flowId = await published()
      const due = (await dueOf(flowId))!
      await stores.schedules.fire(firingOf(due, null))
      await stores.flows.unpublish(flowId, Date.now())
      expect(await stores.schedules.get(flowId)).toBeNull()
      expect(await stores.schedules.fire(firingOf(due, runOf(flowId, due.nextAt)))).toBe(false)
      expect(await stores.flows.remove(flowId, Date.now())).toBe(true)
      expect(await stores.schedules.last(flowId, 10)).toEqual([])
    })

    it('say when the next one is', async () => {
      await published({ kind: 'schedule', every: 31_536_000 }, 0)
      const { now, nextAt } = await stores.schedules.due(1_000)
      expect(Math.abs(now - Date.now())).toBeLessThan(60_000)
      expect(nextAt).toBeGreaterThan(now)
    })

    it('lose their old times to retention', async () => {
      const flowId = await published(EVERY, 3_600_000)
      const due = (await dueOf(flowId))!
      await stores.schedules.fire(firingOf(due, null))
      while (await stores.housekeeping.deleteOlderThan(due.nextAt + 1, Date.now(), 100));
      expect(await stores.schedules.last(flowId, 10)).toEqual([])
    })
  })
}
