// How a refusal or fault becomes a reply: one body shape for the whole API.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import type { Issue } from '../flow/issue.ts'
import { OperationError } from '../operations/operation-error.ts'

export function failureBody(
  code: ErrorCode,
  message: string,
  requestId: string,
  issues: Issue[] | null = null,
): object {
  return { status: 'error', code, message, requestId, ...(issues && { issues }) }
}

export function sendFailure(
  reply: FastifyReply,
  code: ErrorCode,
  message: string,
  issues: Issue[] | null = null,
): FastifyReply {
  return reply.code(ERROR_STATUS[code]).send(failureBody(code, message, reply.request.id, issues))
}

/** The codes of Fastify's own errors that are the caller's fault. */
const FASTIFY_CODES: Record<string, [ErrorCode, string]> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ['payload_too_large', 'The body is too large.'],
  FST_ERR_CTP_INVALID_MEDIA_TYPE: ['invalid_request', 'The Content-Type must be application/json or application/yaml.'],
  FST_ERR_CTP_EMPTY_JSON_BODY: ['invalid_request', 'The body is empty; send a JSON document.'],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: ['invalid_request', 'The body does not match its Content-Length.'],
  FST_ERR_CTP_INVALID_JSON_BODY: ['invalid_request', 'The body is not valid JSON.'],
  ECONNRESET: ['invalid_request', 'The body ended before its declared end.'],
}

export function createErrorHandler(onBug: (error: unknown, route: string) => void) {
  return (
    error: Error & { code?: string; validation?: Issue[] },
    request: FastifyRequest,
    reply: FastifyReply,
  ): void => {
    if (error instanceof OperationError) {
      void sendFailure(reply, error.code, error.message, error.issues)
      return
    }
    if (error.validation) {
      void sendFailure(reply, 'invalid_request', error.message, error.validation)
      return
    }
    const known = FASTIFY_CODES[error.code ?? '']
    if (known) {
      void sendFailure(reply, known[0], known[1])
      return
    }
    if (error.name === 'StorageUnavailable') {
      void reply.header('retry-after', '5')
      void sendFailure(reply, 'unavailable', 'The database cannot be written at the moment; try again shortly.')
      return
    }
    onBug(error, request.routeOptions.url ?? 'unknown')
    void sendFailure(reply, 'internal_error', 'Millrace failed at this request; its log has the details.')
  }
}
