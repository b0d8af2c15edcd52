// Builds what runs flows: the engine with its HTTP client, sandbox and connections, and the queue of runs.
import { randomBytes } from 'node:crypto'
import type { Logger } from 'pino'
import { hashing } from '../base/hashing.ts'
import { sleep } from '../base/waiting.ts'
import { DEFAULT_SENT } from '../engine/caller-reply.ts'
import { Engine } from '../engine/engine.ts'
import { createIds } from '../engine/ids.ts'
import type { EnginePorts } from '../engine/ports/engine-ports.ts'
import { isHandler } from '../engine/ports/run-journal.ts'
import { tagsOf } from '../flow/document.ts'
import { parseJson } from '../flow/json/parse-json.ts'
import type { Metrics } from '../http/metrics.ts'
import { createOAuthClient } from '../oauth/oauth-client.ts'
import { SecondFactorRule } from '../operations/access/two-factor/second-factor-rule.ts'
import { LiveAlerts } from '../operations/alerts/live-alerts.ts'
import { AccessTokens } from '../operations/connections/access-tokens.ts'
import { Credentials } from '../operations/connections/credentials.ts'
import { LiveConnections } from '../operations/connections/live-connections.ts'
import { Replies } from '../operations/deliveries/replies.ts'
import { EventRelay } from '../operations/events/event-relay.ts'
import { Events } from '../operations/events/events.ts'
import { FailureFlow } from '../operations/flows/calls/failure-flow.ts'
import { PublishedFlows } from '../operations/flows/published-flows.ts'
import { CalledRuns } from '../operations/runs/called-runs.ts'
import { LoopWatch } from '../operations/upkeep/loop-watch.ts'
import { openTls } from '../outbound/tls/open-tls.ts'
import { RunMemory } from '../queue/run-memory.ts'
import { createSandbox } from '../sandbox/worker-pool.ts'
import { stepKinds } from '../steps/index.ts'
import { createTracing } from '../tracing/create-tracing.ts'
import { announce, eventViews } from './announce.ts'
import type { Config } from './config.ts'
import type { Stores } from './open-stores.ts'
import { createOutboundClient } from './outbound-client.ts'
import { openOutsideSecrets } from './secrets/outside-secrets.ts'
import { senderFiles } from './senders/sender-files.ts'
import { createProviderClient } from './sign-in/sign-in-services.ts'
import { VERSION } from './version.ts'

const STORAGE_RETRY_MS = 1000
const SILENT_MS = 10_000
/** The wall clock may jump, so a sleeper wakes and checks it at least this often. */
const LONGEST_SLEEP_MS = 60_000

export type Running = ReturnType<typeof buildEngine>

export function buildEngine(config: Config, stores: Stores, metrics: Metrics, log: Logger) {
  const { backend, secrets } = stores
  const { now, signals } = backend
  const shared = backend.kind === 'postgres'
  const warn = (message: string, details: Record<string, unknown>) => log.warn(details, message)
  const http = createOutboundClient(config, metrics.outbound)
  const providerHttp = createProviderClient(config)
  const tracing = createTracing({ http, version: VERSION, redact: (text) => secrets.redact(text) })
  const outside = openOutsideSecrets(config)
  const tagsOfFlow = async (flowId: string) => tagsOf(parseJson((await stores.flows.get(flowId))?.draft ?? '{}'))
  const connections = new LiveConnections(secrets, outside, openTls, tagsOfFlow)
  const isSecretField = (name: string, field: string) => connections.isSecretField(name, field)
  const published = new PublishedFlows(stores.flows, stepKinds, secrets, isSecretField, shared, senderFiles)
  connections.whenKindChanges(() => published.compileAnew())
  const oauth = createOAuthClient(http)
  const tokens = new AccessTokens({
    connections,
    grants: stores.grants,
    oauth,
    now,
    elapsedMs: () => performance.now(),
    sleep,
    alone: !shared,
    redact: (value) => secrets.redact(value),
    warn,
  })
  const watch = new LoopWatch({ held: reportHeld(metrics, log) })
  const memory = new RunMemory(config.bodyMemoryBytes)
  const replies = new Replies()
  const events = new Events()
  const relay = shared ? new EventRelay({ ...stores, events, signals, warn }, eventViews(secrets)) : null
  const sandbox = createSandbox()
  const ids = createIds(now, randomBytes)
  const failureFlow = new FailureFlow(stores.settings)
  const secondFactorRule = new SecondFactorRule(stores.settings)
  const alerts = new LiveAlerts(
    stores.alerts,
    now,
    shared ? (flowId) => signals.send({ topic: 'failing', flowId }) : null,
  )
  const calls = new CalledRuns({
    published,
    ids,
    hashing,
    config: config.variables,
    secrets,
    now,
    events,
    maxPaused: config.maxPaused,
  })
  const parts = { config, stores, metrics, log, http, tracing, connections, tokens, sandbox, failureFlow, alerts }
  const ports = enginePorts({
    ...parts,
    watch,
    memory,
    events,
    relay,
    calls,
    reply: backend.sendsReplies(replies, log),
  })
  const engine = new Engine(ports, published)
  return {
    ...parts,
    providerHttp,
    secondFactorRule,
    ids,
    calls,
    warn,
    oauth,
    outside,
    published,
    watch,
    memory,
    replies,
    events,
    relay,
    ports,
    engine,
  }
}

interface EngineParts {
  config: Config
  stores: Stores
  metrics: Metrics
  log: Logger
  http: EnginePorts['http']
  sandbox: EnginePorts['sandbox']
  tracing: { runs: EnginePorts['tracing'] }
  connections: LiveConnections
  tokens: AccessTokens
  watch: LoopWatch
  memory: RunMemory
  events: Events
  relay: EventRelay | null
  calls: CalledRuns
  failureFlow: FailureFlow
  alerts: LiveAlerts
  reply: EnginePorts['reply']
}

function enginePorts(parts: EngineParts): EnginePorts {
  const { stores, metrics, log, connections, tokens, watch } = parts
  const { secrets, backend } = stores
  const credentials = new Credentials(connections, (name) => tokens.accessToken(name))
  return {
    journal: stores.journal,
    callbacks: {
      ...stores.callbacks,
      async timeOut(id) {
        const ended = await stores.callbacks.timeOut(id)
        if (ended) metrics.callback('timedOut')
        return ended
      },
    },
    prepareCall: (run, call) => parts.calls.prepare(run, call),
    failureFlow: (flowId) => parts.failureFlow.for(flowId),
    alerting: ({ flowId, test, trigger }, status) =>
      !test && !trigger.forFailure && parts.alerts.concernsEnd(flowId, status),
    files: stores.files,
    maxFileBytes: parts.config.maxFileBytes,
    http: parts.http,
    sandbox: parts.sandbox,
    tracing: parts.tracing.runs,
    now: backend.now,
    random: Math.random,
    hashing,
    env: parts.config.env,
    config: parts.config.variables,
    connections: {
      fields: connections.fields,
      checkHost: (url, texts, named) => connections.checkHost(url, texts, named),
      fresh: (names, flowId) => connections.fresh(names, flowId),
      tls: (name, flowId) => connections.tls(name, flowId),
      credential: (name, flowId) => credentials.of(name, flowId),
      accessToken: (name) => tokens.accessToken(name),
      renewed: (name, refused) => tokens.renewed(name, refused),
      refusedAgain: (name, token) => tokens.refusedAgain(name, token),
    },
    holdsSecret: secrets.holds,
    sleepUntil: (time) => sleepUntil(time, backend.now),
    redactReply: (value, run) => secrets.redactReply(value, run.flowId, () => JSON.stringify(run.webhook ?? run.given)),
    redact: secrets.redact,
    reply: parts.reply,
    replyRefused: ({ flowId }, reason) => log.warn({ flowId, reason }, DEFAULT_SENT),
    begins: (what, runId) => watch.begin(what, runId),
    replyRoom: parts.memory,
    progressed(run, progress) {
      metrics.stepsRecorded(progress.entries)
      if (progress.finishedAt !== null && !isHandler(run)) metrics.runFinished(progress.status)
      announce(parts.events, secrets, run, progress, parts.relay)
      parts.calls.progressed(run, progress)
      if (progress.alerting) parts.alerts.ended(run.flowId)
    },
    async storageTrouble(error) {
      metrics.storageFailed()
      log.error({ reason: (error as Error).message }, 'the database cannot be written; runs wait and try again')
      await sleep(STORAGE_RETRY_MS)
    },
    bug: (error, run) => log.error({ err: error, runId: run.id }, 'a step failed by a fault of Millrace'),
  }
}

function sleepUntil(time: number, now: () => number): { done: Promise<void>; end(): void } {
  let timer: NodeJS.Timeout | undefined
  const done = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(Math.max(0, time - now()), LONGEST_SLEEP_MS))
  })
  return { done, end: () => clearTimeout(timer) }
}

/** Returns a reporter that logs at most one line in ten seconds. */
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
