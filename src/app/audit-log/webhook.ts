// Sends entries of the audit log to a webhook, signed as Standard Webhooks say.
import type { HttpClient } from '../../engine/ports/http-client.ts'
import { signedHeaders } from '../../operations/alerts/message.ts'
import { lineOf } from '../../operations/ports/audit-log/chain.ts'
import type { AuditDestination } from '../../operations/upkeep/audit-log/deliver-audit.ts'

export interface AuditWebhook {
  url: string
  secret: string
}

const TIMEOUT_MS = 15_000

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
      const headers = { 'content-type': 'application/x-ndjson', ...signedHeaders(id, body, secret, now()) }
      const { status } = await http.send({
        method: 'POST',
        url,
        headers: Object.entries(headers).map(([name, value]) => ({ name, value, credential: false })),
        body,
        timeoutMs: TIMEOUT_MS,
        followRedirects: false,
        hops: 0,
        signal: stopped.signal,
      })
      if (status < 200 || status > 299) throw new Error(`The webhook answered with status ${status}.`)
    },
    close: () => stopped.abort(),
  }
}
