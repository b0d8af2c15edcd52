import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { API_ERRORS, CODE } from '../../base/error-catalogue.ts'
import {
  CallableFlowBody,
  EndedRunBody,
  StartedRunBody,
  StartRunQuery,
  StartRunRequest,
} from '../../contract/run-bodies.ts'
import { CALL } from '../../flow/triggers/call/schema.ts'
import { listCallableFlows } from '../../operations/flows/calls/callable-flows.ts'
import { findFlow } from '../../operations/flows/draft.ts'
import { OperationError } from '../../operations/operation-error.ts'
import { callFlow } from '../../operations/runs/call-flow.ts'
import type { Services } from '../../operations/services.ts'

const Id = Type.Object({ id: Type.String() })
const LONGEST_KEY = 255

/** How a run is started on request, by the kind of the flow's trigger. */
const STARTS: ReadonlyMap<string, typeof callFlow> = new Map([[CALL, callFlow]])

export function startRunRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['flows']
  app.post<{
    Params: Static<typeof Id>
    Querystring: Static<typeof StartRunQuery>
    Body: Static<typeof StartRunRequest>
  }>(
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
      if (flow.version === null) throw new OperationError(CODE.not_published, API_ERRORS.not_published.message)
      const start = STARTS.get(flow.trigger ?? '')
      if (!start)
        throw new OperationError(
          CODE.wrong_trigger,
          `The flow has a trigger of the kind ${flow.trigger}, so it cannot be started by this request.`,
        )
      const started = await start(services, actor!, flow, {
        input: body.input ?? null,
        idempotencyKey: keyFrom(headers['idempotency-key']),
        waitMs: (query.wait ?? 0) * 1000,
      })
      return reply.code('result' in started || 'error' in started ? 200 : 202).send(started)
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
