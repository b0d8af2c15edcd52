// Prometheus metrics; labels never hold an id.
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { type JournalEntry, ROUND } from '../engine/ports/run-journal.ts'
import type { Meters } from '../operations/ports/basics.ts'
import type { FileFacts } from '../operations/ports/upkeep.ts'
import { Tally } from './tally.ts'
import { type Series, Timings } from './timings.ts'

/** Values that are read for each request of the metrics. */
export interface Gauges {
  queued(): number
  oldestQueuedSeconds(): number
  running(): number
  outbound(): number
  bodyBytes(): number
  databaseUp(): Promise<boolean>
  openFailures(): Promise<number>
  replayJobs(): Promise<number>
  openCallbacks(): Promise<number>
  files(): Promise<FileFacts>
  /** The entries of the audit log that each destination does not have yet. */
  auditMissing(): Promise<ReadonlyMap<string, number>>
}

export interface Metrics extends Meters {
  synced(seconds: number, writes: number): void
  /** The entries of steps that a run has just recorded. */
  stepsRecorded(entries: readonly JournalEntry[]): void
  outbound: { replied(status: number, durationMs: number): void; failed(code: string): void }
  /** The database refused a write of a run, which is tried again. */
  storageFailed(): void
  /** The event loop was blocked for long. */
  loopHeld(ms: number): void
  watch(gauges: Gauges): void
  text(): Promise<string>
}

const COMMIT_BOUNDS = [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25, 1]
const WORK_BOUNDS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
const CLASSES: Record<number, string> = { 2: '2xx', 3: '3xx', 4: '4xx', 5: '5xx' }
/** A database that hangs must not make the metrics hang with it. */
const DATABASE_WITHIN_MS = 2_000

/** `ofProcess` adds the metrics of Node, which the server of a single command leaves out. */
export function createMetrics({ ofProcess }: { ofProcess: boolean }): Metrics {
  const registry = new Registry()
  if (ofProcess) nodeMetrics ??= createNodeMetrics()
  const registers = [registry]
  const deliveries = new Tally({
    registry,
    name: 'millrace_deliveries_total',
    help: 'Webhook deliveries by outcome',
    labels: ['outcome', 'code'],
    labelsOf: pairOf('outcome', 'code'),
    known: ['accepted', 'duplicate', 'filtered', 'rejected overloaded', 'failed unavailable', 'failed internal_error'],
  })
  const runs = new Tally({
    registry,
    name: 'millrace_runs_finished_total',
    help: 'Runs by how they ended',
    labels: ['status'],
    labelsOf: (status) => ({ status }),
    known: ['succeeded', 'failed', 'cancelled'],
  })
  const steps = createStepTimings(registry)
  const alertMessages = new Tally({
    registry,
    name: 'millrace_alert_messages_total',
    help: 'Attempts to send messages of alerts',
    labels: ['outcome'],
    labelsOf: (outcome) => ({ outcome }),
    known: ['sent', 'failed'],
  })
  const callbacks = new Tally({
    registry,
    name: 'millrace_callbacks_ended_total',
    help: 'Callbacks and approvals that were answered, or that nobody answered in time',
    labels: ['end'],
    labelsOf: (end) => ({ end }),
    known: ['answered', 'timed_out'],
  })
  const requests = new Tally({
    registry,
    name: 'millrace_outbound_requests_total',
    help: 'Outbound requests by the class of their final status, or by the reason without a reply',
    labels: ['status', 'error'],
    labelsOf: pairOf('status', 'error'),
    known: ['2xx', '3xx', '4xx', '5xx', 'none connection_timeout'],
  })
  const replies = new Timings({
    registry,
    name: 'millrace_outbound_seconds',
    help: 'Time from the sending of an outbound request to the end of its reply, redirects included',
    bounds: WORK_BOUNDS,
  }).series()
  const syncs = new Timings({
    registry,
    name: 'millrace_commit_seconds',
    help: 'Time of one group commit with its sync',
    bounds: COMMIT_BOUNDS,
  }).series()
  const lateness = new Timings({
    registry,
    name: 'millrace_schedule_lateness_seconds',
    help: 'Time from the planned time of a schedule, with its jitter, to the storing of its run',
    bounds: WORK_BOUNDS,
  }).series()
  const writes = new Counter({
    name: 'millrace_commit_writes_total',
    help: 'Writes that shared the group commits',
    registers,
  })
  const storageFailures = new Counter({
    name: 'millrace_storage_failures_total',
    help: 'Writes of runs that the database refused; they are tried again',
    registers,
  })
  const stalls = new Counter({
    name: 'millrace_event_loop_stalls_total',
    help: 'How often the event loop was blocked for 200 ms or longer; the log says by what',
    registers,
  })
  const longest = new Gauge({
    name: 'millrace_event_loop_longest_stall_seconds',
    help: 'The longest of these stalls since the start',
    registers,
  })
  let longestMs = 0
  return {
    delivery: (outcome, code) => deliveries.add(code === null ? outcome : `${outcome} ${code}`),
    runFinished: (status) => runs.add(status),
    alertSent: (outcome) => alertMessages.add(outcome),
    callback: (end) => callbacks.add(end === 'timedOut' ? 'timed_out' : end),
    scheduleStarted: (lateSeconds) => lateness.observe(lateSeconds),
    stepsRecorded(entries) {
      for (const { kind, status, startedAt, finishedAt } of entries)
        if (finishedAt !== null && kind !== ROUND) steps(kind, status)?.observe((finishedAt - startedAt) / 1000)
    },
    outbound: {
      replied(status, durationMs) {
        requests.add(CLASSES[Math.floor(status / 100)] ?? 'other')
        replies.observe(durationMs / 1000)
      },
      failed: (code) => requests.add(`none ${code}`),
    },
    synced(seconds, count) {
      syncs.observe(seconds)
      writes.inc(count)
    },
    storageFailed: () => storageFailures.inc(),
    loopHeld(ms) {
      stalls.inc()
      longestMs = Math.max(longestMs, ms)
      longest.set(longestMs / 1000)
    },
    watch(gauges) {
      const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
        new Gauge({
          name,
          help,
          registers,
          async collect() {
            this.set(await read())
          },
        })
      gauge('millrace_runs_queued', 'Runs that were accepted and have not begun', gauges.queued)
      gauge(
        'millrace_queue_oldest_seconds',
        'How long the oldest queued run has waited; 0: no run waits',
        gauges.oldestQueuedSeconds,
      )
      gauge('millrace_runs_running', 'Runs under way in this process', gauges.running)
      gauge('millrace_outbound_in_flight', 'Outbound requests in flight', gauges.outbound)
      gauge('millrace_body_bytes', 'Bytes of the bodies that are being received', gauges.bodyBytes)
      gauge('millrace_failures_open', 'Groups of failures that nobody has resolved or muted', () =>
        within(gauges.openFailures(), Number.NaN),
      )
      gauge('millrace_replay_jobs', 'Jobs that replay runs and have not ended', () =>
        within(gauges.replayJobs(), Number.NaN),
      )
      gauge('millrace_callbacks_open', 'Callbacks and approvals that runs wait for', () =>
        within(gauges.openCallbacks(), Number.NaN),
      )
      const ofFiles = (name: string, help: string, read: (facts: FileFacts) => number) =>
        gauge(name, help, () => within(gauges.files().then(read), Number.NaN))
      ofFiles('millrace_files', 'Files that are stored', ({ files }) => files)
      ofFiles('millrace_file_bytes', 'Bytes of the files that are stored', ({ bytes }) => bytes)
      ofFiles('millrace_files_incoming', 'Files that this process is taking in', ({ incoming }) => incoming)
      ofFiles('millrace_files_deleted', 'Files that this process has deleted, since its start', ({ swept }) => swept)
      new Gauge({
        name: 'millrace_audit_undelivered',
        help: 'Entries of the audit log that a destination does not have yet',
        labelNames: ['destination'],
        registers,
        async collect() {
          this.reset()
          for (const [destination, count] of await within(gauges.auditMissing(), new Map()))
            this.set({ destination }, count)
        },
      })
      gauge('millrace_database_up', '1: the database can be reached and written', async () =>
        (await within(gauges.databaseUp(), false)) ? 1 : 0,
      )
    },
    text: async () => (ofProcess ? `${await nodeMetrics!.metrics()}\n` : '') + (await registry.metrics()),
  }
}

/** They observe the process until it ends, so that all services that it starts and stops share them, and none stays in memory for them. */
let nodeMetrics: Registry | null = null

function createNodeMetrics(): Registry {
  const register = new Registry()
  collectDefaultMetrics({ register })
  return register
}

/** A key of one or two words. */
const pairOf = (first: string, second: string) => (key: string) => {
  const [one, two = ''] = key.split(' ') as [string, string?]
  return { [first]: one, [second]: two }
}

/** The timings of a kind's steps that ended in that way; null for what is no end of a step. */
function createStepTimings(registry: Registry): (kind: string, status: JournalEntry['status']) => Series | null {
  const timings = new Timings({
    registry,
    name: 'millrace_step_seconds',
    help: 'Time from the beginning of a step to its end, waits and retries included',
    bounds: WORK_BOUNDS,
  })
  const byKind = new Map<string, { succeeded: Series; failed: Series }>()
  return (kind, status) => {
    if (status !== 'succeeded' && status !== 'failed') return null
    let series = byKind.get(kind)
    if (!series) {
      const of = (ending: string) => timings.series({ kind, status: ending })
      series = { succeeded: of('succeeded'), failed: of('failed') }
      byKind.set(kind, series)
    }
    return series[status]
  }
}

/** Returns the answer of the database; otherwise, if it fails or hangs, what is given. */
async function within<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const tooLate = new Promise<T>((resolve) => {
    timer = setTimeout(resolve, DATABASE_WITHIN_MS, otherwise)
  })
  try {
    return await Promise.race([answer.catch(() => otherwise), tooLate])
  } finally {
    clearTimeout(timer)
  }
}
