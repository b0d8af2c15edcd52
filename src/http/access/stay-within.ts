// Keeps limited tokens to their flows. A route that is not listed here refuses them.
import type { FastifyRequest } from 'fastify'
import { CODE } from '../../base/error-catalogue.ts'
import { reachOf } from '../../operations/access/reach.ts'
import { notFound, OperationError } from '../../operations/operation-error.ts'
import type { Services } from '../../operations/services.ts'

/** What a route names by its id, 'list' if its operation reads only what is in reach, 'free' if nothing in it is of a flow. */
export type Within = 'free' | 'list' | 'flow' | 'run' | 'delivery' | 'failure' | 'approval'

export const WITHIN: Readonly<Record<string, Within>> = {
  'GET /api/v1/me': 'free',
  'GET /api/v1/settings': 'free',
  'GET /api/v1/step-kinds': 'free',
  'GET /api/v1/examples': 'free',
  'GET /api/v1/guide/:page': 'free',
  'GET /api/v1/senders': 'free',
  'GET /api/v1/senders/:name': 'free',
  // Each message becomes a request of the API, which is kept within the limit itself.
  'POST /api/mcp': 'free',

  'GET /api/v1/flows': 'list',
  'POST /api/v1/flows': 'list',
  'POST /api/v1/flows/validate': 'list',
  'GET /api/v1/flow-stats': 'list',
  'GET /api/v1/deliveries': 'list',
  'GET /api/v1/runs': 'list',
  'GET /api/v1/failures': 'list',
  'GET /api/v1/approvals': 'list',

  'GET /api/v1/flows/:id': 'flow',
  'PUT /api/v1/flows/:id': 'flow',
  'DELETE /api/v1/flows/:id': 'flow',
  'POST /api/v1/flows/:id/publish': 'flow',
  'POST /api/v1/flows/:id/unpublish': 'flow',
  'GET /api/v1/flows/:id/schedule': 'flow',
  'POST /api/v1/flows/:id/runs': 'flow',
  'POST /api/v1/flows/:id/pause': 'flow',
  'POST /api/v1/flows/:id/resume': 'flow',
  'GET /api/v1/flows/:id/versions': 'flow',
  'GET /api/v1/flows/:id/versions/:version': 'flow',
  'POST /api/v1/flows/:id/versions/:version/restore': 'flow',
  'POST /api/v1/flows/:id/webhook/regenerate': 'flow',
  'POST /api/v1/flows/:id/steps/:stepId/test': 'flow',
  'PUT /api/v1/flows/:id/steps/:stepId/pin': 'flow',
  'DELETE /api/v1/flows/:id/steps/:stepId/pin': 'flow',
  'GET /api/v1/flows/:id/steps/:stepId/curl': 'flow',
  'POST /api/v1/flows/:id/test': 'flow',
  'GET /api/v1/flows/:id/samples': 'flow',
  'GET /api/v1/flows/:id/samples/:sampleId/body': 'flow',
  'GET /api/v1/flows/:id/test-results': 'flow',
  'GET /api/v1/flows/:id/deliveries': 'flow',
  'GET /api/v1/flows/:id/deliveries/listen': 'flow',
  'GET /api/v1/flows/:id/events': 'flow',
  'POST /api/v1/flows/:id/send-sample': 'flow',
  'PUT /api/v1/flows/:id/source': 'flow',

  'GET /api/v1/deliveries/:id': 'delivery',
  'GET /api/v1/deliveries/:id/body': 'delivery',

  'GET /api/v1/runs/:id': 'run',
  'GET /api/v1/runs/:id/document': 'run',
  'GET /api/v1/runs/:id/steps': 'run',
  'GET /api/v1/runs/:id/steps/part': 'run',
  'GET /api/v1/runs/:id/body': 'run',
  'GET /api/v1/runs/:id/har': 'run',
  'GET /api/v1/runs/:id/events': 'run',
  'POST /api/v1/runs/:id/cancel': 'run',
  'POST /api/v1/runs/:id/replay': 'run',
  'POST /api/v1/runs/:id/callbacks/:step/regenerate': 'run',
  'POST /api/v1/runs/:id/callbacks/:step/answer': 'run',

  'POST /api/v1/approvals/:id': 'approval',
  'GET /api/v1/failures/:id': 'failure',
  'PUT /api/v1/failures/:id': 'failure',
}

/** Returns the hook that lets a limited token go on only within its limit, after ids have taken the place of slugs. */
export function createStayWithin(services: Services) {
  const flowOf: Record<Exclude<Within, 'free' | 'list'>, (id: string) => Promise<string | undefined>> = {
    flow: async (id) => id,
    run: async (id) => (await services.runs.get(id, 0))?.flowId,
    delivery: async (id) => (await services.deliveries.get(id, 0))?.flowId,
    failure: async (id) => (await services.failures.get(id, services.now()))?.flowId,
    approval: async (id) => (await services.callbacks.get(id))?.flowId,
  }
  return async (request: FastifyRequest): Promise<void> => {
    const { actor, method, routeOptions } = request
    if (!actor?.limit) return
    const within = WITHIN[`${method === 'HEAD' ? 'GET' : method} ${routeOptions.url}`]
    if (within === undefined)
      throw new OperationError(CODE.forbidden, 'This is not for tokens that are limited to some flows.')
    if (within === 'free') return
    const reach = (await reachOf(services, actor))!
    request.reach = reach
    // A flow out of reach is one that does not exist, also in a filter.
    const { flow } = (request.query ?? {}) as { flow?: string }
    if (flow !== undefined && !reach.includes(flow)) throw notFound('flow', flow)
    if (within === 'list') return
    const { id } = request.params as { id: string }
    const flowId = await flowOf[within](id)
    if (flowId === undefined || !reach.includes(flowId)) throw notFound(within, id)
  }
}
