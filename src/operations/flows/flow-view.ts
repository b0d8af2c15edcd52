// Shows a flow as the API does.
import { tagsOf } from '../../flow/document.ts'
import { parseJson } from '../../flow/parse-json.ts'
import type { AuditTarget } from '../ports/audit.ts'
import type { FlowRecord } from '../ports/flows.ts'

export interface FlowView {
  id: string
  name: string
  slug: string | null
  status: 'draft' | 'published'
  tags: string[]
  /** The kind of the trigger; null while none is chosen. */
  trigger: string | null
  revision: number
  webhook: { id: string; url: string; testUrl: string }
  draft: unknown
  published: { version: number; publishedAt: string } | null
  createdAt: string
  updatedAt: string
  /** The name of the user or token that changed the draft last. */
  updatedBy: string | null
}

export function flowView(flow: FlowRecord, webhookBaseUrl: string): FlowView {
  const draft = parseJson(flow.draft) as { trigger?: { kind?: string } }
  const url = `${webhookBaseUrl}/api/v1/webhooks/${flow.webhookId}`
  return {
    id: flow.id,
    name: flow.name,
    slug: flow.slug,
    status: flow.version === null ? 'draft' : 'published',
    tags: tagsOf(draft),
    trigger: draft.trigger?.kind ?? null,
    revision: flow.revision,
    webhook: { id: flow.webhookId, url, testUrl: `${url}/test` },
    draft,
    published:
      flow.version === null ? null : { version: flow.version, publishedAt: new Date(flow.publishedAt!).toISOString() },
    createdAt: new Date(flow.createdAt).toISOString(),
    updatedAt: new Date(flow.updatedAt).toISOString(),
    updatedBy: flow.updatedBy,
  }
}

/** Returns the flow as the audit log names it. */
export const flowTarget = ({ id, name }: { id: string; name: string }): AuditTarget => ({ kind: 'flow', id, name })
