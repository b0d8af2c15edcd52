// Finds runs by their labels, by whichever way reads the fewest rows.
import {
  type Expression,
  type ExpressionBuilder,
  type Kysely,
  type RawBuilder,
  type SelectQueryBuilder,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import type { RunStatus } from '../../../engine/ports/run-journal.ts'
import type { Labels } from '../../../flow/triggers/labels.ts'
import type { LabelRecord } from '../../../operations/ports/runs.ts'
import { isPostgres } from '../../rows/dialect.ts'
import { ADD_LATE_LABELS, NONE_LATE } from '../../rows/labels/late-labels.ts'
import { INDEXED } from '../../rows/run-indexes.ts'
import { labelsIn } from '../../rows/run-rows.ts'
import type { RunTable, Tables } from '../../rows/tables.ts'

/** A label of this many runs counts as common. */
const COMMON = 1_000

type Runs<O> = SelectQueryBuilder<Tables, 'run', O>

export interface Labelled {
  labels?: Labels | null | undefined
  flowId: string | null
  status?: RunStatus | null
}

/**
 * Returns the query of the runs of the flow, or of all, that have all of the labels, newest first, and the column of their ids. The
 * rarest label leads, in the order of its key. If all are common, a flow or a status that few runs have leads in its place.
 */
export async function labelled<O>(
  db: Kysely<Tables>,
  query: Runs<O>,
  { labels, flowId, status = null }: Labelled,
): Promise<{ query: Runs<O>; id: RawBuilder<string> }> {
  const own = sql.ref<string>('run.id')
  const ofFlow = flowId === null ? query : query.where('run.flow_id', '=', flowId)
  const names = Object.keys(labels ?? {})
  if (!labels || names.length === 0) return { query: ofFlow.orderBy(own, 'desc'), id: own }
  await addLateLabels(db)
  const counts = await Promise.all(names.map((name) => countUpTo(db, ofLabel(db, name, labels[name]!))))
  const fewest = Math.min(...counts)
  const isRareStatus = status !== null && INDEXED[status] !== null
  if (fewest >= COMMON && (isRareStatus || (flowId !== null && (await isSmallFlow(db, flowId)))))
    return { query: ofFlow.where((eb) => hasLabels(eb, labels)).orderBy(own, 'desc'), id: own }
  const first = names[counts.indexOf(fewest)]!
  const { [first]: value, ...others } = labels
  const id = sql.ref<string>('leading.run_id')
  // The index of flows must not lead: all runs of the flow would be read and sorted.
  const led = flowId === null ? query : query.where(sql<boolean>`coalesce(run.flow_id, '') = ${flowId}`)
  const joined = led
    .innerJoin('run_label as leading', (join) =>
      join.onRef('leading.run_id', '=', 'run.id').on('leading.value', '=', value!).on('leading.name', '=', first),
    )
    .where((eb) => hasLabels(eb as never, others))
    .orderBy(id, 'desc')
  return { query: joined as unknown as Runs<O>, id }
}

/** Completes the index of labels. Comes before each search of it, and before it is copied. */
export async function addLateLabels(db: Kysely<Tables>): Promise<void> {
  if (isPostgres(db)) return
  const late = await db.selectFrom('late_label').select('since').executeTakeFirst()
  if (!late) return
  const add = async (tx: Kysely<Tables>) => {
    await sql.raw(ADD_LATE_LABELS).execute(tx)
    await sql.raw(NONE_LATE).execute(tx)
  }
  await (db.isTransaction ? add(db) : db.transaction().execute(add))
}

const ofLabel = (db: Kysely<Tables>, name: string, value: string) =>
  db.selectFrom('run_label').select('run_id as id').where('value', '=', value).where('name', '=', name)

const isSmallFlow = async (db: Kysely<Tables>, flowId: string): Promise<boolean> =>
  (await countUpTo(db, db.selectFrom('run').select('id').where('flow_id', '=', flowId))) < COMMON

async function countUpTo<T extends keyof Tables>(
  db: Kysely<Tables>,
  rows: SelectQueryBuilder<Tables, T, { id: string }>,
): Promise<number> {
  const { count } = await db
    .selectFrom(rows.limit(COMMON).as('some'))
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** Reads the index once per label, however many runs have it. */
export async function labelsLike(db: Kysely<Tables>, beginning: string, limit: number): Promise<LabelRecord[]> {
  // No text has a character after this one.
  const end = `${beginning}\u{10ffff}`
  await addLateLabels(db)
  if (isPostgres(db)) return labelsInOneQuery(db, beginning, end, limit)
  const found: LabelRecord[] = []
  let next = sql<boolean>`value >= ${beginning}`
  while (found.length < limit) {
    const { rows } = await sql<LabelRecord>`select value, name, (select max(run_id) from run_label as newest
        where newest.value = run_label.value and newest.name = run_label.name) as "runId"
      from run_label where ${next} and value < ${end} order by value, name limit 1`.execute(db)
    const [row] = rows
    if (!row) break
    found.push({ name: row.name, value: row.value, runId: row.runId })
    next = sql<boolean>`(value, name) > (${row.value}, ${row.name})`
  }
  return found
}

/** Does the same in one query, where each query is a way to a server and back. */
async function labelsInOneQuery(
  db: Kysely<Tables>,
  beginning: string,
  end: string,
  limit: number,
): Promise<LabelRecord[]> {
  const { rows } = await sql<LabelRecord>`with recursive found(value, name, nth) as (
      (select value, name, 1 from run_label where value >= ${beginning} and value < ${end} order by value, name limit 1)
      union all
      select next.value, next.name, found.nth + 1 from found cross join lateral (
        select value, name from run_label where (value, name) > (found.value, found.name) and value < ${end}
        order by value, name limit 1) as next
      where found.nth < ${limit}::int)
    select found.name, found.value, newest.run_id as "runId" from found cross join lateral (
      select run_id from run_label where value = found.value and name = found.name order by run_id desc limit 1) as newest
    order by found.nth`.execute(db)
  return rows
}

/** Returns the condition that a run has all of these labels. */
export const hasLabels = (eb: ExpressionBuilder<Tables, 'run'>, labels: Labels): Expression<SqlBool> =>
  eb.and(
    Object.entries(labels).map(([name, value]) =>
      eb.exists(
        eb
          .selectFrom('run_label')
          .select(sql`1`.as('one'))
          .where('value', '=', value)
          .where('name', '=', name)
          .whereRef('run_label.run_id', '=', 'run.id'),
      ),
    ),
  )

/** Deletes the labels of runs that are about to be deleted. They are found by their key: no other index is needed. */
export async function deleteLabels(
  tx: Transaction<Tables>,
  runs: readonly Pick<RunTable, 'id' | 'labels'>[],
): Promise<void> {
  for (const run of runs)
    for (const [name, value] of Object.entries(labelsIn(run) ?? {}))
      await tx
        .deleteFrom('run_label')
        .where('value', '=', value)
        .where('name', '=', name)
        .where('run_id', '=', run.id)
        .execute()
}
