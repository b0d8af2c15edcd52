import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { pageOf } from '../../contract/bodies.ts'
import { FailureBody, FailureRequest, FailuresQuery } from '../../contract/failure-bodies.ts'
import { changeFailure, listFailures, readFailure } from '../../operations/failures/read-failures.ts'
import type { Services } from '../../operations/services.ts'
import { labelsFrom } from '../labels-from.ts'
import { pageFrom } from '../pages/page.ts'
import { timeFrom } from '../pages/times.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }

export function failureRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['failures']
  app.get<{ Querystring: Static<typeof FailuresQuery> }>(
    '/api/v1/failures',
    {
      schema: {
        tags,
        summary: 'List failures: failed runs grouped by their cause, the latest first',
        querystring: FailuresQuery,
        response: { 200: pageOf(FailureBody) },
      },
    },
    ({ query, reach }) => {
      const flowId = query.flow ?? null
      const filter = { flowId, state: query.state ?? null, labels: labelsFrom(query), among: reach }
      return listFailures(services, filter, pageFrom(query))
    },
  )
  app.get<WithId>(
    '/api/v1/failures/:id',
    { schema: { tags, summary: 'Read a failure', params: Id, response: { 200: FailureBody } } },
    ({ params }) => readFailure(services, params.id),
  )
  app.put<WithId & { Body: Static<typeof FailureRequest> }>(
    '/api/v1/failures/:id',
    {
      schema: {
        tags,
        summary: 'Resolve a failure, mute it until a time, or open it again',
        params: Id,
        body: FailureRequest,
        response: { 200: FailureBody },
      },
    },
    ({ params, body: { state, until }, actor }) =>
      changeFailure(services, actor!, params.id, { state, until: timeFrom('until', until) }),
  )
}
