// Lets requests name a flow by its slug, wherever they may name it by its id.
import type { FastifyRequest } from 'fastify'
import type { Services } from '../operations/services.ts'

const OF_A_FLOW = '/api/v1/flows/:id'
/** An id has an underscore, which no slug has. */
const SLUG = /^[a-z0-9-]{1,64}$/

/** Returns the function from an id or slug to an id. */
export const createFlowNames =
  ({ flows }: Pick<Services, 'flows'>) =>
  async (given: string): Promise<string> =>
    SLUG.test(given) ? ((await flows.idOfSlug(given)) ?? given) : given

export function createResolveFlow(services: Pick<Services, 'flows'>) {
  const idOf = createFlowNames(services)
  const resolve = async (part: Record<string, unknown>, name: string): Promise<void> => {
    const given = part[name]
    if (typeof given === 'string') part[name] = await idOf(given)
  }
  return async ({ routeOptions, params, query }: FastifyRequest): Promise<void> => {
    if (routeOptions.url?.startsWith(OF_A_FLOW)) await resolve(params as Record<string, unknown>, 'id')
    if (query && Object.hasOwn(query, 'flow')) await resolve(query as Record<string, unknown>, 'flow')
  }
}
