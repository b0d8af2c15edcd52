import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import {
  CurlBody,
  DeliveryBody,
  EventQuery,
  FlowBody,
  FlowStatsBody,
  FlowsQuery,
  PageQuery,
  PublishedBody,
  pageOf,
  RunBody,
  SampleBody,
  SampleRequest,
  VersionBody,
  VersionDocumentBody,
} from '../../contract/bodies.ts'
import { FlowListQuery, ListedFlowBody } from '../../contract/flow-list-bodies.ts'
import {
  FlowTestRequest,
  PinRequest,
  StepTestBody,
  StepTestRequest,
  TestResultsBody,
} from '../../contract/test-bodies.ts'
import { listDeliveries, listSamples, sampleFromDelivery } from '../../operations/deliveries/read-deliveries.ts'
import { flowTopic } from '../../operations/events/events.ts'
import { deleteFlow } from '../../operations/flows/delete-flow.ts'
import { pauseFlow, resumeFlow } from '../../operations/flows/pause-flow.ts'
import { publishFlow, regenerateWebhook, unpublishFlow } from '../../operations/flows/publish-flow.ts'
import {
  listFlowStats,
  listFlows,
  listVersions,
  readFlow,
  readTestResults,
  readVersion,
} from '../../operations/flows/read-flows.ts'
import { restoreVersion } from '../../operations/flows/replace-draft.ts'
import { stepCurl } from '../../operations/flows/step-curl.ts'
import { testStep } from '../../operations/flows/test-step.ts'
import { pinResult, unpinResult } from '../../operations/flows/trial/pin-result.ts'
import { testFlow } from '../../operations/runs/test-flow.ts'
import type { Services } from '../../operations/services.ts'
import { deliveryFor } from '../access/hide-data.ts'
import type { EventStreams } from '../event-stream.ts'
import { labelsFrom } from '../labels-from.ts'
import { pageFrom } from '../pages/page.ts'
import { eventsAs } from './sent-as.ts'

const Id = Type.Object({ id: Type.String() })
const IdAndVersion = Type.Object({ id: Type.String(), version: Type.Integer({ minimum: 1 }) })
const IdAndStep = Type.Object({ id: Type.String(), stepId: Type.String() })
type WithId = { Params: Static<typeof Id> }
type WithVersion = { Params: Static<typeof IdAndVersion> }
type PageOf = { Querystring: Static<typeof PageQuery> }

export function flowRoutes(app: FastifyInstance, services: Services, streams: EventStreams): void {
  const tags = ['flows']

  app.get<{ Querystring: Static<typeof FlowListQuery> }>(
    '/api/v1/flows',
    {
      schema: {
        tags,
        summary: 'List flows, newest first',
        querystring: FlowListQuery,
        response: { 200: pageOf(ListedFlowBody) },
      },
    },
    ({ query, reach }) =>
      listFlows(services, pageFrom(query), {
        among: reach,
        search: query.q ?? null,
        tag: query.tag ?? null,
        draft: query.draft ?? true,
      }),
  )
  app.get<{ Querystring: Static<typeof FlowsQuery> }>(
    '/api/v1/flow-stats',
    {
      schema: {
        tags,
        summary: 'The last run and the last 24 hours of the flows that the same page of /flows lists',
        querystring: FlowsQuery,
        response: { 200: pageOf(FlowStatsBody) },
      },
    },
    ({ query, reach }) => listFlowStats(services, pageFrom(query), query.q ?? null, reach),
  )
  app.get<WithId>(
    '/api/v1/flows/:id',
    { schema: { tags, summary: 'Read a flow', params: Id, response: { 200: FlowBody } } },
    ({ params }) => readFlow(services, params.id),
  )
  app.delete<WithId>(
    '/api/v1/flows/:id',
    { schema: { tags, summary: 'Delete a flow and cancel its runs', params: Id, response: { 204: Type.Null() } } },
    async ({ params, actor }, reply) => {
      await deleteFlow(services, actor!, params.id)
      return reply.code(204).send()
    },
  )
  app.post<WithId>(
    '/api/v1/flows/:id/publish',
    { schema: { tags, summary: 'Make the draft the live version', params: Id, response: { 200: PublishedBody } } },
    ({ params, actor }) => publishFlow(services, actor!, params.id),
  )
  app.post<WithId>(
    '/api/v1/flows/:id/unpublish',
    {
      schema: { tags, summary: 'Unpublish the flow: its webhook answers 404', params: Id, response: { 200: FlowBody } },
    },
    ({ params, actor }) => unpublishFlow(services, actor!, params.id),
  )
  app.post<WithId>(
    '/api/v1/flows/:id/pause',
    { schema: { tags, summary: 'Let new runs of the flow wait', params: Id, response: { 200: FlowBody } } },
    ({ params, actor }) => pauseFlow(services, actor!, params.id),
  )
  app.post<WithId>(
    '/api/v1/flows/:id/resume',
    { schema: { tags, summary: 'Let the waiting runs begin, in order', params: Id, response: { 200: FlowBody } } },
    ({ params, actor }) => resumeFlow(services, actor!, params.id),
  )
  app.get<WithId & PageOf>(
    '/api/v1/flows/:id/versions',
    {
      schema: {
        tags,
        summary: 'List published versions',
        params: Id,
        querystring: PageQuery,
        response: { 200: pageOf(VersionBody) },
      },
    },
    ({ params, query }) => listVersions(services, params.id, pageFrom(query)),
  )
  app.get<WithVersion>(
    '/api/v1/flows/:id/versions/:version',
    { schema: { tags, summary: 'Read a version', params: IdAndVersion, response: { 200: VersionDocumentBody } } },
    ({ params }) => readVersion(services, params.id, params.version),
  )
  app.post<WithVersion>(
    '/api/v1/flows/:id/versions/:version/restore',
    { schema: { tags, summary: 'Make a version the draft', params: IdAndVersion, response: { 200: FlowBody } } },
    ({ params, actor }) => restoreVersion(services, actor!, params.id, params.version),
  )
  app.post<WithId>(
    '/api/v1/flows/:id/webhook/regenerate',
    {
      schema: {
        tags,
        summary: 'Give the flow a new webhook URL; the old one stops working immediately',
        params: Id,
        response: { 200: FlowBody },
      },
    },
    ({ params, actor }) => regenerateWebhook(services, actor!, params.id),
  )
  app.post<{ Params: Static<typeof IdAndStep>; Body: Static<typeof StepTestRequest> }>(
    '/api/v1/flows/:id/steps/:stepId/test',
    {
      schema: {
        tags,
        summary: 'Test Step: run one step of the draft once, of a loop its first rounds',
        params: IdAndStep,
        body: StepTestRequest,
        response: { 200: StepTestBody },
      },
    },
    ({ params, body, actor }) => testStep(services, actor!, params.id, params.stepId, body),
  )
  app.put<{ Params: Static<typeof IdAndStep>; Body: Static<typeof PinRequest> }>(
    '/api/v1/flows/:id/steps/:stepId/pin',
    {
      schema: {
        tags,
        summary: 'Pin a result to a step: tests use it in place of running the step',
        params: IdAndStep,
        body: PinRequest,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, body, actor }, reply) => {
      await pinResult(services, actor!, params.id, params.stepId, body.output)
      return reply.code(204).send()
    },
  )
  app.delete<{ Params: Static<typeof IdAndStep> }>(
    '/api/v1/flows/:id/steps/:stepId/pin',
    {
      schema: {
        tags,
        summary: 'Unpin the result of a step: tests run the step again',
        params: IdAndStep,
        response: { 204: Type.Null() },
      },
    },
    async ({ params, actor }, reply) => {
      await unpinResult(services, actor!, params.id, params.stepId)
      return reply.code(204).send()
    },
  )
  app.get<{ Params: Static<typeof IdAndStep> }>(
    '/api/v1/flows/:id/steps/:stepId/curl',
    {
      schema: {
        tags,
        summary: 'A request of the draft as a curl command, with placeholders for secrets',
        params: IdAndStep,
        response: { 200: CurlBody },
      },
    },
    ({ params }) => stepCurl(services, params.id, params.stepId),
  )
  app.post<WithId & { Body: Static<typeof FlowTestRequest> }>(
    '/api/v1/flows/:id/test',
    {
      schema: {
        tags,
        summary: 'Run the draft as a test run',
        params: Id,
        body: FlowTestRequest,
        response: { 202: RunBody },
      },
    },
    async ({ params, body, actor }, reply) => reply.code(202).send(await testFlow(services, actor!, params.id, body)),
  )
  app.get<WithId>(
    '/api/v1/flows/:id/samples',
    {
      schema: {
        tags,
        summary: 'Captured test requests, newest first',
        params: Id,
        response: { 200: pageOf(SampleBody) },
      },
    },
    ({ params }) => listSamples(services, params.id),
  )
  app.post<WithId & { Body: Static<typeof SampleRequest> }>(
    '/api/v1/flows/:id/samples',
    {
      schema: {
        tags,
        summary: 'Keep a delivery of the flow as a sample',
        params: Id,
        body: SampleRequest,
        response: { 201: SampleBody },
      },
    },
    async ({ params, body, actor }, reply) =>
      reply.code(201).send(await sampleFromDelivery(services, actor!, params.id, body.delivery)),
  )
  app.get<WithId>(
    '/api/v1/flows/:id/test-results',
    {
      schema: {
        tags,
        summary: 'What tests use for each step: the pinned output, or the latest of its own test',
        params: Id,
        response: { 200: TestResultsBody },
      },
    },
    ({ params }) => readTestResults(services, params.id),
  )
  app.get<WithId & { Querystring: Static<typeof EventQuery> }>(
    '/api/v1/flows/:id/deliveries',
    {
      schema: {
        tags,
        summary: 'The inbox: every delivery with its outcome; event=<type>, label.<name>=<value> as for runs',
        params: Id,
        querystring: EventQuery,
        response: { 200: pageOf(DeliveryBody) },
      },
    },
    async ({ params, query, actor }) => {
      const filter = { labels: labelsFrom(query), event: query.event ?? null }
      const { items, nextCursor } = await listDeliveries(services, params.id, pageFrom(query), filter)
      return { items: items.map((delivery) => deliveryFor(actor!, delivery)), nextCursor }
    },
  )
  app.get<WithId>(
    '/api/v1/flows/:id/events',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Server-sent events: run, delivery, sample',
        params: Id,
        response: { 200: eventsAs('event: run\ndata: {"id":"run_01m7…","status":"succeeded",…}\n\n') },
      },
    },
    (request, reply) =>
      streams.stream(request, reply, services.events, flowTopic(request.params.id), async () => {
        await readFlow(services, request.params.id)
        return null
      }),
  )
}
