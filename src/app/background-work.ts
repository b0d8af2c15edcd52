// Runs the background work until the service stops: schedules, replays, retention, and adding up what was counted.
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { AlertLoop } from '../operations/alerts/alert-loop.ts'
import type { AlertServices } from '../operations/alerts/services.ts'
import { ReplayLoop } from '../operations/failures/replay-loop.ts'
import type { FailureServices } from '../operations/failures/services.ts'
import type { FailureStore } from '../operations/ports/failures.ts'
import type { StatsStore } from '../operations/ports/stats.ts'
import { ScheduleLoop } from '../operations/schedules/schedule-loop.ts'
import type { ScheduleServices } from '../operations/schedules/services.ts'
import { AuditDelivery } from '../operations/upkeep/audit-log/deliver-audit.ts'
import { EraseLoop } from '../operations/upkeep/erase-loop.ts'
import { keepHouse } from '../operations/upkeep/keep-house.ts'
import type { UpkeepServices } from '../operations/upkeep/services.ts'
import { sweepFiles } from '../operations/upkeep/sweep-files.ts'
import { createSyslog } from './audit-log/syslog.ts'
import { createAuditWebhook } from './audit-log/webhook.ts'
import type { Backend } from './backend.ts'
import type { Running } from './build-engine.ts'

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

interface Counted {
  stats: Pick<StatsStore, 'settle'>
  failures: Pick<FailureStore, 'settle'>
}

export function startCounting({ stats, failures }: Counted, log: Logger): BackgroundWork {
  const settleAll = async () => {
    await stats.settle()
    await failures.settle()
  }
  let settling = Promise.resolve()
  const settle = () => {
    settling = settleAll().catch((error) => {
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

/** What is to be deleted is marked in the database, so the loop may end at any time. */
export function startErasing(services: UpkeepServices): BackgroundWork {
  const loop = new EraseLoop(services)
  loop.start()
  return loop
}

/** Messages of alerts are stored before they are sent, so the loop may end at any time. */
export function startAlerts(services: AlertServices): BackgroundWork {
  const loop = new AlertLoop(services)
  loop.start()
  return loop
}

/** Each destination has a cursor in the database, so the delivery may end at any time. */
export async function createAuditDelivery({
  config,
  stores,
  http,
  warn,
}: Running): Promise<BackgroundWork & { start(): void }> {
  const { backend, auditChains: chains, auditDestinations: destinations } = stores
  const { syslog, webhook } = config.audit
  const { now } = backend
  const found = [
    ...(syslog ? [createSyslog(syslog)] : []),
    ...(webhook ? [createAuditWebhook(webhook, http, now)] : []),
  ]
  const holder = randomUUID()
  const deliveries = found.map(
    (destination) => new AuditDelivery({ chains, destinations, destination, holder, now, warn }),
  )
  for (const delivery of deliveries) await delivery.begin()
  return {
    start() {
      for (const delivery of deliveries) delivery.start()
    },
    async stop() {
      await Promise.all(deliveries.map((delivery) => delivery.stop()))
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

export function startReplays(services: FailureServices): ReplayLoop {
  const loop = new ReplayLoop(services)
  loop.start()
  return loop
}

async function keepHouseRegularly(
  services: UpkeepServices,
  retentionDays: number,
  signal: AbortSignal,
  log: Logger,
): Promise<void> {
  const sweep = async () => {
    try {
      await sweepFiles(services, signal)
    } catch (error) {
      log.error({ err: error }, 'files that nobody uses could not be deleted; it is tried again')
    }
  }
  // What the process before this one left goes first.
  await sweep()
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
    await sweep()
  }
}
