// Starts the runs of schedules when their time comes: one timer to the next time, and a look at least every second, because
// clocks jump, machines sleep and other processes publish. Several processes need no leader: whoever moves a schedule on first
// has started its runs.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { type CompiledSchedule, compileSchedule } from '../../flow/triggers/schedule/compile.ts'
import type { ScheduleDocument } from '../../flow/triggers/schedule/schema.ts'
import { type ScheduleRoot, scheduledStart } from '../flows/given-start.ts'
import type { DueSchedule, Occurrence } from '../ports/schedules.ts'
import { RepeatedLook } from '../repeated-look.ts'
import { labelsOf } from '../runs/run-labels.ts'
import { runStarted } from '../runs/start-run.ts'
import { type PlannedStart, planFiring } from './plan-firing.ts'
import type { ScheduleServices } from './services.ts'

const LONGEST_SLEEP_MS = 1_000
const MOST_AT_ONCE = 500
/** A wall clock that gains or loses more than this against the steady one has been set, or the machine has slept. */
const JUMP_MS = 5_000
/** Bounds the runs of one flow that are stored together, and their inputs. */
const MOST_RUNS = 100
const MOST_INPUT_CHARS = 1_000_000
/** Compiled schedules that are kept; compiling one takes some ten microseconds. */
const KEPT = 1_000

export interface LoopClock {
  /** A clock that never jumps. */
  elapsedMs(): number
  /** How long before this process began to watch another one may have been watching. */
  graceMs: number
}

type Services = Pick<
  ScheduleServices,
  'schedules' | 'config' | 'hashing' | 'ids' | 'now' | 'queue' | 'events' | 'meters' | 'secrets' | 'warn'
>

export class ScheduleLoop {
  readonly #services: Services
  readonly #clock: LoopClock
  readonly #compiled = new Map<string, CompiledSchedule>()
  #watchingSince: number | null = null
  #seen: { now: number; elapsed: number } | null = null
  readonly #loop: RepeatedLook

  constructor(services: Services, clock: LoopClock) {
    this.#services = services
    this.#clock = clock
    this.#loop = new RepeatedLook(
      () => this.look(),
      LONGEST_SLEEP_MS,
      ({ message }) => services.warn('schedules could not be looked at; it is tried again', { reason: message }),
    )
  }

  start(): void {
    this.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }

  /** Looks at once, because a schedule has changed. */
  wake(): void {
    this.#loop.wake()
  }

  /** Starts what is due, and returns in how many milliseconds to look again. */
  async look(): Promise<number> {
    const { now, schedules, nextAt } = await this.#services.schedules.due(MOST_AT_ONCE)
    this.#noteClock(now)
    const fired = await Promise.all(schedules.map((schedule) => this.#fireSafely(schedule, now)))
    // A schedule that cannot be started must not make the loop spin.
    if (schedules.length === MOST_AT_ONCE && fired.includes(true)) return 0
    return Math.min(nextAt === null ? LONGEST_SLEEP_MS : Math.max(1, nextAt - now), LONGEST_SLEEP_MS)
  }

  #noteClock(now: number): void {
    const elapsed = this.#clock.elapsedMs()
    const before = this.#seen
    this.#seen = { now, elapsed }
    this.#watchingSince ??= now - this.#clock.graceMs
    if (!before) return
    const jump = now - before.now - (elapsed - before.elapsed)
    if (jump > JUMP_MS) this.#watchingSince = now
    else if (jump < -JUMP_MS) this.#watchingSince = Math.min(this.#watchingSince, now)
  }

  async #fireSafely(due: DueSchedule, now: number): Promise<boolean> {
    try {
      return await this.#fire(due, now)
    } catch (error) {
      this.#services.warn('the runs of a schedule could not be started; it is tried again', {
        flowId: due.flowId,
        reason: (error as Error).message,
      })
      return false
    }
  }

  async #fire(due: DueSchedule, now: number): Promise<boolean> {
    const { schedules } = this.#services
    const schedule = this.#compile(due.settings)
    const { starts, becomes } = await planFiring(due, schedule, {
      now,
      missedBefore: Math.max(this.#watchingSince!, due.since),
      most: Math.max(1, Math.min(MOST_RUNS, Math.floor(MOST_INPUT_CHARS / due.settings.length))),
      breathe: () => nextTurn(),
    })
    const isBusy = schedule.overlap === 'skip' && starts.length > 0 && (await schedules.isUnderWay(due.flowId))
    const { occurrences, leftOut } = this.#occurrences(due, schedule, starts, isBusy)
    const { concurrency } = schedule
    const missed = becomes.missed + leftOut
    const firing = { flowId: due.flowId, version: due.version, at: due.nextAt, concurrency, occurrences }
    if (!(await schedules.fire({ ...firing, becomes: { ...becomes, missed } }))) return false
    for (const { at, run } of occurrences) {
      if (!run) continue
      this.#services.meters.scheduleStarted(Math.max(0, run.createdAt - at - (due.runsAt - due.nextAt)) / 1000)
      runStarted(this.#services, run, { concurrency })
    }
    return true
  }

  /** Returns the times with their runs. What a time without a run would have reported as missed is left to the next run. */
  #occurrences(
    { flowId, version }: DueSchedule,
    schedule: CompiledSchedule,
    starts: readonly PlannedStart[],
    isBusy: boolean,
  ): { occurrences: Occurrence[]; leftOut: number } {
    const { overlap, input } = schedule
    let busy = isBusy
    let leftOut = 0
    const occurrences = starts.map((start): Occurrence => {
      if (busy) {
        leftOut += start.missed
        return { at: start.at, run: null }
      }
      busy = overlap === 'skip'
      const root = rootOf({ ...start, missed: start.missed + leftOut }, input)
      leftOut = 0
      const run: NewRun = {
        id: this.#services.ids.next('run'),
        flowId,
        version,
        document: null,
        test: false,
        ...scheduledStart(root, false),
        hops: 0,
        replyStatus: null,
        createdAt: this.#services.now(),
        replayOf: null,
      }
      // The labels of a schedule cannot read the flow.
      return { at: start.at, run: { ...run, labels: labelsOf(this.#services, '', schedule, run) } }
    })
    return { occurrences, leftOut }
  }

  #compile(settings: string): CompiledSchedule {
    const known = this.#compiled.get(settings)
    if (known) return known
    const compiled = compileSchedule(JSON.parse(settings) as ScheduleDocument)
    this.#compiled.set(settings, compiled)
    if (this.#compiled.size > KEPT) this.#compiled.delete(this.#compiled.keys().next().value!)
    return compiled
  }
}

const rootOf = ({ at, previous, missed }: PlannedStart, input: unknown): ScheduleRoot => ({
  at: new Date(at).toISOString(),
  previous: previous === null ? null : new Date(previous).toISOString(),
  missed,
  input,
})
