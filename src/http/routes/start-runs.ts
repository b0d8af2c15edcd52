// Starts a run of a published flow in place of its trigger, and tells of its schedule.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import { ScheduleBody, StartedRunBody, StartRunRequest } from '../../contract/schedule-bodies.ts'
import { SCHEDULE } from '../../flow/triggers/schedule/schema.ts'
import { findFlow } from '../../operations/flows/draft.ts'
import { OperationError } from '../../operations/operation-error.ts'
import type { Actor } from '../../operations/ports/access.ts'
import type { FlowRecord } from '../../operations/ports/flows.ts'
import { readSchedule } from '../../operations/schedules/read-schedule.ts'
import { runNow } from '../../operations/schedules/run-now.ts'
import type { Services } from '../../operations/services.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }

type Start = (
  services: Services,
  actor: Actor,
  flow: FlowRecord,
  given: Static<typeof StartRunRequest>,
) => Promise<Static<typeof StartedRunBody>>

/** How flows are started by the kind of their live trigger; those of other kinds cannot be. */
const STARTS: Readonly<Record<string, Start>> = {
  async [SCHEDULE](services, actor, flow, given) {
    const { trigger } = await services.published.version(flow.id, flow.version!)
    if (trigger.kind !== SCHEDULE) throw wrongTrigger()
    return runNow(services, actor, flow, trigger, given)
  },
}

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
  app.post<WithId & { Body: Static<typeof StartRunRequest> }>(
    '/api/v1/flows/:id/runs',
    {
      schema: {
        tags,
        summary: 'Run a published flow now',
        params: Id,
        body: StartRunRequest,
        response: { 202: StartedRunBody },
      },
    },
    async ({ params, body, actor }, reply) => {
      const flow = await findFlow(services, params.id)
      if (flow.version === null)
        throw new OperationError(
          CODE.not_published,
          'The flow is not published; publish it, or run its draft as a test.',
        )
      const start = STARTS[flow.liveTrigger ?? '']
      if (!start) throw wrongTrigger()
      return reply.code(202).send(await start(services, actor!, flow, body))
    },
  )
}

const wrongTrigger = (): OperationError =>
  new OperationError(CODE.wrong_trigger, 'The trigger of this flow cannot be set off here: send to its webhook.')
