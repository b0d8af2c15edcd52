// Starts a run of a published flow because a user or program asks for it, and waits for its end if they want to.
import { API_ERRORS, CODE } from '../../base/error-catalogue.ts'
import type { NewRun, RunError, RunStart, RunStatus } from '../../engine/ports/run-journal.ts'
import type { CompiledTrigger } from '../../flow/triggers/compile-trigger.ts'
import { flowTarget } from '../flows/flow-view.ts'
import { notFound, OperationError, TryLater } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { awaitRun } from './await-run.ts'
import { noRoomFor } from './room.ts'
import { labelsOf } from './run-labels.ts'
import type { RunServices } from './services.ts'
import { startRun } from './start-run.ts'

export interface RunRequest {
  /** Undefined if none is given. */
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

export interface RequestedRun {
  start: RunStart
  trigger: CompiledTrigger
  /** Returns the input of a run from what it was given: a key stands for one input. */
  inputOf(given: RunStart['given']): unknown
}

const KEY_KEPT_MS = 86_400_000

export async function startRequested(
  services: RunServices,
  actor: Actor,
  flow: FlowRecord,
  { start, trigger, inputOf }: RequestedRun,
  { idempotencyKey, waitMs }: Omit<RunRequest, 'input'>,
): Promise<StartedRun> {
  const isPaused = flow.pausedAt !== null
  const noRoom = noRoomFor(services, isPaused)
  if (noRoom) throw new TryLater(CODE.overloaded, noRoom.message, noRoom.retryAfterS)
  const createdAt = services.now()
  const run: NewRun = {
    id: services.ids.next('run'),
    flowId: flow.id,
    version: flow.version,
    document: null,
    test: false,
    ...start,
    hops: 0,
    replyStatus: null,
    createdAt,
    replayOf: null,
  }
  const key = idempotencyKey === null ? null : `key:${services.hashing.sha256(idempotencyKey)}`
  const { duplicateOf, held } = await startRun(services, {
    run: { ...run, labels: labelsOf(services, flow.name, trigger, run) },
    concurrency: trigger.concurrency,
    dedupe: key === null ? null : { key, expiresAt: createdAt + KEY_KEPT_MS },
    entry: services.audit.entryOnce(actor, 'flow.run', flowTarget(flow), { run: run.id }),
  })
  if (duplicateOf !== null) await requireSameInput(services, duplicateOf, inputOf, inputOf(start.given))
  // Nobody knows when a paused flow is resumed.
  const patienceMs = held || isPaused ? 0 : waitMs
  return stateOf(services, { id: duplicateOf ?? run.id, flowId: flow.id }, patienceMs)
}

async function requireSameInput(
  services: RunServices,
  id: string,
  inputOf: RequestedRun['inputOf'],
  input: unknown,
): Promise<void> {
  const first = await services.runs.original(id)
  if (!first) throw notFound('run', id)
  // Whoever has the key is trusted where there is nothing left to compare.
  if (first.dataDeleted) return
  if (JSON.stringify(inputOf(first.given)) !== JSON.stringify(input))
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
