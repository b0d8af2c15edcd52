import { runIdOf } from '../../engine/ids.ts'
import { filesIn, type WebhookData } from '../../engine/webhook-data.ts'
import { flowTopic } from '../events/events.ts'
import { findFlow } from '../flows/draft.ts'
import { flowTarget } from '../flows/flow-view.ts'
import { DataDeleted, notFound } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { RecordEntry } from '../ports/audit.ts'
import type { Basics } from '../ports/basics.ts'
import {
  type DeliveryFilter,
  type DeliveryRecord,
  type SampleRecord,
  type ShownWebhook,
  withoutData,
} from '../ports/deliveries.ts'
import type { Page, Paged } from '../ports/page.ts'
import { SHOWN_BYTES } from '../shown-size.ts'
import type { DeliveryServices } from './services.ts'

type Dated<T extends { receivedAt: number }> = Omit<T, 'receivedAt'> & { receivedAt: string }

export async function listDeliveries(
  services: DeliveryServices,
  flowId: string,
  page: Page,
  filter: Pick<DeliveryFilter, 'labels' | 'event'> = {},
): Promise<Paged<Dated<DeliveryRecord>>> {
  await findFlow(services, flowId)
  const { items, nextCursor } = await services.deliveries.list({ flowId, outcome: null, ...filter }, page, SHOWN_BYTES)
  return { items: items.map(shown(services)), nextCursor }
}

export interface InboxEntry extends Omit<Dated<DeliveryRecord>, 'webhook'> {
  flowName: string | null
}

/** Lists deliveries of all flows without their content, which is not read. */
export async function listInbox(
  services: DeliveryServices,
  filter: DeliveryFilter,
  page: Page,
): Promise<Paged<InboxEntry>> {
  const { items, nextCursor } = await services.deliveries.inbox(filter, page)
  return { items: await inboxEntries(services, items), nextCursor }
}

/** Returns deliveries as the inbox of all flows shows them, without their content. */
export async function inboxEntries(
  services: DeliveryServices,
  deliveries: readonly (Omit<DeliveryRecord, 'webhook'> & { webhook?: unknown })[],
): Promise<InboxEntry[]> {
  const names = await services.flows.names(deliveries.map(({ flowId }) => flowId))
  return deliveries.map(({ webhook: _, ...entry }) => ({
    ...shownEntry(services)(entry),
    flowName: names.get(entry.flowId) ?? null,
  }))
}

export async function readDelivery(
  services: DeliveryServices,
  id: string,
): Promise<Dated<DeliveryRecord> & { flowName: string | null }> {
  const delivery = await findDelivery(services, id, SHOWN_BYTES)
  const names = await services.flows.names([delivery.flowId])
  return { ...shown(services)(delivery), flowName: names.get(delivery.flowId) ?? null }
}

/** Makes a delivery a sample of its flow, as if it had been sent to the test URL. */
export async function sampleFromDelivery(
  services: DeliveryServices & Pick<Basics, 'audit'>,
  actor: Actor,
  flowId: string,
  deliveryId: string,
): Promise<Dated<SampleRecord>> {
  const flow = await findFlow(services, flowId)
  const delivery = await findDelivery(services, deliveryId)
  if (delivery.flowId !== flowId) throw notFound('delivery', deliveryId)
  if (delivery.webhook.dataDeleted) throw new DataDeleted()
  const runId = runIdOf(deliveryId)
  const ids = filesIn(delivery.webhook)
  const files = ids.length ? await services.files.usedBy(runId, ids) : []
  return keepSample(services, flowId, delivery.webhook, files, () =>
    services.audit.record(actor, 'flow.sample', flowTarget(flow), { delivery: deliveryId }),
  )
}

/** The number of samples kept per flow. */
const KEPT_SAMPLES = 20

export async function keepSample(
  services: DeliveryServices,
  flowId: string,
  webhook: WebhookData,
  files: readonly string[] = [],
  entry: RecordEntry = async () => {},
): Promise<Dated<SampleRecord>> {
  const sample = { id: services.ids.next('smp'), flowId, receivedAt: services.now(), webhook }
  await services.audit.together(async () => {
    await services.samples.add(sample, KEPT_SAMPLES, files)
    await entry()
  })
  const view = shown(services)(sample)
  services.events.emit(flowTopic(flowId), { type: 'sample', data: view })
  services.events.relay?.pass({ type: 'sample', id: view.id, flowId })
  return view
}

/** Returns the whole stored body. It is not parsed, so it may have any size. */
export async function readBody(services: DeliveryServices, id: string): Promise<Uint8Array> {
  if ((await findDelivery(services, id, 0)).webhook.dataDeleted) throw new DataDeleted()
  const body = await services.deliveries.body(id)
  if (!body) throw notFound('delivery', id)
  return body
}

/** Returns the whole stored body of a sample, like `readBody`. */
export async function readSampleBody(services: DeliveryServices, flowId: string, id: string): Promise<Uint8Array> {
  const body = await services.samples.body(flowId, id)
  if (!body) throw notFound('sample', id)
  return body
}

async function findDelivery(services: DeliveryServices, id: string, maxBodyBytes?: number): Promise<DeliveryRecord> {
  const delivery = await services.deliveries.get(id, maxBodyBytes)
  if (!delivery) throw notFound('delivery', id)
  return delivery
}

export async function listSamples(services: DeliveryServices, flowId: string): Promise<Paged<Dated<SampleRecord>>> {
  await findFlow(services, flowId)
  const samples = await services.samples.list(flowId, SHOWN_BYTES)
  return { items: samples.map(shown(services)), nextCursor: null }
}

/** Returns a record for display: times as in the API, secrets hidden, and no body that is too large. */
export const shown =
  (services: Pick<DeliveryServices, 'secrets'>) =>
  <T extends { flowId: string; receivedAt: number; webhook: ShownWebhook; message?: string | null }>(
    record: T,
  ): Dated<T> => ({
    ...shownEntry(services)(record),
    webhook: services.secrets.redact(shownWebhook(record.webhook), record.flowId),
  })

/** Returns a record without content for display: times as in the API, and secrets hidden. */
export const shownEntry =
  ({ secrets }: Pick<DeliveryServices, 'secrets'>) =>
  <T extends { flowId: string; receivedAt: number; message?: string | null }>(record: T): Dated<T> => ({
    ...record,
    ...(record.message && { message: secrets.redact(record.message, record.flowId) }),
    receivedAt: new Date(record.receivedAt).toISOString(),
  })

function shownWebhook(webhook: ShownWebhook): ShownWebhook {
  if (webhook.dataDeleted) return withoutData(webhook)
  return webhook.rawBody.length > SHOWN_BYTES ? { ...webhook, body: null, rawBody: '', bodyOmitted: true } : webhook
}
