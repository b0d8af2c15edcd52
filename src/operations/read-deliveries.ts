import type { WebhookData } from '../engine/webhook-data.ts'
import { findFlow } from './draft.ts'
import type { DeliveryRecord, Page, Paged, SampleRecord } from './ports.ts'
import type { Services } from './services.ts'

type Dated<T extends { receivedAt: number }> = Omit<T, 'receivedAt'> & { receivedAt: string }

export async function listDeliveries(
  services: Services,
  flowId: string,
  page: Page,
): Promise<Paged<Dated<DeliveryRecord>>> {
  await findFlow(services, flowId)
  const { items, nextCursor } = await services.deliveries.list(flowId, page)
  return { items: items.map(shown(services)), nextCursor }
}

export async function listSamples(services: Services, flowId: string): Promise<Paged<Dated<SampleRecord>>> {
  await findFlow(services, flowId)
  const samples = await services.samples.list(flowId)
  return { items: samples.map(shown(services)), nextCursor: null }
}

/** Times as the API shows them, and no secrets. */
export const shown =
  ({ secrets }: Services) =>
  <T extends { receivedAt: number; webhook: WebhookData; message?: string | null }>(record: T): Dated<T> => ({
    ...record,
    webhook: secrets.redact(record.webhook),
    ...(record.message && { message: secrets.redact(record.message) }),
    receivedAt: new Date(record.receivedAt).toISOString(),
  })
