// Decides which drafts may be saved, and which can run.

import { API_ERRORS, CODE, filled } from '../../base/error-catalogue.ts'
import { isObject } from '../../base/is-object.ts'
import { type FlowDocument, tagsOf } from '../../flow/document.ts'
import type { Finding, Issue } from '../../flow/issue.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { type DataShapes, shapesOf } from '../../flow/shape/data-shapes.ts'
import { publishIssues, shapeIssues, validate, warnings } from '../../flow/validate/validate.ts'
import type { Limited } from '../access/reach.ts'
import { FlowInvalid, notFound, OperationError } from '../operation-error.ts'
import { type FlowRecord, SlugTaken } from '../ports/flows.ts'
import { checkCalls } from './calls/check-calls.ts'
import { requireOwnSecrets, sealLiterals } from './secret-literals.ts'
import type { FlowServices } from './services.ts'

export interface Draft {
  name: string
  slug: string | null
  text: string
}

/** Seals the secrets of a draft. Throws if it has not the shape of a flow; publish finds all other problems. */
export function draftOf(services: FlowServices, flowId: string, document: unknown): Draft {
  const issues = shapeIssues(findings(services, flowId, document))
  if (issues.length) throw new FlowInvalid(issues)
  const { name, slug } = document as { name?: string; slug?: string }
  return { name: name ?? '', slug: slug || null, text: JSON.stringify(sealLiterals(services, flowId, document)) }
}

/** Returns the problems of a document. `flowId`: null if it is of no flow yet. With `data`, references are checked against earlier test data. */
export function findings(
  { kinds, surroundings, now }: Pick<FlowServices, 'kinds' | 'surroundings' | 'now'>,
  flowId: string | null,
  document: unknown,
  data?: DataShapes,
): Finding[] {
  const flow = { id: flowId, tags: isObject(document) ? tagsOf(document) : [] }
  return validate(document, kinds, { ...surroundings(), flow, data, now: now() })
}

/** Larger samples and results are ignored, because they would slow down each edit. */
const LARGEST_LEARNED_FROM = 256 * 1024

export async function dataShapes({ samples }: FlowServices, flowId: string): Promise<DataShapes> {
  const { webhooks, results } = await samples.small(flowId, LARGEST_LEARNED_FROM)
  return shapesOf(webhooks, results)
}

/** Saves a flow with its slug. Throws if another flow has the slug, also if both are saved at the same moment. */
export async function saveWithSlug<T>(
  { flows }: Pick<FlowServices, 'flows'>,
  { id, slug }: { id: string; slug: string | null },
  save: () => Promise<T>,
): Promise<T> {
  if (slug === null) return save()
  const taken = () => new OperationError(CODE.slug_taken, filled(API_ERRORS.slug_taken.message, { slug }))
  const holder = await flows.idOfSlug(slug)
  if (holder !== null && holder !== id) throw taken()
  try {
    return await save()
  } catch (error) {
    throw error instanceof SlugTaken ? taken() : error
  }
}

/** Returns the draft as a flow that can run, with slugs of called flows resolved. Throws with every reason if it cannot. */
export async function publishable(
  services: FlowServices,
  actor: Limited,
  { id, draft }: FlowRecord,
  data?: DataShapes,
): Promise<{ document: FlowDocument; text: string; warnings: Issue[] }> {
  const document = parseJson(draft) as FlowDocument
  services.published.touch(id, document)
  // Messages may contain keys of samples.
  const calls = await checkCalls(services, actor, id, document)
  const found = [...findings(services, id, document, data), ...calls.findings].map((finding) => ({
    ...finding,
    message: services.secrets.redact(finding.message, id),
  }))
  const issues = publishIssues(found)
  if (issues.length) throw new FlowInvalid(issues)
  requireOwnSecrets(services, id, document)
  const text = calls.document === document ? draft : JSON.stringify(calls.document)
  return { document: calls.document, text, warnings: warnings(found) }
}

export async function findFlow(services: Pick<FlowServices, 'flows'>, id: string): Promise<FlowRecord> {
  const flow = await services.flows.get(id)
  if (!flow) throw notFound('flow', id)
  return flow
}

/** Throws if a store returned null because the flow was deleted meanwhile. */
export function present(flow: FlowRecord | null, id: string): FlowRecord {
  if (!flow) throw notFound('flow', id)
  return flow
}
