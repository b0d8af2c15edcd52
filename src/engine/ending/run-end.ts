// What is written with the end of a run, beside how it ended.
import type { CompiledFlow } from '../../flow/compile-flow.ts'
import { isErased } from '../../flow/document.ts'
import type { EnginePorts } from '../ports/engine-ports.ts'
import { type ClaimedRun, isHandler, type NewRun, type RunError } from '../ports/run-journal.ts'
import type { StepKind } from '../step-kind.ts'
import { handlerOf } from './failure-handler.ts'

export interface RunEnding {
  error: RunError | null
  handler: NewRun | null
  erase: boolean
}

export const runEnding = (
  run: ClaimedRun,
  flow: CompiledFlow<StepKind>,
  status: 'succeeded' | 'failed',
  error: RunError | null,
  ports: EnginePorts,
): RunEnding => ({
  error,
  handler: error && handlerOf(run, flow, error, ports),
  erase: erasesData(run, flow, status),
})

/** Returns whether the data of a run goes with its end. A test is there to be looked at; a handler is a part of a run that failed. */
export const erasesData = (
  run: ClaimedRun,
  { keptData }: Pick<CompiledFlow, 'keptData'>,
  status: 'succeeded' | 'failed',
): boolean => !run.test && isErased(keptData, isHandler(run) ? 'failed' : status)
