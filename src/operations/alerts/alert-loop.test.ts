// Tests the loop on real stores of both databases, under a given clock.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, startDatabases } from '../../../test/harness/postgres.ts'
import { createIds } from '../../engine/ids.ts'
import { testVault } from '../../secrets/keys.testkit.ts'
import { openPostgres } from '../../storage/postgres/database.ts'
import { openInMemory } from '../../storage/sqlite/database.ts'
import { createAlertStore } from '../../storage/stores/alerts/alert-store.ts'
import { createFlowStore } from '../../storage/stores/flow-store.ts'
import type { AlertRecord } from '../ports/alerts/alerts.ts'
import { AlertLoop } from './alert-loop.ts'
import { LiveAlerts } from './live-alerts.ts'
import type { MessageView } from './message.ts'

const START = Date.parse('2027-01-01T00:00:00Z')
const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const WINDOW = 15 * MINUTE

let databases: Databases
beforeAll(async () => {
  databases = await startDatabases()
})
afterAll(() => databases.stop())

async function createWorld(open: () => Promise<Awaited<ReturnType<typeof openInMemory | typeof openPostgres>>>) {
  const { kysely, close } = await open()
  const alertStore = createAlertStore(kysely, testVault(1))
  const flows = createFlowStore(kysely)
  const world = {
    now: START,
    status: 200,
    oldestSince: null as number | null,
    fault: null as string | null,
    /** The connections whose secrets cannot be read. */
    broken: [] as string[],
    sent: [] as (MessageView & { sentAt: number })[],
  }
  const now = () => world.now
  const ids = createIds(now, (size) => crypto.getRandomValues(new Uint8Array(size)))
  const loopOf = async () => {
    const alerts = new LiveAlerts(alertStore, now, null)
    await alerts.load()
    const services = {
      alerts,
      alertStore,
      flows,
      ids,
      now,
      alertWindowMs: WINDOW,
      baseUrl: 'https://flows.example.com',
      mailer: null,
      queue: {
        get oldestSince() {
          return world.oldestSince
        },
      },
      instance: { fault: async () => world.fault },
      connections: { all: () => world.broken.map((name) => ({ name, kind: 'bearer', fields: {}, secrets: null })) },
      tokens: { grant: () => null },
      meters: { alertSent() {} },
      warn() {},
      enginePorts: {
        http: {
          async send({ body }: { body: string }) {
            world.sent.push({ ...JSON.parse(body), sentAt: world.now })
            return { status: world.status }
          },
        },
      },
    }
    return new AlertLoop(services as never)
  }
  const alert = async (change: Partial<AlertRecord>) => {
    const record: AlertRecord = {
      id: ids.next('alr'),
      rule: 'storage',
      flowId: null,
      tag: null,
      target: { kind: 'webhook', url: 'https://chat.example.com' },
      secret: `whsec_${Buffer.alloc(24).toString('base64')}`,
      createdAt: START,
      sentAt: null,
      problem: null,
      ...change,
    }
    await alertStore.create(record)
    return record.id
  }
  const flow = async () => {
    const id = ids.next('flow')
    const rest = { version: null, publishedAt: null, liveTrigger: null, pausedAt: null, updatedBy: null }
    const at = { createdAt: START, updatedAt: START }
    await flows.create({ id, name: 'Nightly', draft: '{}', revision: 1, webhookId: id, slug: null, ...rest, ...at })
    return id
  }
  /** Stores the end of a run, as the journal does. */
  const ended = (flowId: string, kind: 'failed' | 'succeeded') =>
    kysely
      .insertInto('alert_event')
      .values({ id: ids.next('run'), kind, flow_id: flowId, run_id: null, at: world.now, code: null })
      .execute()
  return { ...world, world, kysely, alertStore, loopOf, alert, flow, ended, close }
}

describe.each([
  ['SQLite', openInMemory],
  ['PostgreSQL', async () => openPostgres(await databases.create())],
] as const)('alerts on %s', (_name, open) => {
  let stage: Awaited<ReturnType<typeof createWorld>>
  beforeAll(async () => {
    stage = await createWorld(open)
  })
  afterAll(() => stage.close())

  /** Returns what is sent by looks, at these times. */
  const sentBy = async (loop: AlertLoop, ...times: number[]) => {
    const before = stage.world.sent.length
    for (const time of times) {
      stage.world.now = time
      await loop.look()
    }
    return stage.world.sent.slice(before)
  }

  /** Deletes the alerts of the test before, and begins after their windows. */
  const afresh = async (...alerts: Partial<AlertRecord>[]) => {
    for (const { id } of await stage.alertStore.list()) await stage.alertStore.remove(id)
    stage.world.now += HOUR
    for (const one of alerts) await stage.alert(one)
    return stage.loopOf()
  }

  it('tell once of a queue that is too old, and again when it was young in between', async () => {
    const loop = await afresh({ rule: 'queue_age', seconds: 30 })
    const at = stage.world.now
    stage.world.oldestSince = at
    expect(await sentBy(loop, at + 30 * SECOND)).toEqual([])
    const [message] = await sentBy(loop, at + 31 * SECOND, at + 40 * SECOND)
    expect(message).toMatchObject({ rule: 'queue_age', text: 'Runs wait for their turn for 31 s', flow: null })
    expect(message!.link).toBe('https://flows.example.com/runs?status=queued')
    stage.world.oldestSince = null
    expect(await sentBy(loop, at + HOUR)).toEqual([])
    stage.world.oldestSince = at + HOUR
    expect(await sentBy(loop, at + 2 * HOUR, at + 2 * HOUR + SECOND)).toHaveLength(1)
    stage.world.oldestSince = null
  })

  it('tell of a database in trouble, and of each connection that must be connected again', async () => {
    const loop = await afresh({ rule: 'storage' }, { rule: 'reconnect' })
    const at = stage.world.now
    stage.world.fault = 'the disk is full'
    stage.world.broken = ['crm']
    const messages = await sentBy(loop, at, at + MINUTE)
    expect(messages).toHaveLength(2)
    expect(Object.fromEntries(messages.map(({ rule, text }) => [rule, text]))).toEqual({
      reconnect: 'The connection crm must be connected again',
      storage: 'The database is in trouble: the disk is full',
    })
    stage.world.broken = ['crm', 'shop', 'mail']
    const [digest] = await sentBy(loop, at + 2 * MINUTE, at + WINDOW)
    expect(digest).toMatchObject({ digest: true, count: 2 })
    expect(digest!.items.map(({ link }) => link)).toEqual([
      'https://flows.example.com/connections/shop',
      'https://flows.example.com/connections/mail',
    ])
    stage.world.fault = null
    stage.world.broken = []
  })

  it('tell of a schedule that is late or missed times, not of a paused flow', async () => {
    const loop = await afresh({ rule: 'schedule_late' }, { rule: 'schedule_late', seconds: 600 })
    const at = stage.world.now
    const [late, missed, paused] = [await stage.flow(), await stage.flow(), await stage.flow()]
    const planned = (flow_id: string, runs_at: number, left: number) =>
      stage.kysely
        .insertInto('schedule')
        .values({
          flow_id,
          version: 1,
          settings: '{}',
          next_at: runs_at,
          runs_at,
          previous_at: null,
          since: at,
          missed: left,
        })
        .execute()
    await planned(late, at, 0)
    await planned(paused, at, 0)
    await stage.kysely.updateTable('flow').set({ paused_at: at }).where('id', '=', paused).execute()
    expect(await sentBy(loop, at + 60 * SECOND)).toEqual([])
    const first = await sentBy(loop, at + 61 * SECOND, at + 90 * SECOND)
    expect(first).toMatchObject([{ text: 'A planned run of "Nightly" is late', flow: { id: late } }])
    expect(first[0]!.link).toBe(`https://flows.example.com/flows/${late}?trigger=true`)
    expect(await sentBy(loop, at + 601 * SECOND)).toMatchObject([{ flow: { id: late } }])
    await planned(missed, at + 10 * HOUR, 3)
    const told = await sentBy(loop, at + 700 * SECOND, at + HOUR)
    expect(told.map(({ text }) => text)).toEqual(Array(2).fill('3 times: "Nightly" missed 3 of its planned times'))
    await stage.kysely.deleteFrom('schedule').execute()
  })

  it('send a digest after the window, with the counts of what came meanwhile', async () => {
    const loop = await afresh({ rule: 'failures', count: 1, minutes: 5 })
    const at = stage.world.now
    const [one, other] = [await stage.flow(), await stage.flow()]
    for (let i = 0; i < 3; i++) await stage.ended(one, 'failed')
    await stage.ended(other, 'failed')
    // The first is told at once; the rest waits, and grows.
    expect(await sentBy(loop, at)).toMatchObject([{ count: 1, digest: false, flow: { id: one } }])
    for (let i = 0; i < 2; i++) await stage.ended(one, 'failed')
    expect(await sentBy(loop, at + MINUTE, at + WINDOW - 1)).toEqual([])
    const [digest] = await sentBy(loop, at + WINDOW, at + WINDOW + MINUTE)
    expect(digest).toMatchObject({ digest: true, count: 5 })
    const counts = digest!.items.map(({ flow, count }) => [flow!.id, count])
    expect(new Map(counts as [string, number][])).toEqual(
      new Map([
        [one, 4],
        [other, 1],
      ]),
    )
    // After a window without anything, the next is told at once again.
    await stage.ended(other, 'failed')
    expect(await sentBy(loop, at + 3 * WINDOW)).toMatchObject([{ digest: false }])
  })

  it('try a message again within a minute, then at growing intervals for a day, and give it up', async () => {
    const loop = await afresh({ rule: 'storage' })
    const at = stage.world.now
    stage.world.status = 500
    stage.world.fault = 'x'
    const attempts = await sentBy(loop, at)
    for (;;) {
      const waiting = await stage.kysely.selectFrom('alert_message').select('due_at').executeTakeFirst()
      if (!waiting) break
      expect(await sentBy(loop, waiting.due_at - 1)).toEqual([])
      attempts.push(...(await sentBy(loop, waiting.due_at)))
    }
    stage.world.fault = null
    stage.world.status = 200
    const times = attempts.map(({ sentAt }) => sentAt - at)
    const gaps = times.slice(1).map((time, i) => time - times[i]!)
    expect(gaps[0]).toBeLessThanOrEqual(MINUTE)
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b))
    expect(gaps.at(-1)).toBe(HOUR)
    expect(times.at(-1)).toBeGreaterThan(24 * HOUR)
    expect(times.at(-2)).toBeLessThanOrEqual(24 * HOUR)
    expect(new Set(attempts.map(({ id }) => id)).size).toBe(1)
    const [alert] = await stage.alertStore.list()
    expect(alert).toMatchObject({ sentAt: null, problem: 'The webhook answered with status 500. It was given up.' })
  })

  it('are sent once by two processes that look at the same time', async () => {
    const loop = await afresh({ rule: 'first_failure' }, { rule: 'recovered' })
    const loops = [loop, await stage.loopOf()]
    const flow = await stage.flow()
    const before = stage.world.sent.length
    for (let round = 0; round < 5; round++) {
      stage.world.now += HOUR
      await stage.ended(flow, 'failed')
      await Promise.all(loops.map((one) => one.look()))
      stage.world.now += SECOND
      await stage.ended(flow, 'succeeded')
      await Promise.all(loops.map((one) => one.look()))
      await Promise.all(loops.map((one) => one.look()))
    }
    const sent = stage.world.sent.slice(before).map(({ rule }) => rule)
    expect(sent).toEqual(Array(5).fill(['first_failure', 'recovered']).flat())
  })

  it('forget what they have seen when they are changed or deleted', async () => {
    const loop = await afresh({ rule: 'storage' })
    stage.world.fault = 'x'
    await sentBy(loop, stage.world.now)
    const own = async () => [...(await stage.alertStore.states()).keys()].filter((key) => key.startsWith('storage:'))
    expect(await own()).toHaveLength(1)
    const [alert] = await stage.alertStore.list()
    expect(await stage.alertStore.update({ ...alert!, rule: 'reconnect' })).toBe(true)
    expect(await own()).toEqual([])
    expect(await stage.alertStore.update({ ...alert!, id: 'alr_none' })).toBe(false)
    stage.world.fault = null
  })
})
