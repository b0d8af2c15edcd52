import type { FastifyInstance } from 'fastify'
import { KeysBody } from '../../contract/bodies.ts'
import type { Services } from '../../operations/services.ts'
import { rotateKeys } from '../../operations/upkeep/rotate-keys.ts'

export function keyRoutes(app: FastifyInstance, services: Services): void {
  const tags = ['keys']
  app.get(
    '/api/v1/keys',
    {
      schema: { tags, summary: 'How much each key has sealed, and how far a rotation is', response: { 200: KeysBody } },
    },
    () => services.keyRotation.view(),
  )
  app.post(
    '/api/v1/keys/rotate',
    {
      schema: { tags, summary: 'Seal everything with the current key, in the background', response: { 202: KeysBody } },
    },
    async ({ actor }, reply) => reply.code(202).send(await rotateKeys(services, actor!)),
  )
}
