// Sends signs of life for this process, and detects processes that send none, so that others continue their runs.
import type { Claim } from '../engine/ports/run-journal.ts'
import type { DispatchStore } from '../operations/ports/queue.ts'

export interface LeasePorts {
  dispatch: Pick<DispatchStore, 'enlist' | 'beat' | 'beats' | 'strike' | 'freeOrphans' | 'leave' | 'heldBy' | 'putBack'>
  newName(): string
  /** Returns the time of a clock that never jumps back. */
  elapsedMs(): number
  /** Returns the claims that this process works on. */
  claims(): Claim[]
  /** Returns whether this process has the run in hand, even if it does not work on it now. */
  carries(runId: string): boolean
  /** Ends the work on claims that other processes have taken. */
  lose(claims: readonly Claim[]): void
  /** Reports that `count` runs are back in line. */
  freed(count: number): void
  failed(error: unknown): void
}

const BEAT_EVERY_MS = 1_500
/** A worker without a sign for this long counts as dead. Its runs continue within 15 seconds, detection included. */
const DEAD_AFTER_MS = 8_000
/** A process that has not looked for this long cannot judge the others: they may have had no database either. */
const LOOKED_AWAY_MS = 4_000
const ORPHANS_EVERY = 4
/** A request written this shortly before the lease ends may still arrive after the end. */
const MARGIN_MS = 1_000

export class WorkerLease {
  readonly #ports: LeasePorts
  #name: string | null = null
  #timer: NodeJS.Timeout | null = null
  #beating = Promise.resolve()
  #stopped = false
  #lookedAt = 0
  #turn = 0
  /** The latest sign of each worker, and when this process first saw it. */
  #signs = new Map<string, { beat: number; since: number }>()

  #unknown = new Set<string>()
  /** The end of the lease by this process's clock, counted from when the sign was sent, not from when it was confirmed. */
  #certainUntil = Number.NEGATIVE_INFINITY
  #whenRenewed: (() => void)[] = []

  constructor(ports: LeasePorts) {
    this.#ports = ports
  }

  /** Returns the name under which this process holds runs; null while it may hold none. */
  get name(): string | null {
    return this.#name
  }

  /** Returns whether no process can have declared this one dead yet. This process may have stalled since its last sign. */
  isCertain(): boolean {
    return this.#ports.elapsedMs() < this.#certainUntil
  }

  /** Resolves at the next sign of life, even under another name, or when the lease stops. */
  renewed(): Promise<void> {
    return new Promise((resolve) => this.#whenRenewed.push(resolve))
  }

  async start(): Promise<void> {
    await this.#enlist()
    this.#lookedAt = this.#ports.elapsedMs()
    this.#next()
  }

  /** Releases the remaining runs to other processes at once. Called when no run is under way any more. */
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
      // The others declared this process dead, for example because it stalled: it continues under a new name.
      this.#name = null
      lose(claims())
      await this.#enlist()
      return
    }
    this.#renew(asked)
    await this.#compare(this.#name!)
    await this.#lookAround()
  }

  /** Compares the runs that this process works on with those that it holds in the database, and settles differences. */
  async #compare(name: string): Promise<void> {
    const { dispatch, claims, carries, lose } = this.#ports
    const working = claims()
    const held = new Map((await dispatch.heldBy(name)).map((claim) => [keyOf(claim), claim]))
    // These runs were cancelled, and the signal did not arrive.
    lose(working.filter((claim) => !held.has(keyOf(claim))))
    // A run whose claim got no reply is a stray. It counts when seen twice: at first the reply may be on its way.
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
