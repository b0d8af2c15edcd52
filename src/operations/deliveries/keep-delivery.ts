// Stores deliveries that start no run, for the inbox.
import type { WebhookData } from '../../engine/webhook-data.ts'
import type { DeliveryOutcome } from '../ports/deliveries.ts'
import type { RouteRecord } from '../ports/flows.ts'
import { maskAll, maskCredential } from './credentials.ts'
import { type DeliveryHead, queryOf } from './delivery-head.ts'
import { liveFlowOf } from './live-flow.ts'
import { shownEntry } from './read-deliveries.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

export async function keepDelivery(
  services: DeliveryServices,
  route: RouteRecord,
  webhook: WebhookData,
  result: { outcome: DeliveryOutcome; status: number; runId: string | null; rejection?: Rejection },
): Promise<string> {
  const id = services.ids.next('dlv')
  const { outcome, status, runId, rejection } = result
  const entry = {
    id,
    flowId: route.flowId,
    receivedAt: services.now(),
    outcome,
    code: rejection?.code ?? null,
    message: rejection?.inboxMessage ?? null,
    status,
    runId,
  }
  await services.deliveries.add({ ...entry, webhook })
  services.meters.delivery(outcome, entry.code)
  services.events.tell(route.flowId, 'delivery', id, () => ({ type: 'delivery', data: shownEntry(services)(entry) }))
  return id
}

/** Stores a rejected delivery in the inbox of its webhook. */
export async function keepRejection(
  services: DeliveryServices,
  route: RouteRecord,
  head: DeliveryHead,
  rejection: Rejection,
  status: number,
): Promise<void> {
  await maskSecrets(services, route, head)
  const webhook: WebhookData = {
    body: null,
    headers: head.headers,
    query: queryOf(head),
    queryAll: head.queryAll,
    rawBody: '',
    metadata: head.metadata,
  }
  await keepDelivery(services, route, webhook, { outcome: 'rejected', status, runId: null, rejection })
  if (!head.test) services.alerts.rejected(route.flowId, status, services.now())
  await services.rejections.added(route.flowId)
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
