// Gathers a run's outcomes and writes them together, before anything that depends on them leaves.
import type { EnginePorts } from './ports/engine-ports.ts'
import type { ClaimedRun, JournalEntry, RunError, RunProgress, RunStatus } from './ports/run-journal.ts'
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

  add(entry: JournalEntry): void {
    this.#unwritten.push(entry)
  }

  /** Resolves when all that was added before is durable. */
  async flush(): Promise<void> {
    // Another lane's write may be carrying it: if that fails, this lane must not go on either.
    while (this.#writing) await this.#writing
    if (this.#fault) throw this.#fault
    if (this.#unwritten.length) await this.write('running')
  }

  /** Throws ClaimLost where the run is another's by now. */
  async confirm(): Promise<void> {
    await this.#insist(async () => this.#ports.journal.holds!(this.#run.claim))
  }

  /** Writes follow one another, so that none can overtake what it depends on. */
  async write(status: RunStatus, change: { resumeAt?: number; error?: RunError | null } = {}): Promise<void> {
    while (this.#writing) await this.#writing
    if (this.#fault) throw this.#fault
    const entries = this.#unwritten
    this.#unwritten = []
    const finished = status === 'succeeded' || status === 'failed'
    const progress: RunProgress = {
      status,
      startedAt: this.#run.startedAt,
      finishedAt: finished ? this.#ports.now() : null,
      resumeAt: change.resumeAt ?? null,
      error: change.error ?? null,
      entries,
    }
    const writing = this.#record(progress)
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

  #record(progress: RunProgress): Promise<void> {
    return this.#insist(() => this.#ports.journal.record(this.#run.claim, progress))
  }

  /** Tries again while the database is in trouble; false is final. */
  async #insist(attempt: () => Promise<boolean>): Promise<void> {
    for (;;) {
      try {
        if (!(await attempt())) throw new ClaimLost()
        return
      } catch (error) {
        if (error instanceof WalkSignal) throw error
        if (this.#isStopping()) throw new Interrupted()
        await this.#ports.storageTrouble(error)
      }
    }
  }
}

const noop = () => {}
