// Sets up the engine's tests: runs on a real database, with a clock and an outside world that the test controls.
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { compileFlow } from '../flow/compile-flow.ts'
import type { StepDocument } from '../flow/document.ts'
import { testProtect } from '../secrets/keys.testkit.ts'
import { stepKinds } from '../steps/index.ts'
import { webhook } from '../storage/conformance/stores.testkit.ts'
import { createMemoryFiles } from '../storage/files/memory-files.ts'
import { openSqlite, type SqliteStorage } from '../storage/sqlite/database.ts'
import { createSqliteRunJournal } from '../storage/sqlite/run-journal.ts'
import { createCallbackStore } from '../storage/stores/callbacks/callback-store.ts'
import { createRunStore } from '../storage/stores/run-store.ts'
import { createIds } from './ids.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import { OutboundError, type OutboundReply, type OutboundRequest } from './ports/http-client.ts'
import type { RunStatus } from './ports/run-journal.ts'
import { startedByDelivery } from './ports/run-journal.ts'
import { RunWalk } from './run-walk.ts'
import type { CallerReply } from './step-kind.ts'

/** The state of the world outside of the engine in the current test. */
export const world = {
  time: 1_000_000,
  sent: [] as OutboundRequest[],
  replies: [] as [string, CallerReply][],
  answer: (_request: OutboundRequest): number | 'hang' | 'reset' => 200,
  /** Returns whether this process still holds the run; null if no other process can take it. */
  holds: null as (() => true | Promise<boolean>) | null,
  /** What the connections do in place of what is usual. */
  connections: {} as Partial<EnginePorts['connections']>,
  storageTrouble: noTrouble,
  urls: () => world.sent.map((request) => request.url),
  /** Resolves when `count` requests have left. */
  async requests(count: number) {
    while (world.sent.length < count) await new Promise((resolve) => setImmediate(resolve))
  },
}

async function noTrouble(): Promise<void> {
  throw new Error('no trouble expected')
}

let storage: SqliteStorage

export function useEngine(): void {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-engine-'))
  beforeAll(async () => {
    storage = await openSqlite(folder)
  })
  afterAll(async () => {
    await storage.close()
    rmSync(folder, { recursive: true })
  })
  beforeEach(() => {
    world.sent = []
    world.replies = []
    world.answer = () => 200
    world.holds = null
    world.connections = {}
    world.storageTrouble = noTrouble
  })
}

async function send(request: OutboundRequest): Promise<OutboundReply> {
  world.sent.push(request)
  const status = world.answer(request)
  if (status === 'reset') throw new OutboundError('connection_reset', 'reset', 'try again')
  if (status === 'hang')
    return new Promise((_, reject) => {
      request.signal!.addEventListener('abort', () => reject(new OutboundError('cancelled', 'cancelled', '')))
    })
  const body = new TextEncoder().encode(JSON.stringify({ n: world.sent.length }))
  const headers = { 'content-type': 'application/json' }
  return { status, headers, cookies: [], body, url: request.url, redirects: 0, durationMs: 1 }
}

const ids = createIds(
  () => Date.now(),
  (size) => crypto.getRandomValues(new Uint8Array(size)),
)

/** Creates a run of these steps that can be resumed repeatedly, as after a crash or a wait. */
export async function runOf(steps: object[], trigger: object = {}, body: unknown = {}, flowId = 'flow_x') {
  const journal = createSqliteRunJournal(storage, testProtect())
  const runs = { ...createRunStore(storage.kysely), ...journal.runs }
  const callbacks = createCallbackStore(storage.kysely, {
    protect: testProtect(),
    ids,
    now: () => world.time,
    urlOf: (token) => `https://x.test/${token}`,
    newToken: () => ids.webhookId(),
    digest: (text) => text,
  })
  const ports: EnginePorts = {
    journal: world.holds ? { ...journal, holds: world.holds } : journal,
    callbacks,
    maxFileBytes: 1_000_000,
    files: createMemoryFiles(
      storage.kysely,
      () => ids.next('blob'),
      () => world.time,
    ),
    prepareCall: async () => ({ code: 'not_published', message: 'no call expected' }),
    failureFlow: () => null,
    alerting: () => false,
    http: { send },
    sandbox: { run: () => Promise.reject(new Error('no code expected')) },
    tracing: null,
    now: () => world.time,
    random: () => 0,
    hashing: {
      sha256: (text) => createHash('sha256').update(text).digest('hex'),
      hmacSha256: () => '',
      hmacSha512: () => '',
    },
    env: {},
    config: {},
    connections: {
      fields: {},
      checkHost: () => {},
      fresh: () => null,
      tls: () => null,
      credential: () => ({ kind: 'token', token: 'token' }),
      accessToken: () => 'token',
      renewed: async () => null,
      refusedAgain: () => {},
      ...world.connections,
    },
    holdsSecret: () => false,
    redactReply: (value) => value,
    redact: (value) => value,
    reply: (run, reply) => world.replies.push([run.id, reply]),
    replyRefused: () => {},
    progressed: () => {},
    begins: () => {},
    replyRoom: null,
    sleepUntil: (until) => {
      // The test's clock stands still: a wait in this process ends at once, at the time that it waits for.
      let wake: NodeJS.Immediate
      const done = new Promise<void>((resolve) => {
        wake = setImmediate(() => {
          world.time = Math.max(world.time, until)
          resolve()
        })
      })
      return { done, end: () => clearImmediate(wake) }
    },
    storageTrouble: () => world.storageTrouble(),
    bug: (error) => {
      throw error
    },
  }
  const flow = compileFlow(
    { name: 'F', trigger: { kind: 'webhook', ...trigger }, steps: steps as StepDocument[] },
    stepKinds,
  )
  const id = ids.next('run')
  await runs.accept({
    id,
    flowId,
    version: 1,
    document: null,
    test: false,
    ...startedByDelivery(webhook(body)),
    hops: 0,
    replyStatus: null,
    createdAt: world.time,
    replayOf: null,
  })
  const walk = async () => new RunWalk((await journal.claim(id, world.time))!, flow, ports)
  return {
    id,
    /** The store that the run uses: a test may change what it does. */
    callbacks,
    due: async () => (await runs.due(world.time, 10)).runs.some((run) => run.id === id),
    walk,
    advance: async () => (await walk()).advance(),
    /** Walks until `requests` requests have left, then cuts the walk off as a crash does. */
    async crashAfter(requests: number) {
      const cut = await walk()
      const advancing = cut.advance()
      await world.requests(requests)
      cut.interrupt()
      return advancing
    },
    run: () => runs.get(id),
    steps: () => runs.steps(id),
    step: async (path: string) => (await runs.steps(id)).find((step) => step.path === path),
    cancel: () => runs.cancel(id, world.time, { code: 'cancelled', message: 'cancelled' }),
    statuses: async () => (await runs.steps(id)).map((step) => `${step.path} ${step.status}`),
    status: async (): Promise<RunStatus> => (await runs.get(id))!.status,
  }
}

export const get = (id: string, more: object = {}): StepDocument => ({
  id,
  kind: 'http',
  method: 'GET',
  url: `https://x.test/${id}`,
  ...more,
})
export const set = (id: string, vars: object, more: object = {}): StepDocument => ({ id, kind: 'set', vars, ...more })
export const fail = (id: string, more: object = {}): StepDocument => ({ id, kind: 'fail', message: 'no luck', ...more })
