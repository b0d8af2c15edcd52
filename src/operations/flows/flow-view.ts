// Shows a flow as the API does.

import { isObject } from '../../base/is-object.ts'
import { tagsOf } from '../../flow/document.ts'
import { parseJson } from '../../flow/json/parse-json.ts'
import { WEBHOOK } from '../../flow/triggers/webhook/schema.ts'
import type { AuditTarget } from '../ports/audit.ts'
import type { FlowRecord } from '../ports/flows.ts'
import type { FlowServices } from './services.ts'

export interface FlowView {
  id: string
  name: string
  slug: string | null
  status: 'draft' | 'published'
  tags: string[]
  /** The kind of the trigger; null while none is chosen. */
  trigger: string | null
  revision: number
  /** null if neither the draft nor the live version is started by a webhook. */
  webhook: { id: string; url: string; testUrl: string } | null
  draft: unknown
  published: { version: number; publishedAt: string } | null
  /** Since when it is paused, and how many runs wait for it to be resumed. */
  paused: { since: string; waiting: number } | null
  createdAt: string
  updatedAt: string
  /** The name of the user or token that changed the draft last. */
  updatedBy: string | null
}

export async function shownFlow({ queue, webhookBaseUrl }: FlowServices, flow: FlowRecord): Promise<FlowView> {
  const { pausedAt } = flow
  const paused =
    pausedAt === null ? null : { since: new Date(pausedAt).toISOString(), waiting: await queue.heldOf(flow.id) }
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
    webhook: hasWebhook(flow.liveTrigger, draft) ? { id: flow.webhookId, url, testUrl: `${url}/test` } : null,
    draft,
    published:
      flow.version === null ? null : { version: flow.version, publishedAt: new Date(flow.publishedAt!).toISOString() },
    paused,
    createdAt: new Date(flow.createdAt).toISOString(),
    updatedAt: new Date(flow.updatedAt).toISOString(),
    updatedBy: flow.updatedBy,
  }
}

/** A draft whose trigger is not chosen yet takes samples at its URL. */
function hasWebhook(liveKind: string | null, draft: unknown): boolean {
  const trigger = isObject(draft) ? draft['trigger'] : undefined
  const kind = isObject(trigger) ? trigger['kind'] : undefined
  return liveKind === WEBHOOK || kind === WEBHOOK || kind === undefined
}

/** Returns the flow as the audit log names it. */
export const flowTarget = ({ id, name }: { id: string; name: string }): AuditTarget => ({ kind: 'flow', id, name })
