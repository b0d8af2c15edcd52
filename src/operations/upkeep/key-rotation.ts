// Reseals everything with the current key, in the background and in small batches, so that webhooks do not wait for it. A
// partial rotation is harmless, because every key of the list can unseal.
import type { SealedRows } from '../ports/upkeep.ts'

export interface KeyRotationPorts {
  rows: SealedRows
  /** The first key seals, all keys unseal. */
  keyIds: readonly string[]
  reseal(sealed: string, binding: string): string | null
  sleep(ms: number): Promise<void>
}

export interface KeysView {
  /** The id of the key that seals. */
  current: string
  keys: { id: string; sealed: number; given: boolean }[]
  rotation: { status: 'idle' | 'running' | 'failed'; done: number; total: number; error: string | null }
}

/** The pause between two batches lets other work of the process go first. */
const PAUSE_MS = 5

export class KeyRotation {
  readonly #ports: KeyRotationPorts
  #rotation: KeysView['rotation'] = { status: 'idle', done: 0, total: 0, error: null }
  #running: Promise<void> | null = null
  #stopped = false

  constructor(ports: KeyRotationPorts) {
    this.#ports = ports
  }

  async view(): Promise<KeysView> {
    const { rows, keyIds } = this.#ports
    const counts = await rows.count()
    const ids = [...new Set([...keyIds, ...counts.keys()])]
    return {
      current: keyIds[0]!,
      keys: ids.map((id) => ({ id, sealed: counts.get(id) ?? 0, given: keyIds.includes(id) })),
      rotation: { ...this.#rotation },
    }
  }

  /** Begins a rotation, unless one is under way. */
  start(): void {
    if (this.#running) return
    this.#rotation = { status: 'running', done: 0, total: 0, error: null }
    this.#running = this.#run().finally(() => {
      this.#running = null
    })
  }

  /** Resolves when the rotation is over. */
  async finished(): Promise<void> {
    await this.#running
  }

  /** Stops after the current batch. The next rotation continues from there. */
  async stop(): Promise<void> {
    this.#stopped = true
    await this.#running
  }

  async #run(): Promise<void> {
    const rotation = this.#rotation
    try {
      const unreadable = await this.#resealAll(rotation)
      rotation.status = unreadable ? 'failed' : 'idle'
      if (unreadable)
        rotation.error = `${unreadable} sealed values cannot be opened: they were changed or moved in the database. Everything else is done.`
    } catch (error) {
      rotation.status = 'failed'
      rotation.error = `${(error as Error).message} Start it again: it goes on from there.`
    }
  }

  async #resealAll(rotation: KeysView['rotation']): Promise<number> {
    const { rows, keyIds, reseal, sleep } = this.#ports
    const counts = await rows.count()
    const old = keyIds.slice(1).filter((id) => counts.has(id))
    rotation.total = old.reduce((sum, id) => sum + counts.get(id)!, 0)
    let unreadable = 0
    for (const id of old)
      for (const place of rows.places) {
        let after: string | null = null
        do {
          if (this.#stopped) return unreadable
          const batch = await rows.resealSome(place, id, after, reseal)
          rotation.done += batch.done
          unreadable += batch.unreadable
          after = batch.after
          if (after !== null) await sleep(PAUSE_MS)
        } while (after !== null)
      }
    return unreadable
  }
}
