// Tracks flows that are kept as files: the file of each flow, and the revision of its draft when it was applied.

import { CODE } from '../../base/error-catalogue.ts'
import { OperationError } from '../operation-error.ts'
import type { Actor } from '../ports/access.ts'
import type { FlowSource } from '../ports/flows.ts'
import type { Page, Paged } from '../ports/page.ts'
import { findFlow } from './draft.ts'
import { flowTarget } from './flow-view.ts'
import type { FlowServices } from './services.ts'

export const listFlowSources = (
  services: FlowServices,
  source: string | null,
  page: Page,
): Promise<Paged<FlowSource>> => services.flowSources.list(source, page)

export async function setFlowSource(services: FlowServices, actor: Actor, source: FlowSource): Promise<FlowSource> {
  const flow = await findFlow(services, source.flowId)
  const { revision } = flow
  if (source.revision > revision)
    throw new OperationError(
      CODE.invalid_request,
      `The draft is at revision ${revision}, not yet at ${source.revision}.`,
    )
  await services.audit.together(async () => {
    await services.flowSources.set(source)
    await services.audit.recordOnce(actor, 'flow.source', flowTarget(flow), { source: source.source })
  })
  return source
}
