import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { ExampleBody, GuidePage, SettingsBody, StepKindBody } from '../../contract/bodies.ts'
import type { Services } from '../../operations/services.ts'
import { examples } from '../examples.ts'
import { sendFailure } from '../failure.ts'
import { guidePage } from '../guide.ts'
import type { Metrics } from '../metrics.ts'

export interface System {
  services: Services
  metrics: Metrics
  /** What the process was started with, for people to read. */
  settings: Static<typeof SettingsBody>
  /** Why the database cannot do its work; null: it can. */
  fault(): Promise<string | null>
}

const listOf = (item: Parameters<typeof Type.Array>[0]) => Type.Object({ items: Type.Array(item) })

/** What every process serves, whatever its role. */
export function healthRoutes(app: FastifyInstance, { metrics, fault }: Pick<System, 'metrics' | 'fault'>): void {
  const tags = ['system']
  app.get('/healthz', { schema: { tags, summary: 'Alive' } }, () => Promise.resolve({ status: 'ok' }))
  const readiness = { tags, summary: 'Ready: the database can be reached and written' }
  app.get('/readyz', { schema: readiness }, async (_request, reply) => {
    const found = await fault()
    return found === null ? { status: 'ready' } : sendFailure(reply, 'unavailable', found)
  })
  app.get('/metrics', { schema: { tags, summary: 'Prometheus metrics' } }, async (_request, reply) =>
    reply.type('text/plain; version=0.0.4; charset=utf-8').send(await metrics.text()),
  )
}

export function systemRoutes(app: FastifyInstance, system: System): void {
  healthRoutes(app, system)
  const { services, settings } = system
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
    { schema: { tags, summary: 'A page of the guide to writing flows, as Markdown', params: GuidePage } },
    async ({ params }, reply) => reply.type('text/markdown; charset=utf-8').send(await guidePage(params.page)),
  )
}
