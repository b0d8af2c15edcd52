// Calls the flow that is tested, as a request of the API would, and waits for the end of its run.
import { CODE } from '../base/error-catalogue.ts'
import type { CallerReply } from '../engine/step-kind.ts'
import { inputIssues } from '../flow/triggers/call/check-input.ts'
import { CALL } from '../flow/triggers/call/schema.ts'
import { calledStart } from '../operations/flows/given-start.ts'
import type { RouteRecord } from '../operations/ports/flows.ts'
import { startRun } from '../operations/runs/start-run.ts'
import type { TestRuntime } from './test-runtime.ts'

/** What the one who sets the flow off gets to know. */
export interface Answered {
  delivery: string
  code: string | null
  reply: CallerReply
  /** Undefined if no run was started. */
  runId: string | undefined
}

export async function isCalled({ services }: TestRuntime, { flowId, version }: RouteRecord): Promise<boolean> {
  return (await services.published.version(flowId, version!)).trigger.kind === CALL
}

/** The reply is the result of the run. */
export async function callTested(
  runtime: TestRuntime,
  { flowId, version }: RouteRecord,
  input: unknown,
): Promise<Answered> {
  const { services } = runtime
  const { trigger } = await services.published.version(flowId, version!)
  const [issue] = trigger.kind === CALL && trigger.input !== null ? inputIssues(trigger.input, input) : []
  if (issue) {
    const code = CODE.invalid_input
    const reply = { status: 400, headers: [], body: { status: 'error', code, message: issue.message } }
    return { delivery: 'rejected', code, reply, runId: undefined }
  }
  const id = services.ids.next('run')
  const at = { hops: 0, replyStatus: null, createdAt: services.now(), replayOf: null }
  await startRun(services, {
    run: { id, flowId, version, document: null, test: false, ...calledStart(input), ...at },
    concurrency: trigger.concurrency,
  })
  await runtime.finished()
  const result = (await runtime.endOf(id))?.result ?? null
  return { delivery: 'accepted', code: null, reply: { status: 200, headers: [], body: result }, runId: id }
}
