import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import { FailureFlowBody, FailureFlowRequest } from '../../contract/failure-bodies.ts'
import { readFailureFlow, setFailureFlow } from '../../operations/flows/calls/set-failure-flow.ts'
import type { Services } from '../../operations/services.ts'

export function failureFlowRoutes(app: FastifyInstance, services: Services): void {
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
