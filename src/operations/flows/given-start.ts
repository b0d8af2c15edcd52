// Builds what a test begins with from what the user gives, by the kind of the draft's trigger.

import { CODE } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { type RunStart, startedByDelivery } from '../../engine/ports/run-journal.ts'
import type { XmlParsing } from '../../flow/formats/xml-lists.ts'
import { inputIssues } from '../../flow/triggers/call/check-input.ts'
import { schemaProblems } from '../../flow/triggers/call/input-schema.ts'
import { CALL, type CallDocument } from '../../flow/triggers/call/schema.ts'
import { compileSchedule } from '../../flow/triggers/schedule/compile.ts'
import { previousTime } from '../../flow/triggers/schedule/planned-times.ts'
import { SCHEDULE, type ScheduleDocument } from '../../flow/triggers/schedule/schema.ts'
import { OperationError } from '../operation-error.ts'
import { type GivenWebhook, givenWebhook } from './given-webhook.ts'
import type { FlowServices } from './services.ts'

/** What a test is given: one of them, by the kind of the trigger. */
export interface GivenStart {
  webhook?: GivenWebhook
  schedule?: GivenSchedule
  input?: unknown
}

export interface GivenSchedule {
  at?: string
  previous?: string | null
  missed?: number
  input?: unknown
}

/** What templates read as `schedule`. */
export type ScheduleRoot = Required<GivenSchedule>

export async function givenStart(
  services: FlowServices,
  flowId: string,
  { trigger }: { trigger?: unknown },
  given: GivenStart,
): Promise<RunStart> {
  const kind = isObject(trigger) ? trigger['kind'] : undefined
  const { key, begin } = GIVEN_BY_KIND.get(kind) ?? BY_WEBHOOK
  for (const other of ['webhook', 'schedule', 'input'] as const)
    if (other !== key && given[other] !== undefined)
      throw new OperationError(
        CODE.invalid_request,
        `The trigger of this flow is given "${key}" in a test, not "${other}".`,
      )
  return begin(services, flowId, trigger, given)
}

interface GivenKind {
  /** The part of the test's body that it takes. */
  key: keyof GivenStart
  begin(services: FlowServices, flowId: string, trigger: unknown, given: GivenStart): Promise<RunStart>
}

const BY_WEBHOOK: GivenKind = {
  key: 'webhook',
  begin: async (services, flowId, trigger, { webhook }) =>
    startedByDelivery(givenWebhook(services, webhook, await services.samples.latest(flowId), xmlParsing(trigger))),
}

/** A draft may have anything in place of its lists. */
function xmlParsing(trigger: unknown): XmlParsing | null {
  if (!isObject(trigger) || trigger['parse'] !== 'xml') return null
  const { lists } = trigger
  return { lists: Array.isArray(lists) ? lists.filter((path) => typeof path === 'string') : [] }
}

const GIVEN_BY_KIND: ReadonlyMap<unknown, GivenKind> = new Map<string, GivenKind>([
  [
    SCHEDULE,
    {
      key: 'schedule',
      async begin(services, _flowId, trigger, { schedule }) {
        const at = schedule?.at === undefined ? services.now() : Date.parse(schedule.at)
        const root = scheduleAt(trigger as ScheduleDocument, at)
        return scheduledStart({ ...root, ...schedule, at: root.at }, true)
      },
    },
  ],
  [
    CALL,
    {
      key: 'input',
      begin: async (_services, _flowId, trigger, { input }) => calledStart(fitting(trigger as CallDocument, input)),
    },
  ],
])

/** Returns the input of a test. An input that is given must fit the schema of the draft, as in a run. */
function fitting({ input: schema }: CallDocument, input: unknown): unknown {
  if (input === undefined) return null
  if (schema !== undefined && schemaProblems(schema).length === 0) requireFit(schema as object | boolean, input)
  return input
}

/** Throws, with each problem, if an input does not fit the schema of its flow. */
export function requireFit(schema: object | boolean, input: unknown): void {
  const issues = inputIssues(schema, input)
  if (issues.length)
    throw new OperationError(CODE.invalid_input, `The input does not fit the flow: ${issues[0]!.message}.`, issues)
}

/** Returns the beginning of a run with a schedule. `manual`: no planned time started it. */
export function scheduledStart(root: ScheduleRoot, manual: boolean): RunStart {
  const at = Date.parse(root.at)
  return {
    trigger: { kind: SCHEDULE, at, ...(manual && { manual: true as const }) },
    webhook: null,
    given: { schedule: root },
    parent: null,
  }
}

/** Returns the beginning of a run that is called with this input, on request. */
export const calledStart = (input: unknown): RunStart => ({
  trigger: { kind: CALL },
  webhook: null,
  given: { input },
  parent: null,
})

/** Returns what a run gets at this time, whatever is planned. A trigger that is not finished has no time before it. */
export function scheduleAt(trigger: ScheduleDocument, at: number): ScheduleRoot {
  const previous = previousOf(trigger, at)
  return {
    at: new Date(at).toISOString(),
    previous: previous === null ? null : new Date(previous).toISOString(),
    missed: 0,
    input: trigger.input ?? null,
  }
}

function previousOf(trigger: ScheduleDocument, at: number): number | null {
  try {
    return previousTime(compileSchedule(trigger).times, at)
  } catch {
    return null
  }
}
