// The checks of docs/webhooks.md#checks that need no body, in their order.

import { createHash, timingSafeEqual } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import type { DeliveryErrorCode } from '../../base/error-catalogue.ts'
import { stepScope } from '../../engine/run-scope.ts'
import { lastValues, mediaType, type WebhookMetadata } from '../../engine/webhook-data.ts'
import type { CompiledTrigger } from '../../flow/compile.ts'
import type { FlowDocument } from '../../flow/document.ts'
import { ExpressionError } from '../../flow/expression/index.ts'
import { parseJson } from '../../flow/parse-json.ts'
import { publishIssues } from '../../flow/validate.ts'
import { findings } from '../flows/draft.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { DeliveryServices } from './services.ts'
import { type SignatureSettings, verifySignature } from './signature/verify-signature.ts'

export type RejectionCode = DeliveryErrorCode

export class Rejection {
  readonly code: RejectionCode
  readonly message: string
  readonly retryAfterSeconds: number | null
  /** For the flow's owner, who may know more than the sender. */
  readonly inboxMessage: string
  constructor(
    code: RejectionCode,
    message: string,
    retryAfterSeconds: number | null = null,
    inboxMessage: string | null = null,
  ) {
    this.code = code
    this.message = message
    this.retryAfterSeconds = retryAfterSeconds
    this.inboxMessage = inboxMessage ?? message
  }
}

/** A webhook request without its body. */
export interface DeliveryHead {
  webhookId: string
  /** Sent to the test URL. */
  test: boolean
  method: string
  /** Names as on the wire, in order: name, value, name, value … */
  rawHeaders: readonly string[]
  headers: Record<string, string>
  queryAll: Record<string, string[]>
  hops: number
  metadata: WebhookMetadata
}

export interface Admission {
  route: RouteRecord
  flow: LiveFlow
  head: DeliveryHead
}

export const MAX_HOPS = 10
const QUEUE_FULL_RETRY_SECONDS = 2
const INTAKE_FULL_RETRY_SECONDS = 1
const BODIES_FULL_RETRY_SECONDS = 2
const MASKED = '[masked]'

/** Rejections of a known webhook carry its route, so that they can be kept in its inbox. `crowdedOut`: more come in than can be stored. */
export async function admitDelivery(
  services: DeliveryServices,
  head: DeliveryHead,
  crowdedOut = false,
): Promise<Admission | { rejection: Rejection; route: RouteRecord | null }> {
  let route = services.published.route(head.webhookId) ?? null
  const isHere = route !== null && (route.version !== null || head.test)
  if (!isHere && services.published.shared) route = (await services.published.lookUp(head.webhookId)) ?? null
  const reject = (code: RejectionCode, message: string, retryAfter: number | null = null) => ({
    rejection: new Rejection(code, message, retryAfter),
    route,
  })
  if (head.method !== 'POST')
    return reject('method_not_allowed', `A webhook takes POST requests; this was ${briefly(head.method)}.`)
  if (!route || (route.version === null && !head.test)) return { rejection: notFound(), route }
  if (!head.test && head.hops > MAX_HOPS)
    return reject(
      'loop_detected',
      `Webhooks call one another more than ${MAX_HOPS} deep; a flow probably calls itself.`,
    )
  const waitSeconds = services.rate.take(head.test ? `${head.webhookId}/test` : head.webhookId, services.now())
  if (waitSeconds !== null)
    return reject('rate_limited', `Too many requests to this webhook; try again in ${waitSeconds} s.`, waitSeconds)
  if (crowdedOut)
    return reject(
      'overloaded',
      'More deliveries come in than can be stored; try again shortly.',
      INTAKE_FULL_RETRY_SECONDS,
    )
  if (services.queue.size >= services.maxQueue)
    return reject('overloaded', 'Too many runs are waiting; try again shortly.', QUEUE_FULL_RETRY_SECONDS)

  const flow = await flowOf(services, route, head)
  if (flow instanceof Rejection) return { rejection: flow, route }
  if (flow.trigger.mode === 'finished' && services.queue.isSlow(services.intake.beingStored) && !head.test)
    return reject(
      'overloaded',
      'Runs wait in line for long, and this webhook answers when its run has ended; try again shortly.',
      QUEUE_FULL_RETRY_SECONDS,
    )
  const admission = { route, flow, head }
  const rejection = checkSender(services, admission) ?? checkHeaders(services, admission)
  return rejection ? { rejection, route } : admission
}

function flowOf(services: DeliveryServices, { flowId, version }: RouteRecord, { test }: DeliveryHead) {
  return test || version === null ? draftFlow(services, flowId) : services.published.version(flowId, version)
}

/** The test URL serves the draft, also before it can be published. */
async function draftFlow(services: DeliveryServices, flowId: string): Promise<LiveFlow | Rejection> {
  const record = await services.flows.get(flowId)
  if (!record) return new Rejection('webhook_not_found', 'There is no webhook at this URL.')
  const document = parseJson(record.draft) as Partial<FlowDocument>
  const trigger = document.trigger ?? { kind: 'webhook' as const }
  const [problem] = publishIssues(findings(services, { name: 'draft', trigger, steps: document.steps ?? [] })).filter(
    ({ path }) => path.startsWith('/trigger'),
  )
  // What is wrong is not told here: nobody can authenticate to a trigger that is unfinished.
  if (problem)
    return new Rejection('bad_request', "The draft's trigger cannot take requests yet; the editor shows why.")
  services.published.touch(flowId, document)
  return services.published.compile(flowId, { name: record.name, trigger, steps: [] })
}

function checkSender(services: DeliveryServices, { flow, head, route }: Admission): Rejection | null {
  if (flow.ipRanges.length && !inRanges(head.metadata.ip, flow.ipRanges))
    return new Rejection('unauthorized', 'Requests from this address are not allowed.')
  const { auth } = flow.trigger
  // A signature is checked with the body that it signs.
  if (auth.kind === 'none' || auth.kind === 'signature') return null
  let name: string
  let expected: string
  try {
    const scope = authScope(services)
    name = auth.name(scope)
    expected = auth.value(scope)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return unresolved(services, route, error)
  }
  const given = auth.kind === 'header' ? takeHeader(head, name) : takeParameter(head, name)
  // An empty secret would let everybody in.
  const fits = given !== null && expected !== '' && equalInConstantTime(given.value, expected)
  if (fits && (given.name === name || auth.anyCase)) return null
  return new Rejection(
    'unauthorized',
    `Authentication failed: the ${auth.kind === 'header' ? 'header' : 'query parameter'} ${name} must be sent once, with the configured value.`,
    null,
    fits
      ? `Authentication failed: only the letter case differs. The header ${name} came as ${given.name}, with the configured value. A proxy may have changed its name: set anyCase: true on the authentication, or configure the name as it comes.`
      : null,
  )
}

/** For a request whose head was admitted and whose whole body is there. */
export function checkSignature(
  services: DeliveryServices,
  { flow, head, route }: Admission,
  body: Uint8Array,
): Rejection | null {
  const { auth } = flow.trigger
  if (auth.kind !== 'signature') return null
  let settings: SignatureSettings
  try {
    const scope = authScope(services)
    settings = { secrets: auth.secrets(scope), header: auth.header(scope), toleranceSeconds: auth.toleranceSeconds }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    return unresolved(services, route, error)
  }
  const request = { rawHeaders: head.rawHeaders, body, nowMs: services.now() }
  const verified = verifySignature(auth.scheme, settings, request)
  return verified === true ? null : new Rejection('unauthorized', `Authentication failed: ${verified}.`)
}

function unresolved(services: DeliveryServices, { flowId }: RouteRecord, { message }: ExpressionError): Rejection {
  services.warn('a trigger cannot authenticate: its auth setting has no value', { flowId, reason: message })
  return new Rejection('unauthorized', 'Authentication failed.')
}

/** A sender's secret must not be kept, also where a check before authentication refused it. */
export async function maskCredential(
  services: DeliveryServices,
  route: RouteRecord,
  head: DeliveryHead,
): Promise<void> {
  const flow = await flowOf(services, route, head)
  // Of a draft that cannot be used it is not known where its secret stands.
  if (flow instanceof Rejection) return maskAll(head)
  maskOf(services, flow, head)
  if (route.version !== null || head.test) return
  // Senders of a flow that is no longer published still know the secret of its last version.
  const [last] = (await services.flows.versions(route.flowId, { limit: 1, cursor: null })).items
  if (last) maskOf(services, await services.published.version(route.flowId, last.version), head)
}

function maskOf(services: DeliveryServices, { trigger: { auth } }: LiveFlow, head: DeliveryHead): void {
  // A signature lets in nothing but the body that it signs.
  if (auth.kind === 'none' || auth.kind === 'signature') return
  try {
    const name = auth.name(authScope(services))
    if (auth.kind === 'header') takeHeader(head, name)
    else takeParameter(head, name)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    maskAll(head)
  }
}

function maskAll({ headers, queryAll }: DeliveryHead): void {
  for (const name of Object.keys(headers)) headers[name] = MASKED
  for (const name of Object.keys(queryAll)) queryAll[name] = [MASKED]
}

function authScope(services: DeliveryServices) {
  const roots = Object.assign(Object.create(null), { env: services.env, connections: services.connections.fields })
  return stepScope(roots, services.hashing, '', '', 0)
}

interface Credential {
  /** As it was sent. */
  name: string
  value: Buffer
}

/** The one value sent under this name in any letter case; masked from here on, whatever it was. */
function takeHeader(head: DeliveryHead, name: string): Credential | null {
  const lowerCase = name.toLowerCase()
  if (head.headers[lowerCase] !== undefined) head.headers[lowerCase] = MASKED
  let at: number | null = null
  for (let i = 0; i < head.rawHeaders.length; i += 2) {
    if (head.rawHeaders[i]!.toLowerCase() !== lowerCase) continue
    if (at !== null) return null
    at = i
  }
  return at === null ? null : { name: head.rawHeaders[at]!, value: Buffer.from(head.rawHeaders[at + 1]!, 'latin1') }
}

function takeParameter(head: DeliveryHead, name: string): Credential | null {
  const values = head.queryAll[name]
  if (!values) return null
  head.queryAll[name] = [MASKED]
  return values.length === 1 ? { name, value: Buffer.from(values[0]!) } : null
}

/** By digest, so that unequal lengths take the same time. */
function equalInConstantTime(given: Buffer, expected: string): boolean {
  const digest = (value: Buffer | string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(given), digest(expected))
}

function inRanges(ip: string, ranges: LiveFlow['ipRanges']): boolean {
  if (!ipaddr.isValid(ip)) return false
  const address = ipaddr.process(ip)
  return ranges.some((range) => address.kind() === range[0].kind() && address.match(range))
}

function checkHeaders(services: DeliveryServices, { flow, head }: Admission): Rejection | null {
  const { contentType, contentLength } = head.metadata
  let types = 0
  for (let i = 0; i < head.rawHeaders.length; i += 2) {
    const name = head.rawHeaders[i]!
    if (name.length === 12 && name.toLowerCase() === 'content-type') types++
  }
  if (types !== 1 || !accepts(flow.trigger, mediaType(contentType)))
    return new Rejection(
      'bad_request',
      `The Content-Type must be ${flow.trigger.accept.join(' or ')}, but is ${contentType === null ? 'missing' : briefly(contentType)}.`,
    )
  return contentLength > services.maxBodyBytes ? tooLarge(services) : null
}

export const notFound = (): Rejection =>
  new Rejection(
    'webhook_not_found',
    'There is no webhook at this URL. Check the URL, and that its flow is published.',
    null,
    'The flow was not published when this came. Publish it, and let the sender try again.',
  )

/** What a sender wrote, in a message that is kept. */
export const briefly = (text: string): string => (text.length > 100 ? `${text.slice(0, 100)}…` : text)

export const noRoom = (): Rejection =>
  new Rejection('overloaded', 'Too many large bodies come in at once; try again shortly.', BODIES_FULL_RETRY_SECONDS)

export const tooLarge = (services: DeliveryServices): Rejection =>
  new Rejection('payload_too_large', `The body is larger than ${services.maxBodyBytes} bytes.`)

function accepts({ accept }: CompiledTrigger, type: string): boolean {
  return accept.some((allowed) => {
    if (allowed === 'application/*+json') return /^application\/[\w.-]+\+json$/.test(type)
    if (allowed === 'text/*') return /^text\/[\w.+-]+$/.test(type)
    return allowed === type
  })
}

/** Last values win; built after authentication has masked what it must. */
export const queryOf = (head: DeliveryHead): Record<string, string> => lastValues(head.queryAll)
