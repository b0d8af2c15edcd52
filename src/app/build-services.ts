// Builds the services that the operations work with.
import { hashing } from '../base/hashing.ts'
import { sleep } from '../base/waiting.ts'
import { ApiTokens } from '../operations/access/api-tokens.ts'
import { KnownDevices } from '../operations/access/known-devices.ts'
import type { Access } from '../operations/access/services.ts'
import { SetUpCode } from '../operations/access/set-up-code.ts'
import { SignInAttempts } from '../operations/access/sign-in-attempts.ts'
import { Turns } from '../operations/callbacks/turns.ts'
import { keepHandedOver } from '../operations/connections/keep-handed-over.ts'
import { BodyBudget } from '../operations/deliveries/body-budget.ts'
import { Intake } from '../operations/deliveries/intake.ts'
import { KeptRejections } from '../operations/deliveries/kept-rejections.ts'
import { RateLimit } from '../operations/deliveries/rate-limit.ts'
import type { Passwords } from '../operations/ports/access.ts'
import type { Queue } from '../operations/ports/queue.ts'
import { callInTest } from '../operations/runs/call-in-test.ts'
import type { Services } from '../operations/services.ts'
import { Audit } from '../operations/upkeep/audit.ts'
import { KeyRotation } from '../operations/upkeep/key-rotation.ts'
import { openTls } from '../outbound/tls/open-tls.ts'
import { stepKinds } from '../steps/index.ts'
import type { Running } from './build-engine.ts'
import { createMailer } from './mailer.ts'
import { senderFiles } from './senders/sender-files.ts'
import { signInServices } from './sign-in/sign-in-services.ts'
import { VERSION } from './version.ts'

export function buildServices(
  running: Running,
  queue: Queue,
  { scheduleChanged, replaysChanged }: Pick<Services, 'scheduleChanged' | 'replaysChanged'>,
  passwords: Passwords,
): Services {
  const { config, stores, metrics, connections, ports, ids } = running
  const { backend, vault, secrets, deliveries } = stores
  const { now, signals, together } = backend
  const services: Services = {
    flows: stores.flows,
    flowSources: stores.flowSources,
    runs: stores.runs,
    schedules: stores.schedules,
    scheduleChanged,
    failures: stores.failures,
    replays: stores.replays,
    replaysChanged,
    deliveries,
    callbacks: stores.callbacks,
    turns: new Turns(),
    samples: stores.samples,
    files: stores.files,
    housekeeping: stores.housekeeping,
    erasing: stores.erasing,
    backups: backend.backups,
    audit: new Audit({
      store: stores.audit,
      ids,
      now,
      redact: (value) => secrets.redact(value),
      together,
      failed: (error) => running.log.error({ err: error }, 'what was refused could not be recorded; it is tried again'),
    }),
    auditChains: stores.auditChains,
    access: accessOf(running, passwords),
    secrets,
    connections,
    connectionStore: stores.connections,
    authorizationRequests: stores.authorizationRequests,
    oauth: running.oauth,
    openTls,
    tokens: running.tokens,
    keyRotation: new KeyRotation({
      rows: backend.sealedRows(),
      keyIds: vault.keyIds,
      reseal: (sealed, binding) => vault.reseal(sealed, binding),
      sleep,
    }),
    published: running.published,
    engine: running.engine,
    enginePorts: ports,
    queue,
    signals,
    replies: running.replies,
    events: running.events,
    meters: metrics,
    stats: stores.stats,
    failureFlow: running.failureFlow,
    alerts: running.alerts,
    alertStore: stores.alerts,
    alertWindowMs: config.alertWindowMs,
    mailer: createMailer(config),
    instance: {
      version: VERSION,
      storage: backend.kind,
      maxQueue: config.maxQueue,
      fault: backend.fault,
      database: backend.database,
    },
    watch: running.watch,
    rate: new RateLimit(config.webhookRate),
    intake: new Intake(backend.settleWritten),
    bodies: new BodyBudget(config.bodyMemoryBytes),
    rejections: new KeptRejections(deliveries),
    handOver: (connection, field, value) => keepHandedOver(services, connection, field, value),
    kinds: stepKinds,
    surroundings: () => ({
      connections: connections.shapes(),
      env: new Set(Object.keys(config.env)),
      config: new Set(Object.keys(config.variables)),
      senders: senderFiles,
    }),
    hashing,
    env: config.env,
    config: config.variables,
    ids,
    now,
    baseUrl: config.baseUrl,
    webhookBaseUrl: config.webhookBaseUrl,
    maxBodyBytes: config.maxBodyBytes,
    maxFileBytes: config.maxFileBytes,
    maxQueue: config.maxQueue,
    maxPaused: config.maxPaused,
    warn: running.warn,
    callInTest: (tested) => callInTest(services, tested),
  }
  return services
}

function accessOf({ config, stores, log, providerHttp, secondFactorRule }: Running, passwords: Passwords): Access {
  const { backend, vault } = stores
  const shared = backend.kind === 'postgres'
  const unnoted = (error: unknown) => log.error({ err: error }, "a token's last use could not be noted")
  return {
    users: stores.users,
    roles: stores.roles,
    sessions: stores.sessions,
    invitations: stores.invitations,
    tokens: new ApiTokens(stores.tokens, backend.together, unnoted, shared),
    passwords,
    setUp: shared ? new SetUpCode(vault.derive('set-up')) : new SetUpCode(),
    devices: new KnownDevices(vault.derive('known-devices')),
    attempts: new SignInAttempts(),
    ...signInServices(config, stores, providerHttp, secondFactorRule),
  }
}
