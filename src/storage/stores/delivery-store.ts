// The inbox: a delivery that started no run has its own row, and an accepted one is read from its run.
import { type Kysely, sql } from 'kysely'
import { deliveryIdOf, idTime, runIdOf } from '../../engine/ids.ts'
import { EVENT_LABEL } from '../../flow/triggers/labels.ts'
import type { DeliveryFilter, DeliveryRecord, DeliveryStore, ShownWebhook } from '../../operations/ports/deliveries.ts'
import type { Page } from '../../operations/ports/page.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { bytesUpTo, fittingOf, UNBOUNDED, upTo } from '../rows/bounded.ts'
import { paged, someOf } from '../rows/paged.ts'
import { fromBoundedColumns, keptRequest } from '../rows/request-columns.ts'
import { labelsIn } from '../rows/run-rows.ts'
import type { DeliveryTable, RunTable, Tables } from '../rows/tables.ts'
import { labelled } from './runs/labelled-runs.ts'

const INBOX = [
  'id',
  'flow_id',
  'outcome',
  'code',
  'message',
  'status',
  'run_id',
  'received_at',
  'body_kept',
  'event',
] as const
const ACCEPTED = ['id', 'flow_id', 'created_at', 'reply_status', 'labels'] as const

type Entry = Omit<DeliveryRecord, 'webhook'>

/** Word for word as in the indexes: a database uses them only for these conditions. */
const TRIMMED = [sql<boolean>`outcome = 'rejected'`, sql<boolean>`outcome = 'handshake'`]
const KEPT = sql<boolean>`body_kept = 1`
const NO_BODY = { body_kept: null, sealed: null, raw_body: new Uint8Array() }

export function createDeliveryStore(db: Kysely<Tables>, protect: Protect): Omit<DeliveryStore, 'add'> {
  const accepted = () =>
    db.selectFrom('run').where('test', '=', 0).where('replay_of', 'is', null).where('trigger', 'is', null)

  /** Returns the requests of these entries. */
  const webhooksOf = async (entries: Entry[], maxBytes: number): Promise<Map<string, ShownWebhook>> => {
    const body = upTo<Uint8Array>('raw_body', maxBytes).as('raw_body')
    const runIds = entries.flatMap(({ outcome, runId }) => (outcome === 'accepted' ? [runId!] : []))
    const others = entries.flatMap(({ outcome, id }) => (outcome === 'accepted' ? [] : [id]))
    const ofRuns = db.selectFrom('run').select(['id', 'request', body, 'erased']).where('id', 'in', runIds)
    const ofOthers = db.selectFrom('delivery').select(['id', 'request', body]).where('id', 'in', others)
    const rows = [
      ...(runIds.length ? await ofRuns.execute() : []).map((row) => ({ ...row, id: deliveryIdOf(row.id) })),
      ...(others.length ? await ofOthers.execute() : []).map((row) => ({ ...row, erased: null })),
    ]
    return new Map(
      rows.map((row) => {
        const webhook = fromBoundedColumns(row)
        return [row.id, row.erased === null ? webhook : { ...webhook, dataDeleted: true }]
      }),
    )
  }

  /** Returns one row more than the page holds, each with the bytes that its request takes. */
  const entriesOf = async (filter: DeliveryFilter, { limit, cursor }: Page, maxBytes: number) => {
    const { flowId, outcome, event = null, among = null } = filter
    const labels = event === null ? filter.labels : { ...filter.labels, [EVENT_LABEL]: event }
    const bytes = bytesUpTo(['request', 'raw_body'], maxBytes)
    let others = db
      .selectFrom('delivery')
      .select([...INBOX, bytes.as('bytes')])
      .orderBy('id', 'desc')
      .limit(limit + 1)
    const anyRuns = accepted()
      .select([...ACCEPTED, bytes.as('bytes')])
      .limit(limit + 1)
    const { query: found, id } = await labelled(db, anyRuns, { labels, flowId })
    let runs = found
    if (flowId) others = others.where('flow_id', '=', flowId)
    if (outcome) others = others.where('outcome', '=', outcome)
    if (among) {
      others = others.where('flow_id', 'in', someOf(among))
      runs = runs.where('run.flow_id', 'in', someOf(among))
    }
    if (event !== null) others = others.where('event', '=', event)
    if (cursor) {
      others = others.where('id', '<', cursor)
      runs = runs.where(id, '<', runIdOf(cursor))
    }
    const [otherRows, runRows] = await Promise.all([
      // Only what started a run has labels.
      outcome === 'accepted' || filter.labels ? [] : others.execute(),
      outcome === null || outcome === 'accepted' ? runs.execute() : [],
    ])
    return [
      ...otherRows.map((row) => ({ entry: toOther(row), bytes: row.bytes })),
      ...runRows.map((row) => ({ entry: toAccepted(row), bytes: row.bytes })),
    ]
      .sort((a, b) => (a.entry.id < b.entry.id ? 1 : -1))
      .slice(0, limit + 1)
  }

  return {
    async get(id, maxBodyBytes = UNBOUNDED) {
      const other = await db.selectFrom('delivery').select(INBOX).where('id', '=', id).executeTakeFirst()
      const run = other ? null : await accepted().select(ACCEPTED).where('id', '=', runIdOf(id)).executeTakeFirst()
      const entry = other ? toOther(other) : run ? toAccepted(run) : null
      const webhook = entry && (await webhooksOf([entry], maxBodyBytes)).get(entry.id)
      return webhook ? { ...entry, webhook } : null
    },

    async body(id) {
      const other = await db.selectFrom('delivery').select('raw_body').where('id', '=', id).executeTakeFirst()
      const row = other ?? (await accepted().select('raw_body').where('id', '=', runIdOf(id)).executeTakeFirst())
      return row?.raw_body ?? null
    },

    async trimRejected(flowId, keep) {
      for (const trimmed of TRIMMED) {
        const rows = db.selectFrom('delivery').select('id').where('flow_id', '=', flowId).where(trimmed)
        const first = await rows.orderBy('id', 'desc').offset(keep).limit(1).executeTakeFirst()
        if (first)
          await db
            .deleteFrom('delivery')
            .where('id', 'in', rows.where('id', '<=', first.id))
            .execute()
      }
    },

    async trimBodies(flowId, keep) {
      const kept = db.selectFrom('delivery').select('id').where('flow_id', '=', flowId).where(KEPT)
      const first = await kept.orderBy('id', 'desc').offset(keep).limit(1).executeTakeFirst()
      if (first)
        await db
          .updateTable('delivery')
          .set(NO_BODY)
          .where('id', 'in', kept.where('id', '<=', first.id))
          .execute()
    },

    async deleteBodies(before) {
      // An id begins with its time.
      const { numUpdatedRows } = await db
        .updateTable('delivery')
        .set(NO_BODY)
        .where(KEPT)
        .where('id', '<', `dlv_${idTime(before)}`)
        .executeTakeFirst()
      return Number(numUpdatedRows)
    },

    async keptRequest(id) {
      const row = await db
        .selectFrom('delivery')
        .select(['id', 'request', 'raw_body', 'sealed'])
        .where('id', '=', id)
        .where(KEPT)
        .executeTakeFirst()
      return row ? keptRequest(row, protect) : null
    },

    async leadTo(id, runId, instead = null) {
      let update = db.updateTable('delivery').set({ run_id: runId }).where('id', '=', id)
      update = instead === null ? update.where('run_id', 'is', null) : update.where('run_id', '=', instead)
      await update.execute()
      const row = await db.selectFrom('delivery').select('run_id').where('id', '=', id).executeTakeFirst()
      return row?.run_id ?? null
    },

    async inbox(filter, page) {
      const rows = await entriesOf(filter, page, 0)
      return paged(
        rows,
        page.limit,
        ({ entry }) => entry.id,
        ({ entry }) => entry,
      )
    },

    async list(filter, page, maxBytes = UNBOUNDED) {
      const rows = await entriesOf(filter, page, maxBytes)
      const count = Math.min(
        fittingOf(
          rows.map(({ bytes }) => bytes),
          maxBytes,
        ),
        page.limit,
      )
      const shown = rows.slice(0, count).map(({ entry }) => entry)
      const webhooks = await webhooksOf(shown, maxBytes)
      return {
        // An entry may have been deleted since it was listed.
        items: shown.flatMap((entry) => {
          const webhook = webhooks.get(entry.id)
          return webhook ? { ...entry, webhook } : []
        }),
        nextCursor: rows.length > count ? shown.at(-1)!.id : null,
      }
    },
  }
}

const toOther = (row: Omit<DeliveryTable, 'request' | 'raw_body' | 'sealed'>): Entry => ({
  id: row.id,
  flowId: row.flow_id,
  receivedAt: row.received_at,
  outcome: row.outcome as DeliveryRecord['outcome'],
  code: row.code,
  message: row.message,
  status: row.status,
  runId: row.run_id,
  event: row.event,
  ...(row.body_kept === 1 && { bodyKept: true as const }),
})

const toAccepted = (row: Pick<RunTable, (typeof ACCEPTED)[number]>): Entry => ({
  id: deliveryIdOf(row.id),
  flowId: row.flow_id,
  receivedAt: row.created_at,
  outcome: 'accepted',
  code: null,
  message: null,
  status: row.reply_status,
  runId: row.id,
  event: labelsIn(row)?.[EVENT_LABEL] ?? null,
})
