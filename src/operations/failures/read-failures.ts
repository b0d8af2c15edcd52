// Shows the groups of failures as the API does, and changes their states.
import { CODE } from '../../base/error-catalogue.ts'
import { notFound, OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import { type FailureFilter, type FailureRecord, type FailureState, KEPT_FAILURE_HOURS } from '../ports/failures.ts'
import type { Page, Paged } from '../ports/page.ts'
import { HOUR_MS } from '../ports/stats.ts'
import type { FailureServices } from './services.ts'

export interface FailureView {
  id: string
  flow: string
  /** null if the flow was deleted. */
  flowName: string | null
  step: string | null
  code: string
  status: number | null
  message: string
  count: number
  firstAt: string
  lastAt: string
  versions: number[]
  /** The failures of each of the latest hours, the oldest first. */
  hours: number[]
  latestRun: string
  state: FailureState
  /** The time until which it is muted. */
  until: string | null
}

export async function listFailures(
  services: FailureServices,
  filter: FailureFilter,
  page: Page,
): Promise<Paged<FailureView>> {
  await services.failures.settle()
  const now = services.now()
  const { items, nextCursor } = await services.failures.list(filter, page, now)
  const names = await services.flows.names(items.map(({ flowId }) => flowId))
  return { items: items.map((failure) => failureView(services, failure, names, now)), nextCursor }
}

export async function readFailure(services: FailureServices, id: string): Promise<FailureView> {
  await services.failures.settle()
  const now = services.now()
  const failure = await services.failures.get(id, now)
  if (!failure) throw notFound('failure', id)
  return failureView(services, failure, await services.flows.names([failure.flowId]), now)
}

export interface FailureChange {
  state: FailureState
  /** Required for `muted`. */
  until: number | null
}

export async function changeFailure(
  services: FailureServices,
  actor: Actor,
  id: string,
  { state, until }: FailureChange,
): Promise<FailureView> {
  const now = services.now()
  if (state === 'muted' && (until === null || until <= now))
    throw new OperationError(CODE.invalid_request, '"until" takes a time to come: a failure is muted until then.')
  if (state !== 'muted' && until !== null) throw new OperationError(CODE.invalid_request, 'Only "muted" takes "until".')
  // What failed before this moment belongs to what is resolved.
  await services.failures.settle()
  await services.audit.together(async () => {
    if (!(await services.failures.setState(id, state, now, until))) throw notFound('failure', id)
    const details = { state, ...(until !== null && { until: new Date(until).toISOString() }) }
    await services.audit.record(actor, 'failure.update', { kind: 'failure', id, name: null }, details)
  })
  return readFailure(services, id)
}

function failureView(
  { secrets }: FailureServices,
  failure: FailureRecord,
  names: ReadonlyMap<string, string>,
  now: number,
): FailureView {
  const { flowId, firstAt, lastAt, hours, mutedUntil, ...rest } = failure
  const first = Math.floor(now / HOUR_MS) - KEPT_FAILURE_HOURS + 1
  const counts = new Map(hours)
  return {
    ...rest,
    flow: flowId,
    flowName: names.get(flowId) ?? null,
    // It is redacted again for secrets of the flow that became known since.
    message: secrets.redact(failure.message, flowId),
    firstAt: new Date(firstAt).toISOString(),
    lastAt: new Date(lastAt).toISOString(),
    hours: Array.from({ length: KEPT_FAILURE_HOURS }, (_, i) => counts.get(first + i) ?? 0),
    until: mutedUntil === null ? null : new Date(mutedUntil).toISOString(),
  }
}
