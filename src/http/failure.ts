// Turns a refusal or fault into a reply, with one body shape for the whole API.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { API_ERRORS, type ApiErrorCode, CODE } from '../base/error-catalogue.ts'
import { StorageUnavailable } from '../engine/ports/storage-unavailable.ts'
import type { Issue } from '../flow/issue.ts'
import { OperationError, TooLate, TryLater } from '../operations/operation-error.ts'

export function failureBody(
  code: ApiErrorCode,
  message: string,
  requestId: string,
  issues: Issue[] | null = null,
): object {
  return { status: 'error', code, message, requestId, ...(issues && { issues }) }
}

export function sendFailure(
  reply: FastifyReply,
  code: ApiErrorCode,
  message: string,
  issues: Issue[] | null = null,
  status: number = API_ERRORS[code].status,
): FastifyReply {
  return reply.code(status).send(failureBody(code, message, reply.request.id, issues))
}

/** The codes of Fastify's own errors that are the caller's fault. */
const FASTIFY_CODES: Record<string, [ApiErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: [
    CODE.payload_too_large,
    'The body is too large for this request; docs/api.md has the limits.',
  ],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    CODE.invalid_request,
    'The Content-Type must be application/json; a flow may also be application/yaml.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [CODE.invalid_request, 'The body does not match its Content-Length.'],
  // A method that no route can have; the handler of unknown paths does not see it.
  FST_ERR_NOT_FOUND: [CODE.not_found, 'There is nothing at this path for this method.'],
  ECONNRESET: [CODE.invalid_request, 'The body ended before its declared end.'],
}

export interface Failure {
  code: ApiErrorCode
  message: string
  issues: Issue[] | null
  retryAfter: string | null
}

/** Returns what the caller may know of an error; null: it is a bug in Millrace, and nothing is told. */
export function failureOf(error: Error & { code?: string; validation?: Issue[] }): Failure | null {
  const failure = (
    code: ApiErrorCode,
    message: string,
    issues: Issue[] | null = null,
    retryAfter: string | null = null,
  ) => ({
    code,
    message,
    issues,
    retryAfter,
  })
  if (error instanceof TryLater) return failure(error.code, error.message, null, String(error.retryAfterS))
  if (error instanceof OperationError) return failure(error.code, error.message, error.issues)
  if (error.validation) return failure(CODE.invalid_request, error.message, error.validation)
  if (error instanceof StorageUnavailable) return failure(CODE.unavailable, API_ERRORS.unavailable.message, null, '5')
  const known = FASTIFY_CODES[error.code ?? '']
  return known ? failure(...known) : null
}

/** Set on every reply: browsers must not take JSON with data of strangers for anything else. */
export const headersOfAll = (requestId: string) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
})

export function createErrorHandler(onBug: (error: unknown, route: string) => void) {
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const failure = failureOf(error)
    void reply.headers(headersOfAll(request.id))
    if (failure) {
      if (failure.retryAfter) void reply.header('retry-after', failure.retryAfter)
      const status = error instanceof TooLate ? API_ERRORS.conflict.status : undefined
      void sendFailure(reply, failure.code, failure.message, failure.issues, status)
      return
    }
    onBug(error, request.routeOptions.url ?? 'unknown')
    void sendFailure(reply, CODE.internal_error, API_ERRORS.internal_error.message)
  }
}
