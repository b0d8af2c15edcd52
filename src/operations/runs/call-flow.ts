// Starts a run of a flow whose trigger has the kind `call`, on request.
import { CALL } from '../../flow/triggers/call/schema.ts'
import { calledStart, requireFit } from '../flows/given-start.ts'
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
  if (trigger.kind === CALL && trigger.input !== null) requireFit(trigger.input, input)
  const inputOf = (given: ReturnType<typeof calledStart>['given']) => given?.['input']
  return startRequested(services, actor, flow, { start: calledStart(input), trigger, inputOf }, request)
}
