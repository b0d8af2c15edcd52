// Starts the runs that steps of other runs call, and takes up the runs that wait for them.
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { FlowUnusable } from '../../engine/engine.ts'
import type { Ids } from '../../engine/ids.ts'
import type { Call } from '../../engine/ports/engine-ports.ts'
import type { ChildRun, ClaimedRun, NewRun, RunProgress } from '../../engine/ports/run-journal.ts'
import type { Hashing } from '../../engine/run-bindings.ts'
import type { StepError } from '../../engine/step-kind.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { inputIssues } from '../../flow/triggers/call/check-input.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import type { LiveFlow, PublishedFlows } from '../flows/published-flows.ts'
import type { Basics } from '../ports/basics.ts'
import type { Queue, QueuedRun } from '../ports/queue.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { RoomServices } from './room.ts'
import { labelsOf } from './run-labels.ts'
import { type LineServices, runStarted } from './start-run.ts'

interface CallPorts extends Omit<LineServices, 'queue'>, Pick<RoomServices, 'maxPaused'> {
  published: PublishedFlows
  ids: Ids
  hashing: Hashing
  config: Basics['config']
  secrets: Pick<Secrets, 'redact'>
  now(): number
}

export class CalledRuns {
  readonly #ports: CallPorts
  /** Set before the first run begins. */
  queue: Queue | null = null

  constructor(ports: CallPorts) {
    this.#ports = ports
  }

  /** Returns a run of the flow's live version that is not stored yet, or why there can be none. */
  async prepare(
    caller: Pick<ClaimedRun, 'id' | 'test' | 'hops' | 'trigger'>,
    { flow, input, step, wait, trace }: Call,
  ): Promise<ChildRun | StepError> {
    const { published, ids, now } = this.#ports
    const route = await published.routeOf(flow)
    if (!route || route.version === null) return NOT_PUBLISHED
    const { version } = route
    // A run that calls another must be able to go on, so only the limit of paused flows holds for it.
    if (route.paused && this.queue!.held >= this.#ports.maxPaused) return NO_ROOM
    let live: LiveFlow
    try {
      live = await published.version(flow, version)
    } catch (error) {
      if (error instanceof FlowUnusable) return { code: error.code, message: error.message }
      throw error
    }
    if (live.trigger.kind !== CALL) return NOT_PUBLISHED
    // The called run gets what it would read from the database: JSON of its own.
    const given = parseJson(JSON.stringify(input ?? null))
    const [issue] = live.trigger.input === null ? [] : inputIssues(live.trigger.input, given)
    if (issue)
      return {
        code: CODE.invalid_input,
        message: filled(STEP_ERRORS.invalid_input.message, { problem: issue.message }),
        hint: STEP_ERRORS.invalid_input.hint,
      }
    const run: NewRun = {
      id: ids.next('run'),
      flowId: flow,
      version,
      document: null,
      test: caller.test,
      trigger: {
        kind: CALL,
        ...(caller.trigger.forFailure && { forFailure: true }),
        ...(trace?.traceparent !== undefined && { trace }),
      },
      webhook: null,
      given: { input: given },
      parent: { run: caller.id, step, waits: wait },
      hops: caller.hops + 1,
      replyStatus: null,
      createdAt: now(),
      replayOf: null,
    }
    return {
      run: { ...run, labels: labelsOf(this.#ports, live.name, live.trigger, run) },
      concurrency: live.trigger.concurrency,
      held: route.paused,
    }
  }

  /** Is called when progress of a run is durable. */
  progressed(run: ClaimedRun, { entries, finishedAt, handler }: RunProgress): void {
    const queue = this.queue!
    if (handler) queue.add(queuedHandler(handler))
    for (const { child } of entries) if (child) runStarted({ ...this.#ports, queue }, child.run, child)
    if (finishedAt !== null && run.parent?.waits) queue.wake()
  }
}

/** A handler waits for no place among the runs of its flow, and for no resumption: the run itself has begun. */
const queuedHandler = ({ id, flowId, createdAt }: NewRun): QueuedRun => ({
  id,
  flowId,
  concurrency: null,
  fresh: null,
  since: createdAt,
  exempt: true,
})

const NO_ROOM: StepError = {
  code: CODE.overloaded,
  message: STEP_ERRORS.overloaded.message,
  hint: STEP_ERRORS.overloaded.hint,
}

const NOT_PUBLISHED: StepError = {
  code: CODE.not_published,
  message: STEP_ERRORS.not_published.message,
  hint: STEP_ERRORS.not_published.hint,
}
