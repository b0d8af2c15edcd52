// Decides which code is short enough for the main thread, by how its recent runs went, and runs it there. Code has no effects but
// its result, so a run that turns out to be longer is thrown away and starts over in a worker.
import { Fifo } from '../base/fifo.ts'
import {
  FUSE_MS,
  KEPT_IMAGES,
  MOST_RUNS_AFTER_BLOWN,
  RUNS_AFTER_BLOWN,
  RUNS_BEFORE_SHORT,
  RUNS_TO_FORGIVE,
  SHORT_INPUT_CHARACTERS,
  SHORT_MS,
  SHORT_TIMEOUT_MS,
  TURN_MS,
} from './limits.ts'
import type { Prepared, RunReply, RunRequest } from './messages.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'
import type { ShortRunner } from './short-runner.ts'

/** What is known of a text. */
interface Habit {
  /** Leans to the last runs. */
  recentMs: number
  /** The number of runs that workers have to do before the main thread does the next. */
  runsElsewhere: number
  runsAfterBlown: number
  goodRuns: number
  prepared: Prepared | null
}

export interface ShortJob {
  request: RunRequest
  isSettled(): boolean
  /** Null: a worker has to run it. */
  done(reply: RunReply | null): void
  cancel(): void
}

export class ShortCode {
  readonly #shortMs: number
  readonly #runsBefore: number
  readonly #habits = new Map<string, Habit>()
  readonly #waiting = new Fifo<ShortJob>()
  #runner: ShortRunner | null = null
  #starting = false
  /** The time that runs have taken in this turn of the event loop; null before the first. */
  #spentMs: number | null = null
  #willTidyUp = false

  /** `shortMs`: the time that recent runs may have taken; `runsBefore`: the number of runs in a worker before the first here. */
  constructor({ shortMs = SHORT_MS, runsBefore = RUNS_BEFORE_SHORT }: { shortMs?: number; runsBefore?: number } = {}) {
    this.#shortMs = shortMs
    this.#runsBefore = runsBefore
  }

  /** Loads QuickJS for the main thread, as a worker has compiled it. */
  start(compiled: CompiledModule): void {
    if (this.#starting) return
    this.#starting = true
    import('./short-runner.ts')
      .then(async ({ ShortRunner }) => {
        this.#runner = await ShortRunner.create(compiled)
      })
      // The workers run everything then.
      .catch(() => {})
  }

  takes({ code, input, timeoutMs }: RunRequest): boolean {
    const habit = this.#habits.get(code)
    return (
      habit?.prepared != null &&
      this.#runner !== null &&
      habit.runsElsewhere <= 0 &&
      // Runs that follow one another slowly find cold caches: what is here already may take twice as long.
      habit.recentMs < (habit.goodRuns > 0 ? 2 * this.#shortMs : this.#shortMs) &&
      input.length <= SHORT_INPUT_CHARACTERS &&
      timeoutMs >= SHORT_TIMEOUT_MS
    )
  }

  /** Runs a job that it takes, at once or in a later turn of the event loop. */
  run(job: ShortJob): void {
    if (this.#spentMs === null) {
      this.#spentMs = 0
      setImmediate(() => this.#nextTurn())
    }
    if (this.#spentMs < TURN_MS && this.#waiting.size === 0) this.#perform(job)
    else this.#waiting.push(job)
  }

  #nextTurn(): void {
    this.#spentMs = this.#waiting.size === 0 ? null : 0
    if (this.#spentMs === null) return
    setImmediate(() => this.#nextTurn())
    while (this.#spentMs < TURN_MS && this.#waiting.size > 0) this.#perform(this.#waiting.shift()!)
  }

  #perform(job: ShortJob): void {
    if (job.isSettled()) return
    const habit = this.#habits.get(job.request.code)
    // What was learned while the job waited counts.
    const reply = habit?.prepared && this.takes(job.request) ? this.#measure(job.request, habit, habit.prepared) : null
    job.done(reply)
  }

  #measure(request: RunRequest, habit: Habit, prepared: Prepared): RunReply | null {
    this.#keep(request.code, habit)
    const began = performance.now()
    const reply = this.#runner!.run(request, prepared)
    const tookMs = performance.now() - began
    this.#spentMs! += tookMs
    this.#tidyUpLater()
    if (reply) {
      remember(habit, tookMs)
      if (++habit.goodRuns % RUNS_TO_FORGIVE === 0)
        habit.runsAfterBlown = Math.max(RUNS_AFTER_BLOWN, habit.runsAfterBlown >> 1)
    } else {
      habit.runsElsewhere = habit.runsAfterBlown
      habit.runsAfterBlown = Math.min(habit.runsAfterBlown * 2, MOST_RUNS_AFTER_BLOWN)
      habit.goodRuns = 0
    }
    return reply
  }

  /**
   * What waits for the run goes first: when all promises have gone on, its end is to be written in the next phase of this turn, and is answered
   * there. A turn later the next delivery may have come already.
   */
  #tidyUpLater(): void {
    if (this.#willTidyUp) return
    this.#willTidyUp = true
    process.nextTick(() =>
      setImmediate(() => {
        this.#willTidyUp = false
        this.#runner!.tidyUp()
      }),
    )
  }

  /** Returns whether the next run in a worker shall bring the prepared text along. */
  wantsPrepared(code: string): boolean {
    const habit = this.#habits.get(code)
    if (!habit) return this.#runsBefore <= 1
    return !habit.prepared && habit.runsElsewhere <= 1 && habit.recentMs < this.#shortMs
  }

  /** Learns from a run in a worker. */
  learn(code: string, { tookMs, prepared }: RunReply): void {
    const habit = this.#habits.get(code) ?? {
      recentMs: Math.min(tookMs, FUSE_MS),
      runsElsewhere: this.#runsBefore,
      runsAfterBlown: RUNS_AFTER_BLOWN,
      goodRuns: 0,
      prepared: null,
    }
    this.#keep(code, habit)
    if (this.#habits.size > KEPT_IMAGES) this.#habits.delete(this.#habits.keys().next().value!)
    remember(habit, tookMs)
    habit.runsElsewhere--
    habit.prepared ??= prepared ?? null
  }

  /** The least recently used text is the first. */
  #keep(code: string, habit: Habit): void {
    this.#habits.delete(code)
    this.#habits.set(code, habit)
  }

  /** Takes back what has not begun. */
  drain(): ShortJob[] {
    const jobs: ShortJob[] = []
    for (let job = this.#waiting.shift(); job; job = this.#waiting.shift()) jobs.push(job)
    return jobs
  }
}

/** One run that had to wait for the processor does not count for more than the fuse. */
function remember(habit: Habit, tookMs: number): void {
  habit.recentMs += (Math.min(tookMs, FUSE_MS) - habit.recentMs) / 4
}
