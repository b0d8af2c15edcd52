// Prometheus metrics; labels never hold an id.
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Meters } from '../operations/services.ts'

export interface Metrics extends Meters {
  synced(seconds: number, writes: number): void
  watch(gauges: { queued(): number; running(): number; outbound(): number }): void
  text(): Promise<string>
}

/** `ofProcess` adds those of Node. They observe it until it ends: not for a server that comes and goes in a process. */
export function createMetrics({ ofProcess }: { ofProcess: boolean }): Metrics {
  const registry = new Registry()
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const deliveries = new Counter({
    name: 'millrace_deliveries_total',
    help: 'Webhook deliveries by outcome',
    labelNames: ['outcome', 'code'],
    registers,
  })
  const runs = new Counter({
    name: 'millrace_runs_finished_total',
    help: 'Runs by how they ended',
    labelNames: ['status'],
    registers,
  })
  const syncs = new Histogram({
    name: 'millrace_commit_seconds',
    help: 'Time of one group commit with its sync',
    buckets: [0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.25, 1],
    registers,
  })
  const writes = new Counter({
    name: 'millrace_commit_writes_total',
    help: 'Writes that shared the group commits',
    registers,
  })
  return {
    delivery: (outcome, code) => deliveries.inc({ outcome, code: code ?? '' }),
    runFinished: (status) => runs.inc({ status }),
    synced(seconds, count) {
      syncs.observe(seconds)
      writes.inc(count)
    },
    watch({ queued, running, outbound }) {
      const gauge = (name: string, help: string, read: () => number) =>
        new Gauge({
          name,
          help,
          registers,
          collect() {
            this.set(read())
          },
        })
      gauge('millrace_runs_queued', 'Runs taken on and not begun', queued)
      gauge('millrace_runs_running', 'Runs under way in this process', running)
      gauge('millrace_outbound_in_flight', 'Outbound requests in flight', outbound)
    },
    text: () => registry.metrics(),
  }
}
