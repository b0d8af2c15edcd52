import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { InboxEntryBody, InboxQuery, NamedDeliveryBody, pageOf, RunBody } from '../../contract/bodies.ts'
import { admitDelivery } from '../../operations/deliveries/admit-delivery.ts'
import { listInbox, readBody, readDelivery, readSampleBody } from '../../operations/deliveries/read-deliveries.ts'
import { ALL } from '../../operations/events/events.ts'
import type { Services } from '../../operations/services.ts'
import { download } from '../download.ts'
import type { EventStreams } from '../event-stream.ts'
import { labelsFrom } from '../labels-from.ts'
import { pageFrom } from '../pages/page.ts'
import { bytesAs, eventsAs } from './sent-as.ts'

const Id = Type.Object({ id: Type.String() })
const OfFlow = Type.Object({ id: Type.String(), delivery: Type.String() })
const SampleOfFlow = Type.Object({ id: Type.String(), sampleId: Type.String() })

export function deliveryRoutes(app: FastifyInstance, services: Services, streams: EventStreams): void {
  const tags = ['deliveries']
  app.get<{ Querystring: Static<typeof InboxQuery> }>(
    '/api/v1/deliveries',
    {
      schema: {
        tags,
        summary: 'The inbox of all flows, newest first, without the bodies; label.<name>=<value> as for runs',
        querystring: InboxQuery,
        response: { 200: pageOf(InboxEntryBody) },
      },
    },
    ({ query }) =>
      listInbox(
        services,
        { flowId: query.flow ?? null, outcome: query.outcome ?? null, labels: labelsFrom(query) },
        pageFrom(query),
      ),
  )
  app.get<{ Params: Static<typeof Id> }>(
    '/api/v1/deliveries/:id',
    { schema: { tags, summary: 'Read a delivery', params: Id, response: { 200: NamedDeliveryBody } } },
    ({ params }) => readDelivery(services, params.id),
  )
  app.get<{ Params: Static<typeof Id> }>(
    '/api/v1/deliveries/:id/body',
    {
      schema: {
        tags,
        summary: 'The body of a delivery, of any size, with secrets masked',
        params: Id,
        response: { 200: bytesAs('application/octet-stream', 'The body as a file') },
      },
    },
    async ({ params }, reply) => download(reply, await readBody(services, params.id), 'body'),
  )
  app.post<{ Params: Static<typeof OfFlow> }>(
    '/api/v1/flows/:id/deliveries/:delivery/admit',
    {
      schema: {
        tags,
        summary:
          'Let in a rejected delivery whose body is kept: all checks but those of who sent it, when and how often',
        params: OfFlow,
        response: { 202: RunBody },
      },
    },
    async ({ params, actor }, reply) =>
      reply.code(202).send(await admitDelivery(services, actor!, params.id, params.delivery)),
  )
  app.get<{ Params: Static<typeof SampleOfFlow> }>(
    '/api/v1/flows/:id/samples/:sampleId/body',
    {
      schema: {
        tags: ['flows'],
        summary: 'The body of a sample, of any size, with secrets masked',
        params: SampleOfFlow,
        response: { 200: bytesAs('application/octet-stream', 'The body as a file') },
      },
    },
    async ({ params }, reply) => download(reply, await readSampleBody(services, params.id, params.sampleId), 'body'),
  )
  app.get(
    '/api/v1/events',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Server-sent events of all flows: run, delivery',
        response: { 200: eventsAs('event: delivery\ndata: {"id":"dlv_01m7…","outcome":"accepted",…}\n\n') },
      },
    },
    (request, reply) => streams.stream(request, reply, services.events, ALL, () => Promise.resolve(null)),
  )
}
