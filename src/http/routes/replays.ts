import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { PageQuery, pageOf, RunBody } from '../../contract/bodies.ts'
import {
  CancelledRunsBody,
  CancelRunsRequest,
  ReplayPreviewBody,
  ReplayRequest,
  ReplaysBody,
  ReplaysRequest,
} from '../../contract/failure-bodies.ts'
import { replayTopic } from '../../operations/events/events.ts'
import { cancelRuns } from '../../operations/failures/cancel-runs.ts'
import type { RunChoice } from '../../operations/failures/choose-runs.ts'
import {
  changeReplays,
  createReplays,
  listReplays,
  previewReplays,
  readReplays,
} from '../../operations/failures/replay-jobs.ts'
import { replayRun } from '../../operations/runs/replay-run.ts'
import type { Services } from '../../operations/services.ts'
import { runFor } from '../access/hide-data.ts'
import type { EventStreams } from '../event-stream.ts'
import { pageFrom } from '../pages/page.ts'
import { timeFrom } from '../pages/times.ts'
import { createFlowNames } from '../resolve-flow.ts'
import { eventsAs } from './sent-as.ts'

const Id = Type.Object({ id: Type.String() })
type WithId = { Params: Static<typeof Id> }
const DEFAULT_PACE = 50

export function replayRoutes(app: FastifyInstance, services: Services, streams: EventStreams): void {
  const flowId = createFlowNames(services)
  const choiceOf = async ({ since, until, flow, ...filter }: Filter): Promise<RunChoice> => ({
    ...filter,
    ...(flow !== undefined && { flow: await flowId(flow) }),
    ...(since !== undefined && { since: timeFrom('since', since)! }),
    ...(until !== undefined && { until: timeFrom('until', until)! }),
  })

  app.post<WithId & { Body: Static<typeof ReplayRequest> }>(
    '/api/v1/runs/:id/replay',
    {
      schema: {
        tags: ['runs'],
        summary: 'Run the same delivery again, from the start or from a step, on any version, with changes or without',
        params: Id,
        body: ReplayRequest,
        response: { 202: RunBody },
      },
    },
    async ({ params, body, actor }, reply) =>
      reply.code(202).send(runFor(actor!, await replayRun(services, actor!, params.id, body))),
  )
  app.post<{ Body: Static<typeof CancelRunsRequest> }>(
    '/api/v1/runs/cancel',
    {
      schema: {
        tags: ['runs'],
        summary: 'Cancel every queued, running or waiting run that matches a filter',
        body: CancelRunsRequest,
        response: { 200: CancelledRunsBody },
      },
    },
    async ({ body: { filter, dryRun = false }, actor }) => cancelRuns(services, actor!, await choiceOf(filter), dryRun),
  )

  const tags = ['replays']
  app.post<{ Body: Static<typeof ReplaysRequest> }>(
    '/api/v1/replays',
    {
      schema: {
        tags,
        summary: 'Replay every run that matches a filter, as a job',
        body: ReplaysRequest,
        response: { 200: ReplayPreviewBody, 202: ReplaysBody },
      },
    },
    async ({ body, actor }, reply) => {
      const { filter, from = 'failed', version = 'same', pace = DEFAULT_PACE, again = false, replays = false } = body
      const replay = { filter: await choiceOf(filter), from, version, pace, again, replays }
      if (body.dryRun) return previewReplays(services, replay)
      return reply.code(202).send(await createReplays(services, actor!, replay))
    },
  )
  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/api/v1/replays',
    {
      schema: {
        tags,
        summary: 'List the jobs that replay runs, newest first',
        querystring: PageQuery,
        response: { 200: pageOf(ReplaysBody) },
      },
    },
    ({ query }) => listReplays(services, pageFrom(query)),
  )
  app.get<WithId>(
    '/api/v1/replays/:id',
    { schema: { tags, summary: 'How far a job is', params: Id, response: { 200: ReplaysBody } } },
    ({ params }) => readReplays(services, params.id),
  )
  for (const [change, summary] of [
    ['pause', 'Start no more replays for now'],
    ['resume', 'Go on with a paused job'],
    ['cancel', 'Start no more replays; those under way go on'],
  ] as const)
    app.post<WithId>(
      `/api/v1/replays/:id/${change}`,
      { schema: { tags, summary, params: Id, response: { 200: ReplaysBody } } },
      ({ params, actor }) => changeReplays(services, actor!, params.id, change),
    )
  app.get<WithId>(
    '/api/v1/replays/:id/events',
    {
      exposeHeadRoute: false,
      schema: {
        tags,
        summary: 'Server-sent events: how far the job is, as it goes on',
        params: Id,
        response: { 200: eventsAs('event: replay\ndata: {"state":"running","total":10000,"done":4120,…}\n\n') },
      },
    },
    (request, reply) =>
      streams.stream(request, reply, services.events, replayTopic(request.params.id), async () => ({
        type: 'replay',
        data: await readReplays(services, request.params.id),
      })),
  )
}

type Filter = Static<typeof ReplaysRequest>['filter'] | Static<typeof CancelRunsRequest>['filter']
