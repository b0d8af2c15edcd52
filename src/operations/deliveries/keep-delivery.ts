// Stores deliveries that start no run, for the inbox.
import { isUtf8 } from 'node:buffer'
import type { WebhookData } from '../../engine/webhook-data.ts'
import type { KeptData } from '../../flow/document.ts'
import type { Labels } from '../../flow/triggers/labels.ts'
import { type DeliveryOutcome, withoutData } from '../ports/deliveries.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { maskAll, maskCredential } from './credentials.ts'
import { type DeliveryHead, queryOf } from './delivery-head.ts'
import { liveFlowOf } from './live-flow.ts'
import { shownEntry } from './read-deliveries.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

export async function keepDelivery(
  services: DeliveryServices,
  route: Pick<RouteRecord, 'flowId'>,
  webhook: WebhookData,
  result: {
    outcome: DeliveryOutcome
    status: number
    runId: string | null
    rejection?: Rejection
    bodyKept?: boolean
    /** Those of a delivery that leads to a run. */
    labels?: Labels | null
    event?: string | null
    /** Which runs of its flow keep their data; a delivery that starts none has an end at once. */
    keptData?: KeptData
  },
): Promise<string> {
  const id = services.ids.next('dlv')
  const { outcome, status, runId, rejection, bodyKept = false } = result
  const entry = {
    id,
    flowId: route.flowId,
    receivedAt: services.now(),
    outcome,
    code: rejection?.code ?? null,
    message: rejection?.inboxMessage ?? null,
    status,
    runId,
    event: result.event ?? null,
    ...(bodyKept && { bodyKept: true as const }),
  }
  const isKept = result.keptData === undefined || result.keptData === 'always'
  await services.deliveries.add({ ...entry, webhook: isKept ? webhook : withoutData(webhook) })
  services.meters.delivery(outcome, entry.code)
  services.events.tell(route.flowId, 'delivery', id, () => ({
    type: 'delivery',
    data: { ...shownEntry(services)(entry), labels: result.labels ?? null },
  }))
  return id
}

/** Stores a rejected delivery in the inbox of its webhook. `body`: if it is kept. */
export async function keepRejection(
  services: DeliveryServices,
  route: RouteRecord,
  head: DeliveryHead,
  rejection: Rejection,
  status: number,
  body: Buffer | null = null,
): Promise<void> {
  await maskSecrets(services, route, head)
  // What is no text cannot be stored, and would be refused again.
  const rawBody = body && isUtf8(body) && !body.includes(0) ? body.toString() : ''
  const webhook: WebhookData = {
    body: null,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody,
    metadata: head.metadata,
  }
  const result = { outcome: 'rejected' as const, status, runId: null, rejection, bodyKept: rawBody !== '' }
  await keepDelivery(services, route, webhook, result)
  await services.rejections.added(route.flowId, result.bodyKept)
  if (!head.test) services.alerts.rejected(route.flowId, status, services.now())
}

async function maskSecrets(services: DeliveryServices, route: RouteRecord, head: DeliveryHead): Promise<void> {
  try {
    maskCredential(services, await liveFlowOf(services, route, head), head)
  } catch (error) {
    if (!(error instanceof Rejection)) throw error
    // An unusable draft does not tell where its secret is, so everything is masked.
    maskAll(head)
    return
  }
  if (route.version !== null || head.test) return
  // Senders of a flow that is no longer published still send the secret of its last version.
  const [last] = (await services.flows.versions(route.flowId, { limit: 1, cursor: null })).items
  if (last) maskCredential(services, await services.published.version(route.flowId, last.version), head)
}
