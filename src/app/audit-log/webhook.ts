// Sends entries of the audit log to a webhook, signed as Standard Webhooks say.
import type { HttpClient } from '../../engine/ports/http-client.ts'
import { postSigned } from '../../operations/alerts/post-signed.ts'
import { lineOf } from '../../operations/ports/audit-log/chain.ts'
import type { AuditDestination } from '../../operations/upkeep/audit-log/deliver-audit.ts'

export interface AuditWebhook {
  url: string
  secret: string
}

export function createAuditWebhook(
  { url, secret }: AuditWebhook,
  http: HttpClient,
  now: () => number,
): AuditDestination {
  const stopped = new AbortController()
  return {
    name: 'webhook',
    async send(entries) {
      const body = entries.map((entry) => `${lineOf(entry)}\n`).join('')
      // The same entries have the same id when they come again.
      const id = entries.length === 1 ? entries[0]!.id : `${entries[0]!.id}-${entries.at(-1)!.id}`
      await postSigned(http, {
        url,
        secret,
        id,
        contentType: 'application/x-ndjson',
        body,
        at: now(),
        signal: stopped.signal,
      })
    },
    close: () => stopped.abort(),
  }
}
