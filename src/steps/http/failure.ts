// Replies with an error status, as errors with the specification's causes.
import { STATUS_CODES } from 'node:http'
import type { StepError } from '../../engine/step-kind.ts'

const HINTS: Record<number, string> = {
  400: 'The request is invalid: look for malformed JSON, wrong data types, missing required fields or a wrong Content-Type header.',
  401: 'Authentication failed: look for a wrong or expired key or token, a wrong authentication method, a wrong header format (for example a missing Bearer prefix) or insufficient permissions.',
  403: 'The API refused access: the key or token is valid but may lack the permissions.',
  404: 'The endpoint or resource does not exist: check the path and the ids in the URL.',
  405: 'The endpoint does not accept this method: check the method of the step.',
  413: 'The request body is larger than the API accepts.',
  415: 'The API does not accept this Content-Type: check the kind of body and the Content-Type header.',
  422: 'The API understood the request but refuses its content: look for wrong data types or missing required fields.',
  429: 'The rate limit of the remote API was exceeded: send less often, or add a retry to the step, which respects Retry-After.',
  500: 'Server error at the remote API: try again later, or add a retry to the step.',
}
const CLIENT_ERROR = 'The remote API refused the request: its reply usually says why.'
const SERVER_ERROR =
  'The remote API or a proxy in front of it has a problem: try again later, or add a retry to the step.'
const OWN_CODES = new Set([400, 401, 404, 429, 500])

export function isErrorStatus(status: number): boolean {
  return status >= 400
}

export function statusFailure(status: number, url: string): StepError {
  const code = OWN_CODES.has(status) ? `http_${status}` : status < 500 ? 'http_4xx' : 'http_5xx'
  const name = STATUS_CODES[status]
  return {
    code,
    message: `${new URL(url).host} replied ${status}${name ? ` ${name}` : ''}`,
    hint: HINTS[status] ?? (status < 500 ? CLIENT_ERROR : SERVER_ERROR),
    status,
  }
}
