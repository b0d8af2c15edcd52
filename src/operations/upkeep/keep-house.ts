// Deletes data past its retention, in small batches, so that no webhook waits for it.
import { BODIES_KEPT_MS } from '../deliveries/kept-rejections.ts'
import { AUDIT_DAYS } from './audit.ts'
import type { UpkeepServices } from './services.ts'

const BATCH = 200
const DAY_MS = 86_400_000
/** Former secrets stay hidden for at least this long. */
const FORMER_SECRETS_MS = 3_600_000

export async function keepHouse(services: UpkeepServices, retentionDays: number, signal: AbortSignal): Promise<number> {
  const now = services.now()
  services.rate.sweep(now)
  services.secrets.forget(Math.min(services.engine.activeSince, now - FORMER_SECRETS_MS))
  let deleted = await services.deliveries.deleteBodies(now - BODIES_KEPT_MS)
  const before = now - retentionDays * DAY_MS
  for (;;) {
    const count =
      (await services.housekeeping.deleteOlderThan(before, now, BATCH)) +
      (await services.failures.deleteOlderThan(before, BATCH)) +
      (await services.replays.deleteOlderThan(before, now, BATCH)) +
      (await services.audit.deleteOlderThan(now - AUDIT_DAYS * DAY_MS, BATCH))
    deleted += count
    // Counts leave every minute: they are nothing to speak of.
    const counts = await services.stats.deleteOld(now, BATCH)
    if ((count < BATCH && counts < BATCH) || signal.aborted) return deleted
    // The pause lets deliveries go first.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
