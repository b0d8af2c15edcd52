// Adds up what was counted of failures: its rows go into those of the groups.
import { type Kysely, sql, type Transaction } from 'kysely'
import { KEPT_FAILURE_HOURS, KEPT_FAILURE_VERSIONS } from '../../../operations/ports/failures.ts'
import { isPostgres } from '../../rows/dialect.ts'
import { NO_VERSION } from '../../rows/failures/causes.ts'
import type { FailureDeltaTable, FailureTable } from '../../rows/failures/tables.ts'
import { FAILURE_DELTA_KEYS } from '../../rows/failures/tables.ts'
import type { Tables } from '../../rows/tables.ts'

/** The rows of one transaction: few enough that neither a reader nor the event loop waits for long. */
const BATCH = 200

export async function foldFailures(db: Kysely<Tables>): Promise<void> {
  for (;;) {
    // Without anything to add there is nothing to write and to sync.
    if (!(await db.selectFrom('failure_delta').select('failure').limit(1).executeTakeFirst())) return
    const folded = await db.transaction().execute(async (tx) => {
      // One process at a time: two would wait for each other's rows. A reader waits for it, to miss nothing.
      if (isPostgres(tx)) await sql`select pg_advisory_xact_lock(hashtextextended('fold-failures', 2))`.execute(tx)
      const deltas = await takeDeltas(tx)
      for (const [id, rows] of Map.groupBy(deltas, (delta) => delta.failure)) await addTo(tx, id, rows)
      return deltas.length
    })
    if (folded < BATCH) return
  }
}

/** Deletes and returns rows. The delete comes first, so that nothing is added to a row that was read. */
async function takeDeltas(tx: Transaction<Tables>): Promise<FailureDeltaTable[]> {
  const keys = sql.raw(isPostgres(tx) ? 'id' : `(${FAILURE_DELTA_KEYS.join(', ')})`)
  const chosen = sql.raw(isPostgres(tx) ? 'id' : FAILURE_DELTA_KEYS.join(', '))
  const { rows } = await sql<FailureDeltaTable>`delete from failure_delta where ${keys} in
    (select ${chosen} from failure_delta order by ${chosen} limit ${sql.lit(BATCH)}) returning *`.execute(tx)
  return rows
}

async function addTo(tx: Transaction<Tables>, id: string, deltas: readonly FailureDeltaTable[]): Promise<void> {
  const held = await tx.selectFrom('failure').selectAll().where('id', '=', id).executeTakeFirst()
  const { flow_id, step, code, status, message } = deltas[0]!
  const before: Pick<FailureTable, 'count' | 'first_at' | 'last_at' | 'latest_run' | 'state' | 'state_at'> = held ?? {
    count: 0,
    first_at: Number.POSITIVE_INFINITY,
    last_at: 0,
    latest_run: '',
    state: 'open',
    state_at: 0,
  }
  const lastAt = Math.max(before.last_at, ...deltas.map((delta) => delta.last_at))
  // A failure that comes back after it was resolved needs somebody again.
  const reopens = before.state === 'resolved' && lastAt > before.state_at
  const counted = {
    count: deltas.reduce((sum, delta) => sum + delta.count, before.count),
    first_at: Math.min(before.first_at, ...deltas.map((delta) => delta.first_at)),
    last_at: lastAt,
    latest_run: [before.latest_run, ...deltas.map((delta) => delta.run_id)].toSorted().at(-1)!,
    versions: JSON.stringify(newestVersions(held ? (JSON.parse(held.versions) as number[]) : [], deltas)),
    hours: JSON.stringify(latestHours(held ? (JSON.parse(held.hours) as [number, number][]) : [], deltas)),
    ...(reopens && { state: 'open', state_at: lastAt }),
  }
  if (held) await tx.updateTable('failure').set(counted).where('id', '=', id).execute()
  else
    await tx
      .insertInto('failure')
      .values({
        id,
        flow_id,
        step,
        code,
        status,
        message,
        state: 'open',
        state_at: counted.first_at,
        muted_until: null,
        ...counted,
      })
      .execute()
}

function newestVersions(held: readonly number[], deltas: readonly FailureDeltaTable[]): number[] {
  const versions = new Set(held)
  for (const { version } of deltas) if (version !== NO_VERSION) versions.add(version)
  return [...versions].toSorted((a, b) => b - a).slice(0, KEPT_FAILURE_VERSIONS)
}

function latestHours(
  held: readonly [number, number][],
  deltas: readonly FailureDeltaTable[],
): [hour: number, count: number][] {
  const hours = new Map(held)
  for (const { hour, count } of deltas) hours.set(hour, (hours.get(hour) ?? 0) + count)
  return [...hours].toSorted(([a], [b]) => a - b).slice(-KEPT_FAILURE_HOURS)
}
