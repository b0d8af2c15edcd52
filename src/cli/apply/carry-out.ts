// Carries out a plan, flow by flow; it does not touch a flow that somebody changes at the same time.
import type { ApiClient } from '../client/api-client.ts'
import type { Flow, Published } from '../client/bodies.ts'
import type { Item, Plan } from './plan.ts'

export interface Done {
  path: string
  action: Item['action']
  id: string
  name: string
  /** The live version; null if nothing was published. */
  version: number | null
  webhook: string | null
}

export async function carryOut(api: ApiClient, { source, items }: Plan, report: (done: Done) => void): Promise<void> {
  for (const item of items) {
    const { action, path, name } = item
    if (action === 'left') continue
    if (action === 'delete') {
      await api.call('DELETE', `/flows/${item.flow!.id}`)
      report({ path, action, id: item.flow!.id, name, version: null, webhook: null })
      continue
    }
    const flow = await saved(api, item)
    if (item.applied !== flow.revision || item.movedFrom !== null)
      await api.call('PUT', `/flows/${flow.id}/source`, { body: { source, path, revision: flow.revision } })
    const published = item.publish ? await api.call<Published>('POST', `/flows/${flow.id}/publish`) : null
    report({ path, action, id: flow.id, name, version: published?.version ?? null, webhook: flow.webhook?.url ?? null })
  }
}

function saved(api: ApiClient, { action, document, flow }: Item): Promise<Flow> {
  if (action === 'create') return api.call<Flow>('POST', '/flows', { body: document })
  if (action !== 'change') return Promise.resolve(flow!)
  return api.call<Flow>('PUT', `/flows/${flow!.id}`, {
    body: document,
    headers: { 'if-match': String(flow!.revision) },
  })
}
