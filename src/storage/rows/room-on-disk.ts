// Whether there is room to write: a write that found none is remembered, until a small one of our own succeeds.
import { randomBytes } from 'node:crypto'
import type { Kysely } from 'kysely'
import type { Tables } from './tables.ts'

const TRY_EVERY_MS = 1_000
/** As large as a delivery may well be; a few bytes may find room where that does not. Small next to what is kept free for it. */
const TRIAL_BYTES = 64 * 1024

export class RoomOnDisk {
  readonly #tryWriting: () => Promise<void>
  #fault: string | null = null
  #trying: Promise<void> | null = null
  #triedAt = Number.NEGATIVE_INFINITY

  constructor(tryWriting: () => Promise<void>) {
    this.#tryWriting = tryWriting
  }

  /** A write failed for lack of room, or by a fault of the disk. `reason`: anybody may read it. */
  lacking(reason: string): void {
    this.#fault = `The database cannot be written: ${reason}.`
  }

  /** null: there is room, as far as anybody knows. Costs nothing while no write has failed. */
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
      // Still none: the reason stays.
    } finally {
      this.#triedAt = performance.now()
      this.#trying = null
    }
  }
}

/** A row that is past its time, so that it is cleared away whatever happens between the two statements. */
export async function writeAndErase(db: Kysely<Tables>): Promise<void> {
  const key = randomBytes(8).toString('hex')
  // By chance, so that it cannot be packed into less.
  const run_id = randomBytes(TRIAL_BYTES / 2).toString('hex')
  await db.insertInto('dedupe').values({ flow_id: '', key, run_id, expires_at: 0 }).execute()
  await db.deleteFrom('dedupe').where('flow_id', '=', '').where('key', '=', key).execute()
}
