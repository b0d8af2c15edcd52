// The HTTP request step: sends one request to any API and hands its reply to later steps.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import type { FileValue } from '../../engine/ports/files.ts'
import { isBodySource, OutboundError, type OutboundHop, type OutboundReply } from '../../engine/ports/http-client.ts'
import { refusalCause, refusesCertificate, type TlsIdentity } from '../../engine/ports/tls.ts'
import {
  defineStep,
  done,
  failed,
  type Outcome,
  type ShownOutput,
  type StepContext,
  type StepError,
} from '../../engine/step-kind.ts'
import { SECRET_MASK } from '../../flow/compile.ts'
import { formPairs } from '../../flow/form-pairs.ts'
import { HTTP_STEP } from '../../flow/http-kind.ts'
import { type BuiltRequest, buildRequest, withQuery } from './build-request.ts'
import { checkHttp, checkTlsUrl } from './check.ts'
import { decodeBody, readAsXml } from './decode-body.ts'
import { isErrorStatus, statusFailure } from './failure.ts'
import { FileReply } from './file-reply.ts'
import { type OpenFiles, openFiles } from './open-files.ts'
import { HttpSettings } from './settings.ts'

export const http = defineStep({
  ...HTTP_STEP,
  label: 'HTTP request',
  reachesOut: true,
  sendsRequest: true,
  retryOn: ['network', '429', '5xx'],
  settings: HttpSettings,
  run,
  check: checkHttp,
})

async function run(context: StepContext<HttpSettings>): Promise<Outcome> {
  const { settings } = context
  const { auth } = settings
  if (settings.method === 'HEAD' && settings.body)
    return failed({ code: CODE.body_not_allowed, message: STEP_ERRORS.body_not_allowed.message })
  const token = auth?.kind === 'oauth2' ? await context.connections.accessToken(auth.connection) : null
  const wanted = auth || settings.tls ? tlsFor(context) : null
  const tls = wanted instanceof Promise ? await wanted : wanted
  const fileReply = settings.response?.as === 'file' ? new FileReply(context.files) : null
  const files = await openFiles(context.files, settings)
  let reply: OutboundReply
  try {
    const request = build(context, token, files)
    if (settings.tls) checkTlsUrl(request.url)
    if (settings.onInterrupt === 'fail') {
      if (context.interrupted) return outcomeUnknown()
      await context.announce()
    }
    reply = await send(context, request, tls, fileReply)
    if (auth?.kind === 'oauth2' && reply.status === 401 && !hasLeft(request, reply)) {
      // The access token is renewed once: an API that refuses a new one too has another reason.
      const renewed = await context.connections.renewed(auth.connection, token!)
      if (renewed !== null) {
        reply = await send(context, build(context, renewed, files), tls, fileReply)
        if (reply.status === 401) context.connections.refusedAgain(auth.connection, renewed)
      }
    }
  } catch (error) {
    await fileReply?.giveUp()
    return outboundFailure(error, context)
  }
  const { output, problem } = outputOf(reply, settings.response, (await fileReply?.kept(reply)) ?? null)
  const shown = shownOf(context, output)
  if (problem && !isErrorStatus(reply.status)) {
    if (quotesDerived(context)) problem.message = SECRET_MASK
    return { ...failed(problem, output), ...shown }
  }
  if (!isErrorStatus(reply.status)) return { ...done(output), ...shown }
  const failure = statusFailure(reply.status, reply.url)
  if (refusesCertificate(reply.status, output['body'])) {
    const { why, hint } = refusalCause(tls, context.now)
    failure.hint = `The server says why: ${why}. ${hint}`
  }
  if (quotesDerived(context)) failure.message = SECRET_MASK
  // A retry depends on the status, whatever failOnError says.
  const trouble = { code: failure.code, status: reply.status, retryAfterMs: retryAfterMs(reply.headers, context.now) }
  return { ...(settings.failOnError === false ? done(output, trouble) : failed(failure, output, trouble)), ...shown }
}

/** Returns the TLS settings of the connection that the step names for them, or else of one that its auth names. */
function tlsFor(context: StepContext<HttpSettings>): TlsIdentity | null | Promise<TlsIdentity | null> {
  const { connections, settings } = context
  const { auth, tls } = settings
  if (tls) return connections.tls(tls.connection)
  const named = auth && 'connection' in auth ? [auth.connection] : namesIn(context)('/auth')
  const found = named.map((name) => connections.tls(name))
  const first = (all: (TlsIdentity | null)[]) => all.find((identity) => identity !== null) ?? null
  return found.some((one) => one instanceof Promise)
    ? Promise.all(found.map(async (one) => one)).then(first)
    : first(found as (TlsIdentity | null)[])
}

/** The output contains the called URL, which may hold a secret in a form that masking would not find. */
function shownOf({ secrets }: StepContext<HttpSettings>, output: Record<string, unknown>): { shown?: ShownOutput } {
  if (!secrets || output['redirects'] !== 0) return {}
  const { url, query = [], auth } = secrets.shown
  const key = auth?.kind === 'apiKey' && auth.in === 'query' ? [auth] : []
  const isOfUrl = (place: string) =>
    place === '/url' || place.startsWith('/query/') || (key.length > 0 && place.startsWith('/auth/'))
  if (![...secrets.places.keys()].some(isOfUrl)) return {}
  return { shown: { output: { ...output, url: unencoded(withQuery(url, [...query, ...key])) } } }
}

const legible = (shown: BuiltRequest['shown']): BuiltRequest['shown'] => ({
  ...shown,
  url: unencoded(shown.url),
  body: typeof shown.body === 'string' ? unencoded(shown.body) : shown.body,
})

/** Returns the text with the mask as users know it, not percent-encoded. */
const unencoded = (text: string): string => text.replaceAll(encodeURIComponent(SECRET_MASK), SECRET_MASK)

function build(context: StepContext<HttpSettings>, accessToken: string | null, files: OpenFiles): BuiltRequest {
  const { runId, path, holdsSecret } = context
  const identity = { runId, path, holdsSecret, accessToken, named: namesIn(context), files }
  const request = buildRequest(context.settings, identity)
  const { secrets } = context
  context.showInput(secrets ? legible(buildRequest(secrets.shown, identity).shown) : request.shown)
  return request
}

async function send(
  context: StepContext<HttpSettings>,
  request: BuiltRequest,
  tls: TlsIdentity | null,
  fileReply: FileReply | null,
): Promise<OutboundReply> {
  const { settings, hops } = context
  const { method, url, headers, body } = request
  return context.http.send({
    method,
    url,
    headers,
    body: body !== null && !isBodySource(body) && settings.compress ? await gzipped(body) : body,
    timeoutMs: (settings.timeout ?? 30) * 1000,
    followRedirects: settings.followRedirects !== false,
    cookies: settings.cookies === true,
    tls,
    hops,
    signal: context.signal(),
    room: context.replyRoom(),
    standing: context.standing(),
    into: fileReply?.sink ?? null,
    check: (hop) => {
      const named = () => [
        ...(hop.url.href === URL.parse(url)?.href ? request.named.url : []),
        ...hop.headers.flatMap((header) => header.named ?? []),
        ...(hop.body === null ? [] : request.named.body),
        ...(hop.tls ? [hop.tls.connection] : []),
      ]
      context.connections.checkHost(hop.url, () => textsOf(hop, request.text, settings), named)
    },
  })
}

/** Compresses in a thread, to the same bytes at every resend. */
const gzipped: (body: string | Uint8Array) => Promise<Buffer> = promisify(gzip)

/** Returns a function that finds the connections whose secrets are at or below a place of the settings. */
function namesIn({ secrets }: StepContext<HttpSettings>): (place: string) => string[] {
  if (!secrets) return () => []
  return (place) => {
    const names = new Set<string>()
    for (const [path, sources] of secrets.places)
      if (path === place || path.startsWith(`${place}/`)) for (const source of sources) names.add(source)
    return [...names]
  }
}

/** Returns whether the reply came from another origin, which got no credentials. */
const hasLeft = (request: BuiltRequest, reply: OutboundReply): boolean =>
  reply.redirects > 0 && new URL(request.url).origin !== new URL(reply.url).origin

/** Yields the texts of a request, as sent and as in the settings: a short secret is found only if it is a whole text. */
function* textsOf({ url, headers, body }: OutboundHop, text: string | null, settings: HttpSettings): Iterable<string> {
  yield url.href
  for (const { name, value } of headers) {
    yield name
    yield value
  }
  if (body !== null) {
    if (text !== null) yield text
    yield* leavesOf(settings.body)
  }
  // A redirect to another origin drops the auth, like every credential.
  if (headers.some(({ credential }) => credential)) yield* leavesOf(settings.auth)
  for (const [, value] of formPairs(url.search.slice(1))) yield value
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

/** Reads Retry-After as seconds or as a date; any other value is ignored. */
function retryAfterMs(headers: Record<string, string>, startedAt: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  const now = Date.parse(headers['date'] ?? '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(now) ? startedAt : now))
}

function outputOf(
  { status, headers, cookies, body, url, redirects, durationMs }: OutboundReply,
  reading: HttpSettings['response'],
  file: FileValue | null,
): { output: Record<string, unknown>; problem: StepError | null } {
  const type = headers['content-type']
  const read = reading?.as === 'xml' ? readAsXml(body, type, reading.lists) : null
  const decoded = file ?? (read && 'value' in read ? read.value : decodeBody(body, type, headers['content-encoding']))
  const output = { status, headers, body: decoded, url, redirects, durationMs }
  return {
    output: cookies.length > 0 ? { ...output, cookies } : output,
    problem: read && 'problem' in read ? notXml(url, read.problem) : null,
  }
}

const notXml = (url: string, why: string): StepError => ({
  code: CODE.response_invalid,
  message: filled(STEP_ERRORS.response_invalid.message, {
    host: new URL(url).hostname,
    why: `it cannot be read as XML: ${why}`,
  }),
  hint: 'Look at the reply, which is kept as text; read it as XML only if the API always sends XML.',
})

function outboundFailure(error: unknown, context: StepContext<HttpSettings>): Outcome {
  if (!(error instanceof OutboundError)) throw error
  const { code, message, hint } = error
  return failed({ code, message: quotesDerived(context) ? SECRET_MASK : message, hint })
}

/** Returns whether messages, which name the host and headers, would quote a value made from a secret. */
const quotesDerived = ({ secrets }: StepContext<HttpSettings>): boolean =>
  [...(secrets?.derived ?? [])].some((place) => place === '/url' || place.endsWith('/name'))

function outcomeUnknown(): Outcome {
  return failed({
    code: CODE.outcome_unknown,
    message: STEP_ERRORS.outcome_unknown.message,
    hint: STEP_ERRORS.outcome_unknown.hint,
  })
}
