// Runs writes of several stores as one transaction: all queries inside `run` go over its database session.
import { AsyncLocalStorage } from 'node:async_hooks'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Together } from '../../operations/ports/audit.ts'
import type { Tables } from './tables.ts'

interface UnderWay {
  connection: DatabaseConnection
  /** false: the transaction has ended. Work that was not awaited then uses another database session. */
  open: boolean
  last: (() => Promise<void>)[]
  after: (() => Promise<void> | void)[]
}

/** Returns Kysely on a dialect, and the way to do its writes together. */
export function withTogether(dialect: Dialect): { kysely: Kysely<Tables>; together: Together } {
  const underWay = new AsyncLocalStorage<UnderWay>()
  const current = () => {
    const found = underWay.getStore()
    return found?.open ? found : null
  }
  const kysely = new Kysely<Tables>({
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
      createDriver: () => new JoiningDriver(dialect.createDriver(), () => current()?.connection ?? null),
    },
  })
  const together: Together = {
    async run(work) {
      if (current()) return work()
      const after: UnderWay['after'] = []
      const result = await kysely.transaction().execute((tx) =>
        tx.getExecutor().provideConnection(async (connection) => {
          const state: UnderWay = { connection, open: true, last: [], after }
          try {
            return await underWay.run(state, async () => {
              const done = await work()
              for (const then of state.last) await then()
              return done
            })
          } finally {
            state.open = false
          }
        }),
      )
      for (const then of after) await then()
      return result
    },
    async last(work) {
      const found = current()
      if (found) found.last.push(work)
      else await together.run(work)
    },
    async after(then) {
      const found = current()
      if (found) found.after.push(then)
      else await then()
    },
  }
  return { kysely, together }
}

/** Hands out the session of the surrounding transaction, if there is one. A transaction on it becomes a savepoint. */
class JoiningDriver implements Driver {
  readonly #driver: Driver
  readonly #joined: () => DatabaseConnection | null

  constructor(driver: Driver, joined: () => DatabaseConnection | null) {
    this.#driver = driver
    this.#joined = joined
  }

  init(): Promise<void> {
    return this.#driver.init()
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const joined = this.#joined()
    return joined ? new Joined(joined) : this.#driver.acquireConnection()
  }

  async releaseConnection(connection: DatabaseConnection): Promise<void> {
    if (!(connection instanceof Joined)) await this.#driver.releaseConnection(connection)
  }

  async beginTransaction(connection: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    if (connection instanceof Joined) await connection.say('savepoint part')
    else await this.#driver.beginTransaction(connection, settings)
  }

  async commitTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof Joined) await connection.say('release savepoint part')
    else await this.#driver.commitTransaction(connection)
  }

  async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (connection instanceof Joined) await connection.say('rollback to savepoint part')
    else await this.#driver.rollbackTransaction(connection)
  }

  destroy(): Promise<void> {
    return this.#driver.destroy()
  }
}

class Joined implements DatabaseConnection {
  readonly #connection: DatabaseConnection

  constructor(connection: DatabaseConnection) {
    this.#connection = connection
  }

  async say(text: string): Promise<void> {
    await this.executeQuery(CompiledQuery.raw(text))
  }

  executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
    return this.#connection.executeQuery(query)
  }

  streamQuery<R>(query: CompiledQuery, chunkSize: number): AsyncIterableIterator<QueryResult<R>> {
    return this.#connection.streamQuery(query, chunkSize)
  }
}
