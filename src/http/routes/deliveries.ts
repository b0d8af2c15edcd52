import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { InboxEntryBody, InboxQuery, NamedDeliveryBody, pageOf, RunBody } from '../../contract/bodies.ts'
import { admitDelivery } from '../../operations/deliveries/admit-delivery.ts'
import { listenedDeliveries } from '../../operations/deliveries/listening/listeners.ts'
import { listInbox, readBody, readDelivery, readSampleBody } from '../../operations/deliveries/read-deliveries.ts'
import { ALL, listenTopic } from '../../operations/events/events.ts'
import { readFlow } from '../../operations/flows/read-flows.ts'
import type { Services } from '../../operations/services.ts'
import { deliveryFor, runFor } from '../access/hide-data.ts'
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
        summary:
          'The inbox of all flows, newest first, without the bodies; event=<type>, label.<name>=<value> as for runs',
        querystring: InboxQuery,
        response: { 200: pageOf(InboxEntryBody) },
      },
    },
    ({ query, reach }) =>
      listInbox(
        services,
        {
          among: reach,
          flowId: query.flow ?? null,
          outcome: query.outcome ?? null,
          labels: labelsFrom(query),
          event: query.event ?? null,
        },
        pageFrom(query),
      ),
  )
  app.get<{ Params: Static<typeof Id> }>(
    '/api/v1/deliveries/:id',
    { schema: { tags, summary: 'Read a delivery', params: Id, response: { 200: NamedDeliveryBody } } },
    async ({ params, actor }) => deliveryFor(actor!, await readDelivery(services, params.id)),
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
      reply.code(202).send(runFor(actor!, await admitDelivery(services, actor!, params.id, params.delivery))),
  )
  app.get<{ Params: Static<typeof Id> }>(
    '/api/v1/flows/:id/deliveries/listen',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Server-sent events: the deliveries of the flow as they come, with headers and body',
        params: Id,
        response: {
          200: eventsAs('event: delivery\ndata: {"id":"dlv_01m7…","headers":[["X-Event","paid"]],"body":"{}",…}\n\n'),
        },
      },
    },
    (request, reply) => {
      const { id } = request.params
      const seesSecrets = request.actor!.scopes.includes('admin')
      const deliveries = listenedDeliveries(services, id, seesSecrets)
      const begin = async () => {
        await readFlow(services, id)
        return {
          type: 'listening' as const,
          data: { flowId: id, at: new Date(services.now()).toISOString(), masked: !seesSecrets },
        }
      }
      return streams.stream(request, reply, deliveries, listenTopic(id), begin, 'drop')
    },
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
