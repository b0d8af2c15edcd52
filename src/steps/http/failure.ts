// Turns replies with an error status into errors, with the causes that the specification names.
import { STATUS_CODES } from 'node:http'
import { CODE, filled, REPLY_ERRORS } from '../../base/error-catalogue.ts'
import type { StepError } from '../../engine/step-kind.ts'

/** Hints for statuses that share a code. */
const HINTS: Record<number, string> = {
  403: 'The API refused access: the key or token is valid but may lack the permissions.',
  405: 'The endpoint does not accept this method: check the method of the step.',
  413: 'The request body is larger than the API accepts.',
  415: 'The API does not accept this Content-Type: check the kind of body and the Content-Type header.',
  422: 'The API understood the request but refuses its content: look for wrong data types or missing required fields.',
}

export function isErrorStatus(status: number): boolean {
  return status >= 400
}

export function statusFailure(status: number, url: string): StepError {
  const code = codeOf(status)
  const name = STATUS_CODES[status]
  return {
    code,
    message: filled(REPLY_ERRORS[code].message, {
      host: new URL(url).host,
      status: `${status}${name ? ` ${name}` : ''}`,
    }),
    hint: HINTS[status] ?? REPLY_ERRORS[code].hint,
    status,
  }
}

function codeOf(status: number): keyof typeof REPLY_ERRORS {
  const own = `http_${status}`
  if (Object.hasOwn(REPLY_ERRORS, own)) return own as keyof typeof REPLY_ERRORS
  return status < 500 ? CODE.http_4xx : CODE.http_5xx
}
