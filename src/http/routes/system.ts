import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import { ExampleBody, GuidePage, HealthBody, ReadyBody, SettingsBody, StepKindBody } from '../../contract/bodies.ts'
import { FailureFlowBody, FailureFlowRequest } from '../../contract/failure-flow-bodies.ts'
import { readFailureFlow, setFailureFlow } from '../../operations/flows/calls/set-failure-flow.ts'
import type { Services } from '../../operations/services.ts'
import { sendFailure } from '../failure.ts'
import type { Metrics } from '../metrics.ts'
import { examples } from '../pages/examples.ts'
import { guidePage } from '../pages/guide.ts'
import { textAs } from './sent-as.ts'

export interface System {
  services: Services
  metrics: Metrics
  /** What the process was started with, for people to read. */
  settings: Static<typeof SettingsBody>
  /** Returns why the database does not work; null: it works. */
  fault(): Promise<string | null>
}

const listOf = (item: Parameters<typeof Type.Array>[0]) => Type.Object({ items: Type.Array(item) })

const METRICS = textAs('text/plain', 'In the text format of Prometheus', 'millrace_runs_queued 0\n')

/** The routes that a process of every role serves. */
export function healthRoutes(app: FastifyInstance, { metrics, fault }: Pick<System, 'metrics' | 'fault'>): void {
  const tags = ['system']
  app.get('/healthz', { schema: { tags, summary: 'Alive', response: { 200: HealthBody } } }, () =>
    Promise.resolve({ status: 'ok' }),
  )
  app.get(
    '/readyz',
    { schema: { tags, summary: 'Ready: the database can be reached and written', response: { 200: ReadyBody } } },
    async (_request, reply) => {
      const found = await fault()
      return found === null ? { status: 'ready' } : sendFailure(reply, CODE.unavailable, found)
    },
  )
  app.get(
    '/metrics',
    { schema: { tags, summary: 'Prometheus metrics', response: { 200: METRICS } } },
    async (_request, reply) => reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  )
}

export function systemRoutes(app: FastifyInstance, system: System): void {
  healthRoutes(app, system)
  const { services, settings } = system
  failureFlowRoutes(app, services)
  const tags = ['system']
  app.get(
    '/api/v1/settings',
    { schema: { tags, summary: 'Version and limits in force', response: { 200: SettingsBody } } },
    () => Promise.resolve(settings),
  )
  app.get(
    '/api/v1/step-kinds',
    {
      schema: {
        tags,
        summary: 'The step kinds with the JSON Schema of their settings',
        response: { 200: listOf(StepKindBody) },
      },
    },
    () =>
      Promise.resolve({
        items: [...services.kinds.values()].map(({ kind, label, settings: of }) => ({ kind, label, settings: of })),
      }),
  )
  app.get(
    '/api/v1/examples',
    { schema: { tags, summary: 'Flows to start from', response: { 200: listOf(ExampleBody) } } },
    async () => ({ items: await examples() }),
  )
  app.get<{ Params: Static<typeof GuidePage> }>(
    '/api/v1/guide/:page',
    {
      schema: {
        tags,
        summary: 'A page of the guide to writing flows, as Markdown',
        params: GuidePage,
        response: { 200: textAs('text/markdown', 'The page', '# Flows\n') },
      },
    },
    async ({ params }, reply) => reply.type('text/markdown; charset=utf-8').send(await guidePage(params.page)),
  )
}

function failureFlowRoutes(app: FastifyInstance, services: Services): void {
  const path = '/api/v1/settings/failure-flow'
  const tags = ['system']
  app.get(
    path,
    {
      schema: {
        tags,
        summary: 'The flow that is called for failed runs of flows without onFailure',
        response: { 200: FailureFlowBody },
      },
    },
    () => readFailureFlow(services),
  )
  app.put<{ Body: Static<typeof FailureFlowRequest> }>(
    path,
    {
      schema: {
        tags,
        summary: 'Set or remove that flow',
        body: FailureFlowRequest,
        response: { 200: FailureFlowBody },
      },
    },
    ({ actor, body }) => setFailureFlow(services, actor!, body.flow),
  )
}
