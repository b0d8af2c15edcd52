// Says which group of failures a failed run belongs to: those of the same flow, step, code, status and normalized message.
import { createHash } from 'node:crypto'
import { normalMessage } from '../../../base/normal-message.ts'
import type { RunError, RunProgress } from '../../../engine/ports/run-journal.ts'
import type { Protect } from '../../../operations/ports/secrets.ts'

export interface Cause {
  /** The id of the group. */
  failure: string
  step: string
  code: string
  status: number | null
  message: string
}

export type CauseOf = (flowId: string, error: RunError, protect: Protect) => Cause

/** `hosts` are cut out of messages: they come from the environment. */
export const createCauseOf =
  (hosts: readonly string[] = []): CauseOf =>
  (flowId, error, protect) => {
    const step = error.step ?? ''
    const { code } = error
    const status = error.status ?? null
    // Secrets are hidden before anything is cut: a part of one would not be recognized.
    const message = normalMessage(protect.text(error.message), hosts)
    const hash = createHash('sha256').update(JSON.stringify([flowId, step, code, status, message]))
    return { failure: `fail_${hash.digest('hex').slice(0, 32)}`, step, code, status, message }
  }

/** The version of a run of a draft. */
export const NO_VERSION = 0

/** One failed run, as it is counted. */
export interface FailedRun extends Cause {
  flowId: string
  runId: string
  version: number
  at: number
}

export function failedRun(
  run: { runId: string; flowId: string; version: number | null; test: boolean },
  { status, finishedAt, error, forFailure }: RunProgress,
  protect: Protect,
  causeOf: CauseOf,
): FailedRun | null {
  if (status !== 'failed' || finishedAt === null || error === null || run.test || forFailure) return null
  const { runId, flowId, version } = run
  return { ...causeOf(flowId, error, protect), runId, flowId, version: version ?? NO_VERSION, at: finishedAt }
}
