// The HTTP request step: sends one request to any API and hands its reply to later steps.
import { CODE, filled, STEP_ERRORS } from '../../base/error-catalogue.ts'
import { LoopTurns } from '../../base/waiting.ts'
import type { Credential } from '../../engine/ports/connections.ts'
import type { FileValue } from '../../engine/ports/files.ts'
import { OutboundError, type OutboundReply, type RoomOfRun, SMALL_REPLY } from '../../engine/ports/http-client.ts'
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
import { HTTP_STEP } from '../../flow/http-kind.ts'
import { weighInTurns } from '../../flow/json/weigh.ts'
import { unansweredHint } from './auth/digest.ts'
import { isEchoed, withoutTexts } from './auth/echoes.ts'
import { type BuiltRequest, buildRequest, connectionOf, withQuery } from './build-request.ts'
import { checkHttp, checkTlsUrl } from './check.ts'
import { decodeBody, readAsXml } from './decode-body.ts'
import { isErrorStatus, statusFailure } from './failure.ts'
import { FileReply } from './file-reply.ts'
import { type OpenFiles, openFiles } from './open-files.ts'
import { type Sent, sendRequest } from './send-request.ts'
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

/** The values of a smaller reply do not count, whatever they are. */
const FEW_BYTES = 8_192
/** As much as the values of an ordinary small reply take. */
const MOST_UNCOUNTED = 4 * SMALL_REPLY

async function run(context: StepContext<HttpSettings>): Promise<Outcome> {
  const { settings } = context
  if (settings.method === 'HEAD' && settings.body)
    return failed({ code: CODE.body_not_allowed, message: STEP_ERRORS.body_not_allowed.message })
  const connection = connectionOf(settings)
  const credential = connection === null ? null : await context.connections.credential(connection, context.flowId)
  const wanted = settings.auth || settings.tls ? tlsFor(context) : null
  const tls = wanted instanceof Promise ? await wanted : wanted
  const fileReply = settings.response?.as === 'file' ? new FileReply(context.files) : null
  const files = await openFiles(context.files, settings)
  const build = (given: Credential | null) => builtRequest(context, given, files)
  let sent: Sent
  try {
    const request = build(credential)
    if (settings.tls) checkTlsUrl(request.url)
    if (settings.onInterrupt === 'fail') {
      if (context.interrupted) return outcomeUnknown()
      await context.announce()
    }
    sent = await sendRequest({ context, credential, tls, build, into: fileReply?.sink ?? null }, request)
  } catch (error) {
    await fileReply?.giveUp()
    return outboundFailure(error, context)
  }
  const { reply } = sent
  const { body, problem } = await readBody(reply, settings.response, (await fileReply?.kept(reply)) ?? null)
  if (reply.body.length > FEW_BYTES) await countValues(context.replyRoom(), body, reply.body.length)
  const output = outputOf(reply, body)
  const shown = shownOf(context, credential, sent, output)
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
  if (credential?.kind === 'digest' && reply.status === 401)
    failure.hint = unansweredHint(reply.headers['www-authenticate'] ?? '') ?? failure.hint
  if (quotesDerived(context)) failure.message = SECRET_MASK
  // A retry depends on the status, whatever failOnError says.
  const trouble = { code: failure.code, status: reply.status, retryAfterMs: retryAfterMs(reply.headers, context.now) }
  return { ...(settings.failOnError === false ? done(output, trouble) : failed(failure, output, trouble)), ...shown }
}

/** Returns the TLS settings of the connection that the step names for them, or else of one that its auth names. */
function tlsFor(context: StepContext<HttpSettings>): TlsIdentity | null | Promise<TlsIdentity | null> {
  const { connections, flowId, settings } = context
  if (settings.tls) return connections.tls(settings.tls.connection, flowId)
  const connection = connectionOf(settings)
  const named = connection === null ? namesIn(context)('/auth') : [connection]
  const found = named.map((name) => connections.tls(name, flowId))
  const first = (all: (TlsIdentity | null)[]) => all.find((identity) => identity !== null) ?? null
  return found.some((one) => one instanceof Promise)
    ? Promise.all(found.map(async (one) => one)).then(first)
    : first(found as (TlsIdentity | null)[])
}

/** The output contains the called URL, which may hold a secret in a form that masking would not find; so may an echo. */
function shownOf(
  context: StepContext<HttpSettings>,
  credential: Credential | null,
  { reply, proofs }: Sent,
  output: Record<string, unknown>,
): { shown?: ShownOutput } {
  const url = reply.redirects === 0 ? shownUrl(context, credential) : null
  const echoed = proofs.filter((proof) => isEchoed(reply, proof))
  if (url === null && echoed.length === 0) return {}
  const shown = echoed.length === 0 ? output : (withoutTexts(output, echoed) as Record<string, unknown>)
  return { shown: { output: url === null ? shown : { ...shown, url } } }
}

/** Returns the URL without its secrets; null if it has none. */
function shownUrl({ secrets, settings }: StepContext<HttpSettings>, credential: Credential | null): string | null {
  const given = credential?.kind === 'apiKey' && credential.in === 'query' ? [credential] : []
  if (!secrets && given.length === 0) return null
  const { url, query = [], auth } = secrets?.shown ?? settings
  const own = auth?.kind === 'apiKey' && auth.in === 'query' ? [auth] : []
  const isOfUrl = (place: string) =>
    place === '/url' || place.startsWith('/query/') || (own.length > 0 && place.startsWith('/auth/'))
  if (given.length === 0 && ![...(secrets?.places.keys() ?? [])].some(isOfUrl)) return null
  const hidden = given.map(({ name }) => ({ name, value: SECRET_MASK }))
  return unencoded(withQuery(url, [...query, ...own, ...hidden]))
}

const legible = (shown: BuiltRequest['shown']): BuiltRequest['shown'] => ({
  ...shown,
  url: unencoded(shown.url),
  body: typeof shown.body === 'string' ? unencoded(shown.body) : shown.body,
})

/** Returns the text with the mask as users know it, not percent-encoded. */
const unencoded = (text: string): string => text.replaceAll(encodeURIComponent(SECRET_MASK), SECRET_MASK)

function builtRequest(
  context: StepContext<HttpSettings>,
  credential: Credential | null,
  files: OpenFiles,
): BuiltRequest {
  const { runId, path, holdsSecret } = context
  const identity = { runId, path, holdsSecret, credential, named: namesIn(context), files }
  const request = buildRequest(context.settings, identity)
  const { secrets } = context
  context.showInput(secrets ? legible(buildRequest(secrets.shown, identity).shown) : request.shown)
  return request
}

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

/** Reads Retry-After as seconds or as a date; any other value is ignored. */
function retryAfterMs(headers: Record<string, string>, startedAt: number): number | undefined {
  const value = headers['retry-after']
  if (value === undefined) return undefined
  if (/^\d+$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  const now = Date.parse(headers['date'] ?? '')
  return Number.isNaN(at) ? undefined : Math.max(0, at - (Number.isNaN(now) ? startedAt : now))
}

async function readBody(
  { headers, body, url }: OutboundReply,
  reading: HttpSettings['response'],
  file: FileValue | null,
): Promise<{ body: unknown; problem: StepError | null }> {
  const type = headers['content-type']
  const read = reading?.as === 'xml' ? await readAsXml(body, type, reading.lists) : null
  const value = file ?? (read && 'value' in read ? read.value : decodeBody(body, type, headers['content-encoding']))
  return {
    body: value instanceof Promise ? await value : value,
    problem: read && 'problem' in read ? notXml(url, read.problem) : null,
  }
}

/** Waits until there is room for the values of a reply, where they take far more memory than its bytes, which count already. */
async function countValues(room: RoomOfRun | null, body: unknown, bytes: number): Promise<void> {
  const values = await weighInTurns(body, new LoopTurns())
  const more = values / 2 - (bytes > SMALL_REPLY ? bytes : 0)
  if (values > MOST_UNCOUNTED && more > 0) await room?.grow(more)
}

function outputOf(
  { status, headers, cookies, url, redirects, durationMs }: OutboundReply,
  body: unknown,
): Record<string, unknown> {
  const output = { status, headers, body, url, redirects, durationMs }
  return cookies.length > 0 ? { ...output, cookies } : output
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
