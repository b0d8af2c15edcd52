// What keeps PostgreSQL from doing its work, for whoever asks whether this process is ready.
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { RoomOnDisk, writeAndErase } from '../rows/room-on-disk.ts'
import type { Tables } from '../rows/tables.ts'
import { isOfAnotherSession, isUnavailable, lackOfRoom, WITHOUT_SESSION } from './faults.ts'

/** Sessions get mixed up now and then, not with every statement. */
const REMEMBER_MS = 10_000
const READ_ONLY = `select current_setting('transaction_read_only') as value`

export class PostgresTrouble {
  readonly #room: RoomOnDisk
  #mixedUpAt = Number.NEGATIVE_INFINITY

  constructor(db: Kysely<Tables>) {
    this.#room = new RoomOnDisk(() => writeAndErase(db))
  }

  /** Of a statement that failed. */
  note(error: unknown): void {
    if (isOfAnotherSession(error)) this.#mixedUpAt = performance.now()
    const reason = lackOfRoom(error)
    if (reason !== null) this.#room.lacking(reason)
  }

  /** `pool`: the way that deliveries go. In one line that anybody may read, so that it does not say where the database is. */
  async fault(pool: pg.Pool): Promise<string | null> {
    try {
      const { rows } = await pool.query(READ_ONLY)
      if (rows[0].value === 'on') return 'The database cannot be written: it is read-only.'
    } catch (error) {
      if (!isUnavailable(error)) throw error
      return 'The database cannot be reached.'
    }
    if (performance.now() - this.#mixedUpAt < REMEMBER_MS) return WITHOUT_SESSION
    return this.#room.fault()
  }
}
