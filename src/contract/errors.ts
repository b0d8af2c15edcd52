// Every error code of the API and its status: the one place where codes become statuses.

export const ERROR_STATUS = {
  bad_request: 400,
  invalid_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  webhook_not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  revision_conflict: 412,
  payload_too_large: 413,
  flow_invalid: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  overloaded: 503,
  unavailable: 503,
  loop_detected: 508,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS
