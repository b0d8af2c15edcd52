// Moves everything from the embedded database to PostgreSQL, unfinished runs included: all of it or nothing.
import { DatabaseRefused } from '../base/refusals.ts'
import type { FlowDocument } from '../flow/document.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import { compileTrigger } from '../flow/triggers/compile-trigger.ts'
import { sealedSize } from './files/frames.ts'
import type { FilePlace } from './files/place.ts'
import { type Columns, DATABASE_NOW, storable, unnest } from './postgres/arrays.ts'
import type { HotPool, PostgresStorage } from './postgres/database.ts'
import { createChunkPlace } from './postgres/files/chunk-place.ts'
import { HOLD, PLACE_GIVEN } from './postgres/held.ts'
import type { SqliteStorage } from './sqlite/database.ts'
import type { Session } from './sqlite/settling-database.ts'
import { addLateLabels } from './stores/runs/labelled-runs.ts'

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>

/** The rows that one statement inserts: this number, or a few of the largest. */
const ROWS = 200
const BYTES = 4_000_000

export interface Transferred {
  /** The number of rows that were moved, by table. */
  rows: Record<string, number>
  files: number
  fileBytes: number
}

/** `disk`: where the files of the embedded database are. */
export async function transfer(from: SqliteStorage, to: PostgresStorage, disk: FilePlace): Promise<Transferred> {
  const client = await to.connect({ patient: true })
  const query: Query = async <Row>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[]
  try {
    await query('begin')
    await addLateLabels(from.kysely)
    const tables = await tablesOf(query, from.raw)
    for (const { name } of tables) await requireEmpty(query, name)
    const moved: Record<string, number> = {}
    for (const { name, columns } of tables) moved[name] = await copy(query, from.raw, name, columns)
    const files = await moveFiles(query, disk)
    await putInLine(query)
    await query('commit')
    await query('analyze')
    return { rows: moved, ...files }
  } finally {
    await client.end()
  }
}

/** Copies the bytes of files, which stay encrypted as they are. Those in a bucket stay there. */
async function moveFiles(query: Query, disk: FilePlace): Promise<Pick<Transferred, 'files' | 'fileBytes'>> {
  const pool: HotPool['query'] = ({ text, values }) => query(text, values)
  const chunks = createChunkPlace({ query: pool })
  // What was on its way when the service ended is nothing that anybody waits for.
  await query(`delete from file where state <> 'stored'`)
  let files = 0
  let fileBytes = 0
  const PAGE = `select id, size from file where place = $1 and id > $2 order by id limit 200`
  for (let after = ''; ; ) {
    const page = await query<{ id: string; size: number }>(PAGE, [disk.name, after])
    for (const { id, size } of page) {
      await chunks.put(id, disk.get(id, { start: 0, end: sealedSize(size) }))
      files++
      fileBytes += size
    }
    if (page.length === 0) break
    after = page.at(-1)!.id
  }
  await query('update file set place = $1 where place = $2', [chunks.name, disk.name])
  return { files, fileBytes }
}

interface Table {
  name: string
  columns: Columns
}

/** Returns the tables and columns that both databases have; a table comes after those that it refers to. */
async function tablesOf(query: Query, raw: Session): Promise<Table[]> {
  const there = raw
    .prepare(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%'`,
    )
    .all()
    .map((row) => row['name'] as string)
  const references = await query<{ of: string; to: string }>(
    `select conrelid::regclass::text as of, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
  )
  const ordered: string[] = []
  const visit = (name: string) => {
    if (ordered.includes(name)) return
    for (const { of, to } of references) if (of === name && to !== name) visit(to)
    ordered.push(name)
  }
  for (const name of there) visit(name)
  const tables: Table[] = []
  for (const name of ordered) tables.push({ name, columns: await columnsOf(query, raw, name) })
  return tables
}

async function columnsOf(query: Query, raw: Session, table: string): Promise<Columns> {
  const types = await query<{ name: string; type: string }>(
    `select column_name as name, udt_name as type from information_schema.columns where table_schema = current_schema() and table_name = $1`,
    [table],
  )
  const typeOf = new Map(types.map(({ name, type }) => [name, type]))
  const columns: Columns = {}
  for (const { name } of raw.prepare(`PRAGMA table_info("${table}")`).all() as { name: string }[]) {
    const type = { text: 'text', int4: 'int', int8: 'bigint', bytea: 'bytea' }[typeOf.get(name) ?? '']
    if (!type) throw new Error(`the column ${table}.${name} has no counterpart in PostgreSQL`)
    columns[name] = type as Columns[string]
  }
  return columns
}

async function requireEmpty(query: Query, table: string): Promise<void> {
  const [row] = await query(`select 1 from "${table}" limit 1`)
  if (row)
    throw new DatabaseRefused(
      `The database of DATABASE_URL is in use already: its table ${table} is not empty. Give the name of a new database. Nothing was changed.`,
    )
}

async function copy(query: Query, raw: Session, table: string, columns: Columns): Promise<number> {
  const names = Object.keys(columns)
    .map((name) => `"${name}"`)
    .join(', ')
  const insert = `insert into "${table}" (${names}) select ${names} from ${unnest('given', columns)}`
  let count = 0
  let rows: Record<string, unknown>[] = []
  let bytes = 0
  const flush = async () => {
    if (rows.length === 0) return
    await query(
      insert,
      Object.keys(columns).map((name) => rows.map((row) => storable(row[name]))),
    )
    count += rows.length
    rows = []
    bytes = 0
  }
  for (const row of raw.prepare(`SELECT ${names} FROM "${table}"`).iterate() as Iterable<Record<string, unknown>>) {
    rows.push(row)
    for (const value of Object.values(row)) bytes += sizeOf(value)
    if (rows.length >= ROWS || bytes > BYTES) await flush()
  }
  await flush()
  return count
}

function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length
  return value instanceof Uint8Array ? value.length : 8
}

/** The condition that a run waits for a callback, and so holds no place. */
const AWAITS = `(status = 'waiting' and exists (select 1 from step where run_id = run.id and step.status = 'waiting'
  and step.outcome = 'callback'))`

/** Queues unfinished runs as a start on the embedded database does, each flow within its limit. */
async function putInLine(query: Query): Promise<void> {
  const waits = `case when status = 'waiting' then resume_at else ${DATABASE_NOW} end`
  await query(
    `update run set due_at = ${waits}, attempt = attempt + case when status = 'running' then 1 else 0 end where finished_at is null`,
  )
  const versions = await query<{ flow_id: string; version: number; document: string }>(
    `select flow_id, version, document from flow_version where (flow_id, version) in
       (select flow_id, version from run where finished_at is null)`,
  )
  for (const { flow_id, version, document } of versions) {
    const { concurrency } = compileTrigger((parseJson(document) as FlowDocument).trigger)
    if (concurrency === null) continue
    // A run that has begun keeps its place; the others wait in line, where the next process finds them.
    await query(
      `update run set at_once = $3, placed = case when status = 'queued' then 0 when ${AWAITS} then ${PLACE_GIVEN} else 1 end,
         due_at = case when status = 'queued' or ${AWAITS} then null else due_at end
       where flow_id = $1 and version = $2 and finished_at is null`,
      [flow_id, version, concurrency],
    )
  }
  await query(`${HOLD} and flow_id in (select id from flow where paused_at is not null)`)
}
