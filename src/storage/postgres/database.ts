// Opens the PostgreSQL database: connections, durable settings, schema up to date, or a clear refusal.
import { Kysely, PostgresDialect, type PostgresPool, type PostgresPoolClient } from 'kysely'
import pg from 'pg'
import { migrate, NewerSchema } from '../migrations/migrate.ts'
import { DatabaseRefused } from '../rows/database-refused.ts'
import { postgresDialect } from '../rows/dialect.ts'
import type { Tables } from '../rows/tables.ts'
import { storable } from './arrays.ts'
import { explained, isUnavailable } from './faults.ts'

export interface PostgresStorage {
  kysely: Kysely<Tables>
  /** For the statements of the hot path: prepared, and never behind a list that somebody looks at. */
  hot: HotPool
  /** A connection of its own, outside of the pools. `patient`: its statements may take as long as they like. */
  connect(options?: { patient: boolean }): Promise<pg.Client>
  reachable(): Promise<boolean>
  close(): Promise<void>
}

/** With a name it is prepared once per connection. */
export interface Statement {
  name?: string
  text: string
  values: unknown[]
}

export interface HotPool {
  query<Row>(statement: Statement): Promise<Row[]>
  /** Several statements in one transaction. */
  transaction<T>(run: (query: HotPool['query']) => Promise<T>): Promise<T>
}

const COLD_CONNECTIONS = 5
const HOT_CONNECTIONS = 6
const CONNECT_WITHIN_MS = 3_000
/** Longer than any statement takes that is well: after this the connection counts as lost. */
const HOT_STATEMENT_WITHIN_MS = 5_000
const COLD_STATEMENT_WITHIN_MS = 60_000
const OLDEST_SERVER = 140_000
const PATIENCE_MS = 10_000
const PROBE_EVERY_MS = 250

/** The statements of the hot path find rows by their keys: no statistics may tempt the planner to read the whole table. */
const HOT_SETTINGS = [
  'enable_seqscan=off',
  'enable_hashjoin=off',
  'enable_mergejoin=off',
  'enable_bitmapscan=off',
  'jit=off',
  'plan_cache_mode=force_generic_plan',
]

const BIGINT = 20
/** Counts and milliseconds stay below 2^53. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === BIGINT ? Number : pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig

/** Where the server listens, by all that decides it; null: on a socket that is a file. */
export function databaseEndpoint(url: string): { host: string; port: number } | null {
  const { host, port } = new pg.Client({ connectionString: url })
  return host.startsWith('/') ? null : { host, port }
}

/** `patienceMs`: how long a server is waited for that may be starting too. */
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
  const client = (settings: string[], within: number): pg.ClientConfig => ({
    ...base,
    query_timeout: within,
    application_name: 'millrace',
    options: settings.map((setting) => `-c ${setting}`).join(' '),
  })
  const durable = await probePatiently({ ...base, query_timeout: HOT_STATEMENT_WITHIN_MS }, patienceMs).catch(
    (error) => {
      if (error instanceof Unfit) throw refuse(error.message, 'Use PostgreSQL 14 or newer.')
      throw refuse((error as Error).message, 'Check DATABASE_URL, and that the server runs.')
    },
  )
  const cold = new pg.Pool({ ...client(durable, COLD_STATEMENT_WITHIN_MS), max: COLD_CONNECTIONS })
  const hot = new pg.Pool({
    ...client([...durable, ...HOT_SETTINGS], HOT_STATEMENT_WITHIN_MS),
    max: HOT_CONNECTIONS,
    idleTimeoutMillis: 60_000,
  })
  // A connection that breaks while nobody uses it: the next one that is needed is a new one.
  for (const pool of [cold, hot]) pool.on('error', () => {})
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: explaining(cold) }) })
  const close = async () => {
    await kysely.destroy()
    await hot.end()
  }
  try {
    await migrate(kysely, postgresDialect)
  } catch (error) {
    await close()
    if (error instanceof NewerSchema)
      throw refuse(error.message, 'Start that version, or restore a backup made by this one.')
    throw refuse((error as Error).message, 'Check the rights of its user, and that the database is there.')
  }
  return {
    kysely,
    hot: hotPool(hot),
    connect: async ({ patient } = { patient: false }) => {
      const connection = new pg.Client(client(durable, patient ? 0 : HOT_STATEMENT_WITHIN_MS))
      // Heard from the start: an error that nobody hears ends the process.
      connection.on('error', () => {})
      await connection.connect().catch((error) => {
        throw explained(error)
      })
      return connection
    },
    reachable: async () => {
      try {
        await cold.query('select 1')
        return true
      } catch (error) {
        if (!isUnavailable(error)) throw error
        return false
      }
    },
    close,
  }
}

class Unfit extends Error {}

async function probePatiently(config: pg.ClientConfig, patienceMs: number): Promise<string[]> {
  const deadline = performance.now() + patienceMs
  for (;;)
    try {
      return await probe(config)
    } catch (error) {
      if (!isUnavailable(error) || performance.now() > deadline) throw error
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
    }
}

/** The settings with which a commit is on disk when it returns. */
async function probe(config: pg.ClientConfig): Promise<string[]> {
  const client = new pg.Client(config)
  client.on('error', () => {})
  try {
    await client.connect()
    const { rows } = await client.query(
      `select current_setting('server_version_num')::int as version, current_setting('server_version') as name,
        current_setting('synchronous_commit') as commit`,
    )
    const { version, name, commit } = rows[0] as { version: number; name: string; commit: string }
    if (version < OLDEST_SERVER) throw new Unfit(`it is PostgreSQL ${name}`)
    // A server may be set up to acknowledge before it has written; Millrace promises more.
    return commit === 'off' ? ['synchronous_commit=on'] : []
  } finally {
    await client.end().catch(() => {})
  }
}

/** For messages: without the password. */
function placeOf(url: string): string {
  const { host, pathname } = new URL(url)
  return `${pathname.slice(1) || 'of DATABASE_URL'} at ${host || 'the local socket'}`
}

function hotPool(pool: pg.Pool): HotPool {
  const on =
    (client: pg.PoolClient): HotPool['query'] =>
    async <Row>(statement: Statement) => {
      try {
        return (await client.query(statement)).rows as Row[]
      } catch (error) {
        throw explained(error, true)
      }
    }
  const using = async <T>(work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const client = await pool.connect().catch((error) => {
      throw explained(error)
    })
    // A socket that breaks between two statements says so here; the next statement fails with it.
    const broken = () => {}
    client.on('error', broken)
    let failed = true
    try {
      const result = await work(client)
      failed = false
      return result
    } finally {
      client.off('error', broken)
      // A connection on which something failed may hold a transaction open, or still be at work: it is thrown away.
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

/** Kysely's way to the pool, on which "not now" is told apart from "never". */
function explaining(pool: pg.Pool): PostgresPool {
  const rethrow = (error: unknown): never => {
    throw explained(error)
  }
  return {
    connect: async () => {
      const client = await pool.connect().catch(rethrow)
      const broken = () => {}
      client.on('error', broken)
      let failed = false
      return {
        query: (text: string, values: readonly unknown[] = []) =>
          client.query(text, values.map(storable)).catch((error: unknown) => {
            failed ||= isUnavailable(error)
            throw explained(error)
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
