// Runs the rounds of a loop: several at once over a list, or one after the other while a condition holds.
import { CODE, filled, STEP_ERRORS } from '../base/error-catalogue.ts'
import { ExpressionError } from '../flow/expression/index.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import { NestedFailure } from './perform-step.ts'
import type { RoundPlan, RoundsResult, StepError } from './step-kind.ts'
import { Parked } from './walk-signals.ts'

export interface Round {
  item: unknown
  index: number
  count: number
}

/** The result of a round, as the journal keeps it. */
export interface RoundRecord {
  index: number
  output: unknown
  error: StepError | null
}

/** What the rounds need from the walk that they belong to. */
export interface RoundWalker {
  /** Returns the rounds that an earlier walk has finished; null for a loop that begins. */
  finished(): Promise<RoundRecord[] | null>
  /** Runs the steps of one round and resolves to its bindings. `resumed`: an earlier claim may have begun it. */
  walk(round: Round, resumed: boolean): Promise<Bindings>
  /** Returns the bindings that the `while` condition reads before a round. */
  bindingsBefore(round: Round): Bindings
  /** Makes the results of the finished rounds readable to the next round. */
  showShared(): Promise<void>
  /** Resolves when all finished work is durable. */
  settled(): Promise<void>
  record(record: RoundRecord): Promise<void>
  /** Resolves `done` when it is worth another look, within this process: at `time`, or soon if it is null. */
  sleepUntil(time: number | null): { done: Promise<void>; end(): void }
}

export async function runRounds(plan: RoundPlan, goOn: boolean, walker: RoundWalker): Promise<RoundsResult> {
  const rounds = new Rounds(plan, goOn, walker, await walker.finished())
  return plan.items ? rounds.each(plan.items) : rounds.while()
}

class Rounds {
  readonly #plan: RoundPlan
  readonly #goOn: boolean
  readonly #walker: RoundWalker
  readonly #finished: Map<number, RoundRecord>
  /** An earlier walk may have begun the rounds before this index. */
  readonly #begunBefore: number
  readonly #results: unknown[] = []
  readonly #errors: RoundsResult['errors'] = []
  #failure: StepError | null = null
  #signal: unknown = null

  constructor(plan: RoundPlan, goOn: boolean, walker: RoundWalker, finished: RoundRecord[] | null) {
    this.#plan = plan
    this.#goOn = goOn
    this.#walker = walker
    this.#finished = new Map(finished?.map((record) => [record.index, record]))
    this.#begunBefore = finished ? finished.length + plan.concurrency : 0
  }

  async each(items: readonly unknown[]): Promise<RoundsResult> {
    const lanes = new Lanes(this.#walker)
    let next = 0
    const lane = async () => {
      while (next < items.length && this.#failure === null && this.#signal === null) {
        const round = { item: items[next], index: next++, count: items.length }
        const earlier = this.#finished.get(round.index)
        if (earlier) this.#take(earlier, round)
        else await lanes.untilDone(() => this.#run(round))
      }
    }
    const running = Array.from({ length: Math.min(this.#plan.concurrency, items.length) }, () =>
      lanes.run(lane).catch((signal: unknown) => {
        this.#signal ??= signal
      }),
    )
    await Promise.all(running)
    // A failed loop ends at once, without waiting for the rounds that are parked.
    if (this.#signal && !(this.#failure && this.#signal instanceof Parked)) throw this.#signal
    return this.#result(items.length)
  }

  async while(): Promise<RoundsResult> {
    let index = 0
    for (; this.#finished.has(index); index++)
      this.#take(this.#finished.get(index)!, { item: null, index, count: index })
    if (index > 0) await this.#walker.showShared()
    for (; this.#failure === null; index++) {
      const round = { item: null, index, count: index }
      if (!this.#plan.holds!(this.#walker.bindingsBefore(round))) break
      if (index >= this.#plan.max) {
        this.#failure = {
          code: CODE.loop_limit,
          message: filled(STEP_ERRORS.loop_limit.message, { most: this.#plan.max }),
          hint: STEP_ERRORS.loop_limit.hint,
        }
        break
      }
      await this.#run(round)
    }
    return this.#result(index)
  }

  async #run(round: Round): Promise<void> {
    const record: RoundRecord = { index: round.index, output: null, error: null }
    try {
      const bindings = await this.#walker.walk(round, round.index < this.#begunBefore)
      record.output = this.#plan.collect?.(bindings) ?? null
    } catch (error) {
      if (error instanceof NestedFailure) record.error = error.outcome.error
      else if (error instanceof ExpressionError)
        record.error = { code: error.code, message: error.message, hint: error.hint }
      else throw error
    }
    await this.#walker.record(record)
    this.#take(record, round)
  }

  #take({ index, output, error }: RoundRecord, { item }: Round): void {
    this.#results[index] = output ?? null
    if (!error) return
    if (this.#goOn) this.#errors.push({ index, item, error })
    else this.#failure ??= error
  }

  #result(count: number): RoundsResult {
    for (let i = 0; i < count; i++) this.#results[i] ??= null
    const errors = this.#errors.toSorted((a, b) => a.index - b.index)
    return { count, results: this.#results, errors, failure: this.#failure }
  }
}

/** A wait for another run has no time, and comes after all others. */
const LATEST = Number.MAX_SAFE_INTEGER

/** Keeps lanes that wait in this process while another lane works. Once all lanes wait, the run is parked. */
class Lanes {
  readonly #walker: RoundWalker
  readonly #waiting = new Set<{ resumeAt: number | null; park(): void }>()
  #working = 0

  constructor(walker: RoundWalker) {
    this.#walker = walker
  }

  async run(lane: () => Promise<void>): Promise<void> {
    this.#working++
    try {
      await lane()
    } finally {
      this.#working--
      this.#parkIfAllWait()
    }
  }

  async untilDone(round: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await round()
      } catch (signal) {
        if (!(signal instanceof Parked)) throw signal
        // The wait may be long: finished work and the end of the wait must survive a crash meanwhile.
        await this.#walker.settled()
        await this.#wait(signal.resumeAt)
      }
    }
  }

  async #wait(resumeAt: number | null): Promise<void> {
    const sleep = this.#walker.sleepUntil(resumeAt)
    this.#working--
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting = { resumeAt, park: () => reject(new Parked(resumeAt)) }
        this.#waiting.add(waiting)
        void sleep.done.then(() => {
          this.#waiting.delete(waiting)
          resolve()
        })
        this.#parkIfAllWait()
      })
    } finally {
      sleep.end()
      this.#working++
    }
  }

  #parkIfAllWait(): void {
    if (this.#working > 0) return
    // The earliest comes first, because the run parks with the first signal.
    const all = [...this.#waiting].toSorted((a, b) => (a.resumeAt ?? LATEST) - (b.resumeAt ?? LATEST))
    this.#waiting.clear()
    for (const waiting of all) waiting.park()
  }
}
