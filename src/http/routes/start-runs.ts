// Starts a run of a published flow on request, in place of its trigger; tells of its schedule, and of the flows that can be called.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import {
  CallableFlowBody,
  EndedRunBody,
  StartedRunBody,
  StartRunQuery,
  StartRunRequest,
} from '../../contract/run-bodies.ts'
import { ScheduleBody } from '../../contract/schedule-bodies.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import { SCHEDULE } from '../../flow/triggers/schedule/schema.ts'
import { listCallableFlows } from '../../operations/flows/calls/callable-flows.ts'
import { findFlow } from '../../operations/flows/draft.ts'
import { OperationError } from '../../operations/operation-error.ts'
import type { Actor } from '../../operations/ports/access.ts'
import type { FlowRecord } from '../../operations/ports/flows.ts'
import { callFlow } from '../../operations/runs/call-flow.ts'
import type { RunRequest, StartedRun } from '../../operations/runs/start-requested.ts'
import { readSchedule } from '../../operations/schedules/read-schedule.ts'
import { runNow } from '../../operations/schedules/run-now.ts'
import type { Services } from '../../operations/services.ts'
import { startedFor } from '../access/hide-data.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }
const LONGEST_KEY = 255

type Start = (services: Services, actor: Actor, flow: FlowRecord, request: RunRequest) => Promise<StartedRun>

/** How flows are started by the kind of their live trigger; those of other kinds cannot be. */
const STARTS: ReadonlyMap<string | null, Start> = new Map<string, Start>([
  [SCHEDULE, runNow],
  [CALL, callFlow],
])

export function startRunRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['flows']
  app.get<WithId>(
    '/api/v1/flows/:id/schedule',
    {
      schema: {
        tags,
        summary: 'The next and the last times of a schedule',
        params: Id,
        response: { 200: ScheduleBody },
      },
    },
    ({ params }) => readSchedule(services, params.id),
  )
  app.post<WithId & { Querystring: Static<typeof StartRunQuery>; Body: Static<typeof StartRunRequest> }>(
    '/api/v1/flows/:id/runs',
    {
      schema: {
        tags,
        summary: 'Start a run of the live version; with wait, answer with its result',
        params: Id,
        querystring: StartRunQuery,
        body: StartRunRequest,
        response: { 200: EndedRunBody, 202: StartedRunBody },
      },
    },
    async ({ params, query, body, headers, actor }, reply) => {
      const flow = await findFlow(services, params.id)
      if (flow.version === null)
        throw new OperationError(
          CODE.not_published,
          'The flow is not published; publish it, or run its draft as a test.',
        )
      const start = STARTS.get(flow.liveTrigger)
      if (!start)
        throw new OperationError(
          CODE.wrong_trigger,
          'The trigger of this flow cannot be set off here: send to its webhook.',
        )
      const started = await start(services, actor!, flow, {
        input: body.input,
        idempotencyKey: keyFrom(headers['idempotency-key']),
        waitMs: (query.wait ?? 0) * 1000,
      })
      const shown = startedFor(actor!, started)
      return reply.code('result' in shown || 'error' in shown ? 200 : 202).send(shown)
    },
  )
  app.get(
    '/api/v1/callable-flows',
    {
      schema: {
        tags,
        summary: 'The published flows that can be called, with the schemas of their inputs',
        response: { 200: Type.Object({ items: Type.Array(CallableFlowBody) }) },
      },
    },
    () => listCallableFlows(services),
  )
}

function keyFrom(header: string | string[] | undefined): string | null {
  if (header === undefined) return null
  if (typeof header === 'string' && header !== '' && header.length <= LONGEST_KEY) return header
  throw new OperationError(CODE.invalid_request, `Idempotency-Key must be one text of 1 to ${LONGEST_KEY} characters.`)
}
