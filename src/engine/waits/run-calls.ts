// The calls of a run: how a step starts a run of another flow, and what the step gets when that run has ended.
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { filesOfRun } from '../files/files-of-run.ts'
import type { JournalWriter } from '../journal-writer.ts'
import type { EnginePorts } from '../ports/engine-ports.ts'
import type { ClaimedRun, JournalEntry } from '../ports/run-journal.ts'
import type { StepTrace } from '../ports/tracing.ts'
import { done, failed, type Outcome } from '../step-kind.ts'
import { Parked } from '../walk-signals.ts'

/** The most calls and webhooks of this service that may precede a run in a chain. */
export const MAX_HOPS = 10

/** Prepares the called run and puts it into the entry, which is journalled together with it. */
export async function beginCall(
  { run, ports }: { run: ClaimedRun; ports: EnginePorts },
  entry: JournalEntry,
  outcome: Outcome & { type: 'call' },
  trace: StepTrace | null,
): Promise<Outcome> {
  if (run.hops >= MAX_HOPS)
    return failed({
      code: CODE.loop_detected,
      message: filled(STEP_ERRORS.loop_detected.message, { most: MAX_HOPS }),
      hint: STEP_ERRORS.loop_detected.hint,
    })
  const { flow, input, wait } = outcome
  const call = { flow, input, wait, step: entry.path, trace: trace?.headers ?? null }
  const prepared = await ports.prepareCall(run, call)
  if (!('run' in prepared)) return failed(prepared)
  // The called run can read the files that it is given.
  const files = await filesOfRun(ports, run.id).namedBy(input)
  entry.child = files.length ? { ...prepared, run: { ...prepared.run, files } } : prepared
  entry.decision = prepared.run.id
  return outcome
}

export class RunCalls {
  readonly #ports: Pick<EnginePorts, 'journal' | 'files' | 'maxFileBytes'>
  readonly #runId: string
  readonly #awaited = new Set<string>()

  constructor(ports: Pick<EnginePorts, 'journal' | 'files' | 'maxFileBytes'>, runId: string) {
    this.#ports = ports
    this.#runId = runId
  }

  /** Returns the runs that this run waits for and that may have ended meanwhile: those that are stored already. */
  awaited(writer: JournalWriter): string[] {
    return [...this.#awaited].filter((id) => !writer.willStore(id))
  }

  /** Notes that the run waits for the one that the entry's step called. Returns null: nobody knows until when. */
  await(entry: JournalEntry): null {
    this.#awaited.add(entry.decision as string)
    return null
  }

  /** Returns the outcome of a step that waited for a run, with its entry. Throws Parked if that run has not ended. */
  async resultOf({ child: _stored, ...entry }: JournalEntry): Promise<[JournalEntry, Outcome]> {
    const runId = entry.decision as string
    const end = await this.#ports.journal.endOf(runId)
    if (!end) throw new Parked(this.await(entry))
    this.#awaited.delete(runId)
    if (end.status === 'succeeded') {
      const files = await filesOfRun(this.#ports, runId).namedBy(end.result)
      if (files.length) await this.#ports.files.use(this.#runId, files)
      return [entry, done(end.result)]
    }
    const { code, message, hint, step } = end.error ?? { code: CODE.failed, message: STEP_ERRORS.flow_gone.message }
    const child = { run: runId, ...(step !== undefined && { step }) }
    return [entry, failed({ code, message, ...(hint !== undefined && { hint }), child })]
  }
}
