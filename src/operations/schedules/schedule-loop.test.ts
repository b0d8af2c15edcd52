// Tests the loop on real stores, under a virtual clock.
import { afterEach, describe, expect, it } from 'vitest'
import { hashing } from '../../base/hashing.ts'
import { createIds } from '../../engine/ids.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { openInMemory } from '../../storage/sqlite/database.ts'
import { createSqliteRunJournal } from '../../storage/sqlite/run-journal.ts'
import { createSqliteSchedules } from '../../storage/sqlite/schedules.ts'
import { createFlowStore } from '../../storage/stores/flow-store.ts'
import { createRunStore } from '../../storage/stores/run-store.ts'
import { createScheduleStore } from '../../storage/stores/schedule-store.ts'
import { Events } from '../events/events.ts'
import { planSchedule } from '../flows/plan-schedule.ts'
import { ScheduleLoop } from './schedule-loop.ts'

const START = Date.parse('2027-01-01T00:00:00Z')
const SECOND = 1_000
const HOUR = 3_600 * SECOND

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const storage of open.splice(0)) await storage.close()
})

async function createWorld() {
  const storage = await openInMemory()
  open.push(storage)
  const protect = testProtect()
  let [wall, elapsed] = [START, 0]
  const now = () => wall
  const flows = createFlowStore(storage.kysely)
  const journal = createSqliteRunJournal(storage, protect)
  const runs = { ...createRunStore(storage.kysely), ...journal.runs }
  const schedules = { ...createScheduleStore(storage.kysely), ...createSqliteSchedules(storage, protect, now) }
  const ids = createIds(now, (size) => crypto.getRandomValues(new Uint8Array(size)))
  const late: number[] = []
  const warnings: string[] = []
  const loopOf = () =>
    new ScheduleLoop(
      {
        schedules,
        hashing,
        config: {},
        secrets: { redact: (value: unknown) => value } as never,
        ids,
        now,
        queue: { add: () => false } as never,
        events: new Events(),
        meters: {
          delivery() {},
          runFinished() {},
          alertSent() {},
          callback() {},
          scheduleStarted: (seconds) => late.push(seconds),
        },
        warn: (message) => warnings.push(message),
      },
      { elapsedMs: () => elapsed, graceMs: 0 },
    )
  let loop = loopOf()
  let revision = 0
  const flow = { id: ids.next('flow'), webhookId: ids.webhookId(), name: 'Nightly', version: null, publishedAt: null }
  return {
    flow,
    flows,
    schedules,
    runs,
    late,
    warnings,
    db: storage.raw,
    now,
    /** Publishes the flow with this schedule. */
    async publish(trigger: object) {
      const document = { name: 'Nightly', trigger: { kind: 'schedule', ...trigger }, steps: [] }
      const draft = JSON.stringify(document)
      const at = { createdAt: wall, updatedAt: wall, updatedBy: null, slug: null, liveTrigger: null, pausedAt: null }
      if (revision === 0) await flows.create({ ...flow, ...at, draft, revision: 1 })
      else
        await flows.replaceDraft(flow.id, {
          name: 'Nightly',
          draft,
          updatedAt: wall,
          updatedBy: null,
          expectedRevision: null,
        })
      const schedule = planSchedule(flow.id, document as never, wall)
      const live = { kind: 'schedule', schedule }
      await flows.publish(flow.id, { revision: ++revision, publishedAt: wall, publishedBy: 'me', trigger: live })
    },
    /** Lets time pass in seconds, with a look at each. */
    async pass(seconds: number) {
      for (let i = 0; i < seconds; i++) {
        wall += SECOND
        elapsed += SECOND
        await loop.look()
      }
    },
    look: () => loop.look(),
    /** Sets the wall clock. */
    jump(ms: number) {
      wall += ms
    },
    /** Stops the process, and starts another one after that time. */
    restart(afterMs: number) {
      wall += afterMs
      elapsed += afterMs
      loop = loopOf()
    },
    async end(runId: string) {
      storage.raw.prepare(`UPDATE run SET status = 'succeeded', finished_at = ? WHERE id = ?`).run(wall, runId)
    },
    /** Returns what the runs got, in order, without the time 2027-01-01. */
    async started() {
      const { items } = await runs.list(
        { flowId: flow.id, status: null, since: null, until: null },
        { limit: 2_000, cursor: null },
      )
      const found = []
      for (const { id } of items.toReversed()) {
        const { given } = (await runs.get(id))!
        const { at, previous, missed, input } = given!['schedule'] as Record<string, string>
        found.push({ id, at: at!.slice(11, 19), previous: previous!.slice(11, 19), missed, input })
      }
      return found
    },
    async times() {
      return (await this.started()).map(({ at, missed }) => `${at}${Number(missed) ? ` +${missed}` : ''}`)
    },
  }
}

describe('a schedule that is watched', () => {
  it('starts one run at each planned time, with that time, the one before and the input', async () => {
    const world = await createWorld()
    await world.publish({ every: 10, input: { report: 'daily' } })
    await world.pass(25)
    const runs = await world.started()
    expect(runs).toMatchObject([
      { at: '00:00:10', previous: '00:00:00', missed: 0, input: { report: 'daily' } },
      { at: '00:00:20', previous: '00:00:10', missed: 0 },
    ])
    const [first] = (
      await world.runs.list(
        { flowId: world.flow.id, status: null, since: null, until: null },
        { limit: 5, cursor: null },
      )
    ).items
    expect(first!.trigger).toEqual({ kind: 'schedule', at: START + 20 * SECOND })
    expect(world.late).toEqual([0, 0])
  })

  it('waits for the jitter of the flow, which is no part of the planned time', async () => {
    const world = await createWorld()
    await world.publish({ every: 60, jitter: 59 })
    const { runsAt, nextAt } = (await world.schedules.get(world.flow.id))!
    const late = (runsAt! - nextAt!) / SECOND
    await world.pass(Math.floor(60 + late))
    expect(await world.times()).toEqual(Number.isInteger(late) ? ['00:01:00'] : [])
    await world.pass(1)
    expect(await world.times()).toEqual(['00:01:00'])
  })

  it('repeats nothing when the wall clock jumps back, and goes on where it was', async () => {
    const world = await createWorld()
    await world.publish({ cron: '0 * * * *' })
    world.jump(HOUR - 2 * SECOND)
    await world.look()
    await world.pass(3)
    world.jump(-HOUR)
    await world.pass(10)
    world.jump(HOUR)
    await world.pass(1)
    expect(await world.times()).toEqual(['01:00:00'])
  })

  it('counts times as missed when the wall clock jumps forward', async () => {
    const world = await createWorld()
    await world.publish({ cron: '*/10 * * * *' })
    await world.pass(3)
    world.jump(HOUR)
    await world.pass(2)
    expect(await world.times()).toEqual(['01:00:00 +5'])
  })

  it('is left alone while it is paused', async () => {
    const world = await createWorld()
    await world.publish({ every: 10 })
    world.db.prepare('UPDATE flow SET paused_at = 1').run()
    await world.pass(25)
    expect(await world.times()).toEqual([])
  })
})

describe('times that were missed', () => {
  const missed = async (mode: string, hours: number) => {
    const world = await createWorld()
    await world.publish({ cron: '0 * * * *', missed: mode })
    await world.pass(1)
    world.restart(hours * HOUR)
    await world.look()
    return world
  }

  it('are one run with "once": the last, with the number of the others', async () => {
    const world = await missed('once', 3)
    expect(await world.started()).toMatchObject([{ at: '03:00:00', previous: '02:00:00', missed: 2 }])
  })

  it('are one run each with "all", oldest first', async () => {
    expect(await (await missed('all', 3)).times()).toEqual(['01:00:00', '02:00:00', '03:00:00'])
  })

  it('are at most the newest 1,000 with "all"; the first says how many were left out', async () => {
    const world = await createWorld()
    await world.publish({ every: 10, missed: 'all' })
    world.restart(10_055 * SECOND)
    for (let i = 0; i < 12; i++) await world.look()
    const times = await world.times()
    expect(times).toHaveLength(1_000)
    expect([times[0], times[1], times.at(-1)]).toEqual(['00:01:00 +5', '00:01:10', '02:47:30'])
  })

  it('are none with "skip": the next run says how many', async () => {
    const world = await missed('skip', 3)
    expect(await world.times()).toEqual([])
    await world.pass(3_600)
    expect(await world.times()).toEqual(['04:00:00 +3'])
    await world.pass(3_600)
    expect(await world.times()).toEqual(['04:00:00 +3', '05:00:00'])
  })

  it('are counted although there are a million', { timeout: 30_000 }, async () => {
    const world = await createWorld()
    await world.publish({ every: 10, missed: 'once' })
    world.restart((1e7 + 5) * SECOND)
    await world.look()
    expect((await world.started())[0]).toMatchObject({ missed: 999_999 })
  })

  it('are those before a resume', async () => {
    const world = await createWorld()
    await world.publish({ cron: '0 * * * *' })
    world.db.prepare('UPDATE flow SET paused_at = 1').run()
    for (let i = 0; i < 3; i++) {
      await world.pass(1)
      world.jump(HOUR)
    }
    world.db.prepare('UPDATE flow SET paused_at = NULL').run()
    world.db.prepare('UPDATE schedule SET since = ?').run(world.now())
    await world.look()
    expect(await world.times()).toEqual(['03:00:00 +2'])
  })
})

describe('a time that comes while the run before is under way', () => {
  it('has no run with "skip", and one again when that run has ended', async () => {
    const world = await createWorld()
    await world.publish({ every: 10, overlap: 'skip' })
    await world.pass(25)
    expect(await world.times()).toEqual(['00:00:10'])
    expect(await world.schedules.last(world.flow.id, 10)).toMatchObject([
      { at: START + 20 * SECOND, runId: null },
      { at: START + 10 * SECOND, status: 'queued' },
    ])
    await world.end((await world.started())[0]!.id)
    await world.pass(10)
    expect(await world.times()).toEqual(['00:00:10', '00:00:30'])
  })

  it('has its run with "queue" and "allow"', async () => {
    for (const overlap of ['queue', 'allow']) {
      const world = await createWorld()
      await world.publish({ every: 10, overlap })
      await world.pass(25)
      expect(await world.times()).toEqual(['00:00:10', '00:00:20'])
    }
  })
})

describe('publishing', () => {
  it('keeps the next time of an unchanged schedule, and takes its other settings over', async () => {
    const world = await createWorld()
    await world.publish({ cron: '0 * * * *', input: 1 })
    world.restart(HOUR + SECOND)
    await world.publish({ cron: '0 * * * *', input: 2 })
    await world.look()
    expect(await world.started()).toMatchObject([{ at: '01:00:00', input: 2 }])
  })

  it('runs no time twice when another schedule takes over', async () => {
    const world = await createWorld()
    await world.publish({ every: 20 })
    await world.pass(20)
    await world.publish({ every: 10 })
    await world.pass(10)
    await world.publish({ cron: '*/10 * * * * *' })
    await world.pass(15)
    expect(await world.times()).toEqual(['00:00:20', '00:00:30', '00:00:40'])
  })

  it('runs no time again after the clock was set back and the flow published anew', async () => {
    const world = await createWorld()
    await world.publish({ every: 10 })
    await world.pass(10)
    world.jump(-8 * SECOND)
    await world.flows.unpublish(world.flow.id, world.now())
    await world.publish({ every: 10 })
    await world.pass(20)
    expect(await world.times()).toEqual(['00:00:10', '00:00:20'])
    expect(world.warnings).toEqual([])
  })

  it('ends the schedule when the flow is unpublished or gets another trigger', async () => {
    const world = await createWorld()
    await world.publish({ every: 10 })
    await world.flows.unpublish(world.flow.id, world.now())
    await world.pass(20)
    expect(await world.times()).toEqual([])
    expect(await world.schedules.get(world.flow.id)).toBeNull()
  })
})
