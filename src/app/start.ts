// Starts the service, chapter by chapter: the only place that constructs adapters and wires them together.
import type { DestinationStream, Logger } from 'pino'
import { forgetAddress, noteAddress } from '../base/data-folder.ts'
import { sleep } from '../base/waiting.ts'
import { createMetrics } from '../http/metrics.ts'
import { loadConnections } from '../operations/connections/load-connections.ts'
import { createSignalHandler, type SignalHandler } from '../operations/events/hear-signal.ts'
import type { ReplayLoop } from '../operations/failures/replay-loop.ts'
import { flowWasDeleted } from '../operations/flows/delete-flow.ts'
import { answerHeld } from '../operations/flows/pause-flow.ts'
import { endCancelled } from '../operations/runs/cancel-run.ts'
import type { ScheduleLoop } from '../operations/schedules/schedule-loop.ts'
import type { Services } from '../operations/services.ts'
import { serversOf } from '../outbound/proxy/proxy-settings.ts'
import { createPasswords } from '../secrets/passwords.ts'
import { Redactor } from '../secrets/redactor.ts'
import type { Dispatcher } from './backend.ts'
import {
  type BackgroundWork,
  createAuditDelivery,
  startAlerts,
  startCounting,
  startErasing,
  startReplays,
  startRetention,
  startSchedules,
} from './background-work.ts'
import { buildEngine, type Running } from './build-engine.ts'
import { buildServices } from './build-services.ts'
import type { Config } from './config.ts'
import { createLog, standardOutput } from './log.ts'
import { openStores } from './open-stores.ts'
import { createAppServer, type Serving, serveHttp, socketsFor, stopServing, watchServices } from './serve-http.ts'
import { trustAuthorities } from './tls/authorities.ts'
import { VERSION } from './version.ts'

export interface App {
  url: string
  /** The URL that a program on this machine uses. */
  localUrl: string
  stop(): Promise<void>
}

const FINISH_GRACE_MS = 5_000
const TOKEN_GRACE_MS = 1_500
const TRACE_GRACE_MS = 500

/** Starts the service. `idle`, for the command line: it serves requests, but runs and changes nothing by itself. */
export async function startApp(
  config: Config,
  logOutput: DestinationStream = standardOutput(),
  { idle = false, passwords = createPasswords(), sockets = socketsFor(idle) } = {},
): Promise<App> {
  trustAuthorities(config.authorities)
  const metrics = createMetrics({ ofProcess: !idle })
  const redactor = new Redactor()
  for (const [name, value] of Object.entries(config.env)) redactor.add(value, `env:${name}`)
  for (const { id, clientSecret } of config.oidc.providers) if (clientSecret) redactor.add(clientSecret, `oidc:${id}`)
  for (const { password } of serversOf(config.proxy)) if (password) redactor.add(password, 'proxy')
  if (config.audit.webhook) redactor.add(config.audit.webhook.secret, 'audit:webhook')
  const log = createLog(config, logOutput, redactor)

  // Open the database and the secrets in it.
  const stores = await openStores(config, redactor, metrics.synced)

  // Build what runs flows.
  const running = buildEngine(config, stores, metrics, log)
  const { engine, published, replies, memory } = running
  // Nothing is scheduled or replayed before the loops start.
  let schedules: ScheduleLoop | null = null
  const scheduleChanged = () => schedules?.wake()
  let replays: ReplayLoop | null = null
  const replaysChanged = () => replays?.wake()
  const signalHandler = hearing(running, async (flowId) => {
    scheduleChanged()
    await answerHeld({ queue: dispatcher.queue, replies }, flowId)
  })
  const { runs, backend } = stores
  const dispatcher = backend.dispatcher({ engine, published, runs, replies, signalHandler, memory, log })

  running.calls.queue = dispatcher.queue

  // Build the operations.
  const services = buildServices(running, dispatcher.queue, { scheduleChanged, replaysChanged }, passwords)
  await loadConnections(services)
  await published.load()
  await running.failureFlow.load()
  await running.alerts.load()
  await services.access.tokens.reload()
  await running.secondFactorRule.load()
  const isSetUp = await services.access.users.isSetUp()

  // Open the HTTP server once unfinished runs are found.
  watchServices(metrics, running, services)
  const server = createAppServer(running, services, idle)
  const recovered = idle ? 0 : await dispatcher.recover()
  const auditing = idle ? null : await createAuditDelivery(running)
  const serving = await serveHttp(server, config, sockets)

  // Start the background work.
  const counting = startCounting(stores, log)
  let alerting: BackgroundWork | null = null
  let erasing: BackgroundWork | null = null
  const retention = idle ? null : startRetention(services, config.retentionDays, log)
  if (!idle) {
    running.watch.start()
    dispatcher.start()
    schedules = startSchedules(services, backend.kind)
    alerting = startAlerts(services)
    erasing = startErasing(services)
    auditing!.start()
    replays = startReplays(services)
  }
  tellAddress(running, idle ? null : serving.localUrl)
  sayReady(running, isSetUp ? null : services.access.setUp.code, serving, recovered)

  return {
    url: config.baseUrl,
    localUrl: serving.localUrl,
    stop: () =>
      stop({
        running,
        services,
        dispatcher,
        serving,
        counting,
        retention,
        schedules,
        replays,
        alerting,
        erasing,
        auditing,
      }),
  }
}

/** Returns the handlers of signals from other processes; they do nothing if there is only one process. */
function hearing(running: Running, flowChanged: (flowId: string) => Promise<void>): SignalHandler {
  const { relay, published, failureFlow, alerts, connections, tokens, stores } = running
  if (!relay) return { hear() {}, known: () => 0, catchUp: async () => {}, resumed() {} }
  return createSignalHandler(running, relay, {
    async flowChanged(flowId) {
      await published.readFlow(flowId)
      await flowChanged(flowId)
    },
    flowDeleted: (flowId) => flowWasDeleted(running, flowId),
    runCancelled: (runId) => endCancelled(running, runId),
    connectionsChanged: () => loadConnections({ connections, connectionStore: stores.connections, tokens }),
    anyFlowChanged: () => published.load(),
    async settingsChanged() {
      await failureFlow.load()
      await alerts.load()
      await running.secondFactorRule.load()
    },
    flowFails: (flowId) => alerts.saw(flowId, true),
  })
}

/** Writes the address of the service for commands that run beside it on the same folder. */
function tellAddress({ config, stores }: Running, url: string | null): void {
  if (stores.backend.kind !== 'sqlite') return
  if (url === null) forgetAddress(config.dataDir)
  else noteAddress(config.dataDir, url)
}

/** `setUpCode`: for the first owner; null if there is one. */
function sayReady({ config, log }: Running, setUpCode: string | null, { sockets }: Serving, recovered: number): void {
  if (setUpCode !== null)
    log.warn(`There is no owner yet. Make the first one at ${config.baseUrl}/setup#code=${setUpCode}`)
  if (sockets.limitedBy !== null)
    log.warn(
      { openFiles: sockets.limitedBy, sockets: sockets.count },
      'few files may be open at once: bursts of new connections are let in more slowly, and connections are refused sooner. Raise the limit (ulimit -n, LimitNOFILE)',
    )
  log.info({ url: config.baseUrl, dataDir: config.dataDir, recovered }, `Millrace ${VERSION} is ready`)
}

interface Started {
  running: Running
  services: Services
  dispatcher: Dispatcher
  serving: Serving
  counting: BackgroundWork
  retention: BackgroundWork | null
  schedules: BackgroundWork | null
  alerting: BackgroundWork | null
  erasing: BackgroundWork | null
  auditing: BackgroundWork | null
  replays: BackgroundWork | null
}

async function stop({
  running,
  services,
  dispatcher,
  serving,
  counting,
  retention,
  schedules,
  alerting,
  erasing,
  auditing,
  replays,
}: Started): Promise<void> {
  const { engine, tokens, tracing, http, providerHttp, outside, sandbox, log, stores } = running
  const retained = retention?.stop()
  const scheduled = schedules?.stop()
  const alerted = alerting?.stop()
  const erased = erasing?.stop()
  const audited = auditing?.stop()
  const replayed = replays?.stop()
  dispatcher.stop()
  await stopServing(serving, services, () => engine.stop(FINISH_GRACE_MS))
  // Tokens that a token endpoint has already issued must be stored.
  await Promise.race([tokens.stop(), sleep(TOKEN_GRACE_MS)])
  await Promise.race([flushTraces(tracing, log), sleep(TRACE_GRACE_MS)])
  await http.close()
  await providerHttp.close()
  await outside.close()
  await sandbox.close()
  await retained
  await scheduled
  await alerted
  await erased
  await audited
  await services.audit.stop()
  await replayed
  running.watch.stop()
  running.relay?.stop()
  await counting.stop()
  await services.keyRotation.stop()
  await dispatcher.leave()
  tellAddress(running, null)
  await stores.bucket?.close()
  await stores.backend.close()
  log.info('Millrace has stopped')
}

async function flushTraces(tracing: Running['tracing'], log: Logger): Promise<void> {
  await tracing.flush().catch((error) => log.warn({ reason: (error as Error).message }, 'the last spans were not sent'))
}
