// The routes that accept flows: the only ones that read YAML as well as JSON.
import type { FastifyInstance } from 'fastify'
import type { Static } from 'typebox'
import Type from 'typebox'
import { CODE } from '../../base/error-catalogue.ts'
import { FlowBody, ValidationBody, ValidationQuery } from '../../contract/bodies.ts'
import { createFlow } from '../../operations/flows/create-flow.ts'
import { replaceDraft } from '../../operations/flows/replace-draft.ts'
import { validateFlow } from '../../operations/flows/validate-flow.ts'
import { OperationError } from '../../operations/operation-error.ts'
import type { Services } from '../../operations/services.ts'
import { CHECKED_BY_OPERATION } from '../check-request.ts'

const Id = Type.Object({ id: Type.String() })

export function flowDocumentRoutes(app: FastifyInstance, services: Services, documentSchema: object): void {
  const tags = ['flows']
  const Document = { ...documentSchema, [CHECKED_BY_OPERATION]: true }

  app.post(
    '/api/v1/flows',
    {
      schema: {
        tags,
        summary: 'Create a draft; the body is the flow document, as JSON or YAML',
        body: Document,
        response: { 201: FlowBody },
      },
    },
    async ({ body, actor }, reply) => reply.code(201).send(await createFlow(services, actor!, body)),
  )
  app.post<{ Querystring: Static<typeof ValidationQuery> }>(
    '/api/v1/flows/validate',
    {
      schema: {
        tags,
        summary: 'Check a document as publish would; saves nothing',
        querystring: ValidationQuery,
        body: Document,
        response: { 200: ValidationBody },
      },
    },
    ({ body, query, actor }) => validateFlow(services, actor!, body, query.flow ?? null),
  )
  app.put<{ Params: Static<typeof Id> }>(
    '/api/v1/flows/:id',
    {
      schema: {
        tags,
        summary: 'Replace the draft',
        params: Id,
        headers: { type: 'object', properties: { 'if-match': { type: 'string' } }, [CHECKED_BY_OPERATION]: true },
        body: Document,
        response: { 200: FlowBody },
      },
    },
    ({ params, body, headers, actor }) =>
      replaceDraft(services, actor!, params.id, body, revisionFrom(headers['if-match'])),
  )
}

/** `If-Match: 3` and `If-Match: "3"` alike. */
function revisionFrom(ifMatch: string | undefined): number | null {
  if (ifMatch === undefined || ifMatch === '*') return null
  const revision = /^"?(\d{1,9})"?$/.exec(ifMatch.trim())?.[1]
  if (revision === undefined)
    throw new OperationError(
      CODE.invalid_request,
      'If-Match takes the revision that the draft was read at, a whole number.',
    )
  return Number(revision)
}
