import type { WebhookData } from '../engine/webhook-data.ts'
import { findFlow } from './draft.ts'
import { flowTopic } from './events.ts'
import { notFound } from './operation-error.ts'
import type { DeliveryFilter, DeliveryRecord, Page, Paged, SampleRecord } from './ports.ts'
import type { DeliveryServices, Services } from './services.ts'

type Dated<T extends { receivedAt: number }> = Omit<T, 'receivedAt'> & { receivedAt: string }

export async function listDeliveries(
  services: Services,
  flowId: string,
  page: Page,
): Promise<Paged<Dated<DeliveryRecord>>> {
  await findFlow(services, flowId)
  const { items, nextCursor } = await services.deliveries.list({ flowId, outcome: null }, page)
  return { items: items.map(shown(services)), nextCursor }
}

export interface InboxEntry extends Omit<Dated<DeliveryRecord>, 'webhook'> {
  flowName: string | null
}

/** Over all flows, and without the bodies: a page of them may be hundreds of megabytes. */
export async function listInbox(services: Services, filter: DeliveryFilter, page: Page): Promise<Paged<InboxEntry>> {
  const { items, nextCursor } = await services.deliveries.list(filter, page)
  const names = await services.flows.names(items.map(({ flowId }) => flowId))
  const entry = ({ webhook: _, ...delivery }: Dated<DeliveryRecord>): InboxEntry => ({
    ...delivery,
    flowName: names.get(delivery.flowId) ?? null,
  })
  return { items: items.map((item) => entry(shown(services)(item))), nextCursor }
}

export async function readDelivery(
  services: Services,
  id: string,
): Promise<Dated<DeliveryRecord> & { flowName: string | null }> {
  const delivery = await findDelivery(services, id)
  const names = await services.flows.names([delivery.flowId])
  return { ...shown(services)(delivery), flowName: names.get(delivery.flowId) ?? null }
}

/** What came once becomes a sample of its flow, as if it had been sent to the test URL. */
export async function sampleFromDelivery(
  services: Services,
  flowId: string,
  deliveryId: string,
): Promise<Dated<SampleRecord>> {
  await findFlow(services, flowId)
  const delivery = await findDelivery(services, deliveryId)
  if (delivery.flowId !== flowId) throw notFound('delivery', deliveryId)
  return keepSample(services, flowId, delivery.webhook)
}

/** Samples kept of each flow. */
const KEPT_SAMPLES = 20

export async function keepSample(
  services: DeliveryServices,
  flowId: string,
  webhook: WebhookData,
): Promise<Dated<SampleRecord>> {
  const sample = { id: services.ids.next('smp'), flowId, receivedAt: services.now(), webhook }
  await services.samples.add(sample, KEPT_SAMPLES)
  const view = shown(services)(sample)
  services.events.emit(flowTopic(flowId), { type: 'sample', data: view })
  services.events.relay?.pass({ type: 'sample', id: view.id, flowId })
  return view
}

async function findDelivery(services: Services, id: string): Promise<DeliveryRecord> {
  const delivery = await services.deliveries.get(id)
  if (!delivery) throw notFound('delivery', id)
  return delivery
}

export async function listSamples(services: Services, flowId: string): Promise<Paged<Dated<SampleRecord>>> {
  await findFlow(services, flowId)
  const samples = await services.samples.list(flowId)
  return { items: samples.map(shown(services)), nextCursor: null }
}

/** Times as the API shows them, and no secrets. */
export const shown =
  ({ secrets }: Pick<Services, 'secrets'>) =>
  <T extends { flowId: string; receivedAt: number; webhook: WebhookData; message?: string | null }>(
    record: T,
  ): Dated<T> => ({
    ...record,
    webhook: secrets.redact(record.webhook, record.flowId),
    ...(record.message && { message: secrets.redact(record.message, record.flowId) }),
    receivedAt: new Date(record.receivedAt).toISOString(),
  })
