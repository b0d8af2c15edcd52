// Tells when a flow runs next, and what became of its last times.
import { CODE } from '../../base/error-catalogue.ts'
import type { FlowDocument } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { type CompiledSchedule, compileSchedule } from '../../flow/triggers/schedule/compile.ts'
import { SCHEDULE, type ScheduleDocument } from '../../flow/triggers/schedule/schema.ts'
import { publishIssues } from '../../flow/validate/validate.ts'
import { findFlow, findings } from '../flows/draft.ts'
import { FlowInvalid, OperationError } from '../operation-error.ts'
import type { FlowRecord } from '../ports/flows.ts'
import type { ScheduleServices } from './services.ts'

const SHOWN = 10

export interface ScheduleView {
  published: boolean
  paused: boolean
  timezone: string
  next: { at: string; runsAt: string }[]
  last: { at: string; run: string | null; status: string | null }[]
}

export async function readSchedule(services: ScheduleServices, id: string): Promise<ScheduleView> {
  const flow = await findFlow(services, id)
  const held = await services.schedules.get(id)
  if (!held && flow.version !== null) throw wrongTrigger(flow)
  const schedule = held ? compileSchedule(JSON.parse(held.settings) as ScheduleDocument) : draftSchedule(services, flow)
  const now = services.now()
  const from = held?.nextAt && held.nextAt > now ? held.nextAt - 1 : now
  const last = await services.schedules.last(id, SHOWN)
  return {
    published: held !== null,
    paused: held?.paused ?? false,
    timezone: schedule.timezone,
    next: upcoming(id, schedule, from),
    last: last.map(({ at, runId, status }) => ({
      at: new Date(at).toISOString(),
      run: runId,
      status: runId === null ? 'skipped' : status,
    })),
  }
}

function draftSchedule(services: ScheduleServices, flow: FlowRecord): CompiledSchedule {
  const { trigger } = parseJson(flow.draft) as Partial<FlowDocument>
  if (trigger?.kind !== SCHEDULE) throw wrongTrigger(flow)
  const issues = publishIssues(findings(services, null, { name: 'draft', trigger, steps: [] }))
  if (issues.length) throw new FlowInvalid(issues)
  return compileSchedule(trigger)
}

function upcoming(flowId: string, { times, jitterOf }: CompiledSchedule, from: number): ScheduleView['next'] {
  const next: ScheduleView['next'] = []
  const jitter = jitterOf(flowId)
  for (let at = times.next(from); at !== null && next.length < SHOWN; at = times.next(at))
    next.push({ at: new Date(at).toISOString(), runsAt: new Date(at + jitter).toISOString() })
  return next
}

const wrongTrigger = ({ name }: FlowRecord): OperationError =>
  new OperationError(CODE.wrong_trigger, `The flow "${name}" has no schedule: its trigger has another kind.`)
