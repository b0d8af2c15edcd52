// The HTTP request step: sends one request to any API and hands its reply to later steps.
import { OutboundError, type OutboundHop, type OutboundReply } from '../../engine/http-client.ts'
import { defineStep, done, failed, type Outcome, type StepContext } from '../../engine/step-kind.ts'
import { type BuiltRequest, buildRequest } from './build-request.ts'
import { checkHttp, NO_BODY_WITH_HEAD } from './check.ts'
import { decodeBody } from './decode-body.ts'
import { isErrorStatus, statusFailure } from './failure.ts'
import { HttpSettings } from './settings.ts'

export const http = defineStep({
  kind: 'http',
  label: 'HTTP request',
  reachesOut: true,
  retryOn: ['network', '429', '5xx'],
  settings: HttpSettings,
  run,
  check: checkHttp,
})

async function run(context: StepContext<HttpSettings>): Promise<Outcome> {
  const { settings } = context
  const { auth } = settings
  if (settings.method === 'HEAD' && settings.body)
    return failed({ code: 'body_not_allowed', message: NO_BODY_WITH_HEAD })
  const token = auth?.kind === 'oauth2' ? await context.connections.accessToken(auth.connection) : null
  let reply: OutboundReply
  try {
    const request = build(context, token)
    if (settings.onInterrupt === 'fail') {
      if (context.interrupted) return outcomeUnknown()
      await context.announce()
    }
    reply = await send(context, request)
    if (auth?.kind === 'oauth2' && reply.status === 401 && !hasLeft(request, reply)) {
      // Once: an API that refuses a new token too has another reason.
      const renewed = await context.connections.renewed(auth.connection, token!)
      if (renewed !== null) {
        reply = await send(context, build(context, renewed))
        if (reply.status === 401) context.connections.refusedAgain(auth.connection, renewed)
      }
    }
  } catch (error) {
    return outboundFailure(error)
  }
  const output = outputOf(reply)
  if (!isErrorStatus(reply.status)) return done(output)
  const failure = statusFailure(reply.status, reply.url)
  // A retry looks at the status, whatever failOnError says.
  const trouble = { code: failure.code, status: reply.status, retryAfterMs: retryAfterMs(reply.headers, context.now) }
  return settings.failOnError === false ? done(output, trouble) : failed(failure, output, trouble)
}

function build(context: StepContext<HttpSettings>, accessToken: string | null): BuiltRequest {
  const { runId, path, holdsSecret } = context
  const request = buildRequest(context.settings, { runId, path, holdsSecret, accessToken })
  context.showInput(request.shown)
  return request
}

function send(context: StepContext<HttpSettings>, request: BuiltRequest): Promise<OutboundReply> {
  const { settings, hops } = context
  const { method, url, headers, body } = request
  return context.http.send({
    method,
    url,
    headers,
    body,
    timeoutMs: (settings.timeout ?? 30) * 1000,
    followRedirects: settings.followRedirects !== false,
    hops,
    signal: context.signal(),
    room: context.replyRoom(),
    check: (hop) => context.connections.checkHost(hop.url, () => textsOf(hop, settings)),
  })
}

/** Whoever answers at another origin got no credentials. */
const hasLeft = (request: BuiltRequest, reply: OutboundReply): boolean =>
  reply.redirects > 0 && new URL(request.url).origin !== new URL(reply.url).origin

/** All that a request carries, as it is sent and as the settings have it: a short secret is found only where it stands alone. */
function* textsOf({ url, headers, body }: OutboundHop, settings: HttpSettings): Iterable<string> {
  yield url.href
  for (const { name, value } of headers) {
    yield name
    yield value
  }
  if (typeof body === 'string') {
    yield body
    yield* leavesOf(settings.body)
  }
  // Gone, like every credential, from where a redirect leads.
  if (headers.some(({ credential }) => credential)) yield* leavesOf(settings.auth)
  for (const [, value] of url.searchParams) yield value
}

function* leavesOf(value: unknown): Iterable<string> {
  if (typeof value === 'string') yield value
  else if (typeof value === 'number') yield String(value)
  else if (typeof value === 'object' && value !== null)
    for (const [key, item] of Object.entries(value)) {
      yield key
      yield* leavesOf(item)
    }
}

/** Retry-After as seconds or as a date; what is neither says nothing. */
function retryAfterMs(headers: Record<string, string>, startedAt: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  const now = Date.parse(headers['date'] ?? '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(now) ? startedAt : now))
}

function outputOf({
  status,
  headers,
  cookies,
  body,
  url,
  redirects,
  durationMs,
}: OutboundReply): Record<string, unknown> {
  const output = { status, headers, body: decodeBody(body, headers['content-type']), url, redirects, durationMs }
  return cookies.length > 0 ? { ...output, cookies } : output
}

function outboundFailure(error: unknown): Outcome {
  if (!(error instanceof OutboundError)) throw error
  const { code, message, hint } = error
  return failed({ code, message, hint })
}

function outcomeUnknown(): Outcome {
  return failed({
    code: 'outcome_unknown',
    message: 'The service stopped between sending this request and its reply, so it may have had its effect',
    hint: 'Look at the remote API what happened, then replay the run from this step or from the next.',
  })
}
