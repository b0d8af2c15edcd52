// Opens the PostgreSQL database: sessions, durable settings, schema up to date, or a clear refusal.
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { DatabaseRefused } from '../../base/refusals.ts'
import type { Together } from '../../operations/ports/audit.ts'
import { migrate, NewerSchema } from '../migrations/migrate.ts'
import type { Tables } from '../rows/tables.ts'
import { withTogether } from '../rows/together.ts'
import { storable } from './arrays.ts'
import { postgresDialect } from './dialect.ts'
import { PostgresClock } from './session/clock.ts'
import { explained, isUnavailable } from './session/faults.ts'
import { Patience } from './session/patience.ts'
import { probePatiently, Unfit } from './session/probe.ts'
import { applySettings, HOT_SETTINGS, limitsOf, type SessionLimits, type SessionSettings } from './session/sessions.ts'
import { PostgresTrouble } from './session/trouble.ts'

export interface PostgresStorage {
  kysely: Kysely<Tables>
  together: Together
  /** Runs the prepared statements of the hot path, which never wait behind a list that a user looks at. */
  hot: HotPool
  /** Runs statements that may take longer and are not prepared. */
  steady: HotPool
  /** Runs statements of the hot path in one transaction with writes of the stores, such as an entry of the audit log. */
  joint: HotPool['transaction']
  /** The clock that all processes use. */
  clock: PostgresClock
  /** Opens a database session outside of the pools. `patient`: its statements have no time limit. */
  connect(options?: { patient: boolean }): Promise<pg.Client>
  /** Returns why the database cannot work, in one line without confidential details; null: it can. */
  fault(): Promise<string | null>
  close(): Promise<void>
}

/** A statement with a name is prepared once per database session. */
export interface Statement {
  name?: string
  text: string
  values: unknown[]
}

export interface HotPool {
  query<Row>(statement: Statement): Promise<Row[]>
  /** Runs several statements in one transaction. */
  transaction<T>(run: (query: HotPool['query']) => Promise<T>): Promise<T>
}

const COLD_CONNECTIONS = 5
const HOT_CONNECTIONS = 6
const CONNECT_WITHIN_MS = 3_000
/** The server ends a statement after this time, which is longer than any healthy statement takes. */
const HOT: SessionLimits = { statementMs: 4_500, idleInTransactionMs: 3_000 }
const COLD: SessionLimits = { statementMs: 60_000, idleInTransactionMs: 3_000 }
/** Limits for schema changes and for moving a whole database. */
const PATIENT: SessionLimits = { statementMs: 0, idleInTransactionMs: 60_000 }
/** A database session counts as lost if no reply comes within this time after the statement's limit. */
const WORD_WITHIN_MS = 500
const PATIENCE_MS = 10_000

const BIGINT = 20
/** Returns bigints as numbers: counts and milliseconds stay below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** Returns where the server listens, by everything that decides it; null: on a Unix socket. */
export function databaseEndpoint(url: string): { host: string; port: number } | null {
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? null : { host, port }
}

/** `patienceMs`: how long to wait for a server that may still be starting. */
export async function openPostgres(url: string, patienceMs = PATIENCE_MS): Promise<PostgresStorage> {
  const place = placeOf(url)
  const refuse = (reason: string, advice: string) =>
    new DatabaseRefused(`The database ${place} cannot be used: ${reason}. ${advice} Nothing was changed.`)
  const base: pg.ClientConfig = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_WITHIN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
    types,
  }
  const within = ({ statementMs }: SessionLimits): pg.ClientConfig => ({
    ...base,
    ...(statementMs && { query_timeout: statementMs + WORD_WITHIN_MS }),
    application_name: 'millrace',
  })
  const clock = new PostgresClock()
  const common = await probePatiently(within(HOT), clock, patienceMs).catch((error) => {
    if (error instanceof Unfit) throw refuse(error.message, error.advice)
    throw refuse((error as Error).message, 'Check DATABASE_URL, and that the server runs.')
  })
  const patience = new Patience(patienceMs)
  const poolOf = (limits: SessionLimits, more: pg.PoolConfig, settings: SessionSettings = {}) =>
    new pg.Pool({
      ...within(limits),
      ...more,
      // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, though its types do not say so
      onConnect: (client) => applySettings(client, { ...common, ...limitsOf(limits), ...settings }),
    })
  await migrateWith(poolOf(PATIENT, { max: 1 }), patience, refuse)
  const cold = poolOf(COLD, { max: COLD_CONNECTIONS })
  const hot = poolOf(HOT, { max: HOT_CONNECTIONS, idleTimeoutMillis: 60_000 }, HOT_SETTINGS)
  // An idle database session may break: the pool opens a new one when one is needed.
  for (const pool of [cold, hot]) pool.on('error', () => {})
  const { kysely, together } = withTogether(
    new PostgresDialect({ pool: explaining(cold, patience, (error) => trouble.note(error)) }),
  )
  const trouble = new PostgresTrouble(kysely)
  return {
    kysely,
    together,
    hot: hotPool(hot, patience, trouble),
    steady: hotPool(cold, patience, trouble),
    joint: (run) => together.run(() => run(overKysely(kysely))),
    clock,
    connect: async ({ patient } = { patient: false }) => {
      const limits = patient ? PATIENT : HOT
      return patience.connect(async () => {
        const connection = new pg.Client(within(limits))
        // The handler is there from the start: an unhandled error event ends the process.
        connection.on('error', () => {})
        try {
          await connection.connect()
          await applySettings(connection, { ...common, ...limitsOf(limits) })
        } catch (error) {
          await connection.end().catch(() => {})
          throw error
        }
        return connection
      })
    },
    fault: () => trouble.fault(hot),
    close: async () => {
      await kysely.destroy()
      await hot.end()
    },
  }
}

async function migrateWith(
  pool: pg.Pool,
  patience: Patience,
  refuse: (reason: string, advice: string) => Error,
): Promise<void> {
  pool.on('error', () => {})
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: explaining(pool, patience, () => {}) }) })
  try {
    await migrate(kysely, postgresDialect)
  } catch (error) {
    if (error instanceof NewerSchema)
      throw refuse(error.message, 'Start that version, or restore a backup made by this one.')
    throw refuse((error as Error).message, 'Check the rights of its user, and that the database is there.')
  } finally {
    await kysely.destroy()
  }
}

/** Returns the URL without the password, for messages. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${pathname.slice(1) || 'of DATABASE_URL'} at ${host || 'the local socket'}`
}

function hotPool(pool: pg.Pool, patience: Patience, trouble: PostgresTrouble): HotPool {
  const on =
    (client: pg.PoolClient): HotPool['query'] =>
    async <Row>(statement: Statement) => {
      try {
        return (await client.query(statement)).rows as Row[]
      } catch (error) {
        trouble.note(error)
        throw explained(error, true)
      }
    }
  const using = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await patience.connect(() => pool.connect())
    // A socket that breaks between two statements emits an error here; the next statement fails with it.
    const broken = () => {}
    client.on('error', broken)
    let failed = true
    try {
      const result = await work(client)
      failed = false
      return result
    } finally {
      client.off('error', broken)
      // A session on which a statement failed may have an open transaction or still be working: it is discarded.
      client.release(failed)
    }
  }
  return {
    query: (statement) => using((client) => on(client)(statement)),
    transaction: (run) =>
      using(async (client) => {
        const plain = (text: string) => on(client)({ text, values: [] })
        await plain('begin')
        const result = await run(on(client))
        await plain('commit')
        return result
      }),
  }
}

const overKysely =
  (kysely: Kysely<Tables>): HotPool['query'] =>
  async <Row>({ text, values }: Statement) =>
    (await kysely.executeQuery<Row>(CompiledQuery.raw(text, values))).rows

/** Wraps the pool for Kysely, so that "not now" can be told from "never". */
function explaining(pool: pg.Pool, patience: Patience, note: (error: unknown) => void): PostgresPool {
  return {
    connect: async () => {
      const client = await patience.connect(() => pool.connect())
      const broken = () => {}
      client.on('error', broken)
      let failed = false
      return {
        query: (text: string, values: readonly unknown[] = []) =>
          client.query(text, values.map(storable)).catch((error: unknown) => {
            failed ||= isUnavailable(error)
            note(error)
            throw explained(error, true)
          }),
        release: () => {
          client.off('error', broken)
          client.release(failed)
        },
      } as unknown as PostgresPoolClient
    },
    options: {},
    end: () => pool.end(),
  }
}
