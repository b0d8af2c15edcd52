// Starts a run of a flow whose trigger has the kind `call`, on request.
import { CODE } from '../../base/error-catalogue.ts'
import { inputIssues } from '../../flow/triggers/call/check-input.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import { calledStart } from '../flows/given-start.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import type { RunServices } from './services.ts'
import { type RunRequest, type StartedRun, startRequested } from './start-requested.ts'

export async function callFlow(
  services: RunServices,
  actor: Actor,
  flow: FlowRecord,
  { input = null, ...request }: RunRequest,
): Promise<StartedRun> {
  const { trigger } = await services.published.version(flow.id, flow.version!)
  const issues = trigger.kind === CALL && trigger.input !== null ? inputIssues(trigger.input, input) : []
  if (issues.length)
    throw new OperationError(CODE.invalid_input, `The input does not fit the flow: ${issues[0]!.message}.`, issues)
  const inputOf = (given: ReturnType<typeof calledStart>['given']) => given?.['input']
  return startRequested(
    services,
    actor,
    flow,
    { start: calledStart(input), concurrency: trigger.concurrency, inputOf },
    request,
  )
}
