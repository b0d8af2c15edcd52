// Starts a run of a flow whose trigger has the kind `call`, on request.
import { API_ERRORS, CODE } from '../../base/error-catalogue.ts'
import type { NewRun, RunError, RunStatus } from '../../engine/ports/run-journal.ts'
import { inputIssues } from '../../flow/triggers/call/check-input.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import { flowTarget } from '../flows/flow-view.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { awaitRun } from './await-run.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

export interface RunRequest {
  input: unknown
  idempotencyKey: string | null
  waitMs: number
}

/** A run that was started; with its result or error if it ended while the caller waited. */
export interface StartedRun {
  id: string
  status: RunStatus
  result?: unknown
  error?: RunError | null
}

const KEY_KEPT_MS = 86_400_000

export async function callFlow(
  services: RunServices,
  actor: Actor,
  flow: FlowRecord,
  { input, idempotencyKey, waitMs }: RunRequest,
): Promise<StartedRun> {
  const { trigger } = await services.published.version(flow.id, flow.version!)
  const issues = trigger.kind === CALL && trigger.input !== null ? inputIssues(trigger.input, input) : []
  if (issues.length)
    throw new OperationError(CODE.invalid_input, `The input does not fit the flow: ${issues[0]!.message}.`, issues)
  const createdAt = services.now()
  const run: NewRun = {
    id: services.ids.next('run'),
    flowId: flow.id,
    version: flow.version,
    document: null,
    test: false,
    trigger: { kind: CALL },
    webhook: null,
    given: { input },
    parent: null,
    hops: 0,
    replyStatus: null,
    createdAt,
    replayOf: null,
  }
  await services.audit.recordOnce(actor, 'run.start', flowTarget(flow), { run: run.id })
  const key = idempotencyKey === null ? null : `key:${services.hashing.sha256(idempotencyKey)}`
  const { duplicateOf } = await startRun(services, {
    run,
    concurrency: trigger.concurrency,
    dedupe: key === null ? null : { key, expiresAt: createdAt + KEY_KEPT_MS },
  })
  if (duplicateOf !== null) await requireSameInput(services, duplicateOf, input)
  return stateOf(services, { id: duplicateOf ?? run.id, flowId: flow.id }, waitMs)
}

async function requireSameInput(services: RunServices, id: string, input: unknown): Promise<void> {
  const first = await services.runs.original(id)
  if (!first) throw notFound('run', id)
  if (JSON.stringify(first.given?.['input']) !== JSON.stringify(input))
    throw new OperationError(CODE.idempotency_mismatch, API_ERRORS.idempotency_mismatch.message)
}

async function stateOf(
  services: RunServices,
  run: { id: string; flowId: string },
  waitMs: number,
): Promise<StartedRun> {
  const redact = <T>(value: T): T => services.secrets.redact(value, run.flowId)
  const end = await awaitRun(services, run, waitMs)
  if (!end) return { id: run.id, status: (await services.runs.get(run.id, 0))?.status ?? 'queued' }
  const { status } = end
  if (status === 'succeeded') return { id: run.id, status, result: redact(end.result) }
  return { id: run.id, status, error: redact(end.error) }
}
