// Finds what is past its time: by what its flow says, or else by the setting of the instance.
import { type Kysely, sql } from 'kysely'
import { idTime } from '../../../engine/ids.ts'
import type { RetentionDocument } from '../../../flow/document.ts'
import { parseJson } from '../../../flow/json/parse-json.ts'
import { INDEXED } from '../../rows/run-indexes.ts'
import type { RunTable, Tables } from '../../rows/tables.ts'

const DAY_MS = 86_400_000

/** What ended before these times is deleted. */
interface OwnTimes {
  flowId: string
  before: number
  failedBefore: number
}

export interface Times {
  /** For flows that say nothing. */
  before: number
  own: readonly OwnTimes[]
}

/** `before`: the time for flows that say nothing about it. */
export async function timesOf(db: Kysely<Tables>, before: number, now: number): Promise<Times> {
  const rows = await db.selectFrom('flow').select(['id', 'retention']).where('retention', 'is not', null).execute()
  const own = rows.flatMap(({ id, retention }): OwnTimes[] => {
    const { days, failedDays = days } = parseJson(retention!) as RetentionDocument
    if (days === undefined && failedDays === undefined) return []
    const since = (kept: number | undefined) => (kept === undefined ? before : now - kept * DAY_MS)
    return [{ flowId: id, before: since(days), failedBefore: since(failedDays) }]
  })
  return { before, own }
}

export async function expiredRuns(
  db: Kysely<Tables>,
  { before, own }: Times,
  limit: number,
): Promise<Pick<RunTable, 'id' | 'labels'>[]> {
  // An id begins with its time: the key bounds the search where finished_at has no index.
  const ended = (time: number) =>
    db
      .selectFrom('run')
      .select(['id', 'labels'])
      .where('id', '<', `run_${idTime(time)}`)
      .where('finished_at', '<', time)
      .orderBy('id')
  const of = (flowId: string, time: number) => ended(time).where('flow_id', '=', flowId)
  return taken(limit, async (take) => {
    for (const flow of own)
      if (flow.before === flow.failedBefore) await take(of(flow.flowId, flow.before))
      else {
        await take(of(flow.flowId, flow.failedBefore).where('status', '=', 'failed').where(INDEXED.failed))
        await take(of(flow.flowId, flow.before).where('status', '!=', 'failed'))
      }
    if (!keepsLonger({ before, own })) return take(ended(before))
    for (const flowId of await othersIn(db, 'run', own)) await take(of(flowId, before))
  })
}

export async function expiredRows(
  db: Kysely<Tables>,
  table: 'delivery' | 'sample',
  { before, own }: Times,
  limit: number,
): Promise<string[]> {
  const prefix = { delivery: 'dlv', sample: 'smp' }[table]
  const older = (time: number) =>
    db
      .selectFrom(table)
      .select('id')
      .where('id', '<', `${prefix}_${idTime(time)}`)
      .orderBy('id')
  const rows = await taken<{ id: string }>(limit, async (take) => {
    for (const flow of own) await take(older(flow.before).where('flow_id', '=', flow.flowId))
    if (!keepsLonger({ before, own })) return take(older(before))
    for (const flowId of await othersIn(db, table, own)) await take(older(before).where('flow_id', '=', flowId))
  })
  return rows.map(({ id }) => id)
}

interface Limited<Row> {
  limit(most: number): { execute(): Promise<Row[]> }
}

/** Gathers what queries find, up to a limit. */
async function taken<Row>(
  limit: number,
  search: (take: (query: Limited<Row>) => Promise<void>) => Promise<void>,
): Promise<Row[]> {
  const found: Row[] = []
  await search(async (query) => {
    if (found.length < limit) found.push(...(await query.limit(limit - found.length).execute()))
  })
  return found
}

/**
 * Returns whether a flow keeps something longer than the others. Then a search through all flows in the order of ids would read
 * what that flow keeps each time.
 */
const keepsLonger = ({ before, own }: Times): boolean =>
  own.some((flow) => Math.min(flow.before, flow.failedBefore) < before)

/** Returns the flows that have rows and say nothing of their own, deleted ones too. The index is read once per flow. */
async function othersIn(
  db: Kysely<Tables>,
  table: 'run' | 'delivery' | 'sample',
  own: readonly OwnTimes[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`with recursive found(id) as (
      select min(flow_id) from ${sql.table(table)}
      union all
      select (select min(flow_id) from ${sql.table(table)} where flow_id > found.id) from found where found.id is not null)
    select id from found where id is not null`.execute(db)
  const said = new Set(own.map(({ flowId }) => flowId))
  return rows.map(({ id }) => id).filter((id) => !said.has(id))
}
