// Writes rows in bulk as the service would write them: rows that the service wrote serve as the pattern.
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { createIds } from '../src/engine/ids.ts'

const PER_TRANSACTION = 50_000

type Row = Record<string, SQLInputValue>

/** Returns an id with another end and the same length. */
const ending = (id: SQLInputValue, tail: string): string => (id as string).slice(0, -tail.length) + tail

export const openDatabase = (dataDir: string): DatabaseSync => new DatabaseSync(join(dataDir, 'millrace.db'))

export interface Finished {
  count: number
  /** The start times of the first and the last run. */
  fromMs: number
  toMs: number
  /** The runs that serve as patterns, and which one serves for the n-th run. */
  patterns: string[]
  patternOf(n: number): number
}

/** Writes finished runs with their steps, in order of time. */
export function seedRuns(dataDir: string, { count, fromMs, toMs, patterns, patternOf }: Finished): void {
  const db = openDatabase(dataDir)
  db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-262144')
  let at = fromMs
  let seed = 1
  // These bytes need not be unpredictable: a simple generator will do.
  const nextByte = () => {
    seed = (seed * 48271) % 2147483647
    return seed & 255
  }
  const ids = createIds(
    () => at,
    (size) => Uint8Array.from({ length: size }, nextByte),
  )
  const templates = patterns.map((id) => ({
    run: db.prepare('SELECT * FROM run WHERE id = ?').get(id) as Row,
    steps: db.prepare('SELECT * FROM step WHERE run_id = ? ORDER BY path').all(id) as Row[],
  }))
  const insertRun = inserter(db, 'run', Object.keys(templates[0]!.run))
  const insertStep = inserter(db, 'step', Object.keys(templates[0]!.steps[0]!))
  for (let n = 0; n < count; n++) {
    if (n % PER_TRANSACTION === 0) db.exec('BEGIN')
    at = Math.floor(fromMs + ((toMs - fromMs) * n) / count)
    const { run, steps } = templates[patternOf(n)]!
    const id = ids.next('run')
    const moved = (time: SQLInputValue) => (time === null ? null : Number(time) - Number(run['created_at']) + at)
    const times = (row: Row) => ({ started_at: moved(row['started_at']!), finished_at: moved(row['finished_at']!) })
    insertRun({ ...run, id, created_at: at, ...times(run) })
    for (const step of steps) insertStep({ ...step, run_id: id, ...times(step) })
    if ((n + 1) % PER_TRANSACTION === 0 || n + 1 === count) db.exec('COMMIT')
    if ((n + 1) % 250_000 === 0) console.log(`  ${(n + 1).toLocaleString('en')} runs`)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}

function inserter(db: DatabaseSync, table: string, columns: string[]): (row: Row) => void {
  const statement = db.prepare(`INSERT INTO ${table} (${columns.join()}) VALUES (${columns.map(() => '?').join()})`)
  return (row) => void statement.run(...columns.map((column) => row[column]!))
}

/** Publishes a flow `count` more times, each with its own webhook. */
export function seedFlows(dataDir: string, flowId: string, count: number): void {
  const db = openDatabase(dataDir)
  db.exec('PRAGMA synchronous=OFF; BEGIN')
  const flow = db.prepare('SELECT * FROM flow WHERE id = ?').get(flowId) as Row
  const version = db.prepare('SELECT * FROM flow_version WHERE flow_id = ?').get(flowId) as Row
  const insertFlow = inserter(db, 'flow', Object.keys(flow))
  const insertVersion = inserter(db, 'flow_version', Object.keys(version))
  for (let n = 0; n < count; n++) {
    const tail = String(n).padStart(8, '0')
    const id = ending(flow['id']!, tail)
    insertFlow({ ...flow, id, name: `Flow ${tail}`, webhook_id: ending(flow['webhook_id']!, tail) })
    insertVersion({ ...version, flow_id: id })
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
}
