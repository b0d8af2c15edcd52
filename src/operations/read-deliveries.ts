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
  return { items: items.map(dated), nextCursor }
}

export async function listSamples(services: Services, flowId: string): Promise<Paged<Dated<SampleRecord>>> {
  await findFlow(services, flowId)
  return { items: (await services.samples.list(flowId)).map(dated), nextCursor: null }
}

/** Times as the API shows them. */
export const dated = <T extends { receivedAt: number }>(record: T): Dated<T> => ({
  ...record,
  receivedAt: new Date(record.receivedAt).toISOString(),
})
