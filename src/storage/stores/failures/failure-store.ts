// Reads the groups of failures and changes their states.
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely'
import type { Labels } from '../../../flow/triggers/labels.ts'
import type { FailureRecord, FailureState, FailureStore } from '../../../operations/ports/failures.ts'
import type { FailureTable } from '../../rows/failures/tables.ts'
import { paged, someOf } from '../../rows/paged.ts'
import type { Tables } from '../../rows/tables.ts'
import { addLateLabels, hasLabels } from '../runs/labelled-runs.ts'
import { foldFailures } from './fold-failures.ts'

export function createFailureStore(db: Kysely<Tables>): FailureStore {
  return {
    settle: () => foldFailures(db),

    async list({ flowId, state, labels, among = null }, { limit, cursor }, now) {
      let query = db
        .selectFrom('failure')
        .selectAll()
        .orderBy('last_at', 'desc')
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (flowId) query = query.where('flow_id', '=', flowId)
      if (among) query = query.where('flow_id', 'in', someOf(among))
      if (state) query = query.where((eb) => isIn(eb, state, now))
      if (labels) {
        await addLateLabels(db)
        query = query.where('id', 'in', failuresLabelled(db, labels))
      }
      const after = cursor === null ? null : positionOf(cursor)
      if (after)
        query = query.where((eb) =>
          eb.or([
            eb('last_at', '<', after.lastAt),
            eb.and([eb('last_at', '=', after.lastAt), eb('id', '<', after.id)]),
          ]),
        )
      return paged(await query.execute(), limit, cursorOf, (row) => toFailure(row, now))
    },

    async get(id, now) {
      const row = await db.selectFrom('failure').selectAll().where('id', '=', id).executeTakeFirst()
      return row ? toFailure(row, now) : null
    },

    async setState(id, state, at, mutedUntil) {
      const { numUpdatedRows } = await db
        .updateTable('failure')
        .set({ state, state_at: at, muted_until: mutedUntil })
        .where('id', '=', id)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },

    async countOpen(now, most) {
      const open = db
        .selectFrom('failure')
        .select('id')
        .where((eb) => isIn(eb, 'open', now))
        .limit(most)
      const { rows } = await sql<{ groups: number }>`select count(*) as groups from (${open}) as those`.execute(db)
      return Number(rows[0]!.groups)
    },

    async deleteOlderThan(before, limit) {
      const old = db.selectFrom('failure').select('id').where('last_at', '<', before).orderBy('last_at').limit(limit)
      const { numDeletedRows } = await db.deleteFrom('failure').where('id', 'in', old).executeTakeFirst()
      return Number(numDeletedRows)
    },
  }
}

/** Returns the query of the groups with a run that has all of the labels. The first one leads: groups are many, and so are runs. */
function failuresLabelled(db: Kysely<Tables>, labels: Labels) {
  const [[name, value] = ['', ''], ...others] = Object.entries(labels)
  return db
    .selectFrom('run_label as leading')
    .innerJoin('run', 'run.id', 'leading.run_id')
    .select((eb) => eb.ref('run.failure').$notNull().as('failure'))
    .where('leading.value', '=', value)
    .where('leading.name', '=', name)
    .where('run.failure', 'is not', null)
    .where((eb) => hasLabels(eb as never, Object.fromEntries(others)))
}

/** The condition that a group is in the state at a time: one that was muted is open once that time has passed. */
function isIn(eb: ExpressionBuilder<Tables, 'failure'>, state: FailureState, now: number): Expression<SqlBool> {
  const isMuted = eb.and([eb('state', '=', 'muted'), eb('muted_until', '>', now)])
  if (state === 'muted') return isMuted
  if (state === 'resolved') return eb('state', '=', 'resolved')
  return eb.or([eb('state', '=', 'open'), eb.and([eb('state', '=', 'muted'), eb('muted_until', '<=', now)])])
}

const cursorOf = ({ last_at, id }: FailureTable): string => `${last_at}.${id}`

function positionOf(cursor: string): { lastAt: number; id: string } | null {
  const [lastAt, id] = cursor.split('.', 2)
  const time = Number(lastAt)
  return id === undefined || !Number.isSafeInteger(time) ? null : { lastAt: time, id }
}

function toFailure(row: FailureTable, now: number): FailureRecord {
  const isMuted = row.state === 'muted' && row.muted_until !== null && row.muted_until > now
  return {
    id: row.id,
    flowId: row.flow_id,
    step: row.step === '' ? null : row.step,
    code: row.code,
    status: row.status,
    message: row.message,
    count: row.count,
    firstAt: row.first_at,
    lastAt: row.last_at,
    versions: JSON.parse(row.versions) as number[],
    hours: JSON.parse(row.hours) as [number, number][],
    latestRun: row.latest_run,
    state: row.state === 'muted' && !isMuted ? 'open' : (row.state as FailureState),
    mutedUntil: isMuted ? row.muted_until : null,
  }
}
