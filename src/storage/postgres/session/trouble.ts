// Remembers what keeps PostgreSQL from working, for the readiness check of this process.
import type { Kysely } from 'kysely'
import type pg from 'pg'
import { RoomOnDisk, writeAndErase } from '../../rows/room-on-disk.ts'
import type { Tables } from '../../rows/tables.ts'
import { isOfAnotherSession, isUnavailable, lackOfRoom, WITHOUT_SESSION } from './faults.ts'

/** Sessions get mixed up now and then, not at every statement, so the fault is remembered for a while. */
const REMEMBER_MS = 10_000
const READ_ONLY = `select current_setting('transaction_read_only') as value`

export class PostgresTrouble {
  readonly #room: RoomOnDisk
  #mixedUpAt = Number.NEGATIVE_INFINITY

  constructor(db: Kysely<Tables>) {
    this.#room = new RoomOnDisk(() => writeAndErase(db))
  }

  /** Remembers the error of a failed statement. */
  note(error: unknown): void {
    if (isOfAnotherSession(error)) this.#mixedUpAt = performance.now()
    const reason = lackOfRoom(error)
    if (reason !== null) this.#room.lacking(reason)
  }

  /** Returns why deliveries cannot be stored, without the address: the text is public. `pool`: the one of deliveries. */
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
