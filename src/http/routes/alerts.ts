import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { AlertRequest, AlertsBody, AlertTestBody, CreatedAlertBody } from '../../contract/alert-bodies.ts'
import {
  createAlert,
  deleteAlert,
  type GivenAlert,
  listAlerts,
  testAlert,
  updateAlert,
} from '../../operations/alerts/manage-alerts.ts'
import type { Services } from '../../operations/services.ts'

const Id = Type.Object({ id: Type.String() })
/** The longest list of addresses has a third of it. */
const bodyLimit = 16 * 1024
type WithId = { Params: Static<typeof Id> }

export function alertRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['alerts']
  app.get('/api/v1/alerts', { schema: { tags, summary: 'List alerts', response: { 200: AlertsBody } } }, () =>
    listAlerts(services),
  )
  app.post<{ Body: GivenAlert }>(
    '/api/v1/alerts',
    {
      bodyLimit,
      schema: {
        tags,
        summary: 'Make an alert; the secret of a webhook is shown this once',
        body: AlertRequest,
        response: { 201: CreatedAlertBody },
      },
    },
    async ({ actor, body }, reply) => reply.code(201).send(await createAlert(services, actor!, body)),
  )
  app.put<WithId & { Body: GivenAlert }>(
    '/api/v1/alerts/:id',
    {
      bodyLimit,
      schema: {
        tags,
        summary: 'Replace an alert; a webhook keeps its secret unless another is given',
        params: Id,
        body: AlertRequest,
        response: { 200: CreatedAlertBody },
      },
    },
    ({ actor, params, body }) => updateAlert(services, actor!, params.id, body),
  )
  app.delete<WithId>(
    '/api/v1/alerts/:id',
    { schema: { tags, summary: 'Delete an alert', params: Id, response: { 204: Type.Null() } } },
    async ({ actor, params }, reply) => {
      await deleteAlert(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
  app.post<WithId>(
    '/api/v1/alerts/:id/test',
    {
      schema: {
        tags,
        summary: 'Send a message to the target now, and say what came of it',
        params: Id,
        response: { 200: AlertTestBody },
      },
    },
    ({ actor, params }) => testAlert(services, actor!, params.id),
  )
}
