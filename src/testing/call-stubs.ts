// Stands in for the flows that a flow calls: each call starts a run that ends as the test says.
import { CODE } from '../base/error-catalogue.ts'
import type { Ids } from '../engine/ids.ts'
import type { Call } from '../engine/ports/engine-ports.ts'
import type { ChildRun, ClaimedRun } from '../engine/ports/run-journal.ts'
import type { StepError } from '../engine/step-kind.ts'
import type { FixtureCalls } from '../flow/fixture.ts'
import { CALL } from '../flow/triggers/call/schema.ts'

/** The flows that run in place of the called one: they are given how to end. */
const standIn = (step: object): string => JSON.stringify({ name: 'Stub', trigger: { kind: CALL }, steps: [step] })
const SUCCEEDS = standIn({ id: 'result', kind: 'respond', body: '{{ input }}' })
const FAILS = standIn({ id: 'error', kind: 'fail', message: '{{ input }}' })

export class CallStubs {
  /** Calls that no stub answers. */
  unexpected: string[] = []
  #calls: FixtureCalls = {}

  /** From here on these stubs answer, each for the calls of one step. */
  answerWith(calls: FixtureCalls): void {
    this.unexpected = []
    this.#calls = calls
  }

  prepare(
    caller: Pick<ClaimedRun, 'id' | 'hops'>,
    { flow, step, wait }: Call,
    ids: Ids,
    now: number,
  ): ChildRun | StepError {
    const id = step.slice(step.lastIndexOf('/') + 1)
    const stub = Object.hasOwn(this.#calls, id) ? this.#calls[id] : undefined
    if (!stub) {
      this.unexpected.push(`the call of step ${id}`)
      return { code: CODE.not_published, message: `No stub answers the call of step ${id}`, hint: 'Add it to calls.' }
    }
    return {
      run: {
        id: ids.next('run'),
        flowId: flow,
        version: null,
        document: stub.error === undefined ? SUCCEEDS : FAILS,
        test: false,
        trigger: { kind: CALL },
        webhook: null,
        given: { input: stub.error ?? stub.result ?? null },
        parent: { run: caller.id, step, waits: wait },
        hops: caller.hops + 1,
        replyStatus: null,
        createdAt: now,
        replayOf: null,
      },
      concurrency: null,
    }
  }
}

/** The called runs under way, by the run that called them. */
export class CalledInTest {
  readonly #runs = new Map<string, Promise<void>[]>()

  start(caller: string, ended: Promise<void>): void {
    this.#runs.set(caller, [...(this.#runs.get(caller) ?? []), ended])
  }

  /** Resolves when the runs that this one has called have ended. */
  async ended(caller: string): Promise<void> {
    await Promise.all(this.#runs.get(caller) ?? [])
    this.#runs.delete(caller)
  }
}
