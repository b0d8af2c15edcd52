// Reads the audit log as lines of JSON, page by page, so that its length does not matter.
import type { Actor } from '../../ports/access.ts'
import { type AuditChains, lineOf, type StoredEntry } from '../../ports/audit-log/chain.ts'
import type { UpkeepServices } from '../services.ts'

const PAGE = 500

export interface ExportedTime {
  /** Milliseconds; `until` itself is left out. */
  since: number | null
  until: number | null
}

/** Records who exports, then returns the entries chain by chain, each chain in its order, as texts of many lines. */
export async function exportAudit(
  { audit, auditChains }: UpkeepServices,
  actor: Actor,
  { since, until }: ExportedTime,
): Promise<AsyncIterable<string>> {
  await audit.record(actor, 'audit.export', null, {
    ...(since !== null && { since: new Date(since).toISOString() }),
    ...(until !== null && { until: new Date(until).toISOString() }),
  })
  return linesOf(auditChains, ({ at }) => (since === null || at >= since) && (until === null || at < until))
}

async function* linesOf(chains: AuditChains, isWanted: (entry: StoredEntry) => boolean): AsyncGenerator<string> {
  const text = (page: readonly StoredEntry[]) =>
    page
      .filter(isWanted)
      .map((entry) => `${lineOf(entry)}\n`)
      .join('')
  for (let after = ''; ; ) {
    const page = await chains.unchained(after, PAGE)
    if (page.length === 0) break
    yield text(page)
    after = page.at(-1)!.id
  }
  for (const { id, anchor } of await chains.all())
    for (let after = anchor?.seq ?? 0; ; ) {
      const page = await chains.entries(id, after, PAGE)
      if (page.length === 0) break
      yield text(page)
      after = page.at(-1)!.seq!
    }
}
