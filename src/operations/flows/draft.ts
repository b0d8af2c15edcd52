// Drafts: what may be saved, and what of a draft can be run.

import type { FlowDocument } from '../../flow/document.ts'
import type { Finding, Issue } from '../../flow/issue.ts'
import { parseJson } from '../../flow/parse-json.ts'
import { type DataShapes, shapesOf } from '../../flow/shape/data-shapes.ts'
import { publishIssues, shapeIssues, validate, warnings } from '../../flow/validate/validate.ts'
import { FlowInvalid, notFound } from '../operation-error.ts'
import type { FlowRecord } from '../ports/flows.ts'
import { requireOwnSecrets, sealLiterals } from './secret-literals.ts'
import type { FlowServices } from './services.ts'

export interface Draft {
  name: string
  text: string
}

/** Refuses what has not the shape of a flow; everything else may be saved and is found at publish. Secrets are sealed. */
export function draftOf(services: FlowServices, flowId: string, document: unknown): Draft {
  const issues = shapeIssues(findings(services, document))
  if (issues.length) throw new FlowInvalid(issues)
  const { name } = document as { name?: string }
  return { name: name ?? '', text: JSON.stringify(sealLiterals(services, flowId, document)) }
}

/** `data`: what the flow was tried with, where references are to be held against it. */
export function findings(
  { kinds, surroundings }: Pick<FlowServices, 'kinds' | 'surroundings'>,
  document: unknown,
  data?: DataShapes,
): Finding[] {
  return validate(document, kinds, { ...surroundings(), data })
}

/** Of a larger sample or result nothing is learned: it would take too long each time somebody edits. */
const LARGEST_LEARNED_FROM = 256 * 1024

export async function dataShapes({ samples }: FlowServices, flowId: string): Promise<DataShapes> {
  const { webhooks, results } = await samples.small(flowId, LARGEST_LEARNED_FROM)
  return shapesOf(webhooks, results)
}

/** The draft as a flow that can run, or every reason why not. */
export function publishable(
  services: FlowServices,
  { id, draft }: FlowRecord,
  data?: DataShapes,
): { document: FlowDocument; warnings: Issue[] } {
  const document = parseJson(draft) as FlowDocument
  services.published.touch(id, document)
  // They may name keys of samples.
  const found = findings(services, document, data).map((finding) => ({
    ...finding,
    message: services.secrets.redact(finding.message, id),
  }))
  const issues = publishIssues(found)
  if (issues.length) throw new FlowInvalid(issues)
  requireOwnSecrets(services, id, document)
  return { document, warnings: warnings(found) }
}

export async function findFlow(services: Pick<FlowServices, 'flows'>, id: string): Promise<FlowRecord> {
  const flow = await services.flows.get(id)
  if (!flow) throw notFound('flow', id)
  return flow
}

/** For results of stores that answer null where the flow is gone meanwhile. */
export function present(flow: FlowRecord | null, id: string): FlowRecord {
  if (!flow) throw notFound('flow', id)
  return flow
}
