// What a call does in the test of a step: it starts a test run of the called flow's live version, and waits for its end.
import { CODE } from '../../base/error-catalogue.ts'
import { BY_DELIVERY } from '../../engine/ports/run-journal.ts'
import { done, failed, type Outcome, type StepError } from '../../engine/step-kind.ts'
import type { TestedCall } from '../flows/services.ts'
import { awaitRun } from './await-run.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

/** A test is answered in one request, which somebody waits for. */
const LONGEST_WAIT_S = 60

type Services = Pick<RunServices, 'enginePorts' | 'events' | 'ids' | 'intake' | 'queue' | 'replies' | 'runs'>

export async function callInTest(services: Services, { runId, path, call }: TestedCall): Promise<Outcome> {
  const { flow, input, wait } = call
  const caller = { id: runId, test: true, hops: 0, trigger: BY_DELIVERY }
  const prepared = await services.enginePorts.prepareCall(caller, { flow, input, wait, step: path, trace: null })
  if (!('run' in prepared)) return failed(prepared)
  // The test of a step is no run that could be shown as the caller.
  const run = { ...prepared.run, parent: null }
  const { held } = await startRun(services, { run, concurrency: prepared.concurrency })
  if (!wait) return done({ run: run.id })
  const end = held ? null : await awaitRun(services, run, LONGEST_WAIT_S * 1000)
  if (end?.status === 'succeeded') return done(end.result)
  const child = { run: run.id, ...(end?.error?.step !== undefined && { step: end.error.step }) }
  if (!end) return failed({ ...(held ? IS_PAUSED : STILL_RUNS), child })
  const { code, message, hint } = end.error ?? { code: CODE.failed, message: 'The called run did not succeed.' }
  return failed({ code, message, ...(hint !== undefined && { hint }), child })
}

const STILL_RUNS: StepError = {
  code: CODE.failed,
  message: `The called run has not ended within ${LONGEST_WAIT_S} seconds. It goes on.`,
  hint: 'Look at the called run, or pin a result for this step.',
}

const IS_PAUSED: StepError = {
  code: CODE.failed,
  message: 'The called flow is paused, so the called run waits.',
  hint: 'Resume the called flow, or pin a result for this step.',
}
