import { CODE } from '../../base/error-catalogue.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { renamedSteps } from '../../flow/renamed-steps.ts'
import { requireStay } from '../access/reach.ts'
import { requireUse } from '../connections/may-use.ts'
import { notFound, OperationError } from '../operation-error.ts'
import { type Actor, knownAs } from '../ports/access.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { type Draft, draftOf, findFlow, present, saveWithSlug } from './draft.ts'
import { type FlowView, flowTarget, shownFlow } from './flow-view.ts'
import type { FlowServices } from './services.ts'

export async function replaceDraft(
  services: FlowServices,
  actor: Actor,
  id: string,
  document: unknown,
  expectedRevision: number | null,
): Promise<FlowView> {
  const before = await findFlow(services, id)
  const saved = await saveDraft(services, actor, id, draftOf(services, id, document), expectedRevision, (flow) =>
    services.audit.recordOnce(actor, 'flow.update', flowTarget(flow), { revision: flow.revision }),
  )
  // What a step gave in its last test stays with it under its new name.
  for (const { from, to } of renamedSteps(parseJson(before.draft), document))
    await services.samples.renameStep(id, from, to)
  return saved
}

/** Makes an earlier version the draft again. */
export async function restoreVersion(
  services: FlowServices,
  actor: Actor,
  id: string,
  version: number,
): Promise<FlowView> {
  const record = await services.flows.version(id, version)
  if (!record) throw notFound('version', `${version} of flow ${id}`)
  const { name, slug = null } = parseJson(record.document) as { name: string; slug?: string }
  return saveDraft(services, actor, id, { name, slug, text: record.document }, null, (flow) =>
    services.audit.record(actor, 'flow.restore', flowTarget(flow), { version }),
  )
}

async function saveDraft(
  services: FlowServices,
  actor: Actor,
  id: string,
  { name, slug, text }: Draft,
  expectedRevision: number | null,
  record: (flow: FlowRecord) => Promise<void>,
): Promise<FlowView> {
  const document = parseJson(text)
  requireUse(services, actor, document)
  requireStay(actor, id, document)
  const flow = await services.audit.together(async () => {
    const change = { name, slug, draft: text, updatedAt: services.now(), updatedBy: knownAs(actor), expectedRevision }
    const saved = await saveWithSlug(services, { id, slug }, () => services.flows.replaceDraft(id, change))
    if (saved === 'conflict')
      throw new OperationError(
        CODE.revision_conflict,
        `The draft has been changed since revision ${expectedRevision}; read it again and merge your change.`,
      )
    const found = present(saved, id)
    await record(found)
    return found
  })
  services.signals.send({ topic: 'flow', flowId: id })
  return shownFlow(services, flow)
}
