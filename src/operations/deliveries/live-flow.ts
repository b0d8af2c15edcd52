// Finds the flow of a webhook: its published version, or its draft at the test URL.
import { CODE } from '../../base/error-catalogue.ts'
import { type FlowDocument, tagsOf } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { publishIssues } from '../../flow/validate/validate.ts'
import { findings } from '../flows/draft.ts'
import type { LiveFlow } from '../flows/published-flows.ts'
import type { RouteRecord } from '../ports/flows.ts'
import type { DeliveryHead } from './delivery-head.ts'
import { Rejection } from './rejection.ts'
import type { DeliveryServices } from './services.ts'

/** Throws Rejection if the draft cannot take requests. */
export function liveFlowOf(
  services: DeliveryServices,
  { flowId, version }: RouteRecord,
  { test }: DeliveryHead,
): LiveFlow | Promise<LiveFlow> {
  return test || version === null ? draftFlow(services, flowId) : services.published.version(flowId, version)
}

/** Returns the draft for the test URL, even if it cannot be published yet. */
async function draftFlow(services: DeliveryServices, flowId: string): Promise<LiveFlow> {
  const record = await services.flows.get(flowId)
  if (!record) throw new Rejection(CODE.webhook_not_found, 'There is no webhook at this URL.')
  const document = parseJson(record.draft) as Partial<FlowDocument>
  const trigger = document.trigger ?? { kind: 'webhook' as const }
  const checked = { name: 'draft', tags: tagsOf(document), trigger, steps: document.steps ?? [] }
  const [problem] = publishIssues(findings(services, flowId, checked)).filter(({ path }) => path.startsWith('/trigger'))
  // The reply does not say what is wrong: an unfinished trigger cannot authenticate its senders.
  if (problem)
    throw new Rejection(CODE.bad_request, "The draft's trigger cannot take requests yet; the editor shows why.")
  services.published.touch(flowId, document)
  return services.published.compile(flowId, { name: record.name, trigger, steps: [] })
}
