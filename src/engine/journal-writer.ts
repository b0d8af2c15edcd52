// Gathers a run's outcomes and writes them together, before anything that depends on them leaves the process.
import { isLarge, writeJson } from '../flow/json/write-json.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { ClaimedRun, JournalEntry, NewRun, RunProgress, RunStatus } from './ports/run-journal.ts'
import { ClaimLost, Interrupted, WalkSignal } from './walk-signals.ts'

export class JournalWriter {
  readonly #run: ClaimedRun
  readonly #ports: EnginePorts
  readonly #isStopping: () => boolean
  #unwritten: JournalEntry[] = []
  #writing: Promise<void> | null = null
  #fault: unknown = null

  constructor(run: ClaimedRun, ports: EnginePorts, isStopping: () => boolean) {
    this.#run = run
    this.#ports = ports
    this.#isStopping = isStopping
  }

  get unwritten(): number {
    return this.#unwritten.length
  }

  /** Returns whether the next write stores this run. */
  willStore(runId: string): boolean {
    return this.#unwritten.some(({ child }) => child?.run.id === runId)
  }

  add(entry: JournalEntry): void {
    this.#unwritten.push(entry)
  }

  /** Resolves when the start of the run is durable. Throws ClaimLost if it cannot be. */
  async started(): Promise<void> {
    const { stored } = this.#run.claim
    if (!stored) return
    try {
      await stored
    } catch {
      throw new ClaimLost()
    }
  }

  /** Resolves when the start of the run, and every entry that was added before the call, is durable. */
  async flush(): Promise<void> {
    // The write of another lane may carry this lane's entries: if that write fails, this lane must stop too.
    while (this.#writing) await this.#writing
    if (this.#fault) throw this.#fault
    if (this.#unwritten.length) await this.write('running')
    else if (this.#run.claim.stored) await this.started()
  }

  /** Throws ClaimLost if another process has claimed the run. */
  async confirm(): Promise<void> {
    await this.#hold(async () => this.#ports.journal.holds!(this.#run.claim))
  }

  /** Writes the gathered entries. One write waits for the one before, so that no entry overtakes what it depends on. */
  async write(
    status: RunStatus,
    change: Partial<Pick<RunProgress, 'resumeAt' | 'error' | 'awaits' | 'erase'>> & { handler?: NewRun | null } = {},
  ): Promise<void> {
    while (this.#writing) await this.#writing
    if (this.#fault) throw this.#fault
    const entries = this.#unwritten
    this.#unwritten = []
    const finished = status === 'succeeded' || status === 'failed'
    const alerting = finished && this.#ports.alerting(this.#run, status)
    const progress: RunProgress = {
      status,
      startedAt: this.#run.startedAt,
      finishedAt: finished ? this.#ports.now() : null,
      resumeAt: change.resumeAt ?? null,
      error: change.error ?? null,
      entries,
      ...(change.awaits && { awaits: change.awaits }),
      ...(change.handler && { handler: change.handler }),
      ...(change.erase && { erase: true }),
      ...(alerting && { alerting }),
      ...(this.#run.trigger.forFailure && { forFailure: true }),
    }
    const large = largeValues(entries)
    const writing = large ? this.#recordInTurns(progress, large) : this.#record(progress)
    this.#writing = writing.then(noop, noop)
    try {
      await writing
    } catch (fault) {
      this.#fault = fault
      throw fault
    } finally {
      this.#writing = null
    }
    this.#ports.progressed(this.#run, progress)
  }

  async #recordInTurns(progress: RunProgress, large: ReadonlySet<unknown>): Promise<void> {
    const texts = new Map<unknown, string>()
    for (const value of large) texts.set(value, await writeJson(value))
    await this.#record({ ...progress, texts })
  }

  #record(progress: RunProgress): Promise<void> {
    return this.#hold(() => this.#ports.journal.record(this.#run.claim, progress))
  }

  /** Repeats what failed, while the database is unavailable. Throws Interrupted if the process stops meanwhile. */
  async insist<T>(attempt: () => T | Promise<T>, isAway: (error: unknown) => boolean, failed: unknown): Promise<T> {
    for (let error = failed; ; ) {
      if (!isAway(error)) throw error
      if (this.#isStopping()) throw new Interrupted()
      await this.#ports.storageTrouble(error)
      try {
        return await attempt()
      } catch (again) {
        error = again
      }
    }
  }

  /** Throws ClaimLost if the attempt, which is repeated while the database is unavailable, returns false. */
  async #hold(attempt: () => Promise<boolean>): Promise<void> {
    let held: boolean
    try {
      held = await attempt()
    } catch (error) {
      held = await this.insist(attempt, isNoSignal, error)
    }
    if (!held) throw new ClaimLost()
  }
}

/** Returns the values that are not to be written at once; null, as a rule, if there are none. */
function largeValues(entries: readonly JournalEntry[]): Set<unknown> | null {
  let large: Set<unknown> | null = null
  for (const { input, output, shown } of entries)
    for (const value of shown ? [input, output, shown.output] : [input, output])
      if (isLarge(value)) large = (large ?? new Set()).add(value)
  return large
}

const isNoSignal = (error: unknown): boolean => !(error instanceof WalkSignal)

const noop = () => {}
