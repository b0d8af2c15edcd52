// Lists all error codes of the API, webhooks and steps, each with its message, its hint and its place in docs/.
// `{…}` stands for a value. A code with several messages has them where they are thrown; here is what they share.
import { FILE_ERRORS, SANDBOX_ERRORS, type StepFault } from './step-faults.ts'

interface ApiError {
  status: number
  message: string
  docs: string
}

const OF_WEBHOOKS = 'docs/webhooks.md#checks'
const OF_THE_API = 'docs/api.md#errors'
const OF_REQUESTS = 'docs/http-request.md#errors'
const OF_STEPS = 'docs/flows.md#when-a-step-fails'
const OF_WAITING = 'docs/waiting.md#errors'

/** Why a delivery is refused. */
export const DELIVERY_ERRORS = {
  method_not_allowed: { status: 405, message: 'A webhook takes POST requests', docs: OF_WEBHOOKS },
  webhook_not_found: { status: 404, message: 'There is no webhook at this URL.', docs: OF_WEBHOOKS },
  loop_detected: { status: 508, message: 'Webhooks call one another more than 10 deep', docs: OF_WEBHOOKS },
  rate_limited: { status: 429, message: 'Too many requests', docs: OF_WEBHOOKS },
  overloaded: { status: 503, message: 'More comes in than can be done', docs: OF_WEBHOOKS },
  unauthorized: { status: 401, message: 'It is not known who asks', docs: OF_WEBHOOKS },
  bad_request: { status: 400, message: 'The request is not valid HTTP.', docs: OF_WEBHOOKS },
  payload_too_large: { status: 413, message: 'The body is too large', docs: OF_WEBHOOKS },
} as const satisfies Record<string, ApiError>

/** Why a callback is refused, besides what a delivery is refused for. */
export const CALLBACK_ERRORS = {
  callback_not_found: { status: 404, message: 'There is no callback at this URL.', docs: OF_WAITING },
  callback_closed: { status: 410, message: 'This was answered already, or it is too late', docs: OF_WAITING },
} as const satisfies Record<string, ApiError>

/** The only place that maps codes to statuses. */
export const API_ERRORS = {
  ...DELIVERY_ERRORS,
  ...CALLBACK_ERRORS,
  invalid_request: { status: 400, message: 'The request is not as it should be', docs: OF_THE_API },
  forbidden: { status: 403, message: 'The token or role does not reach so far', docs: OF_THE_API },
  common_password: { status: 400, message: 'This password is too common; choose another.', docs: OF_THE_API },
  second_factor_required: { status: 401, message: 'A code of the second factor is needed', docs: OF_THE_API },
  two_factor_setup_required: { status: 403, message: 'Set up a second factor first.', docs: OF_THE_API },
  not_found: { status: 404, message: 'There is no {what} {id}.', docs: OF_THE_API },
  conflict: { status: 409, message: 'The state does not allow it', docs: OF_THE_API },
  run_data_deleted: {
    status: 409,
    message: 'The data of this run was deleted with its end, as its flow says.',
    docs: OF_THE_API,
  },
  slug_taken: { status: 409, message: 'Another flow has the slug "{slug}"; choose another.', docs: OF_THE_API },
  not_published: { status: 409, message: 'The flow is not published; publish it first.', docs: OF_THE_API },
  wrong_trigger: { status: 409, message: 'The flow has a trigger of another kind', docs: OF_THE_API },
  flow_in_use: { status: 409, message: 'Other flows call this flow', docs: OF_THE_API },
  invalid_input: { status: 400, message: 'The input does not fit the flow', docs: OF_THE_API },
  idempotency_mismatch: {
    status: 422,
    message: 'This Idempotency-Key was sent with another input; use a new key for a new run.',
    docs: OF_THE_API,
  },
  range_not_satisfiable: { status: 416, message: 'The file has no such part', docs: OF_THE_API },
  revision_conflict: {
    status: 412,
    message: 'The draft is not at this revision any more',
    docs: OF_THE_API,
  },
  flow_invalid: { status: 422, message: 'The flow has {problems}; the first: {path}: {problem}', docs: OF_THE_API },
  headers_too_large: { status: 431, message: 'The headers are larger than 16 KiB.', docs: OF_THE_API },
  internal_error: {
    status: 500,
    message: 'Millrace failed at this request; its log has the details.',
    docs: OF_THE_API,
  },
  unavailable: {
    status: 503,
    message: 'The database cannot be written at the moment; try again shortly.',
    docs: OF_THE_API,
  },
} as const satisfies Record<string, ApiError>

const CHECK_URL = 'Check the host and port in the URL, and that the API is up.'

/** Why a request got no usable reply. */
export const OUTBOUND_ERRORS = {
  connection_timeout: {
    message: '{host} did not reply {within}',
    hint: 'The remote API is slow or unreachable, or the timeout is too low. It may be raised up to 300 seconds.',
    docs: OF_REQUESTS,
  },
  dns_failed: {
    message: 'The host name {host} could not be resolved ({fault})',
    hint: 'Check the host name in the URL for typing errors, and that its DNS record exists.',
    docs: OF_REQUESTS,
  },
  connection_refused: { message: '{host} refused the connection', hint: CHECK_URL, docs: OF_REQUESTS },
  connection_reset: {
    message: '{host} closed the connection {when}',
    hint: 'The remote API may be restarting or overloaded: try again, or add a retry to the step.',
    docs: OF_REQUESTS,
  },
  connection_failed: { message: '{host} could not be reached ({fault})', hint: CHECK_URL, docs: OF_REQUESTS },
  proxy_failed: {
    message: '{proxy} {what}',
    hint: 'The operator of this service can check the proxy and its setting, with millrace doctor for example.',
    docs: OF_REQUESTS,
  },
  ssl_certificate: {
    message: 'The certificate of {host} is not valid: {why}',
    hint: 'The certificate of the remote host is invalid or self-signed. If an authority of your own issued it, set that as ca in the TLS settings of a connection, or for all requests in MILLRACE_CA_FILE.',
    docs: OF_REQUESTS,
  },
  client_certificate: {
    message: '{host} refuses the connection: {why}',
    hint: 'Set the client certificate that the API expects in a connection, and name that in the setting tls of the step.',
    docs: OF_REQUESTS,
  },
  too_many_redirects: {
    message: 'More than {most} redirects, the last one by {host}',
    hint: 'The URLs may redirect in a circle: check the URL, or turn off follow redirects to see the first reply.',
    docs: OF_REQUESTS,
  },
  response_too_large: {
    message: 'The reply of {host} is larger than {most}',
    hint: 'Ask the API for less at a time, for example with paging or fewer fields.',
    docs: OF_REQUESTS,
  },
  response_invalid: {
    message: 'The reply of {host} is not valid: {why}',
    hint: 'The remote API or a proxy before it sent a damaged reply: try again, or report it to the operator of the API.',
    docs: OF_REQUESTS,
  },
  invalid_url: {
    message: 'The URL cannot be called',
    hint: 'Write the full URL including the protocol, for example https://api.example.com/orders.',
    docs: OF_REQUESTS,
  },
  invalid_header: {
    message: 'The request could not be sent: {fault}',
    hint: 'Check the headers of the step.',
    docs: OF_REQUESTS,
  },
  invalid_body: {
    message: 'The body could not be written: {fault}',
    hint: 'Check the body of the step, and the charset of its content type.',
    docs: OF_REQUESTS,
  },
  blocked_address: {
    message: '{host} {leadsTo} an address that is not public ({range})',
    hint: 'Only public addresses can be reached by default. The operator of this service can open more with MILLRACE_EGRESS_ALLOW.',
    docs: OF_REQUESTS,
  },
  host_not_allowed: {
    message: 'The secret of the connection "{connection}" may not be sent to {host}',
    hint: 'It is limited to {hosts}. Send the request there, or add the host to the connection.',
    docs: OF_REQUESTS,
  },
} as const satisfies Record<string, StepFault>

/** Why an OAuth connection gives no access token. */
export const CONNECTION_ERRORS = {
  connection_unauthorized: {
    message: 'The connection "{connection}" cannot be used: {why}',
    hint: 'Connect it again: open its page, or POST /api/v1/connections/{connection}/authorize and visit the URL.',
    docs: OF_REQUESTS,
  },
  token_unavailable: {
    message: 'The access token of the connection "{connection}" could not be fetched: {why}',
    hint: 'The authorization server may be down or slow: add a retry to the step, or try again later.',
    docs: OF_REQUESTS,
  },
  secret_unavailable: {
    message: 'The field {field} of the connection "{connection}" could not be read: {why}',
    hint: 'It is kept outside of Millrace. Check that it is there, and that Millrace may read it.',
    docs: OF_REQUESTS,
  },
  connection_not_for_flow: {
    message: 'The connection "{connection}" is not for this flow: it is limited to some flows or tags',
    hint: 'Name another connection, or ask somebody who may change connections (scope connections:write) to add this flow or one of its tags to what it is for.',
    docs: OF_REQUESTS,
  },
} as const satisfies Record<string, StepFault>

const REPLIED = '{host} replied {status}'

/** The codes of replies with an error status. A status without a code of its own has the code of its class. */
export const REPLY_ERRORS = {
  http_400: {
    message: REPLIED,
    hint: 'The request is invalid: look for malformed JSON, wrong data types, missing required fields or a wrong Content-Type header.',
    docs: OF_REQUESTS,
  },
  http_401: {
    message: REPLIED,
    hint: 'Authentication failed: look for a wrong or expired key or token, a wrong authentication method, a wrong header format (for example a missing Bearer prefix) or insufficient permissions.',
    docs: OF_REQUESTS,
  },
  http_404: {
    message: REPLIED,
    hint: 'The endpoint or resource does not exist: check the path and the ids in the URL.',
    docs: OF_REQUESTS,
  },
  http_429: {
    message: REPLIED,
    hint: 'The rate limit of the remote API was exceeded: send less often, or add a retry to the step, which respects Retry-After.',
    docs: OF_REQUESTS,
  },
  http_500: {
    message: REPLIED,
    hint: 'Server error at the remote API: try again later, or add a retry to the step.',
    docs: OF_REQUESTS,
  },
  http_4xx: {
    message: REPLIED,
    hint: 'The remote API refused the request: its reply usually says why.',
    docs: OF_REQUESTS,
  },
  http_5xx: {
    message: REPLIED,
    hint: 'The remote API or a proxy before it has a problem: try again later, or add a retry to the step.',
    docs: OF_REQUESTS,
  },
} as const satisfies Record<string, StepFault>

/** Why an expression gave no value. */
export const EXPRESSION_ERRORS = {
  missing_value: {
    message: 'A value that an expression needs is missing',
    hint: 'Check its spelling and the data that really came in.',
    docs: OF_STEPS,
  },
  expression_failed: {
    message: 'The expression cannot be evaluated',
    hint: 'A code step runs full JavaScript; do this there and use its result here.',
    docs: OF_STEPS,
  },
} as const satisfies Record<string, StepFault>

export { SANDBOX_ERRORS }

/** Every code of a failed step or run. */
export const STEP_ERRORS = {
  ...OUTBOUND_ERRORS,
  ...CONNECTION_ERRORS,
  ...REPLY_ERRORS,
  ...EXPRESSION_ERRORS,
  ...SANDBOX_ERRORS,
  ...FILE_ERRORS,
  body_not_allowed: {
    message: 'A HEAD request cannot have a body. Remove the body, or choose another method.',
    docs: OF_REQUESTS,
  },
  outcome_unknown: {
    message: 'The service stopped between sending this request and its reply, so it may have had its effect',
    hint: 'Look at the remote API what happened, then replay the run from this step or from the next.',
    docs: OF_REQUESTS,
  },
  stored_secret: {
    message: 'The key "{key}" holds what came of a secret, stored by another version of this flow',
    hint: 'Store it anew in this version, or set reveal: true on this step if it may be seen.',
    docs: OF_STEPS,
  },
  loop_limit: {
    message: 'The condition still holds after {most} rounds',
    hint: 'Raise max if so many rounds are meant; otherwise look why the condition never becomes false.',
    docs: OF_STEPS,
  },
  overloaded: {
    message: 'The called flow is paused, and too many runs of paused flows are waiting',
    hint: 'Resume the flow, then replay this run from this step; or give the step a retry.',
    docs: OF_STEPS,
  },
  not_published: {
    message: 'The called flow is not published, or its trigger is not of the kind call',
    hint: 'Publish the called flow with a trigger of the kind call, then replay this run from this step.',
    docs: OF_STEPS,
  },
  invalid_input: {
    message: 'The input does not fit the called flow: {problem}',
    hint: 'Change the input of the step, or the input schema of the called flow.',
    docs: OF_STEPS,
  },
  loop_detected: {
    message: 'Flows call one another more than {most} deep',
    hint: 'A flow probably calls itself, directly or by others: add a condition that ends it.',
    docs: OF_STEPS,
  },
  callback_timeout: {
    message: 'Nobody answered in time',
    hint: 'Give more time with timeout, or set onTimeout to continue and look at steps.<id>.timedOut.',
    docs: OF_STEPS,
  },
  failed: { message: 'What the step says', docs: OF_STEPS },
  cancelled: {
    message: 'The run was cancelled.',
    hint: 'Nothing to do: the request was given up on purpose.',
    docs: OF_STEPS,
  },
  secret_unreadable: {
    message: 'The secret at {path} cannot be read: type it again and publish.',
    docs: OF_STEPS,
  },
  flow_gone: { message: 'The flow of this run was deleted.', docs: OF_STEPS },
  internal_error: {
    message: 'Millrace itself failed at this step; its log has the details.',
    hint: 'This is a fault of Millrace, not of the flow: please report it.',
    docs: OF_STEPS,
  },
} as const satisfies Record<string, Omit<StepFault, 'hint'> & { hint?: string }>

/** The codes in `issues`, by their place in docs/. Their messages are where the problems are found. */
export const ISSUES = {
  'docs/flows.md#drafts-versions-and-runs': [
    'missing',
    'empty',
    'wrong_type',
    'unknown_key',
    'unknown_kind',
    'unknown_value',
    'out_of_range',
    'too_long',
    'too_deep',
    'too_many_steps',
    'too_many_expressions',
    'too_many_connections',
    'too_many_problems',
    'invalid_format',
    'invalid_schema',
    'unknown_flow',
    'not_callable',
    'invalid_input',
    'call_cycle',
    'duplicate_id',
    'duplicate_name',
    'expression_syntax',
    'unknown_reference',
    'unknown_step',
    'step_not_run_yet',
    'unknown_variable',
    'shared_variable',
    'unknown_connection',
    'unknown_field',
    'unnamed_connection',
    'wrong_connection',
    'connection_not_for_flow',
    'secret_in_reply',
    'secret_in_call',
    'secret_in_label',
    'invalid_url',
    'invalid_header',
    'body_not_allowed',
    'foreign_secret',
    'conflicting',
    'code_syntax',
    'invalid_cron',
    'unknown_timezone',
    'never_fires',
    'too_frequent',
    'hard_coded_secret',
    'unknown_env',
    'unknown_config',
    'unusual_body',
    'duplicate_header',
    'unheard_reply',
    'unreachable_step',
    'unusual_time',
    'reveals_secret',
    'unseen_reference',
  ],
  'docs/connections.md#changing-one': ['secret_needed', 'in_use'],
} as const

export type DeliveryErrorCode = keyof typeof DELIVERY_ERRORS | keyof typeof CALLBACK_ERRORS
export type ApiErrorCode = keyof typeof API_ERRORS
export type StepErrorCode = keyof typeof STEP_ERRORS
export type OutboundErrorCode = keyof typeof OUTBOUND_ERRORS | 'cancelled'
export type FileErrorCode = keyof typeof FILE_ERRORS
export type ConnectionErrorCode = keyof typeof CONNECTION_ERRORS
export type ExpressionErrorCode = keyof typeof EXPRESSION_ERRORS | 'invalid_url'
export type CodeErrorCode = keyof typeof SANDBOX_ERRORS | 'cancelled'
export type IssueCode = (typeof ISSUES)[keyof typeof ISSUES][number]

/** The codes by name. Code that throws an error takes its code from here. */
export const CODE = Object.fromEntries(Object.keys({ ...API_ERRORS, ...STEP_ERRORS }).map((code) => [code, code])) as {
  readonly [Code in ApiErrorCode | StepErrorCode]: Code
}

type Places<Pattern> = Pattern extends `${string}{${infer Name}}${infer Rest}` ? Name | Places<Rest> : never

/** Returns a message or hint of the catalogue with its values filled in. */
export const filled = <const Pattern extends string>(
  pattern: Pattern,
  values: Record<Places<Pattern>, string | number>,
): string => pattern.replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name as Places<Pattern>]))
