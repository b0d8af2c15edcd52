// Wires the engine, the real steps and a database in memory into a runtime for tests of flows, as app/start.ts does for the
// service.
import { hashing } from '../base/hashing.ts'
import { SEALED_PREFIX } from '../base/sealed-prefix.ts'
import { Engine } from '../engine/engine.ts'
import { createIds } from '../engine/ids.ts'
import type { EnginePorts } from '../engine/ports/engine-ports.ts'
import type { Sandbox } from '../engine/ports/sandbox.ts'
import type { FlowDocument } from '../flow/document.ts'
import type { FixtureConnection } from '../flow/fixture.ts'
import type { Issue } from '../flow/issue.ts'
import { mapSecrets } from '../flow/secret-literals.ts'
import { publishIssues, validate } from '../flow/validate/validate.ts'
import { Credentials } from '../operations/connections/credentials.ts'
import { LiveConnections } from '../operations/connections/live-connections.ts'
import { Intake } from '../operations/deliveries/intake.ts'
import { KeptRejections } from '../operations/deliveries/kept-rejections.ts'
import { RateLimit } from '../operations/deliveries/rate-limit.ts'
import { Replies } from '../operations/deliveries/replies.ts'
import type { DeliveryServices } from '../operations/deliveries/services.ts'
import { Events } from '../operations/events/events.ts'
import { PublishedFlows } from '../operations/flows/published-flows.ts'
import { tokenFrom } from '../operations/ports/callbacks/callbacks.ts'
import type { QueuedRun } from '../operations/ports/queue.ts'
import type { Protect, Secrets } from '../operations/ports/secrets.ts'
import { createSandbox } from '../sandbox/worker-pool.ts'
import { stepKinds } from '../steps/index.ts'
import { createMemoryFiles } from '../storage/files/memory-files.ts'
import { openInMemory } from '../storage/sqlite/database.ts'
import { createSqliteRunJournal } from '../storage/sqlite/run-journal.ts'
import { createCallbackStore } from '../storage/stores/callbacks/callback-store.ts'
import { createDeliveryStore } from '../storage/stores/delivery-store.ts'
import { createFlowStore } from '../storage/stores/flow-store.ts'
import { createRunStore } from '../storage/stores/run-store.ts'
import { createSampleStore } from '../storage/stores/sample-store.ts'
import { CalledInTest, CallStubs } from '../testing/call-stubs.ts'
import { CallbackStubs } from '../testing/callback-stubs.ts'
import { fixedTimeSandbox } from '../testing/fixed-time-sandbox.ts'
import { StubClient } from '../testing/stub-client.ts'
import type { TestRuntime } from '../testing/test-runtime.ts'
import { VirtualClock } from '../testing/virtual-clock.ts'
import { callbackPorts } from './callback-ports.ts'
import { senderFiles } from './senders/sender-files.ts'

export interface TestRuntimeSettings {
  startMs: number
  env: Readonly<Record<string, string>>
  config: Readonly<Record<string, string>>
  connections: Readonly<Record<string, FixtureConnection>>
  sandbox: Sandbox
}

/** One sandbox serves all tests, because its workers are slow to start. */
export const openSandbox = createSandbox

/** Replaces sealed values, which only their own server can open. */
const SEALED_STAND_IN = 'sealed-value'
/** Where the callbacks of a test would come in. */
const BASE_URLS = { baseUrl: 'https://millrace.test', webhookBaseUrl: 'https://millrace.test' }
const MAX_BODY_BYTES = 10 * 1024 * 1024
const MAX_FILE_BYTES = 100 * 1024 * 1024

export async function openTestRuntime({
  startMs,
  env,
  config,
  connections: given,
  sandbox,
}: TestRuntimeSettings): Promise<TestRuntime> {
  const clock = new VirtualClock(startMs)
  const { now, sleepUntil } = clock
  const storage = await openInMemory()
  const journal = createSqliteRunJournal(storage, openProtect)
  const runs = { ...createRunStore(storage.kysely), ...journal.runs }
  const flows = createFlowStore(storage.kysely)
  const published = new PublishedFlows(flows, stepKinds, openSecrets, null, false, senderFiles)
  const connections = liveConnections(given, startMs)
  const accessToken = (name: string) => {
    const token = connections.fields[name]?.['accessToken']
    return typeof token === 'string' ? token : `access-token-of-${name}`
  }
  const credentials = new Credentials(connections, accessToken)
  const http = new StubClient()
  const calls = new CallStubs()
  const called = new CalledInTest()
  const answers = new CallbackStubs()
  const selectResumeAt = storage.raw.prepare('SELECT resume_at FROM run WHERE id = ?')
  const resumeAtOf = (id: string) => (selectResumeAt.get(id)?.['resume_at'] ?? null) as number | null
  const replies = new Replies()
  const ids = createIds(now, countingBytes())
  const bugs: unknown[] = []
  const callbacks = createCallbackStore(storage.kysely, {
    ...callbackPorts(BASE_URLS, openProtect, now),
    ids,
    newToken: () => tokenFrom(ids.webhookId()),
  })
  const files = createMemoryFiles(storage.kysely, () => ids.next('blob'), now)
  const enginePorts: EnginePorts = {
    journal,
    files,
    maxFileBytes: MAX_FILE_BYTES,
    callbacks,
    prepareCall: async (run, call) => calls.prepare(run, call, ids, now()),
    failureFlow: () => null,
    alerting: () => false,
    http,
    sandbox: fixedTimeSandbox(sandbox, now),
    tracing: null,
    now,
    // Zero means no jitter: retries wait for the full delay.
    random: () => 0,
    hashing,
    env,
    config,
    connections: {
      fields: connections.fields,
      checkHost: (url, texts, named) => connections.checkHost(url, texts, named),
      fresh: () => null,
      tls: () => null,
      credential: (name) => credentials.of(name, null),
      accessToken,
      renewed: async () => null,
      refusedAgain: () => {},
    },
    holdsSecret: () => false,
    redactReply: (value) => value,
    redact: (value) => value,
    reply: (run, reply) => replies.send(run.id, reply),
    replyRefused: () => {},
    progressed(run, { entries, handler }) {
      for (const { child } of entries) if (child) called.start(run.id, drive(child.run))
      if (handler) driven.push({ id: handler.id, ended: drive(handler) })
    },
    begins: () => {},
    replyRoom: null,
    sleepUntil,
    storageTrouble: (error) => Promise.reject(error),
    bug: (error) => bugs.push(error),
  }
  const engine = new Engine(enginePorts, published)
  /** Carries a run to its end. Time leaps ahead where the run waits. */
  const drive = async ({
    id,
    fresh = null,
    claim,
  }: Pick<QueuedRun, 'id' | 'claim'> & Partial<Pick<QueuedRun, 'fresh'>>): Promise<void> => {
    let advanced = await engine.advance(id, fresh, claim)
    while (advanced.state === 'parked') {
      if (advanced.placeGiven) await answers.next({ ...services, callbacks }, clock, id, resumeAtOf(id))
      else if (advanced.resumeAt === null) await called.ended(id)
      else clock.advanceTo(advanced.resumeAt)
      advanced = await engine.advance(id, null)
    }
  }
  const driven: { id: string; ended: Promise<void> }[] = []
  const surroundings = () => ({
    connections: connections.shapes(),
    env: new Set(Object.keys(env)),
    config: new Set(Object.keys(config)),
    senders: senderFiles,
  })
  const deliveries = { ...createDeliveryStore(storage.kysely, openProtect), add: journal.addDelivery }
  const services: DeliveryServices = {
    flows,
    runs,
    callbacks,
    deliveries,
    audit: { together: storage.together.run },
    samples: createSampleStore(storage.kysely, openProtect),
    secrets: openSecrets,
    connections,
    published,
    queue: {
      size: 0,
      oldestSince: null,
      isSlow: () => false,
      add(run) {
        driven.push({ id: run.id, ended: drive(run) })
        return false
      },
      wake: () => {},
      answered: () => {},
      held: 0,
      heldOf: async () => 0,
      heldAmong: async () => [],
      pause: async () => {},
      resume: async () => {},
      forget: () => {},
      forgetAllOf: () => {},
    },
    replies,
    events: new Events(),
    meters: {
      delivery: () => {},
      runFinished: () => {},
      scheduleStarted: () => {},
      alertSent: () => {},
      callback: () => {},
    },
    rate: new RateLimit(0),
    intake: new Intake(() => {}),
    rejections: new KeptRejections(deliveries),
    alerts: { rejected: () => {}, accepted: () => {} },
    kinds: stepKinds,
    surroundings,
    hashing,
    env,
    config,
    ids,
    now,
    maxBodyBytes: MAX_BODY_BYTES,
    maxFileBytes: MAX_FILE_BYTES,
    files,
    maxQueue: 1,
    maxPaused: 1,
    warn: () => {},
    webhookBaseUrl: BASE_URLS.webhookBaseUrl,
    handOver: async () => 'kept',
  }
  return {
    services,
    clock,
    http,
    calls,
    callbacks: answers,
    bugs,
    async publish(document) {
      const opened = mapSecrets(document, stepKinds, (literal) =>
        literal.startsWith(SEALED_PREFIX) ? SEALED_STAND_IN : literal,
      )
      const issues = publishIssues(validate(opened, stepKinds, surroundings()))
      if (issues.length) return issues
      const { name, trigger } = opened as FlowDocument
      const at = { createdAt: startMs, updatedAt: startMs, updatedBy: null, publishedAt: null, pausedAt: null }
      const state = { revision: 1, version: null, liveTrigger: null, slug: null }
      const flow = { id: ids.next('flow'), webhookId: ids.webhookId(), name, ...state, ...at }
      await flows.create({ ...flow, draft: JSON.stringify(opened) })
      const live = { kind: trigger.kind, schedule: null }
      await flows.publish(flow.id, { revision: 1, publishedAt: startMs, publishedBy: 'test', trigger: live })
      const route = { webhookId: flow.webhookId, flowId: flow.id, version: 1, paused: false }
      published.setRoute(route)
      return route
    },
    endOf: journal.endOf,
    async finished() {
      const ended: string[] = []
      // A run that fails may have begun what is done about it.
      while (driven.length) {
        const some = driven.splice(0)
        await Promise.all(some.map((run) => run.ended))
        ended.push(...some.map(({ id }) => id))
      }
      return ended
    },
    async close() {
      await engine.stop(0)
      await storage.close()
    },
  }
}

/** Only a server knows which connections exist. */
const OF_THE_SERVER = new Set(['unknown_connection'])

/** Returns why a document could not be published, as far as that is known without a server. */
export const checkFlow = (document: unknown): Issue[] =>
  publishIssues(validate(document, stepKinds, { connections: new Map(), env: new Set(), config: new Set() })).filter(
    ({ code }) => !OF_THE_SERVER.has(code),
  )

function liveConnections(given: Readonly<Record<string, FixtureConnection>>, at: number): LiveConnections {
  const connections = new LiveConnections(openSecrets)
  for (const [name, { kind = 'custom', fields, hosts = [] }] of Object.entries(given)) {
    const texts = Object.entries(fields).filter((field): field is [string, string] => typeof field[1] === 'string')
    const secrets = Object.fromEntries(texts)
    const times = { revision: 1, createdAt: at, updatedAt: at, lastTest: null }
    connections.put({ name, kind, fields, secrets, outside: {}, hosts, onlyFor: null, ...times })
  }
  return connections
}

/** Returns the same bytes in each test, so that ids are the same. */
function countingBytes(): (size: number) => Uint8Array {
  let next = 0
  return (size) => Uint8Array.from({ length: size }, () => (next = (next * 31 + 7) % 251))
}

/** Hides nothing: the values of a test are no secrets. */
const openSecrets: Secrets = {
  seal: (literal) => literal,
  unseal: (sealed) => sealed,
  setSource: () => {},
  forget: () => {},
  finder: (values) => (text) => values.some((value) => text.includes(value)),
  touch: () => {},
  holds: () => false,
  redact: (value) => value,
  redactReply: (value) => value,
}

const openProtect: Protect = {
  of: () => openProtect,
  text: (text) => text,
  json: (text) => text,
  seal: (json) => json,
  reveal: (sealed) => sealed,
}
