// What the contracts of the stores share: the stores under test, a clock, and the records that tests make.
import { createIds } from '../../engine/ids.ts'
import {
  type JournalEntry,
  type NewRun,
  type RunJournal,
  type RunProgress,
  startedByDelivery,
} from '../../engine/ports/run-journal.ts'
import { collectPairs, type WebhookData } from '../../engine/webhook-data.ts'
import type { DeliveryStore, SampleStore } from '../../operations/ports/deliveries.ts'
import type { FlowRecord, FlowStore } from '../../operations/ports/flows.ts'
import type { RunStore } from '../../operations/ports/runs.ts'
import type { StatsStore } from '../../operations/ports/stats.ts'
import type { Housekeeping, VaultRecords } from '../../operations/ports/upkeep.ts'

export interface Stores {
  flows: FlowStore
  runs: RunStore
  journal: RunJournal
  deliveries: DeliveryStore
  samples: SampleStore
  housekeeping: Housekeeping
  stats: StatsStore
  vaultRecords: VaultRecords
  close(): Promise<void>
}

/** The secret that the stores under test must hide. */
export const STORE_SECRET = 'c4nary "of" the stores'

/** The time of the tests, which they move on. */
export const storeClock = { time: Date.UTC(2026, 0, 1) }
let counter = 0
export const ids = createIds(
  () => storeClock.time,
  (size) => new Uint8Array(size).map(() => (counter = (counter * 31 + 7) % 251)),
)

export function webhook(body: unknown): WebhookData {
  return {
    body,
    headers: Object.assign(Object.create(null), { 'content-type': 'application/json' }),
    query: Object.assign(Object.create(null), { a: '2' }),
    queryAll: collectPairs([
      ['a', '1'],
      ['a', '2'],
    ]),
    rawBody: JSON.stringify(body),
    metadata: {
      requestId: 'req_1',
      receivedAt: new Date(storeClock.time).toISOString(),
      method: 'POST',
      path: '/api/v1/webhooks/x',
      ip: '127.0.0.1',
      userAgent: null,
      contentType: 'application/json',
      contentLength: 1,
      test: false,
    },
  }
}

/** A trigger that goes live and is no schedule. */
export const BY_WEBHOOK = { kind: 'webhook', schedule: null }

export const newFlow = (change: Partial<FlowRecord> = {}): FlowRecord => ({
  id: ids.next('flow'),
  name: 'A flow',
  draft: '{"name":"A flow","trigger":{"kind":"webhook"},"steps":[]}',
  revision: 1,
  webhookId: ids.webhookId(),
  slug: null,
  version: null,
  publishedAt: null,
  liveTrigger: null,
  pausedAt: null,
  createdAt: storeClock.time,
  updatedAt: storeClock.time,
  updatedBy: 'Ada',
  ...change,
})

export const newRun = (flowId: string, change: Partial<NewRun> = {}): NewRun => ({
  id: ids.next('run'),
  flowId,
  version: 1,
  document: null,
  test: false,
  ...startedByDelivery(webhook({ n: 1 })),
  hops: 0,
  replyStatus: 200,
  createdAt: storeClock.time,
  replayOf: null,
  ...change,
})

export const entry = (path: string, change: Partial<JournalEntry> = {}): JournalEntry => ({
  path,
  id: path,
  kind: 'set',
  seq: 1,
  status: 'succeeded',
  attempt: 1,
  attempts: null,
  startedAt: storeClock.time,
  finishedAt: storeClock.time,
  outcome: 'done',
  decision: null,
  resumeAt: null,
  input: null,
  output: { x: 1 },
  error: null,
  logs: null,
  ...change,
})

export const running = { status: 'running', finishedAt: null, resumeAt: null, error: null } as const
export const page = { limit: 50, cursor: null }

/** The progress of a run that has ended. */
export const endedWith = (...entries: JournalEntry[]): RunProgress => ({
  status: 'succeeded',
  startedAt: 2,
  finishedAt: 3,
  resumeAt: null,
  error: null,
  entries,
})
