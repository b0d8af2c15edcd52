// The sole place that constructs adapters and wires them into a running service.
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { type DestinationStream, type Logger, pino } from 'pino'
import { folderFault, forgetAddress, holdsDatabase, noteAddress } from '../base/data-folder.ts'
import { packageFile } from '../base/package-files.ts'
import { DEFAULT_SENT } from '../engine/caller-reply.ts'
import { Engine } from '../engine/engine.ts'
import type { EnginePorts } from '../engine/engine-ports.ts'
import { createIds } from '../engine/ids.ts'
import { type ClaimedRun, ROUND, type RunProgress } from '../engine/run-journal.ts'
import { flowSchema } from '../flow/flow-schema.ts'
import { type Listening, listen, openFilesLimit, type Sockets, socketsWithin } from '../http/listen.ts'
import { createMetrics, type Metrics } from '../http/metrics.ts'
import { createServer, type Server } from '../http/server.ts'
import { HOP_HEADER } from '../http/webhooks/request.ts'
import { createOAuthClient } from '../oauth/oauth-client.ts'
import { ApiTokens } from '../operations/access/api-tokens.ts'
import { KnownDevices } from '../operations/access/known-devices.ts'
import type { Access } from '../operations/access/services.ts'
import { SetUpCode } from '../operations/access/set-up-code.ts'
import { SignInAttempts } from '../operations/access/sign-in-attempts.ts'
import { resetPassword as setNewPassword } from '../operations/access/users.ts'
import { AccessTokens } from '../operations/connections/access-tokens.ts'
import { LiveConnections } from '../operations/connections/live-connections.ts'
import { loadConnections } from '../operations/connections/load-connections.ts'
import { BodyBudget } from '../operations/deliveries/body-budget.ts'
import { Intake } from '../operations/deliveries/intake.ts'
import { KeptRejections } from '../operations/deliveries/kept-rejections.ts'
import { RateLimit } from '../operations/deliveries/rate-limit.ts'
import { shown, shownEntry } from '../operations/deliveries/read-deliveries.ts'
import { Replies } from '../operations/deliveries/replies.ts'
import { EventRelay, type EventViews } from '../operations/events/event-relay.ts'
import { Events, type FlowEvent, runEvent, runTopic } from '../operations/events/events.ts'
import { createSignalHandler, type SignalHandler } from '../operations/events/hear-signal.ts'
import { flowWasDeleted } from '../operations/flows/delete-flow.ts'
import { FlowActivity } from '../operations/flows/flow-activity.ts'
import { PublishedFlows } from '../operations/flows/published-flows.ts'
import type { Secrets } from '../operations/ports/secrets.ts'
import type { SealedRows } from '../operations/ports/upkeep.ts'
import { endCancelled } from '../operations/runs/cancel-run.ts'
import { stepView, withoutLargeParts } from '../operations/runs/read-runs.ts'
import type { Services } from '../operations/services.ts'
import { Audit } from '../operations/upkeep/audit.ts'
import { keepHouse } from '../operations/upkeep/keep-house.ts'
import { KeyRotation } from '../operations/upkeep/key-rotation.ts'
import { LoopWatch } from '../operations/upkeep/loop-watch.ts'
import { createHttpClient, type HttpClientOptions } from '../outbound/http-client.ts'
import { RunMemory } from '../queue/run-memory.ts'
import { createSandbox } from '../sandbox/worker-pool.ts'
import { openVault } from '../secrets/open-vault.ts'
import { createPasswords } from '../secrets/passwords.ts'
import { Redactor } from '../secrets/redactor.ts'
import { createProtect, createSecrets } from '../secrets/secret-keeping.ts'
import type { Vault } from '../secrets/vault.ts'
import { stepKinds } from '../steps/index.ts'
import { databaseEndpoint, openPostgres } from '../storage/postgres/database.ts'
import { DatabaseRefused } from '../storage/rows/database-refused.ts'
import { openBeside, openSqlite } from '../storage/sqlite/database.ts'
import { createActivityStore } from '../storage/stores/activity-store.ts'
import { announcedConnections, announcedGrants } from '../storage/stores/announced-stores.ts'
import { createAuditStore } from '../storage/stores/audit-store.ts'
import { createAuthorizationRequestStore } from '../storage/stores/authorization-request-store.ts'
import { createConnectionStore } from '../storage/stores/connection-store.ts'
import { createDeliveryStore } from '../storage/stores/delivery-store.ts'
import { createFlowSourceStore } from '../storage/stores/flow-source-store.ts'
import { createFlowStore } from '../storage/stores/flow-store.ts'
import { createGrantStore } from '../storage/stores/grant-store.ts'
import { createHousekeeping } from '../storage/stores/housekeeping.ts'
import { createInvitationStore } from '../storage/stores/invitation-store.ts'
import { createRunStore } from '../storage/stores/run-store.ts'
import { createSampleStore } from '../storage/stores/sample-store.ts'
import { createSessionStore } from '../storage/stores/session-store.ts'
import { createTokenStore } from '../storage/stores/token-store.ts'
import { createUserStore } from '../storage/stores/user-store.ts'
import { createVaultRecords } from '../storage/stores/vault-records.ts'
import { transfer } from '../storage/transfer.ts'
import { createTracing, type Tracing } from '../tracing/create-tracing.ts'
import type { Backend } from './backend.ts'
import type { Config } from './config.ts'
import { openOnPostgres } from './on-postgres.ts'
import { openOnSqlite } from './on-sqlite.ts'

export interface App {
  url: string
  /** Where it listens, as a program on this machine reaches it. */
  localUrl: string
  stop(): Promise<void>
}

const STORAGE_RETRY_MS = 1000
const HOUSEKEEPING_EVERY_MS = 60_000
const ACTIVITY_EVERY_MS = 5_000
const FINISH_GRACE_MS = 5_000
const TOKEN_GRACE_MS = 1_500
const TRACE_GRACE_MS = 500
const SILENT_MS = 10_000
/** The wall clock may jump: whoever sleeps looks at it again. */
const LONGEST_SLEEP_MS = 60_000

export const VERSION: string = JSON.parse(readFileSync(packageFile('package.json'), 'utf8')).version

/** `idle`: answers the API and takes on deliveries, but runs nothing and changes nothing by itself; for the command line. */
export async function startApp(
  config: Config,
  logOutput: DestinationStream = standardOutput(),
  { idle = false } = {},
): Promise<App> {
  const sockets: Sockets = idle ? { count: 1, limitedBy: null } : socketsWithin(openFilesLimit())
  const metrics = createMetrics({ ofProcess: !idle })
  const redactor = new Redactor()
  for (const [name, value] of Object.entries(config.env)) redactor.add(value, `env:${name}`)
  const log = createLog(config, logOutput, redactor)
  const backend = await openBackend(config, metrics.synced)
  const { kysely, signals, now, together } = backend
  // Others must not read what is not committed yet.
  const changed = () => together.after(backend.changed)
  const shared = backend.kind === 'postgres'
  const vault = await openVault(config.secretKeys, config.dataDir, createVaultRecords(kysely), backend).catch(
    async (error) => {
      await backend.close()
      throw error
    },
  )
  const secrets = createSecrets(vault, redactor, now)
  const protect = createProtect(vault, redactor, now)
  const hot = backend.hotStores(protect)
  const runs = { ...createRunStore(kysely), ...hot.runs }
  const flows = createFlowStore(kysely)
  const connections = new LiveConnections(secrets, () => published.compileAnew())
  const isSecretField = (name: string, field: string) => connections.isSecretField(name, field)
  const published = new PublishedFlows(flows, stepKinds, secrets, isSecretField, shared)
  const connectionStore = announcedConnections(createConnectionStore(kysely, vault), changed)
  const events = new Events()
  const replies = new Replies()
  const activity = new FlowActivity(createActivityStore(kysely), now)
  const http = httpClientFor(config, metrics.outbound)
  const hashing = {
    sha256: (text: string) => createHash('sha256').update(text).digest('hex'),
    hmacSha256: (text: string, key: string) => createHmac('sha256', key).update(text).digest('hex'),
  }
  const sandbox = createSandbox()
  const tracing = createTracing({ http, version: VERSION, redact: (text) => secrets.redact(text) })
  const warn = (message: string, details: Record<string, unknown>) => log.warn(details, message)
  const oauth = createOAuthClient(http)
  const tokens = new AccessTokens({
    connections,
    grants: announcedGrants(createGrantStore(kysely, vault), changed),
    oauth,
    now,
    elapsedMs: () => performance.now(),
    sleep,
    alone: !shared,
    redact: (value) => secrets.redact(value),
    warn,
  })
  const memory = new RunMemory(config.bodyMemoryBytes)
  const watch = new LoopWatch({ held: reportHeld(metrics, log) })
  const enginePorts: EnginePorts = {
    journal: hot.journal,
    http,
    sandbox,
    tracing: tracing.runs,
    now,
    random: Math.random,
    hashing,
    env: config.env,
    connections: {
      fields: connections.fields,
      checkHost: (url, texts, named) => connections.checkHost(url, texts, named),
      accessToken: (name) => tokens.accessToken(name),
      renewed: (name, refused) => tokens.renewed(name, refused),
      refusedAgain: (name, token) => tokens.refusedAgain(name, token),
    },
    holdsSecret: secrets.holds,
    sleepUntil: (time) => sleepUntil(time, now),
    redactReply: (value, run) => secrets.redactReply(value, run.flowId, () => JSON.stringify(run.webhook)),
    reply: (run, reply) => dispatcher.reply(run, reply),
    replyRefused: ({ flowId }, reason) => warn(DEFAULT_SENT, { flowId, reason }),
    begins: (what, runId) => watch.begin(what, runId),
    replyRoom: memory,
    progressed(run, progress) {
      metrics.stepsRecorded(progress.entries)
      if (progress.finishedAt !== null) {
        metrics.runFinished(progress.status)
        if (progress.status === 'failed' && !run.test) activity.failed(run.flowId)
      }
      announce(events, secrets, run, progress, relay)
    },
    async storageTrouble(error) {
      metrics.storageFailed()
      log.error({ reason: (error as Error).message }, 'the database cannot be written; runs wait and try again')
      await new Promise((resolve) => setTimeout(resolve, STORAGE_RETRY_MS))
    },
    bug: (error, run) => log.error({ err: error, runId: run.id }, 'a step failed by a fault of Millrace'),
  }
  const engine = new Engine(enginePorts, published)
  const signalHandler: SignalHandler = {
    hear: (signal) => hearing?.hear(signal),
    catchUp: async (changes) => hearing?.catchUp(changes),
    resumed: () => hearing?.resumed(),
  }
  const dispatcher = backend.dispatcher({ engine, published, runs, replies, signalHandler, memory, log })
  const { queue } = dispatcher
  const ids = createIds(now, randomBytes)
  const audit = new Audit({
    store: createAuditStore(kysely),
    ids,
    now,
    redact: (value) => secrets.redact(value),
    together,
  })
  const access: Access = {
    users: createUserStore(kysely),
    sessions: createSessionStore(kysely),
    invitations: createInvitationStore(kysely),
    tokens: new ApiTokens(
      createTokenStore(kysely),
      together,
      (error) => log.error({ err: error }, "a token's last use could not be noted"),
      shared,
    ),
    passwords: createPasswords(),
    setUp: shared ? new SetUpCode(vault.derive('set-up')) : new SetUpCode(),
    devices: new KnownDevices(vault.derive('known-devices')),
    attempts: new SignInAttempts(),
  }
  const deliveries = { ...createDeliveryStore(kysely), add: hot.addDelivery }
  const bodies = new BodyBudget(config.bodyMemoryBytes)
  const services: Services = {
    flows,
    flowSources: createFlowSourceStore(kysely),
    runs,
    deliveries,
    samples: createSampleStore(kysely, protect),
    housekeeping: createHousekeeping(kysely),
    backups: backend.backups,
    audit,
    access,
    secrets,
    connections,
    connectionStore,
    authorizationRequests: createAuthorizationRequestStore(kysely, vault),
    oauth,
    tokens,
    keyRotation: createKeyRotation(backend.sealedRows(), vault),
    published,
    engine,
    enginePorts,
    queue,
    signals,
    replies,
    events,
    meters: metrics,
    activity,
    watch,
    rate: new RateLimit(config.webhookRate),
    intake: new Intake(backend.settleWritten),
    bodies,
    rejections: new KeptRejections(deliveries),
    kinds: stepKinds,
    surroundings: () => ({ connections: connections.shapes(), env: new Set(Object.keys(config.env)) }),
    hashing,
    env: config.env,
    ids,
    now,
    baseUrl: config.baseUrl,
    webhookBaseUrl: config.webhookBaseUrl,
    maxBodyBytes: config.maxBodyBytes,
    maxQueue: config.maxQueue,
    warn,
  }
  const relay = shared ? new EventRelay(services, eventViews(services)) : null
  const hearing =
    relay &&
    createSignalHandler(services, relay, {
      flowChanged: (flowId) => published.readFlow(flowId),
      flowDeleted: (flowId) => flowWasDeleted(services, flowId),
      runCancelled: (runId) => endCancelled(services, runId),
      connectionsChanged: () => loadConnections(services),
      anyFlowChanged: () => published.load(),
    })

  metrics.watch({
    queued: () => queue.size,
    oldestQueuedSeconds: () => (queue.oldestSince === null ? 0 : Math.max(0, now() - queue.oldestSince) / 1000),
    running: () => engine.active,
    outbound: () => http.stats().inFlight,
    bodyBytes: () => bodies.held,
    databaseUp: async () => (await backend.fault()) === null,
  })
  await loadConnections(services)
  await published.load()
  await access.tokens.reload()
  const server = await createServer({
    services,
    adminToken: config.adminToken,
    metrics,
    tracing: tracing.deliveries,
    fault: backend.fault,
    healthOnly: config.role === 'worker',
    // A server of the command line's own has no name that anybody could ask for.
    webhooksApart: !idle && config.webhookBaseUrl !== config.baseUrl,
    trustProxy: config.trustProxy,
    settings: settingsOf(config),
    flowSchema: flowSchema(stepKinds),
    uiFolder: fileURLToPath(packageFile('web/dist')),
    onBug: (error, route) => log.error({ err: error, route }, 'a request failed by a fault of Millrace'),
  })
  const recovered = idle ? 0 : await dispatcher.recover()
  const listening = await listen(server.fastify, config.host, config.port, sockets.count)
  const localUrl = localUrlOf(listening.address)
  const stopping = new AbortController()
  const counting = setInterval(() => void writeActivity(activity, log), ACTIVITY_EVERY_MS)
  let housekeeping = Promise.resolve()
  if (!idle) {
    watch.start()
    dispatcher.start()
    housekeeping = keepHouseRegularly(services, config.retentionDays, stopping.signal, log)
    if (backend.kind === 'sqlite') noteAddress(config.dataDir, localUrl)
  } else if (backend.kind === 'sqlite') forgetAddress(config.dataDir)
  if (!(await access.users.isSetUp()))
    log.warn(`There is no owner yet. Make the first one at ${config.baseUrl}/setup#code=${access.setUp.code}`)
  if (sockets.limitedBy !== null)
    log.warn(
      { openFiles: sockets.limitedBy, sockets: sockets.count },
      'few files may be open at once: bursts of new connections are let in more slowly, and connections are refused sooner. Raise the limit (ulimit -n, LimitNOFILE)',
    )
  log.info({ url: config.baseUrl, dataDir: config.dataDir, recovered }, `Millrace ${VERSION} is ready`)
  return {
    url: config.baseUrl,
    localUrl,
    async stop() {
      stopping.abort()
      dispatcher.stop()
      await stopServing(server, listening, replies, () => engine.stop(FINISH_GRACE_MS))
      // What a token endpoint has given must be written down.
      await Promise.race([tokens.stop(), sleep(TOKEN_GRACE_MS)])
      await Promise.race([flushTraces(tracing, log), sleep(TRACE_GRACE_MS)])
      await http.close()
      await sandbox.close()
      await housekeeping
      clearInterval(counting)
      watch.stop()
      relay?.stop()
      await writeActivity(activity, log)
      await services.keyRotation.stop()
      await dispatcher.leave()
      if (backend.kind === 'sqlite') forgetAddress(config.dataDir)
      await backend.close()
      log.info('Millrace has stopped')
    },
  }
}

const eventViews = (services: Services): EventViews => ({
  delivery: shownEntry(services),
  sample: shown(services),
  step: (entry, flowId) => stepView(entry, (value) => services.secrets.redact(value, flowId)),
})

async function openBackend(config: Config, onCommit: (seconds: number, writes: number) => void): Promise<Backend> {
  const { databaseUrl } = config
  return databaseUrl === null ? openOnSqlite(config, onCommit) : openOnPostgres({ ...config, databaseUrl }, onCommit)
}

function ownEndpoints({ host, port, databaseUrl }: Config): { host: string; port: number }[] {
  const database = databaseUrl === null ? null : databaseEndpoint(databaseUrl)
  return [{ host, port }, ...(database ? [database] : [])]
}

const httpClientFor = (config: Config, meter?: HttpClientOptions['meter']) =>
  createHttpClient({
    meter,
    allow: config.egressAllow,
    own: {
      origin: config.baseUrl,
      webhookOrigin: config.webhookBaseUrl,
      webhookPrefix: '/api/v1/webhooks/',
      hopHeader: HOP_HEADER,
      endpoints: ownEndpoints(config),
    },
    concurrency: config.httpConcurrency,
    perHost: config.httpPerHost,
  })

/** Sends one request as a flow would; rejects with the client's OutboundError. */
export async function probe(config: Config, url: string, timeoutMs: number): Promise<{ status: number }> {
  const client = httpClientFor(config)
  const request = {
    method: 'GET',
    url,
    headers: [],
    body: null,
    timeoutMs,
    followRedirects: true,
    hops: 0,
    signal: null,
  }
  try {
    return await client.send(request)
  } finally {
    await client.close()
  }
}

const settingsOf = (config: Config) => ({
  version: VERSION,
  baseUrl: config.baseUrl,
  webhookBaseUrl: config.webhookBaseUrl,
  storage: config.databaseUrl === null ? ('sqlite' as const) : ('postgres' as const),
  limits: {
    maxBodyBytes: config.maxBodyBytes,
    webhookRate: config.webhookRate,
    maxQueue: config.maxQueue,
    concurrency: config.concurrency,
    httpConcurrency: config.httpConcurrency,
    httpPerHost: config.httpPerHost,
    retentionDays: config.retentionDays,
  },
  egressAllow: config.egressAllow,
  env: Object.keys(config.env),
})

/** Beside the service, which may be running: it finds the sessions ended at their next request. */
export async function resetPassword(config: Config, email: string, password: string): Promise<void> {
  const { kysely, together, close } = config.databaseUrl
    ? await openPostgres(config.databaseUrl)
    : openBeside(config.dataDir)
  const audit = new Audit({
    store: createAuditStore(kysely),
    ids: createIds(Date.now, randomBytes),
    now: Date.now,
    redact: (value) => value,
    together,
  })
  try {
    await setNewPassword({ users: createUserStore(kysely), passwords: createPasswords(), audit }, email, password)
  } finally {
    await close()
  }
}

/** Brings the database to this version's schema; resolves with what it is called. */
export async function migrateDatabase({ databaseUrl, dataDir }: Config): Promise<string> {
  const { close } = databaseUrl ? await openPostgres(databaseUrl) : await openSqlite(dataDir)
  await close()
  return databaseUrl ? 'the database of DATABASE_URL' : `the database in ${dataDir}`
}

/** Moves all that the data folder holds to PostgreSQL; the folder stays as it is. The numbers of rows, by table. */
export async function transferToPostgres(config: Config & { databaseUrl: string }): Promise<Record<string, number>> {
  const fault = folderFault(config.dataDir, { made: false })
  if (fault !== null) throw new DatabaseRefused(`The database in ${config.dataDir} cannot be used: ${fault}.`)
  if (!holdsDatabase(config.dataDir))
    throw new DatabaseRefused(`There is no database in ${config.dataDir}. Set MILLRACE_DATA_DIR to its folder.`)
  const from = await openSqlite(config.dataDir)
  try {
    // A key that does not fit is better found now than by the first process that is started afterwards.
    await openVault(config.secretKeys, config.dataDir, createVaultRecords(from.kysely))
    const to = await openPostgres(config.databaseUrl)
    try {
      return await transfer(from, to)
    } finally {
      await to.close()
    }
  } finally {
    await from.close()
  }
}

const createKeyRotation = (rows: SealedRows, vault: Vault): KeyRotation =>
  new KeyRotation({
    rows,
    keyIds: vault.keyIds,
    reseal: (sealed, binding) => vault.reseal(sealed, binding),
    sleep,
  })

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Whoever listens on every address is reached on the loopback one. */
function localUrlOf({ address, port, family }: AddressInfo): string {
  if (address === '0.0.0.0') return `http://127.0.0.1:${port}`
  if (address === '::') return `http://[::1]:${port}`
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

function sleepUntil(time: number, now: () => number): { done: Promise<void>; end(): void } {
  let timer: NodeJS.Timeout | undefined
  const done = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, time - now()), LONGEST_SLEEP_MS))
  })
  return { done, end: () => clearTimeout(timer) }
}

/** No new requests; those under way get their answers while the runs finish; then whoever hangs is cut off. */
async function stopServing(
  server: Server,
  listening: Listening,
  replies: Replies,
  finishRuns: () => Promise<void>,
): Promise<void> {
  server.streams.endAll()
  const closed = listening.close()
  await finishRuns()
  replies.releaseAll()
  const cutOff = setTimeout(() => server.fastify.server.closeAllConnections(), 1000)
  await closed
  clearTimeout(cutOff)
}

/** One line in ten seconds says enough. */
function reportHeld(metrics: Metrics, log: Logger): (ms: number, last: string, runId: string | null) => void {
  let silentUntil = 0
  let unsaid = 0
  return (ms, last, runId) => {
    metrics.loopHeld(ms)
    const now = performance.now()
    if (now < silentUntil) {
      unsaid++
      return
    }
    silentUntil = now + SILENT_MS
    const details = { heldMs: Math.round(ms), last, ...(runId && { runId }), ...(unsaid && { unsaid }) }
    log.warn(details, 'the event loop was held')
    unsaid = 0
  }
}

async function flushTraces(tracing: Tracing, log: Logger): Promise<void> {
  await tracing.flush().catch((error) => log.warn({ reason: (error as Error).message }, 'the last spans were not sent'))
}

async function writeActivity(activity: FlowActivity, log: Logger): Promise<void> {
  await activity.write().catch((error) => {
    log.warn({ reason: (error as Error).message }, 'the counts of the last seconds are missing in the charts')
  })
}

async function keepHouseRegularly(
  services: Services,
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

function announce(
  events: Events,
  { redact }: Secrets,
  run: ClaimedRun,
  progress: RunProgress,
  relay: EventRelay | null,
): void {
  const state = (): FlowEvent => runEvent(run, { ...progress, error: redact(progress.error, run.flowId) })
  const topic = runTopic(run.id)
  if (events.watched(topic)) {
    const steps = progress.entries.filter(({ kind }) => kind !== ROUND)
    for (const entry of steps)
      events.emit(topic, {
        type: 'step',
        data: stepView(withoutLargeParts(entry), (value) => redact(value, run.flowId)),
      })
    events.emit(topic, state())
    relay?.told(run.id, steps, progress)
  }
  events.tell(run.flowId, 'run', run.id, state)
}

function createLog({ logLevel }: Config, output: DestinationStream, redactor: Redactor): Logger {
  const options = { level: logLevel, base: undefined, timestamp: pino.stdTimeFunctions.isoTime }
  return pino(options, { write: (line) => output.write(redactor.redactJsonText(line)) })
}

/** JSON lines, or on a terminal lines for people. */
function standardOutput(): DestinationStream {
  if (!process.stdout.isTTY) return pino.destination({ dest: 1, sync: true })
  const options = { translateTime: 'SYS:HH:MM:ss', ignore: 'pid,hostname' }
  return pino.transport({ target: 'pino-pretty', options }) as DestinationStream
}
