import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import {
  DocumentBody,
  HarBody,
  pageOf,
  RunBody,
  RunStepsQuery,
  RunSummaryBody,
  RunsQuery,
  StepBody,
  StepPartQuery,
} from '../../contract/bodies.ts'
import type { RunStatus } from '../../engine/ports/run-journal.ts'
import { FixtureSchema } from '../../flow/fixture.ts'
import { type CallbackView, callbacksOfRun } from '../../operations/callbacks/callbacks-of-run.ts'
import { runTopic } from '../../operations/events/events.ts'
import { OperationError } from '../../operations/operation-error.ts'
import type { Actor } from '../../operations/ports/access.ts'
import type { Page } from '../../operations/ports/page.ts'
import { cancelRun } from '../../operations/runs/cancel-run.ts'
import {
  listRunSteps,
  listRuns,
  readRun,
  readRunBody,
  readRunDocument,
  readStepPart,
} from '../../operations/runs/read-runs.ts'
import { runFixture } from '../../operations/runs/run-fixture.ts'
import { runHar } from '../../operations/runs/run-har.ts'
import type { Services } from '../../operations/services.ts'
import { callbackFor, runFor, stepFor, summaryFor } from '../access/hide-data.ts'
import { download } from '../download.ts'
import type { EventStreams } from '../event-stream.ts'
import { labelsFrom } from '../labels-from.ts'
import { pageFrom } from '../pages/page.ts'
import { timeFrom } from '../pages/times.ts'
import { bytesAs, eventsAs, jsonAs } from './sent-as.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }

export function runRoutes(app: FastifyInstance, services: Services, streams: EventStreams, version: string): void {
  const tags = ['runs']
  app.get<{ Querystring: Static<typeof RunsQuery> }>(
    '/api/v1/runs',
    {
      schema: {
        tags,
        summary: 'List runs, newest first; with label.<name>=<value>, those that have this label',
        querystring: RunsQuery,
        response: { 200: pageOf(RunSummaryBody) },
      },
    },
    async ({ query, actor, reach }) => {
      const { items, nextCursor } = await listRuns(
        services,
        {
          among: reach,
          flowId: query.flow ?? null,
          status: (query.status as RunStatus | undefined) ?? null,
          since: timeFrom('since', query.since),
          until: timeFrom('until', query.until),
          failure: query.failure ?? null,
          labels: labelsFrom(query),
        },
        pageFrom(query),
      )
      return { items: items.map((run) => summaryFor(actor!, run)), nextCursor }
    },
  )
  app.get<WithId>(
    '/api/v1/runs/:id',
    { schema: { tags, summary: 'Read a run with its steps', params: Id, response: { 200: RunBody } } },
    ({ actor, params }) => wholeRun(services, actor!, params.id),
  )
  app.get<WithId>(
    '/api/v1/runs/:id/document',
    {
      schema: {
        tags,
        summary: 'The flow document that the run follows',
        params: Id,
        response: { 200: DocumentBody },
      },
    },
    ({ params }) => readRunDocument(services, params.id),
  )
  app.get<WithId & { Querystring: Static<typeof RunStepsQuery> }>(
    '/api/v1/runs/:id/steps',
    {
      schema: {
        tags,
        summary: 'The steps of a part of a run, page by page: of one round of a loop, for example',
        params: Id,
        querystring: RunStepsQuery,
        response: { 200: pageOf(StepBody) },
      },
    },
    async ({ params, query, actor }) => {
      const { items, nextCursor } = await listRunSteps(services, params.id, query.under ?? '', stepsPageFrom(query))
      return { items: items.map((step) => stepFor(actor!, step)), nextCursor }
    },
  )
  app.get<WithId & { Querystring: Static<typeof StepPartQuery> }>(
    '/api/v1/runs/:id/steps/part',
    {
      schema: {
        tags,
        summary: 'The whole input, output or logs of a step, of any size',
        params: Id,
        querystring: StepPartQuery,
        response: { 200: jsonAs('The part as it is kept', {}, { greeting: 'Hello, Ada!' }) },
      },
    },
    async ({ params, query: { path, part } }, reply) =>
      download(reply, await readStepPart(services, params.id, path, part), `${part}.json`),
  )
  app.get<WithId>(
    '/api/v1/runs/:id/body',
    {
      schema: {
        tags,
        summary: 'The body of the delivery, of any size, with secrets masked',
        params: Id,
        response: { 200: bytesAs('application/octet-stream', 'The body as a file') },
      },
    },
    async ({ params }, reply) => download(reply, await readRunBody(services, params.id), 'body'),
  )
  app.get<WithId>(
    '/api/v1/runs/:id/fixture',
    {
      schema: {
        tags,
        summary: 'A finished run as a test of its flow, with placeholders for secrets',
        params: Id,
        response: { 200: FixtureSchema },
      },
    },
    ({ params }) => runFixture(services, params.id),
  )
  app.get<WithId>(
    '/api/v1/runs/:id/har',
    {
      schema: {
        tags,
        summary: 'The requests of a run and their replies as an HTTP Archive (HAR 1.2), with secrets masked',
        params: Id,
        response: { 200: HarBody },
      },
    },
    ({ params }) => runHar(services, params.id, version),
  )
  app.post<WithId>(
    '/api/v1/runs/:id/cancel',
    { schema: { tags, summary: 'Cancel a queued, running or waiting run', params: Id, response: { 200: RunBody } } },
    async ({ params, actor }) => runFor(actor!, await cancelRun(services, actor!, params.id)),
  )
  app.get<WithId>(
    '/api/v1/runs/:id/events',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Server-sent events: the run as it is, then its steps and status as they change',
        params: Id,
        response: { 200: eventsAs('event: step\ndata: {"path":"greet","status":"succeeded",…}\n\n') },
      },
    },
    (request, reply) =>
      streams.stream(request, reply, services.events, runTopic(request.params.id), async () => ({
        type: 'run',
        data: await wholeRun(services, request.actor!, request.params.id),
      })),
  )
}

const withoutAnswers = ({ answer: _answer, early: _early, title: _title, ...rest }: CallbackView): CallbackView => rest

/** Returns a run with what it waits for; only those who may answer get the URLs. */
async function wholeRun(services: Services, actor: Actor, id: string) {
  const run = runFor(actor, await readRun(services, id))
  const found = await callbacksOfRun(services, id, actor.scopes.includes('approvals'))
  const callbacks = found.map((one) => (run.dataDeleted ? withoutAnswers(one) : callbackFor(actor, one)))
  return callbacks.length ? { ...run, callbacks } : run
}

function stepsPageFrom(query: Static<typeof RunStepsQuery>): Page {
  const page = pageFrom(query)
  if (page.cursor !== null && !/^\d{1,12}$/.test(page.cursor))
    throw new OperationError(CODE.invalid_request, 'cursor takes the nextCursor of the page before.')
  return page
}
