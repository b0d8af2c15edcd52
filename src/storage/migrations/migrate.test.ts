import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { connect } from '../sqlite/database.ts'
import { sqliteDialect } from '../sqlite/dialect.ts'
import { migrate } from './migrate.ts'

const folder = mkdtempSync(join(tmpdir(), 'millrace-migrate-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function open(file: string): DatabaseSync {
  const raw = new DatabaseSync(file)
  raw.exec('PRAGMA journal_mode=WAL')
  return raw
}

interface Named {
  name: unknown
}

const schemaOf = (raw: DatabaseSync) => [
  ...raw.prepare("select type, name, sql from sqlite_master where name not like 'sqlite_%' order by type, name").all(),
  ...raw.prepare('select name from kysely_migration order by name').all(),
]

async function migrated(file: string): Promise<unknown[]> {
  const raw = open(file)
  await migrate(connect(raw).kysely, sqliteDialect)
  const schema = schemaOf(raw)
  expect(raw.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' })
  raw.close()
  return schema
}

/** Returns the files as they are, which is what a process leaves behind if it is killed now. */
const filesOf = (file: string): Left =>
  ['', '-wal'].flatMap((end) => (existsSync(file + end) ? [[end, readFileSync(file + end)] as const] : []))

type Left = (readonly [end: string, bytes: Buffer])[]

/** The comment in migrate.ts says why these numbers are missing. */
const NEVER_USED = [9, 10, 15]

describe('the migrations', () => {
  it('are numbered from 1 on, each number once, and none left out but those that always were', async () => {
    const found = globSync('**/[0-9]*.ts', { cwd: import.meta.dirname, exclude: ['**/*.test.ts'] })
    const files = found.map((file) => basename(file)).toSorted()
    const highest = Number.parseInt(files.at(-1)!, 10)
    const numbers = Array.from({ length: highest }, (_, i) => i + 1).filter((number) => !NEVER_USED.includes(number))
    expect(files.map((file) => Number.parseInt(file, 10))).toEqual(numbers)
    const raw = open(join(folder, 'numbered.db'))
    await migrate(connect(raw).kysely, sqliteDialect)
    const done = raw.prepare('select name from kysely_migration order by name').all()
    raw.close()
    expect(done.map(({ name }) => `${String(name)}.ts`)).toEqual(files)
  })
})

/** Their rows are small: SQLite reads all of a row without a row id to compare its key. */
const SMALL_ROWS =
  `alert alert_event alert_message alert_state callback dedupe failure failure_delta file file_use flow_delta flow_error
  flow_hour flow_minute flow_source occurrence replay_item replay_job run_label schedule setting`.split(/\s+/)

it('leaves only tables of small rows without row ids', async () => {
  const raw = open(join(folder, 'row-ids.db'))
  await migrate(connect(raw).kysely, sqliteDialect)
  const keyed = raw.prepare('select name from pragma_table_list where wr = 1 order by name').all()
  raw.close()
  expect(keyed.map(({ name }) => name)).toEqual(SMALL_ROWS)
})

describe('a migration of the embedded database', { timeout: 60_000 }, () => {
  it('goes on at the next start, killed before whichever statement', async () => {
    const file = join(folder, 'whole.db')
    const raw = open(file)
    const prepare = raw.prepare.bind(raw)
    let statements = 0
    const left: { at: number; files: Left }[] = []
    raw.prepare = (text) => {
      const files = filesOf(file)
      statements++
      // Most statements change nothing on the disk before the commit: what is left then is the same as before.
      if (!isDeepStrictEqual(files, left.at(-1)?.files)) left.push({ at: statements, files })
      return prepare(text)
    }
    await migrate(connect(raw).kysely, sqliteDialect)
    raw.prepare = prepare
    const schema = schemaOf(raw)
    raw.close()
    expect(statements).toBeGreaterThan(70)
    expect(left.length).toBeGreaterThan(1)
    for (const { at, files } of left) {
      const killed = join(folder, `killed-${at}.db`)
      for (const [end, bytes] of files) writeFileSync(killed + end, bytes)
      expect(await migrated(killed), `before statement ${at}`).toEqual(schema)
    }
  })

  it('keeps the rows of every earlier version', async () => {
    const whole = await migrated(join(folder, 'now.db'))
    const versions = whole.flatMap((row) =>
      Object.keys(row as object).length === 1 ? [String((row as Named).name)] : [],
    )
    expect(versions.length).toBeGreaterThan(10)
    for (const version of versions) {
      const file = join(folder, `version-${version}.db`)
      const raw = open(file)
      await migrate(connect(raw).kysely, sqliteDialect, version)
      const filled = fillTables(raw)
      raw.close()
      expect(await migrated(file), `from version ${version}`).toEqual(whole)
      const after = open(file)
      for (const [table, before] of filled) {
        // Version 017 counts anew: the counts of before were not exact.
        if (table === 'flow_hour' && version < '017') continue
        const [row] = after.prepare(`select * from ${table}`).all()
        expect(row, `${table} of version ${version}`).toMatchObject(before)
      }
      after.close()
    }
  })
})

/** Inserts a row into each table, with a value in every column. */
function fillTables(raw: DatabaseSync): Map<string, Record<string, unknown>> {
  const tables = raw
    .prepare(
      "select name from sqlite_master where type = 'table' and name not like 'sqlite_%' and name not like 'kysely_%'",
    )
    .all()
    .map(({ name }) => String(name))
  const rows = new Map<string, Record<string, unknown>>()
  raw.exec('PRAGMA foreign_keys=OFF')
  for (const table of tables) {
    if (Number(raw.prepare(`select count(*) as n from ${table}`).get()!['n']) > 0) continue
    const columns = raw.prepare(`PRAGMA table_info(${table})`).all() as { name: string; type: string }[]
    const row = Object.fromEntries(
      columns.map(({ name, type }) => [name, /int/i.test(type) ? 1 : /blob/i.test(type) ? new Uint8Array([1]) : '"1"']),
    )
    raw
      .prepare(
        `insert into ${table} (${columns.map(({ name }) => name).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      )
      .run(...Object.values(row))
    rows.set(table, row)
  }
  return rows
}
