// node bench/soak.ts [--minutes 10 --warm 2]
// Sends A, B and C at half of the capacity for long, without waiting for answers. Growth after the warm-up is a leak.
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { freePort } from '../test/harness/free-port.ts'
import { FLOW_A, FLOW_C, flowB } from './flows.ts'
import { load, rssMb, settle } from './load.ts'
import { type Offered, offer, percentile } from './open-loop.ts'
import { drained, endOf, type Service, sleep, spawnScript, startService } from './service.ts'

const { values: options } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, warm: { type: 'string', default: '2' } },
})
const minutes = Number(options.minutes)
const warmMinutes = Number(options.warm)
const SAMPLE_EVERY_MS = 10_000
const CONNECTIONS = 64

interface Sample {
  minute: number
  rssMb: number
  heapMb: number
  /** Open handles except sockets: senders open more after each pause, and so do runs that then wait for the API. */
  handles: number
  /** Sockets to the API, busy or kept for a minute. */
  outbound: number
  lagMs: number
  queued: number
}

/** Returns the growth per minute, by least squares. */
function slope(samples: Sample[], value: (sample: Sample) => number): number {
  const mean = (of: (sample: Sample) => number) => samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length
  const x = mean(({ minute }) => minute)
  const y = mean(value)
  const over = samples.reduce((sum, sample) => sum + (sample.minute - x) * (value(sample) - y), 0)
  const under = samples.reduce((sum, { minute }) => sum + (minute - x) ** 2, 0)
  return under === 0 ? 0 : over / under
}

async function capacityOf(service: Service, path: string): Promise<number> {
  const processes = { millrace: () => [service.pid] }
  const url = `http://127.0.0.1:${service.port}${path}`
  await load(url, processes, CONNECTIONS, 3)
  await settle(processes)
  const { perSecond } = await load(url, processes, CONNECTIONS, 6)
  await settle(processes)
  return perSecond
}

/** Counts open sockets, by the port at their local or remote end. */
function connectionsOf(pid: number, end: 'here' | 'there', port: number): number {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const ends = end === 'here' ? `${address} \\S+` : `\\S+ ${address}`
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8').match(new RegExp(`^ *\\d+: ${ends} 01 `, 'gm'))?.length ?? 0
}

async function sampleOf(service: Service, begun: number): Promise<Sample> {
  const metrics = await service.metrics()
  const outbound = connectionsOf(service.pid, 'there', upstreamPort)
  return {
    minute: (performance.now() - begun) / 60_000,
    rssMb: rssMb(service.pid),
    heapMb: Math.round(metrics.get('nodejs_heap_size_used_bytes')! / (1 << 20)),
    handles:
      readdirSync(`/proc/${service.pid}/fd`).length - connectionsOf(service.pid, 'here', service.port) - outbound,
    outbound,
    // The value since the previous sample.
    lagMs: metrics.get('nodejs_eventloop_lag_p99_seconds')! * 1000,
    queued: metrics.get('millrace_runs_queued')!,
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'millrace-soak-'))
process.on('exit', () => rmSync(dataDir, { recursive: true, force: true }))
const upstreamPort = await freePort()
const upstream = await spawnScript(['bench/upstream.ts', String(upstreamPort)])
const service = await startService(dataDir)
const flows = { A: FLOW_A, B: flowB(`http://127.0.0.1:${upstreamPort}`), C: FLOW_C }
const offers: { name: string; path: string; capacity: number; perSecond: number }[] = []
for (const [name, document] of Object.entries(flows)) {
  const { path } = await service.publish(document)
  const capacity = await capacityOf(service, path)
  // Each scenario has a third of the time, and uses half of that.
  offers.push({ name, path, capacity, perSecond: capacity / 6 })
  console.log(`${name}: capacity ${capacity} a second, ${Math.round(capacity / 6)} are sent`)
}
await drained(service)

const begun = performance.now()
const samples: Sample[] = []
let over = false
const sampling = (async () => {
  while (!over) {
    const sample = await sampleOf(service, begun)
    samples.push(sample)
    console.log(
      `minute ${sample.minute.toFixed(1)}: RSS ${sample.rssMb} MB, heap ${sample.heapMb} MB, ${sample.handles} handles, ${sample.outbound} connections to the API, lag p99 ${sample.lagMs.toFixed(1)} ms, ${sample.queued} queued`,
    )
    await sleep(SAMPLE_EVERY_MS)
  }
})()
const offered = await Promise.all(
  offers.map(({ path, perSecond }, i) =>
    offer({
      port: service.port,
      path,
      perSecond,
      seconds: minutes * 60,
      firstNumber: 2 + i * 1e9,
      mostSockets: 1000,
      patienceMs: 10_000,
    }),
  ),
)
over = true
await sampling
await service.stop()
await endOf(upstream)

const p99 = ({ acceptedMs }: Offered) => (acceptedMs.length ? percentile(acceptedMs, 0.99).toFixed(0) : '–')
const steady = samples.filter(({ minute }) => minute >= warmMinutes)
const line = (name: string, value: (sample: Sample) => number) => {
  const values = steady.map(value)
  return `| ${name} | ${values[0]?.toFixed(1)} | ${Math.max(...values).toFixed(1)} | ${values.at(-1)?.toFixed(1)} | ${slope(steady, value).toFixed(2)} |`
}
const report = [
  `Node ${process.version}, ${cpus().length} cores, ${process.arch}; ${minutes} minutes, of which ${warmMinutes} of warm-up. Senders share the cores.`,
  '',
  '| flow | capacity/s | sent/s | 2xx | other answers | no answer | p99 ms |',
  '|---|---|---|---|---|---|---|',
  ...offers.map(({ name, capacity, perSecond }, i) => {
    const { acceptedMs, refusedMs, unanswered, broken, notSent } = offered[i]!
    return `| ${name} | ${capacity} | ${Math.round(perSecond)} | ${acceptedMs.length} | ${refusedMs.length} | ${unanswered + broken + notSent} | ${p99(offered[i]!)} |`
  }),
  '',
  '| after the warm-up | first | most | last | growth a minute |',
  '|---|---|---|---|---|',
  line('RSS MB', (sample) => sample.rssMb),
  line('heap MB', (sample) => sample.heapMb),
  line('handles besides connections', (sample) => sample.handles),
  line('connections to the API', (sample) => sample.outbound),
  line('event-loop lag p99 ms', (sample) => sample.lagMs),
  line('queued runs', (sample) => sample.queued),
  '',
].join('\n')
writeFileSync(join(import.meta.dirname, 'results', 'soak.md'), report)
console.log(`\n${report}`)
