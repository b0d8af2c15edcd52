import { parseJson } from '../flow/parse-json.ts'
import { type Draft, draftOf, present } from './draft.ts'
import { type FlowView, flowView } from './flow-view.ts'
import { notFound, OperationError } from './operation-error.ts'
import type { Services } from './services.ts'

export async function replaceDraft(
  services: Services,
  id: string,
  document: unknown,
  expectedRevision: number | null,
): Promise<FlowView> {
  return saveDraft(services, id, draftOf(services, id, document), expectedRevision)
}

/** Makes an earlier version the draft again. */
export async function restoreVersion(services: Services, id: string, version: number): Promise<FlowView> {
  const record = await services.flows.version(id, version)
  if (!record) throw notFound('version', `${version} of flow ${id}`)
  const name = (parseJson(record.document) as { name: string }).name
  return saveDraft(services, id, { name, text: record.document }, null)
}

async function saveDraft(
  services: Services,
  id: string,
  { name, text }: Draft,
  expectedRevision: number | null,
): Promise<FlowView> {
  const saved = await services.flows.replaceDraft(id, {
    name,
    draft: text,
    updatedAt: services.now(),
    expectedRevision,
  })
  if (saved === 'conflict')
    throw new OperationError(
      'revision_conflict',
      `The draft has been changed since revision ${expectedRevision}; read it again and merge your change.`,
    )
  return flowView(present(saved, id), services.baseUrl)
}
