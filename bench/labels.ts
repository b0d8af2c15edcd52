// Measures how long runs are looked for by their labels among a million: node bench/labels.ts [runs]. It fills the tables by SQL,
// on the embedded database and on PostgreSQL, and asks the stores as the API does. The processor time is that of this process, which
// has the embedded database in it: other work on the machine hardly changes it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Kysely, sql } from 'kysely'
import pg from 'pg'
import { openPostgres } from '../src/storage/postgres/database.ts'
import type { Tables } from '../src/storage/rows/tables.ts'
import { openSqlite } from '../src/storage/sqlite/database.ts'
import { createDeliveryStore } from '../src/storage/stores/delivery-store.ts'
import { createRunStore } from '../src/storage/stores/run-store.ts'
import { startDatabases } from '../test/harness/postgres.ts'

const RUNS = Number(process.argv[2] ?? 1_000_000)
const ROUNDS = 50
const PAGE = { limit: 50, cursor: null }
const ANY = { flowId: null, status: null, since: null, until: null }

/** Run `n` has the order `n`, one of 7 regions, one of 1,000 customers, and one in 500 failed. */
async function fillTables(execute: (statement: string) => unknown, numbers: string, padded: string): Promise<void> {
  const id = `'run_' || ${padded}`
  await execute(`insert into run (id, flow_id, version, status, test, epoch, attempt, hops, request, raw_body, created_at,
      started_at, finished_at, labels)
    select ${id}, 'flow_' || (n % 20), 1, case when n % 500 = 0 then 'failed' else 'succeeded' end, 0, 1, 1, 0, '{}', '{}', n, n, n,
      '{"order":"' || n || '","region":"r' || (n % 7) || '","customer":"c' || (n % 1000) || '"}' from ${numbers}`)
  for (const [name, value] of [
    ['order', `'' || n`],
    ['region', `'r' || (n % 7)`],
    ['customer', `'c' || (n % 1000)`],
  ])
    await execute(`insert into run_label (value, name, run_id) select ${value}, '${name}', ${id} from ${numbers}`)
}

async function measure(name: string, db: Kysely<Tables>): Promise<void> {
  const runs = createRunStore(db)
  const deliveries = createDeliveryStore(db, null as never)
  const list = (labels: Record<string, string>, filter: object = {}) => runs.list({ ...ANY, labels, ...filter }, PAGE)
  const questions: [string, (i: number) => Promise<unknown>][] = [
    ['nothing: the way there and back', () => sql`select 1`.execute(db)],
    ['one order', (i) => list({ order: String((i * 7919) % RUNS) })],
    ['a region, which a seventh of all has', (i) => list({ region: `r${i % 7}` })],
    ['a region of one flow', (i) => list({ region: `r${i % 7}` }, { flowId: `flow_${i % 20}` })],
    ['a region of a flow without runs', (i) => list({ region: `r${i % 7}` }, { flowId: 'flow_none' })],
    ['a region, failed', (i) => list({ region: `r${i % 7}` }, { status: 'failed' })],
    ['a customer and a region', (i) => list({ customer: `c${i % 1000}`, region: `r${i % 7}` })],
    ['no such order', () => list({ order: 'none' })],
    [
      'deliveries of a customer',
      (i) => deliveries.inbox({ flowId: null, outcome: null, labels: { customer: `c${i}` } }, PAGE),
    ],
    ['search by the beginning of a value', (i) => runs.labelsLike(String(i + 1), 8)],
  ]
  for (const [question, ask] of questions) {
    const times: number[] = []
    const cpu = process.cpuUsage()
    for (let i = 0; i < ROUNDS; i++) {
      const begun = performance.now()
      await ask(i)
      times.push(performance.now() - begun)
    }
    const { user, system } = process.cpuUsage(cpu)
    times.sort((a, b) => a - b)
    const [p50, p95, worst] = [0.5, 0.95, 1].map((part) => times[Math.ceil(part * ROUNDS) - 1]!.toFixed(2))
    console.log(
      `${name.padEnd(11)} ${question.padEnd(38)} p50 ${p50} ms, p95 ${p95} ms, worst ${worst} ms; processor ${((user + system) / 1000 / ROUNDS).toFixed(2)} ms`,
    )
  }
}

const folder = mkdtempSync(join(tmpdir(), 'millrace-labels-'))
const sqlite = await openSqlite(folder)
await fillTables(
  (statement) => sqlite.raw.exec(statement),
  `(with recursive number(n) as (select 0 union all select n + 1 from number where n + 1 < ${RUNS}) select n from number)`,
  `printf('%026d', n)`,
)
await measure('SQLite', sqlite.kysely)
await sqlite.close()
rmSync(folder, { recursive: true })

const databases = await startDatabases()
const url = await databases.create()
const postgres = await openPostgres(url)
// The service ends statements that take long; filling takes long.
const client = new pg.Client(url)
await client.connect()
await fillTables(
  (statement) => client.query(statement),
  `generate_series(0, ${RUNS - 1}) as n`,
  `lpad(n::text, 26, '0')`,
)
await client.query('vacuum analyze')
await client.end()
await measure('PostgreSQL', postgres.kysely)
await postgres.close()
await databases.stop()
