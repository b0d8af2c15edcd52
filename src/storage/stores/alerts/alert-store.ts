// Stores alerts, with their secrets sealed, and the messages that wait to be sent.
import type { Kysely, Transaction } from 'kysely'
import { parseJson } from '../../../flow/json/parse-json.ts'
import type {
  AlertBody,
  AlertEvent,
  AlertItem,
  AlertMessage,
  AlertRecord,
  AlertStore,
  AlertTarget,
} from '../../../operations/ports/alerts/alerts.ts'
import type { Sealing } from '../../../operations/ports/secrets.ts'
import type { AlertMessageTable, AlertTable } from '../../rows/alerts/tables.ts'
import { alertBinding } from '../../rows/bindings.ts'
import { alone } from '../../rows/dialect.ts'
import type { Tables } from '../../rows/tables.ts'

/** A digest tells of this many flows or connections one by one. */
const MOST_ITEMS = 20

const toMessage = (row: AlertMessageTable): AlertMessage => ({
  id: row.id,
  alertId: row.alert_id,
  body: parseJson(row.body) as AlertBody,
  attempts: row.attempts,
  createdAt: row.created_at,
  dueAt: row.due_at,
})

/** Adds an item to a digest: items of the same flow, or with the same note, are counted together. */
function withItem(body: AlertBody, item: AlertItem): AlertBody {
  const same = (one: AlertItem) => (item.flowId === null ? one.note === item.note : one.flowId === item.flowId)
  const known = body.items.find(same)
  const others = body.items.filter((one) => one !== known)
  const merged = { ...item, count: item.count + (known?.count ?? 0) }
  const items = known || others.length < MOST_ITEMS ? [...others, merged] : others
  return { ...body, count: body.count + item.count, items }
}

export function createAlertStore(db: Kysely<Tables>, sealing: Sealing): AlertStore {
  const toRecord = (row: AlertTable): AlertRecord => ({
    id: row.id,
    rule: row.rule as AlertRecord['rule'],
    ...(parseJson(row.limits) as object),
    flowId: row.flow_id,
    tag: row.tag,
    target: parseJson(row.target) as AlertTarget,
    secret: row.sealed === null ? null : sealing.unseal(row.sealed, alertBinding(row.id)),
    createdAt: row.created_at,
    sentAt: row.sent_at,
    problem: row.problem,
  })

  const said = ({ id, rule, flowId, tag, target, secret, problem, count, minutes, seconds }: AlertRecord) => ({
    rule,
    limits: JSON.stringify({ count, minutes, seconds }),
    flow_id: flowId,
    tag,
    target: JSON.stringify(target),
    sealed: secret === null ? null : sealing.seal(secret, alertBinding(id)),
    problem,
  })

  return {
    async list() {
      const rows = await db.selectFrom('alert').selectAll().orderBy('id').execute()
      return rows.map(toRecord)
    },

    async create(alert) {
      const { id, createdAt } = alert
      const start = { id, quiet_until: 0, created_at: createdAt, sent_at: null }
      await db
        .insertInto('alert')
        .values({ ...start, ...said(alert) })
        .execute()
    },

    update: (alert) =>
      db.transaction().execute(async (tx) => {
        const query = tx.updateTable('alert').set(said(alert)).where('id', '=', alert.id)
        const { numUpdatedRows } = await query.executeTakeFirst()
        await forget(tx, alert.id)
        return Number(numUpdatedRows) === 1
      }),

    remove: (id) =>
      db.transaction().execute(async (tx) => {
        const { numDeletedRows } = await tx.deleteFrom('alert').where('id', '=', id).executeTakeFirst()
        await forget(tx, id)
        return Number(numDeletedRows) === 1
      }),

    states: () => statesIn(db),

    events: (limit) => eventsIn(db, limit),

    settle: (given, decide, at) =>
      db.transaction().execute(async (tx) => {
        if (!(await alone(tx, 'alerts'))) return false
        const there = await presentOf(tx, given)
        const events = given.filter(({ id }) => there.has(id))
        const { states, raised } = decide(events, await statesIn(tx))
        for (const [subject, value] of states)
          if (value === null) await tx.deleteFrom('alert_state').where('subject', '=', subject).execute()
          else
            await tx
              .insertInto('alert_state')
              .values({ subject, value })
              .onConflict((conflict) => conflict.column('subject').doUpdateSet({ value }))
              .execute()
        for (const [id, some] of Map.groupBy(raised, ({ alertId }) => alertId))
          await raise(
            tx,
            id,
            some.map(({ item }) => item),
            at,
          )
        const ids = events.map(({ id }) => id)
        if (ids.length) await tx.deleteFrom('alert_event').where('id', 'in', ids).execute()
        return true
      }),

    async lateSchedules(before) {
      const rows = await db
        .selectFrom('schedule')
        .innerJoin('flow', 'flow.id', 'schedule.flow_id')
        .select(['schedule.flow_id', 'schedule.runs_at', 'schedule.missed'])
        .where('flow.paused_at', 'is', null)
        .where((eb) => eb.or([eb('schedule.runs_at', '<', before), eb('schedule.missed', '>', 0)]))
        .limit(1_000)
        .execute()
      return rows.map((row) => ({ flowId: row.flow_id, runsAt: row.runs_at, missed: row.missed }))
    },

    async due(now, limit) {
      const query = db.selectFrom('alert_message').selectAll().where('due_at', '<=', now).orderBy('due_at')
      return (await query.limit(limit).execute()).map(toMessage)
    },

    async take({ id, attempts, dueAt }, until) {
      const { numUpdatedRows } = await db
        .updateTable('alert_message')
        .set({ attempts: attempts + 1, due_at: until })
        .where('id', '=', id)
        .where('attempts', '=', attempts)
        .where('due_at', '=', dueAt)
        .executeTakeFirst()
      return Number(numUpdatedRows) === 1
    },

    done: ({ id, alertId }, at, problem) =>
      db.transaction().execute(async (tx) => {
        await tx.deleteFrom('alert_message').where('id', '=', id).execute()
        const change = problem === null ? { sent_at: at, problem } : { problem }
        await tx.updateTable('alert').set(change).where('id', '=', alertId).execute()
      }),

    postpone: ({ id, alertId }, until, problem) =>
      db.transaction().execute(async (tx) => {
        await tx.updateTable('alert_message').set({ due_at: until }).where('id', '=', id).execute()
        await tx.updateTable('alert').set({ problem }).where('id', '=', alertId).execute()
      }),
  }
}

/** Deletes what an alert has seen: a state belongs to a rule and an alert. */
async function forget(tx: Transaction<Tables>, id: string): Promise<void> {
  await tx.deleteFrom('alert_state').where('subject', 'like', `%:${id}:%`).execute()
}

async function statesIn(db: Kysely<Tables>): Promise<Map<string, string>> {
  const rows = await db.selectFrom('alert_state').selectAll().execute()
  return new Map(rows.map(({ subject, value }) => [subject, value]))
}

/** Returns which of the events no process has looked at yet. */
async function presentOf(tx: Kysely<Tables>, events: readonly AlertEvent[]): Promise<Set<string>> {
  if (events.length === 0) return new Set()
  const ids = events.map(({ id }) => id)
  const rows = await tx.selectFrom('alert_event').select('id').where('id', 'in', ids).execute()
  return new Set(rows.map(({ id }) => id))
}

async function eventsIn(db: Kysely<Tables>, limit: number): Promise<AlertEvent[]> {
  const rows = await db.selectFrom('alert_event').selectAll().orderBy('at').orderBy('id').limit(limit).execute()
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind as AlertEvent['kind'],
    flowId: row.flow_id,
    runId: row.run_id,
    at: row.at,
    code: row.code,
  }))
}

/** Adds to the digest that waits, or makes messages: one for now, and for the rest a digest when the window has passed. */
async function raise(
  tx: Transaction<Tables>,
  alertId: string,
  items: readonly AlertItem[],
  { now, windowMs, nextId }: { now: number; windowMs: number; nextId(): string },
): Promise<void> {
  const alert = await tx.selectFrom('alert').select('quiet_until').where('id', '=', alertId).executeTakeFirst()
  if (!alert) return
  const waiting = await tx
    .selectFrom('alert_message')
    .selectAll()
    .where('alert_id', '=', alertId)
    .where('attempts', '=', 0)
    .where('due_at', '>', now)
    .executeTakeFirst()
  if (waiting) {
    const { numUpdatedRows } = await tx
      .updateTable('alert_message')
      .set({ body: JSON.stringify(items.reduce(withItem, toMessage(waiting).body)) })
      .where('id', '=', waiting.id)
      .where('attempts', '=', 0)
      .executeTakeFirst()
    if (Number(numUpdatedRows) === 1) return
  }
  let quietUntil = alert.quiet_until
  let left = items
  const add = async (digest: boolean, some: readonly AlertItem[]) => {
    const dueAt = digest ? quietUntil : now
    const body = some.reduce(withItem, { digest, since: some[0]!.at, count: 0, items: [] })
    const message = { id: nextId(), alert_id: alertId, body: JSON.stringify(body), attempts: 0 }
    await tx
      .insertInto('alert_message')
      .values({ ...message, created_at: now, due_at: dueAt })
      .execute()
    quietUntil = dueAt + windowMs
  }
  if (now >= quietUntil) {
    await add(false, left.slice(0, 1))
    left = left.slice(1)
  }
  if (left.length) await add(true, left)
  await tx.updateTable('alert').set({ quiet_until: quietUntil }).where('id', '=', alertId).execute()
}
