// Runs the background work until the service stops: retention, and adding up what was counted.
import type { Logger } from 'pino'
import type { StatsStore } from '../operations/ports/stats.ts'
import { keepHouse } from '../operations/upkeep/keep-house.ts'
import type { UpkeepServices } from '../operations/upkeep/services.ts'

const HOUSEKEEPING_EVERY_MS = 60_000
const SETTLE_EVERY_MS = 5_000

/** Work whose `stop` resolves when nothing of it is under way any more. */
export interface BackgroundWork {
  stop(): Promise<void>
}

export function startRetention(services: UpkeepServices, retentionDays: number, log: Logger): BackgroundWork {
  const stopping = new AbortController()
  const done = keepHouseRegularly(services, retentionDays, stopping.signal, log)
  return {
    stop() {
      stopping.abort()
      return done
    },
  }
}

export function startCounting(stats: StatsStore, log: Logger): BackgroundWork {
  let settling = Promise.resolve()
  const settle = () => {
    settling = stats.settle().catch((error) => {
      log.warn({ reason: (error as Error).message }, 'the counters could not be added up; it is tried again')
    })
  }
  const timer = setInterval(settle, SETTLE_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return settling
    },
  }
}

async function keepHouseRegularly(
  services: UpkeepServices,
  retentionDays: number,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  while (!signal.aborted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, HOUSEKEEPING_EVERY_MS)
      signal.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          resolve()
        },
        { once: true },
      )
    })
    if (signal.aborted) return
    try {
      const deleted = await keepHouse(services, retentionDays, signal)
      if (deleted) log.info({ deleted }, 'deleted what was past its retention')
    } catch (error) {
      log.error({ err: error }, 'retention failed; it is tried again')
    }
  }
}
