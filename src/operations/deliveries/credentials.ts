// Checks the sender's credential: finds it in the head, compares it, and masks it from then on.

import { createHash, timingSafeEqual } from 'node:crypto'
import { CODE } from '../../base/error-catalogue.ts'
import type { WebhookData } from '../../engine/webhook-data.ts'
import { type Bindings, ExpressionError } from '../../flow/expression/index.ts'
import type { CompiledWebhook } from '../../flow/triggers/webhook/compile.ts'
import type { CompiledAuth } from '../../flow/triggers/webhook/compile-auth.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { authBindings, headOnly } from './auth-bindings.ts'
import type { Admission, DeliveryHead } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'
import { verifyCustom } from './signature/verify-custom.ts'
import { verifySignature } from './signature/verify-signature.ts'

export const MASKED = '[masked]'

/** What a sender has to prove itself with: to a webhook or a callback. */
export interface Authenticated extends Pick<Admission, 'head' | 'route'> {
  trigger: { auth: CompiledAuth; sender?: CompiledWebhook['sender']; xml?: CompiledWebhook['xml'] }
}

type Token = Extract<CompiledAuth, { kind: 'header' | 'query' }>

/** Throws Rejection if the credential does not match. */
export function checkCredential(services: DeliveryServices, admission: Authenticated): void {
  const { auth } = admission.trigger
  // A signature is checked later, with the body that it signs.
  if (auth.kind === 'none' || auth.kind === 'signature' || auth.kind === 'custom') return
  if (auth.kind === 'all') for (const one of auth.of) checkOne(services, admission, one)
  else checkOne(services, admission, auth)
}

function checkOne(services: DeliveryServices, admission: Authenticated, auth: CompiledAuth): void {
  if (auth.kind === 'header' || auth.kind === 'query') checkToken(services, admission, auth)
  else if (auth.kind === 'basic') checkBasic(services, admission, auth)
  else if (auth.kind === 'closed') {
    services.warn('a trigger names a sender that this version does not know', { sender: auth.sender })
    throw new Rejection(CODE.unauthorized, 'Authentication failed.')
  }
}

function checkToken(services: DeliveryServices, admission: Authenticated, auth: Token): void {
  const { head } = admission
  const { name, expected } = resolved(services, admission, (bindings) => ({
    name: auth.name(bindings),
    expected: auth.value(bindings),
  }))
  const given = auth.kind === 'header' ? takeHeader(head, name) : takeParameter(head, name)
  const fits = given !== null && isOneOf(given.value, expected)
  if (fits && (given.name === name || auth.anyCase)) return
  throw new Rejection(
    CODE.unauthorized,
    `Authentication failed: the ${auth.kind === 'header' ? 'header' : 'query parameter'} ${name} must be sent once, with the configured value.`,
    null,
    fits
      ? `Authentication failed: only the letter case differs. The header ${name} came as ${given.name}, with the configured value. A proxy may have changed its name: set anyCase: true on the authentication, or configure the name as it comes.`
      : null,
  )
}

function checkBasic(
  services: DeliveryServices,
  admission: Authenticated,
  auth: Extract<CompiledAuth, { kind: 'basic' }>,
): void {
  const { user, password } = resolved(services, admission, (bindings) => ({
    user: auth.user(bindings),
    password: auth.password(bindings),
  }))
  const given = takeHeader(admission.head, 'Authorization')
  const encoded =
    given === null ? undefined : /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(given.value.toString('latin1'))?.[1]
  const fits = equalInConstantTime(Buffer.from(encoded ?? '', 'base64'), `${user}:${password}`)
  if (fits && password !== '') return
  throw new Rejection(
    CODE.unauthorized,
    'Authentication failed: the header Authorization must be sent once, with the configured user and password.',
  )
}

/** Evaluates what the flow says. Throws Rejection if it has no value. */
export function resolved<T>(
  services: DeliveryServices,
  { trigger, head, route }: Authenticated,
  evaluate: (bindings: Bindings) => T,
  webhook: object | null = null,
): T {
  try {
    return evaluate(authBindings(services, trigger.sender ?? null, head, webhook))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw unresolved(services, route, error)
  }
}

/** Throws Rejection if the signature does not match the whole body. `content`: null if it was not read yet. */
export function checkSignature(
  services: DeliveryServices,
  admission: Authenticated,
  body: Uint8Array,
  content: WebhookData | null = null,
): void {
  const { auth } = admission.trigger
  if (auth.kind === 'none') return
  if (auth.kind === 'all') for (const one of auth.of) checkSigned(services, admission, one, body, content)
  else checkSigned(services, admission, auth, body, content)
}

function checkSigned(
  services: DeliveryServices,
  admission: Authenticated,
  auth: CompiledAuth,
  body: Uint8Array,
  content: WebhookData | null,
): void {
  const { head } = admission
  const request = { rawHeaders: head.rawHeaders, body, nowMs: services.now() }
  let verified: true | string = true
  if (auth.kind === 'signature') {
    const settings = resolved(services, admission, (bindings) => ({
      secrets: auth.secrets(bindings),
      header: auth.header(bindings),
      toleranceSeconds: auth.toleranceSeconds,
    }))
    verified = verifySignature(auth.scheme, settings, request)
  } else if (auth.kind === 'custom')
    verified = resolved(
      services,
      admission,
      (bindings) => verifyCustom(auth, bindings, request),
      content ?? (auth.readsRequest ? headOnly(head) : null),
    )
  else if (auth.kind === 'body')
    verified = resolved(services, admission, (bindings) => verifyTokens(auth, bindings), content)
  if (verified !== true) throw new Rejection(CODE.unauthorized, `Authentication failed: ${verified}.`)
}

/** Returns whether a check reads the content of the body, which then comes before it. */
export function readsContent(auth: CompiledAuth): boolean {
  if (auth.kind === 'custom') return auth.readsContent
  return auth.kind === 'body' || (auth.kind === 'all' && auth.of.some(readsContent))
}

function verifyTokens(auth: Extract<CompiledAuth, { kind: 'body' }>, bindings: Bindings): true | string {
  const expected = auth.value(bindings)
  if (expected === '') return 'the configured token is empty'
  const tokens = [givenTokens(auth.given, bindings)].flat()
  const fits =
    tokens.length > 0 && tokens.every((one) => typeof one === 'string' && isOneOf(Buffer.from(one), expected))
  return fits || 'the token in the body is not the configured one'
}

/** Returns nothing if what was sent has no token where it should be. */
function givenTokens(given: (bindings: Bindings) => unknown, bindings: Bindings): unknown {
  try {
    return given(bindings)
  } catch (error) {
    if (error instanceof ExpressionError) return []
    throw error
  }
}

/** An empty secret would admit every sender. */
function isOneOf(given: Buffer, expected: string | readonly string[]): boolean {
  if (typeof expected === 'string') return expected !== '' && equalInConstantTime(given, expected)
  return expected.some((one) => isOneOf(given, one))
}

function unresolved(services: DeliveryServices, { flowId }: RouteRecord, { message }: ExpressionError): Rejection {
  services.warn('a trigger cannot authenticate: its auth setting has no value', { flowId, reason: message })
  return new Rejection(CODE.unauthorized, 'Authentication failed.')
}

/** Masks the sender's secret, which must not be stored even if an earlier check refused the delivery. */
export function maskCredential(services: DeliveryServices, { trigger }: LiveFlow, head: DeliveryHead): void {
  // A flow that was a webhook once: what authenticated its senders is not known any more.
  if (trigger.kind !== WEBHOOK) {
    maskAll(head)
    return
  }
  maskAuth(services, trigger.auth, head, trigger.sender)
}

/** Masks what a sender proves itself with. */
export function maskAuth(
  services: DeliveryServices,
  auth: CompiledAuth,
  head: DeliveryHead,
  sender: CompiledWebhook['sender'] = null,
): void {
  // A signature is no secret: it admits only the body that it signs.
  if (auth.kind === 'all') for (const one of auth.of) maskAuth(services, one, head, sender)
  else if (auth.kind === 'basic') takeHeader(head, 'Authorization')
  else if (auth.kind === 'closed') maskAll(head)
  else if (auth.kind === 'header' || auth.kind === 'query')
    try {
      const name = auth.name(authBindings(services, sender, head, null))
      if (auth.kind === 'header') takeHeader(head, name)
      else takeParameter(head, name)
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error
      maskAll(head)
    }
}

export function maskAll({ headers, queryAll }: DeliveryHead): void {
  for (const name of Object.keys(headers)) headers[name] = MASKED
  for (const name of Object.keys(queryAll)) queryAll[name] = [MASKED]
}

interface Credential {
  /** The name as it was sent. */
  name: string
  value: Buffer
}

/** Returns the only value sent under this name in any letter case, and masks it in every case. */
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

/** Compares digests, so that values of unequal lengths take the same time. */
function equalInConstantTime(given: Buffer, expected: string): boolean {
  const digest = (value: Buffer | string) => createHash('sha256').update(value).digest()
  return timingSafeEqual(digest(given), digest(expected))
}
