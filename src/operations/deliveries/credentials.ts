// Checks the sender's credential: finds it in the head, compares it, and masks it from then on.

import { createHash, timingSafeEqual } from 'node:crypto'
import { CODE } from '../../base/error-catalogue.ts'
import { stepBindings } from '../../engine/run-bindings.ts'
import { ExpressionError } from '../../flow/expression/index.ts'
import type { CompiledAuth } from '../../flow/triggers/webhook/compile.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { Admission, DeliveryHead } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'
import { type SignatureSettings, verifySignature } from './signature/verify-signature.ts'

const MASKED = '[masked]'

/** What a sender has to prove itself with: to a webhook or a callback. */
export interface Authenticated extends Pick<Admission, 'head' | 'route'> {
  trigger: { auth: CompiledAuth }
}

/** Throws Rejection if the credential does not match. */
export function checkCredential(services: DeliveryServices, { trigger, head, route }: Authenticated): void {
  const { auth } = trigger
  // A signature is checked later, with the body that it signs.
  if (auth.kind === 'none' || auth.kind === 'signature') return
  let name: string
  let expected: string
  try {
    const bindings = authBindings(services)
    name = auth.name(bindings)
    expected = auth.value(bindings)
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw unresolved(services, route, error)
  }
  const given = auth.kind === 'header' ? takeHeader(head, name) : takeParameter(head, name)
  // An empty secret would admit every sender.
  const fits = given !== null && expected !== '' && equalInConstantTime(given.value, expected)
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

/** Throws Rejection if the signature does not match the whole body. */
export function checkSignature(
  services: DeliveryServices,
  { trigger, head, route }: Authenticated,
  body: Uint8Array,
): void {
  const { auth } = trigger
  if (auth.kind !== 'signature') return
  let settings: SignatureSettings
  try {
    const bindings = authBindings(services)
    settings = {
      secrets: auth.secrets(bindings),
      header: auth.header(bindings),
      toleranceSeconds: auth.toleranceSeconds,
    }
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw unresolved(services, route, error)
  }
  const request = { rawHeaders: head.rawHeaders, body, nowMs: services.now() }
  const verified = verifySignature(auth.scheme, settings, request)
  if (verified !== true) throw new Rejection(CODE.unauthorized, `Authentication failed: ${verified}.`)
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
  maskAuth(services, trigger.auth, head)
}

/** Masks what a sender proves itself with. */
export function maskAuth(services: DeliveryServices, auth: CompiledAuth, head: DeliveryHead): void {
  // A signature is no secret: it admits only the body that it signs.
  if (auth.kind === 'none' || auth.kind === 'signature') return
  try {
    const name = auth.name(authBindings(services))
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

function authBindings(services: DeliveryServices) {
  const roots = Object.assign(Object.create(null), { env: services.env, connections: services.connections.fields })
  return stepBindings(roots, services.hashing, '', '', 0)
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
