// Runs the background work until the service stops: schedules, retention, and counts for charts.
import type { Logger } from 'pino'
import type { FlowActivity } from '../operations/flows/flow-activity.ts'
import { ScheduleLoop } from '../operations/schedules/schedule-loop.ts'
import type { ScheduleServices } from '../operations/schedules/services.ts'
import { keepHouse } from '../operations/upkeep/keep-house.ts'
import type { UpkeepServices } from '../operations/upkeep/services.ts'
import type { Backend } from './backend.ts'

const HOUSEKEEPING_EVERY_MS = 60_000
const ACTIVITY_EVERY_MS = 5_000

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

export function startCounting(activity: FlowActivity, log: Logger): BackgroundWork {
  const timer = setInterval(() => void writeActivity(activity, log), ACTIVITY_EVERY_MS)
  return {
    stop() {
      clearInterval(timer)
      return writeActivity(activity, log)
    },
  }
}

/** Another process on the same database may have watched the schedules until a moment ago. */
const WATCHED_BY_OTHERS_MS = 2_000

export function startSchedules(services: ScheduleServices, database: Backend['kind']): ScheduleLoop {
  const graceMs = database === 'postgres' ? WATCHED_BY_OTHERS_MS : 0
  const loop = new ScheduleLoop(services, { elapsedMs: () => performance.now(), graceMs })
  loop.start()
  return loop
}

async function writeActivity(activity: FlowActivity, log: Logger): Promise<void> {
  await activity.write().catch((error) => {
    log.warn({ reason: (error as Error).message }, 'the counts of the last seconds are missing in the charts')
  })
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
