// Knows whether there is room to write: a write that found none is remembered until a small trial write succeeds.
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

const TRY_EVERY_MS = 1_000
/** The size of a typical delivery, since a few bytes may find room where it does not. Small beside the space kept free. */
const TRIAL_BYTES = 64 * 1024

export class RoomOnDisk {
  readonly #tryWriting: () => Promise<void>
  #fault: string | null = null
  #trying: Promise<void> | null = null
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(tryWriting: () => Promise<void>) {
    this.#tryWriting = tryWriting
  }

  /** Records that a write failed for lack of room or by a fault of the disk. `reason` is shown to the public. */
  lacking(reason: string): void {
    this.#fault = `The database cannot be written: ${reason}.`
  }

  /** Returns why there is no room; null if no problem is known. Costs nothing while no write has failed. */
  async fault(): Promise<string | null> {
    if (this.#fault === null) return null
    if (!this.#trying && performance.now() - this.#triedAt >= TRY_EVERY_MS) this.#trying = this.#try()
    await this.#trying
    return this.#fault
  }

  async #try(): Promise<void> {
    try {
      await this.#tryWriting()
      this.#fault = null
    } catch {
      // The trial failed: the reason stays.
    } finally {
      this.#triedAt = performance.now()
      this.#trying = null
    }
  }
}

/** Writes and deletes a row that has already expired: housekeeping deletes it if the process ends in between. */
export async function writeAndErase(db: Kysely<Tables>): Promise<void> {
  const key = randomBytes(8).toString('hex')
  // Random bytes cannot be compressed.
  const run_id = randomBytes(TRIAL_BYTES / 2).toString('hex')
  await db.insertInto('dedupe').values({ flow_id: '', key, run_id, expires_at: 0 }).execute()
  await db.deleteFrom('dedupe').where('flow_id', '=', '').where('key', '=', key).execute()
}
