import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { PageQuery, pageOf } from '../../../contract/bodies.ts'
import {
  ApprovalAnsweredBody,
  ApprovalAnswerRequest,
  ApprovalBody,
  CallbackAnsweredBody,
  CallbackAnswerRequest,
  CallbackUrlBody,
} from '../../../contract/waiting/callback-bodies.ts'
import { answerApproval, listApprovals } from '../../../operations/callbacks/approvals.ts'
import { answerByHand, renewCallback } from '../../../operations/callbacks/callbacks-of-run.ts'
import type { Services } from '../../../operations/services.ts'
import { pageFrom } from '../../pages/page.ts'

const Id = Type.Object({ id: Type.String() })
const Step = Type.Object({ id: Type.String(), step: Type.String({ description: 'The path of the step' }) })

export function callbackRoutes(app: FastifyInstance, services: Services): void {
  const approvals = ['approvals']
  app.get<{ Querystring: Static<typeof PageQuery> }>(
    '/api/v1/approvals',
    {
      schema: {
        tags: approvals,
        summary: 'List the approvals that runs wait for, the oldest first',
        querystring: PageQuery,
        response: { 200: pageOf(ApprovalBody) },
      },
    },
    ({ query, reach }) => listApprovals(services, pageFrom(query), reach),
  )
  app.post<{ Params: Static<typeof Id>; Body: Static<typeof ApprovalAnswerRequest> }>(
    '/api/v1/approvals/:id',
    {
      schema: {
        tags: approvals,
        summary: 'Answer an approval; 409 if it was answered already',
        params: Id,
        body: ApprovalAnswerRequest,
        response: { 200: ApprovalAnsweredBody },
      },
    },
    ({ actor, params, body }) => answerApproval(services, actor!, params.id, body),
  )
  const runs = ['runs']
  app.post<{ Params: Static<typeof Step> }>(
    '/api/v1/runs/:id/callbacks/:step/regenerate',
    {
      schema: {
        tags: runs,
        summary: 'Give a callback a new URL; the old one is not found from then on',
        params: Step,
        response: { 200: CallbackUrlBody },
      },
    },
    ({ actor, params }) => renewCallback(services, actor!, params.id, params.step),
  )
  app.post<{ Params: Static<typeof Step>; Body: Static<typeof CallbackAnswerRequest> }>(
    '/api/v1/runs/:id/callbacks/:step/answer',
    {
      schema: {
        tags: runs,
        summary: 'Answer a callback by hand, whatever its condition says',
        params: Step,
        body: CallbackAnswerRequest,
        response: { 200: CallbackAnsweredBody },
      },
    },
    ({ actor, params, body }) => answerByHand(services, actor!, params.id, params.step, body),
  )
}
