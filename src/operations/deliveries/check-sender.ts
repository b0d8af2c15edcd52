// Makes the checks that need no body, in the order of docs/webhooks.md#checks.

import { isInRanges } from '../../base/address-range.ts'
import { CODE } from '../../base/error-catalogue.ts'
import { MAX_HOPS } from '../../engine/waits/run-calls.ts'
import { mediaType } from '../../engine/webhook-data.ts'
import type { CompiledWebhook } from '../../flow/triggers/webhook/compile.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { noRoomFor } from '../runs/room.ts'
import { checkCredential } from './credentials.ts'
import type { Admission, DeliveryHead } from './delivery-head.ts'
import { liveFlowOf } from './live-flow.ts'
import { briefly, notFound, Rejection, tooDeep, tooLarge } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

const SLOW_RETRY_SECONDS = 2
const INTAKE_FULL_RETRY_SECONDS = 1

/** Returns the route of the webhook, or null. Another process may have made or published it. */
export async function findRoute({ published }: DeliveryServices, head: DeliveryHead): Promise<RouteRecord | null> {
  const route = published.route(head.webhookId) ?? null
  const isHere = route !== null && (route.version !== null || head.test)
  return isHere || !published.shared ? route : ((await published.lookUp(head.webhookId)) ?? null)
}

/** Throws Rejection if a check fails. `crowdedOut`: more deliveries arrive than can be stored. */
export async function checkSender(
  services: DeliveryServices,
  head: DeliveryHead,
  route: RouteRecord | null,
  crowdedOut: boolean,
): Promise<Admission> {
  if (head.method !== 'POST')
    throw new Rejection(CODE.method_not_allowed, `A webhook takes POST requests; this was ${briefly(head.method)}.`)
  if (!route || (route.version === null && !head.test)) throw notFound()
  if (!head.test && head.hops > MAX_HOPS) throw tooDeep()
  const waitSeconds = services.rate.take(head.test ? `${head.webhookId}/test` : head.webhookId, services.now())
  if (waitSeconds !== null)
    throw new Rejection(
      CODE.rate_limited,
      `Too many requests to this webhook; try again in ${waitSeconds} s.`,
      waitSeconds,
    )
  if (crowdedOut)
    throw new Rejection(
      CODE.overloaded,
      'More deliveries come in than can be stored; try again shortly.',
      INTAKE_FULL_RETRY_SECONDS,
    )
  const noRoom = noRoomFor(services, route.paused)
  if (noRoom) throw new Rejection(CODE.overloaded, noRoom.message, noRoom.retryAfterS)

  const flow = await liveFlowOf(services, route, head)
  const { trigger } = flow
  if (trigger.kind !== WEBHOOK) throw notFound()
  if (trigger.mode === 'finished' && !route.paused && services.queue.isSlow(services.intake.beingStored) && !head.test)
    throw new Rejection(
      CODE.overloaded,
      'Runs wait in line for long, and this webhook answers when its run has ended; try again shortly.',
      SLOW_RETRY_SECONDS,
    )
  const admission = { route, flow, trigger, head }
  checkAddress(admission)
  checkCredential(services, admission)
  checkContentType(services, admission)
  return admission
}

function checkAddress({ trigger, head }: Admission): void {
  if (trigger.ipRanges.length && !isInRanges(head.metadata.ip, trigger.ipRanges))
    throw new Rejection(CODE.unauthorized, 'Requests from this address are not allowed.')
}

/** Checks what the head says of the body: its type and its length. */
export function checkContentType(
  services: Pick<DeliveryServices, 'maxBodyBytes'>,
  { trigger, head }: { trigger: Pick<CompiledWebhook, 'accept'>; head: DeliveryHead },
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
  if (contentLength > services.maxBodyBytes) throw tooLarge(services.maxBodyBytes)
}

function accepts({ accept }: Pick<CompiledWebhook, 'accept'>, type: string): boolean {
  return accept.some((allowed) => {
    if (allowed === 'application/*+json') return /^application\/[\w.-]+\+json$/.test(type)
    if (allowed === 'text/*') return /^text\/[\w.+-]+$/.test(type)
    return allowed === type
  })
}
