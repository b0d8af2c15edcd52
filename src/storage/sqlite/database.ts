// Opens the embedded database of a data folder: durable settings, one owner, schema up to date, or a clear refusal.
import { randomInt } from 'node:crypto'
import { chmodSync, existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import {
  type DatabaseConnection,
  type Driver,
  type Kysely,
  SqliteAdapter,
  type SqliteDatabase,
  SqliteDialect,
  SqliteDriver,
  sql,
} from 'kysely'
import {
  APPLICATION_ID,
  DATABASE_FILE,
  folderFault,
  isLockHeld,
  lockFolder,
  makeFolder,
  RUN_LOG_FILE,
} from '../../base/data-folder.ts'
import { DatabaseRefused } from '../../base/refusals.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { Together } from '../../operations/ports/audit.ts'
import { migrate, NewerSchema } from '../migrations/migrate.ts'
import { RoomOnDisk, writeAndErase } from '../rows/room-on-disk.ts'
import { lackOfRoom, storageFault } from '../rows/storage-fault.ts'
import type { Tables } from '../rows/tables.ts'
import { withTogether } from '../rows/together.ts'
import { sqliteDialect } from './dialect.ts'
import { FlowCounters } from './hot/flow-counters.ts'
import { GroupCommit } from './hot/group-commit.ts'
import { createLocalWriter, type HotWriter, ThreadWriter } from './hot/hot-writer.ts'
import { prepareBatches, prepareHotWrites } from './hot/hot-writes.ts'
import { LeftRuns, RunLog, storeLeftRuns } from './hot/run-log.ts'
import { RunLogFile } from './hot/run-log-file.ts'
import { WritesHere } from './hot/writes-here.ts'
import { DURABLE, LOCK_TIMEOUT_MS, RARE_CHECKPOINTS } from './settings.ts'
import { type Session, SettlingDatabase } from './settling-database.ts'

/** Files up to this size have every page verified at start; larger ones only when a page is read. */
const VERIFY_UP_TO_BYTES = 64 * 1024 * 1024

export interface SqliteStorage {
  raw: Session
  kysely: Kysely<Tables>
  together: Together
  room: RoomOnDisk
  /** Runs writes that decide something while they write. */
  commit: GroupCommit
  /** What the writes of `commit` count. */
  counters: FlowCounters
  /** Runs the writes of the hot path, whose statements are known beforehand. */
  hot: HotWriter
  /** Resolves when all that is acknowledged is in the database; rejects if there is no room for it. */
  settled(): Promise<void>
  close(): Promise<void>
}

export async function openSqlite(
  folder: string,
  onSync: (seconds: number, writes: number) => void = () => {},
): Promise<SqliteStorage> {
  const refuse = (reason: string, advice: string) =>
    new DatabaseRefused(`The database in ${folder} cannot be used: ${reason}. ${advice} Nothing was changed.`)
  const unusable = (reason: string) =>
    refuse(
      reason,
      'Give the folder and its files to the user that Millrace runs as, or set MILLRACE_DATA_DIR to another folder.',
    )
  let lock: DatabaseSync
  const fault = folderFault(folder, { made: true })
  if (fault !== null) throw unusable(fault)
  try {
    makeFolder(folder)
    lock = lockFolder(folder, 1000)
  } catch (error) {
    if (isLockHeld(error))
      throw refuse(
        'another Millrace process is using it',
        'Stop that process, or set MILLRACE_DATA_DIR to another folder.',
      )
    throw unusable((error as Error).message)
  }
  const file = join(folder, DATABASE_FILE)
  const size = existsSync(file) ? statSync(file).size : 0
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(file, { timeout: LOCK_TIMEOUT_MS })
    verify(db, size)
    // The file holds what senders sent, so only its owner may read it.
    if (existsSync(file)) chmodSync(file, 0o600)
    db.exec(`PRAGMA journal_mode=WAL; ${DURABLE} ${RARE_CHECKPOINTS}`)
    // Set once only: it writes the file's header, and a start that is refused later must leave the file unchanged.
    if (size === 0) db.exec(`PRAGMA application_id=${APPLICATION_ID}`)
    const database = db
    const log = join(folder, RUN_LOG_FILE)
    const others = { settle() {}, awaitThread() {} }
    const raw = new SettlingDatabase(db, others)
    const { kysely, together } = connect(raw, (reason) => noRoom(reason))
    await migrate(kysely, sqliteDialect)
    const room = new RoomOnDisk(() => writeAndErase(kysely))
    const noRoom = (reason: string) => room.lacking(reason)
    const counters = new FlowCounters(db)
    const doBatch = prepareBatches(db, counters)
    storeLeftRuns(db, log, doBatch)
    const openLog = async () => {
      const salt = randomInt(2 ** 32)
      const made = await RunLogFile.create(log, salt)
      await hot.write([['markLog', [salt, 0]]])
      return new RunLog(made, salt)
    }
    const here = new WritesHere(db, doBatch, openLog)
    const hot = new ThreadWriter(file, here, onSync, noRoom)
    others.settle = () => void hot.log.settle()
    others.awaitThread = () => hot.awaitThread()
    return {
      raw,
      kysely,
      together,
      room,
      commit: new GroupCommit(raw, counters, onSync, noRoom),
      counters,
      hot,
      settled: async () => {
        // Waits for the transaction that may be open.
        await sql`select 1`.execute(kysely)
        if (!hot.log.settle())
          throw new StorageUnavailable('Runs that are acknowledged cannot be put into the database.')
      },
      close: async () => {
        await hot.close()
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
        database.close()
        lock.close()
      },
    }
  } catch (error) {
    db?.close()
    lock.close()
    if (error instanceof NewerSchema)
      throw refuse(error.message, 'Start that version, or restore a backup made by this one.')
    if (error instanceof LeftRuns)
      throw refuse(error.message, `Make room on its disk, and keep ${RUN_LOG_FILE}, which holds them.`)
    throw refuse((error as Error).message, 'Restore a backup of the folder, or set MILLRACE_DATA_DIR to another one.')
  }
}

/** Opens a database that is gone when it is closed; for trying out flows. */
export async function openInMemory(): Promise<SqliteStorage> {
  const raw = new DatabaseSync(':memory:')
  const { kysely, together } = connect(raw)
  await migrate(kysely, sqliteDialect)
  const room = new RoomOnDisk(() => writeAndErase(kysely))
  const counters = new FlowCounters(raw)
  const commit = new GroupCommit(raw, counters, () => {})
  const doWrite = prepareHotWrites(raw, counters)
  const hot = createLocalWriter(commit, doWrite)
  return { raw, kysely, together, room, commit, counters, hot, settled: async () => {}, close: async () => raw.close() }
}

/** Opens the database for a single change beside a running service: creates, migrates and locks nothing. */
export function openBeside(folder: string): { kysely: Kysely<Tables>; together: Together; close(): Promise<void> } {
  const file = join(folder, DATABASE_FILE)
  const fault = folderFault(folder, { made: false })
  if (fault !== null) throw new DatabaseRefused(`The database in ${folder} cannot be used: ${fault}.`)
  if (!existsSync(file))
    throw new DatabaseRefused(`There is no database in ${folder}. Set MILLRACE_DATA_DIR to the folder of the service.`)
  const raw = new DatabaseSync(file, { timeout: 5000 })
  try {
    checkOwner(raw)
    if (!raw.prepare("SELECT 1 FROM sqlite_master WHERE name = 'user_account'").get())
      throw new Error('it is of a version without users; start Millrace once')
    raw.exec('PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;')
  } catch (error) {
    raw.close()
    throw new DatabaseRefused(`The database in ${folder} cannot be used: ${(error as Error).message}.`)
  }
  return {
    ...connect(raw),
    close: async () => raw.close(),
  }
}

function verify(db: DatabaseSync, size: number): void {
  if (size === 0) return
  checkOwner(db)
  if (size > VERIFY_UP_TO_BYTES) return
  const result = db.prepare('PRAGMA quick_check(1)').get()?.['quick_check']
  if (result !== 'ok') throw new Error(`it is damaged (${String(result)})`)
}

function checkOwner(db: DatabaseSync): void {
  const id = db.prepare('PRAGMA application_id').get()?.['application_id']
  if (id !== APPLICATION_ID) throw new Error('it is not a database of Millrace')
}

/** Tells Kysely that SQLite rolls back tables and indexes with the rest of a transaction. */
class EmbeddedAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** The driver lets queries wait for the one session: Kysely's own wait would hold up those that join a transaction. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

class OneAtATimeDriver extends SqliteDriver {
  #free = Promise.resolve()
  #release = () => {}

  override async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#free
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#free = promise
    await before
    this.#release = resolve
    return super.acquireConnection()
  }

  override async releaseConnection(): Promise<void> {
    this.#release()
  }
}

class EmbeddedDialect extends SqliteDialect {
  readonly #database: SqliteDatabase

  constructor(database: SqliteDatabase) {
    super({ database })
    this.#database = database
  }

  override createAdapter(): SqliteAdapter {
    return new EmbeddedAdapter()
  }

  override createDriver(): Driver {
    return new OneAtATimeDriver({ database: this.#database })
  }
}

export const connect = (raw: Session, noRoom: (reason: string) => void = () => {}) =>
  withTogether(new EmbeddedDialect(adapt(raw, noRoom)))

/** A statement that does nothing. */
const NOTHING: ReturnType<SqliteDatabase['prepare']> = {
  reader: false,
  all: () => [],
  run: () => ({ changes: 0, lastInsertRowid: 0 }),
  iterate: () => [].values(),
}

/** Adapts node:sqlite to the interface that Kysely's SQLite dialect expects. */
function adapt(db: Session, noRoom: (reason: string) => void): SqliteDatabase {
  const explaining = <T>(work: () => T): T => {
    try {
      return work()
    } catch (error) {
      const reason = lackOfRoom(error)
      if (reason !== null) noRoom(reason)
      throw storageFault(error) ?? error
    }
  }
  return {
    close: () => {},
    prepare: (text) => {
      // SQLite may have rolled the transaction back already when the disk is full.
      if (text === 'rollback' && !db.isTransaction) return NOTHING
      // Takes the write lock at the start, since another session may write between the first read and the first write.
      const statement = db.prepare(text === 'begin' ? 'begin immediate' : text)
      const values = (parameters: readonly unknown[]) => parameters as readonly SQLInputValue[]
      return {
        reader: statement.columns().length > 0,
        all: (parameters) => explaining(() => statement.all(...values(parameters))),
        run: (parameters) => explaining(() => statement.run(...values(parameters))),
        iterate: (parameters) => statement.iterate(...values(parameters)) as IterableIterator<unknown>,
      }
    },
  }
}
