// Retention: deletes what is past its time, in small batches, so that no webhook waits for it.
import type { Services } from './services.ts'

const BATCH = 200

export async function keepHouse(services: Services, retentionDays: number, signal: AbortSignal): Promise<number> {
  const now = services.now()
  services.rate.sweep(now)
  let deleted = 0
  for (;;) {
    const count = await services.housekeeping.deleteOlderThan(now - retentionDays * 86_400_000, now, BATCH)
    deleted += count
    if (count < BATCH || signal.aborted) return deleted
    // Deliveries first.
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
