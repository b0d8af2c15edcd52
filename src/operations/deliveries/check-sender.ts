// Makes the checks that need no body, in the order of docs/webhooks.md#checks.

import { isInRanges } from '../../base/address-range.ts'
import { CODE } from '../../base/error-catalogue.ts'
import { ConnectionError } from '../../engine/ports/connections.ts'
import { MAX_HOPS } from '../../engine/waits/run-calls.ts'
import { mediaType } from '../../engine/webhook-data.ts'
import { MULTIPART } from '../../flow/formats/file-types.ts'
import type { CompiledWebhook } from '../../flow/triggers/webhook/compile.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { noRoomFor } from '../runs/room.ts'
import { checkCredential } from './credentials.ts'
import type { Admission, DeliveryHead } from './delivery-head.ts'
import { isUpload } from './files/upload.ts'
import { mayBeHandshake } from './handshake/may-be-handshake.ts'
import { liveFlowOf } from './live-flow.ts'
import {
  briefly,
  crowded,
  notFound,
  Rejection,
  secretUnavailable,
  tooDeep,
  tooLarge,
  tooSlow,
  wrongMethod,
} from './rejection.ts'
import type { DeliveryServices } from './services.ts'

/** Returns the route of the webhook, or null. Another process may have made or published it. */
export function findRoute(
  { published }: DeliveryServices,
  head: DeliveryHead,
): RouteRecord | null | Promise<RouteRecord | null> {
  const route = published.route(head.webhookId) ?? null
  const isHere = route !== null && (route.version !== null || head.test)
  if (isHere || !published.shared) return route
  return published.lookUp(head.webhookId).then((found) => found ?? null)
}

/** Throws Rejection if a check fails. `crowdedOut`: more deliveries arrive than can be stored. */
export async function checkSender(
  services: DeliveryServices,
  head: DeliveryHead,
  route: RouteRecord | null,
  crowdedOut: boolean,
): Promise<Admission> {
  if (head.method !== 'POST') await requireHandshake(services, head, route)
  if (!route || (route.version === null && !head.test)) throw notFound()
  if (!head.test && head.hops > MAX_HOPS) throw tooDeep()
  const waitSeconds = services.rate.take(head.test ? `${head.webhookId}/test` : head.webhookId, services.now())
  if (waitSeconds !== null)
    throw new Rejection(
      CODE.rate_limited,
      `Too many requests to this webhook; try again in ${waitSeconds} s.`,
      waitSeconds,
    )
  if (crowdedOut) throw crowded()
  const noRoom = noRoomFor(services, route.paused)
  if (noRoom) throw new Rejection(CODE.overloaded, noRoom.message, noRoom.retryAfterS)

  const found = liveFlowOf(services, route, head)
  const flow = found instanceof Promise ? await found : found
  const { trigger, triggerConnections } = flow
  if (trigger.kind !== WEBHOOK) throw notFound()
  if (triggerConnections.length) await readSecrets(services, triggerConnections, route.flowId)
  if (!head.test && isTooSlowFor(services, trigger, route)) throw tooSlow()
  const admission = { route, flow, trigger, head }
  checkAddress(admission)
  // What may be a handshake is checked with its body.
  if (trigger.handshakes !== null && mayBeHandshake(admission)) return admission
  if (head.method !== 'POST') throw wrongMethod(head.method, trigger.handshakes)
  checkCredential(services, admission)
  checkContentType(services, admission)
  return admission
}

/** Checks that the flow may use these connections, and reads what of them is kept elsewhere. Throws Rejection. */
export async function readSecrets(
  { connections, warn }: Pick<DeliveryServices, 'connections' | 'warn'>,
  names: readonly string[],
  flowId: string,
): Promise<void> {
  try {
    await connections.fresh(names, flowId)
  } catch (error) {
    if (!(error instanceof ConnectionError)) throw error
    warn('senders cannot be checked: a secret cannot be read', { flowId, reason: error.message })
    throw secretUnavailable()
  }
}

/** Throws Rejection unless the webhook has a handshake of the method. */
async function requireHandshake(
  services: DeliveryServices,
  head: DeliveryHead,
  route: RouteRecord | null,
): Promise<void> {
  const handshakes = route && (route.version !== null || head.test) ? await handshakesOf(services, head, route) : null
  if (!handshakes?.some(({ method }) => method === head.method)) throw wrongMethod(head.method, handshakes)
}

async function handshakesOf(
  services: DeliveryServices,
  head: DeliveryHead,
  route: RouteRecord,
): Promise<CompiledWebhook['handshakes']> {
  try {
    const { trigger } = await liveFlowOf(services, route, head)
    return trigger.kind === WEBHOOK ? trigger.handshakes : null
  } catch (error) {
    // A draft that cannot take requests yet.
    if (error instanceof Rejection) return null
    throw error
  }
}

/** Whether the sender would wait for long, because the webhook answers when its run has ended. */
const isTooSlowFor = (services: DeliveryServices, trigger: CompiledWebhook, route: RouteRecord): boolean =>
  trigger.mode === 'finished' && !route.paused && services.queue.isSlow(services.intake.joining)

/**
 * Returns why a delivery is refused by its route alone, where more come in than can be done: what refusing costs is missing for those
 * that are taken on. Returns null if all checks have to be made.
 */
export function overloadOf(services: DeliveryServices, webhookId: string, crowdedOut: boolean): Rejection | null {
  const route = services.published.route(webhookId)
  if (!route?.version) return null
  if (crowdedOut) return crowded()
  const flow = services.published.version(route.flowId, route.version)
  if (flow instanceof Promise || flow.trigger.kind !== WEBHOOK) return null
  return isTooSlowFor(services, flow.trigger, route) ? tooSlow() : null
}

function checkAddress({ trigger, head }: Admission): void {
  if (trigger.ipRanges.length && !isInRanges(head.metadata.ip, trigger.ipRanges))
    throw new Rejection(CODE.unauthorized, 'Requests from this address are not allowed.')
}

/** Checks what the head says of the body: its type and its length. */
export function checkContentType(
  services: Pick<DeliveryServices, 'maxBodyBytes' | 'maxFileBytes'>,
  { trigger, head }: { trigger: Accepting; head: DeliveryHead },
): void {
  const { contentType, contentLength } = head.metadata
  let types = 0
  for (let i = 0; i < head.rawHeaders.length; i += 2) {
    const name = head.rawHeaders[i]!
    if (name.length === 12 && name.toLowerCase() === 'content-type') types++
  }
  if (types !== 1 || !accepts(trigger, mediaType(contentType)))
    throw new Rejection(
      CODE.bad_request,
      `The Content-Type must be ${trigger.accept.join(' or ')}, but is ${contentType === null ? 'missing' : briefly(contentType)}.`,
    )
  const most = mostBytes(services, trigger, mediaType(contentType))
  if (contentLength > most) throw tooLarge(most)
}

type Accepting = Pick<CompiledWebhook, 'accept'> & Partial<Pick<CompiledWebhook, 'takesFiles'>>

/** A form may have several files. */
export function mostBytes(
  { maxBodyBytes, maxFileBytes }: Pick<DeliveryServices, 'maxBodyBytes' | 'maxFileBytes'>,
  trigger: Accepting,
  type: string,
): number {
  if (!isUpload(trigger, type)) return maxBodyBytes
  return type === MULTIPART ? 2 * maxFileBytes : maxFileBytes
}

function accepts({ accept }: Accepting, type: string): boolean {
  return accept.some((allowed) => {
    if (allowed === 'application/*+xml') return /^application\/[\w.-]+\+xml$/.test(type)
    if (allowed === 'application/*+json') return /^application\/[\w.-]+\+json$/.test(type)
    if (allowed.endsWith('/*')) return type.startsWith(allowed.slice(0, -1)) && /^\w+\/[\w.+-]+$/.test(type)
    return allowed === type
  })
}
