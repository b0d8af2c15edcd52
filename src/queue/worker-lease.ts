// Gives signs of life for this process, and notices which others give none any more, so that their runs can go on elsewhere.
import type { Claim } from '../engine/ports/run-journal.ts'
import type { DispatchStore } from '../operations/ports/queue.ts'

export interface LeasePorts {
  dispatch: Pick<DispatchStore, 'enlist' | 'beat' | 'beats' | 'strike' | 'freeOrphans' | 'leave' | 'heldBy' | 'putBack'>
  newName(): string
  /** A clock that never jumps back. */
  elapsedMs(): number
  /** What this process is at work on. */
  claims(): Claim[]
  /** Whether it has the run in hand, be it at work on it or not. */
  carries(runId: string): boolean
  /** These are others' now. */
  lose(claims: readonly Claim[]): void
  /** Runs have come back in line. */
  freed(count: number): void
  failed(error: unknown): void
}

const BEAT_EVERY_MS = 1_500
/** Without a sign for so long, a worker counts as dead; with what it takes to notice, its runs go on within 15 seconds. */
const DEAD_AFTER_MS = 8_000
/** Whoever looked away for so long knows nothing: the others may have had no database either. */
const LOOKED_AWAY_MS = 4_000
const ORPHANS_EVERY = 4
/** A request that is written within that time of the lease's end may still arrive after it. */
const MARGIN_MS = 1_000

export class WorkerLease {
  readonly #ports: LeasePorts
  #name: string | null = null
  #timer: NodeJS.Timeout | null = null
  #beating = Promise.resolve()
  #stopped = false
  #lookedAt = 0
  #turn = 0
  /** The latest sign of each worker, and since when it has been the latest. */
  #signs = new Map<string, { beat: number; since: number }>()

  #unknown = new Set<string>()
  /** By this process's clock, from the moment the last sign was asked for, not from when word of it came back. */
  #certainUntil = Number.NEGATIVE_INFINITY
  #whenRenewed: (() => void)[] = []

  constructor(ports: LeasePorts) {
    this.#ports = ports
  }

  /** Under which this process holds runs; null while it may hold none. */
  get name(): string | null {
    return this.#name
  }

  /** Whether nobody can have taken this process for dead yet. It may have stood still since the last sign of life. */
  isCertain(): boolean {
    return this.#ports.elapsedMs() < this.#certainUntil
  }

  /** Resolves when a sign of life was given, be it under another name, and when no more will be. */
  renewed(): Promise<void> {
    return new Promise((resolve) => this.#whenRenewed.push(resolve))
  }

  async start(): Promise<void> {
    await this.#enlist()
    this.#lookedAt = this.#ports.elapsedMs()
    this.#next()
  }

  /** Once nothing is under way any more: what is left goes to others at once. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#beating
    const name = this.#name
    this.#name = null
    this.#renew(Number.NEGATIVE_INFINITY)
    if (name !== null) await this.#ports.dispatch.leave(name)
  }

  async #enlist(): Promise<void> {
    const name = this.#ports.newName()
    const asked = this.#ports.elapsedMs()
    await this.#ports.dispatch.enlist(name)
    this.#name = name
    this.#renew(asked)
  }

  #renew(asked: number): void {
    this.#certainUntil = asked + DEAD_AFTER_MS - MARGIN_MS
    for (const resolve of this.#whenRenewed.splice(0)) resolve()
  }

  #next(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#beating = this.#beat()
        .catch((error) => this.#ports.failed(error))
        .finally(() => this.#next())
    }, BEAT_EVERY_MS)
  }

  async #beat(): Promise<void> {
    const { dispatch, claims, lose, elapsedMs } = this.#ports
    if (this.#name === null) await this.#enlist()
    const asked = elapsedMs()
    if (!(await dispatch.beat(this.#name!))) {
      // Taken for dead, for example because this process stood still: from here on it is another one.
      this.#name = null
      lose(claims())
      await this.#enlist()
      return
    }
    this.#renew(asked)
    await this.#compare(this.#name!)
    await this.#lookAround()
  }

  /** What this process is at work on, and what it holds in the database, must be the same. */
  async #compare(name: string): Promise<void> {
    const { dispatch, claims, carries, lose } = this.#ports
    const working = claims()
    const held = new Map((await dispatch.heldBy(name)).map((claim) => [keyOf(claim), claim]))
    // Cancelled, and word of it did not arrive.
    lose(working.filter((claim) => !held.has(keyOf(claim))))
    // Taken over by a statement whose reply was lost. Seen twice: at first it may be about to arrive.
    const unknown = [...held].filter(([, { runId }]) => !carries(runId))
    const strays = unknown.flatMap(([key, claim]) => (this.#unknown.has(key) ? claim : []))
    this.#unknown = new Set(unknown.map(([key]) => key))
    if (strays.length === 0) return
    await dispatch.putBack(name, strays)
    this.#ports.freed(strays.length)
  }

  async #lookAround(): Promise<void> {
    const { dispatch, elapsedMs, freed } = this.#ports
    const now = elapsedMs()
    if (now - this.#lookedAt > LOOKED_AWAY_MS) this.#signs.clear()
    const beats = await dispatch.beats()
    this.#lookedAt = elapsedMs()
    const before = this.#signs
    this.#signs = new Map()
    let struck = false
    for (const [worker, beat] of beats) {
      const sign = before.get(worker)
      const since = sign?.beat === beat ? sign.since : this.#lookedAt
      this.#signs.set(worker, { beat, since })
      if (this.#lookedAt - since <= DEAD_AFTER_MS) continue
      await dispatch.strike(worker, beat)
      struck = true
    }
    if (!struck && ++this.#turn % ORPHANS_EVERY !== 0) return
    const count = await dispatch.freeOrphans()
    if (count) freed(count)
  }
}

const keyOf = ({ runId, epoch }: Claim): string => `${runId} ${epoch}`
