// node bench/overload.ts [--seconds 60 --times 2 --senders 4000 --sluggards 1000 --only A,B,C,hostile,behind]
// Measures overload: requests at twice the measured capacity, whatever the answers do; then slow senders and hostile uploads
// beside good traffic; then a flow with slow runs. At the end it checks every 2xx in the database.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { freePort } from '../test/harness/free-port.ts'
import { FLOW_A, FLOW_C, flowB, flowBehind } from './flows.ts'
import { startSluggards, startUploads } from './hostile.ts'
import { load, rssMb, settle } from './load.ts'
import { numbered, type Offered, offer, percentile } from './open-loop.ts'
import { drained, endOf, type Service, sleep, spawnScript, startService } from './service.ts'

const { values: options } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    times: { type: 'string', default: '2' },
    // The maximum of sockets, with one request under way on each.
    senders: { type: 'string', default: '4000' },
    sluggards: { type: 'string', default: '1000' },
    only: { type: 'string', default: 'A,B,C,hostile,behind' },
  },
})
const seconds = Number(options.seconds)
const times = Number(options.times)
const parts = options.only.split(',')

const PATIENCE_MS = 10_000
const COME_BACK = [256, 500, 1_000, 2_000]
const COME_BACK_SECONDS = 5
/** The flow that falls behind: 32 runs at once, each of which waits 200 ms for its upstream. */
const BEHIND = { concurrency: 32, upstreamMs: 200, maxQueue: 1000 }
/** The longest time that a slow sender may take, and a little more. */
const CUT_OFF_WITHIN_MS = 130_000

const lines: string[] = []
const say = (line: string) => {
  console.log(line)
  lines.push(line)
}

/** Records what one service answered with 2xx, for comparison with its database. */
class Ledger {
  nextNumber = 2
  readonly accepted: [number: number, runId: string][] = []
  unanswered = 0
}

/** Sends requests and prints the results. */
async function sendTo(
  name: string,
  { port, pid }: { port: number; pid: number },
  path: string,
  perSecond: number,
  firstNumber: number,
): Promise<Offered> {
  const rss: number[] = [rssMb(pid)]
  const watching = setInterval(() => rss.push(rssMb(pid)), 1000)
  const mostSockets = Number(options.senders)
  const offered = await offer({ port, path, perSecond, seconds, firstNumber, mostSockets, patienceMs: PATIENCE_MS })
  clearInterval(watching)
  say(row(name, perSecond, offered, rss))
  return offered
}

async function measure(name: string, service: Service, path: string, perSecond: number, ledger: Ledger): Promise<void> {
  const offered = await sendTo(name, service, path, perSecond, ledger.nextNumber)
  ledger.nextNumber += Math.round(perSecond * seconds)
  // The list is not spread: it may have hundreds of thousands of entries.
  for (const entry of offered.accepted) ledger.accepted.push(entry)
  ledger.unanswered += offered.unanswered + offered.broken
  await drained(service)
}

const HEADING = [
  '| what | due/s | sent/s | 2xx/s | p50 ms | p99 ms | p99 ms of a typical second | most ms | refused/s | p99 ms | no Retry-After | no answer in 10 s | broken | connections | RSS MB first, most, last |',
  '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|',
]

function row(name: string, perSecond: number, offered: Offered, rss: number[]): string {
  const { acceptedMs, acceptedP99Ms, refusedMs, statuses } = offered
  const at = (times: Float64Array, share: number) => (times.length ? percentile(times, share).toFixed(0) : '–')
  const refusals = Object.entries(statuses).filter(([status]) => !status.startsWith('2'))
  const refused = refusals.map(([status, count]) => `${status}: ${Math.round(count / seconds)}`).join(', ') || '0'
  return `| ${[
    name,
    Math.round(perSecond),
    Math.round(offered.sent / seconds),
    Math.round(acceptedMs.length / seconds),
    at(acceptedMs, 0.5),
    at(acceptedMs, 0.99),
    at(Float64Array.from(acceptedP99Ms).sort(), 0.5),
    at(acceptedMs, 1),
    refused,
    at(refusedMs, 0.99),
    offered.withoutRetryAfter,
    offered.unanswered,
    offered.broken,
    offered.sockets,
    `${rss[0]}, ${Math.max(...rss)}, ${rss.at(-1)}`,
  ].join(' | ')} |`
}

/** Checks that every 2xx has its run, with its body, that no delivery has two, and that every accepted run has ended. */
function audit(dataDir: string, { accepted, nextNumber, unanswered }: Ledger): string {
  const db = new DatabaseSync(join(dataDir, 'millrace.db'), { readOnly: true })
  const runs = db
    .prepare(`SELECT id, status, CAST(raw_body AS TEXT) ->> '$.id' AS number FROM run WHERE number <> ?`)
    .all(numbered(1)) as { id: string; status: string; number: string }[]
  db.close()
  const runOf = new Map(runs.map(({ id, number }) => [number, id]))
  const answered = new Set(accepted.map(([number]) => numbered(number)))
  const faults = {
    '2xx without a run of its own': accepted.filter(([number, id]) => !isOf(runOf.get(numbered(number)), id)).length,
    'deliveries with two runs': runs.length - runOf.size,
    'runs that nobody sent': runs.filter(({ number }) => number >= numbered(nextNumber)).length,
    'runs that did not succeed': runs.filter(({ status }) => status !== 'succeeded').length,
  }
  const silent = runs.filter(({ number }) => !answered.has(number)).length
  if (silent > unanswered) throw new Error(`${silent} runs, but only ${unanswered} senders, had no answer`)
  const found = Object.entries(faults).filter(([, count]) => count > 0)
  if (found.length) throw new Error(`faults: ${found.map(([what, count]) => `${count} ${what}`).join(', ')}`)
  return `${accepted.length} deliveries were answered with 2xx and have one run each, which succeeded; ${silent} more were taken on after their sender had gone.`
}

/** A reply that the flow made itself names no run. */
const isOf = (run: string | undefined, named: string) => run !== undefined && (named === '' || named === run)

async function withService(
  environment: Record<string, string>,
  use: (service: Service, ledger: Ledger) => Promise<void>,
): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-overload-'))
  const service = await startService(dataDir, environment)
  const ledger = new Ledger()
  try {
    await use(service, ledger)
    await service.stop()
    say(`\n${audit(dataDir, ledger)}\n`)
  } finally {
    await service.stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

async function capacityOf(service: Service, path: string): Promise<number> {
  const processes = { millrace: () => [service.pid] }
  const url = `http://127.0.0.1:${service.port}${path}`
  await load(url, processes, 64, 4)
  await settle(processes)
  const { perSecond } = await load(url, processes, 64, Math.min(10, seconds))
  await settle(processes)
  return perSecond
}

async function overload(name: string, document: object): Promise<void> {
  await withService({}, async (service, ledger) => {
    const { path } = await service.publish(document)
    const capacity = await capacityOf(service, path)
    say(`### ${name}\n\nCapacity, with 64 connections that wait for their answers: ${capacity} deliveries a second.\n`)
    for (const line of HEADING) say(line)
    await measure('half', service, path, capacity / 2, ledger)
    await measure(`${times} times`, service, path, capacity * times, ledger)
    await measure('half, at once after that', service, path, capacity / 2, ledger)
    await comeBack(service, path)
  })
}

/** Loads with senders that wait for their answers, but not after a refusal: more come at once than the service wants to have in line. */
async function comeBack(service: Service, path: string): Promise<void> {
  say('\nSenders that wait for their answers, and come back at once when they are refused:\n')
  say('| senders | 2xx/s | refused/s | RSS MB |\n|---|---|---|---|')
  const processes = { millrace: () => [service.pid] }
  for (const senders of COME_BACK) {
    const url = `http://127.0.0.1:${service.port}${path}`
    const { perSecond, failed, rssMb } = await load(url, processes, senders, COME_BACK_SECONDS)
    const refused = Math.round(failed / COME_BACK_SECONDS)
    say(`| ${senders} | ${perSecond - refused} | ${refused} | ${rssMb} |`)
    await drained(service)
  }
}

async function hostile(): Promise<void> {
  await withService({}, async (service, ledger) => {
    const { path } = await service.publish(FLOW_A)
    const capacity = await capacityOf(service, path)
    const count = Number(options.sluggards)
    say(`### A beside ${count} slow headers and ${count} slow bodies, and beside hostile uploads\n`)
    for (const line of HEADING) say(line)
    await measure('half, nobody else', service, path, capacity / 2, ledger)
    const sluggards = startSluggards(service.port, path, count)
    await measure('half, beside the slow', service, path, capacity / 2, ledger)
    const begun = performance.now()
    while (sluggards.open() && performance.now() - begun < CUT_OFF_WITHIN_MS) await sleep(500)
    const { header, body } = sluggards.endedAfter
    const between = (times: number[]) =>
      times.length ? `${Math.min(...times).toFixed(0)} to ${Math.max(...times).toFixed(0)} s` : 'never'
    say(
      `\nSlow headers: ${header.length} cut off after ${between(header)}. Slow bodies: ${body.length} cut off after ${between(body)}.\n`,
    )
    sluggards.stop()
    for (const line of HEADING) say(line)
    const uploads = startUploads(service.port, path)
    await measure('half, beside uploads', service, path, capacity / 2, ledger)
    const answers = await uploads.stop()
    say('')
    for (const [name, answer] of answers) say(`- ${name}: expected ${answer}`)
    await drained(service)
    await besideTheFloor(capacity / 2, count)
  })
}

/** Runs the same senders, good and slow, against a bare server: the rest of the difference is the service's. */
async function besideTheFloor(perSecond: number, count: number): Promise<void> {
  const port = await freePort()
  const floor = await spawnScript(['bench/floor.ts', String(port), 'http://127.0.0.1:9'])
  const target = { port, pid: floor.pid! }
  say('')
  for (const line of HEADING) say(line)
  await sendTo('the bare server, nobody else', target, '/a', perSecond, 2)
  const sluggards = startSluggards(port, '/a', count)
  await sendTo('the bare server, beside the slow', target, '/a', perSecond, 2)
  sluggards.stop()
  await endOf(floor)
}

async function behind(): Promise<void> {
  const { concurrency, upstreamMs, maxQueue } = BEHIND
  const upstreamPort = await freePort()
  const upstream = await spawnScript(['bench/upstream.ts', String(upstreamPort), String(upstreamMs)])
  const environment = { MILLRACE_CONCURRENCY: String(concurrency), MILLRACE_MAX_QUEUE: String(maxQueue) }
  await withService(environment, async (service, ledger) => {
    const { path } = await service.publish(flowBehind(`http://127.0.0.1:${upstreamPort}`))
    const capacity = (concurrency * 1000) / upstreamMs
    say(
      `### Runs slower than deliveries\n\n${concurrency} runs at once, ${upstreamMs} ms each: at most ${capacity} a second; MILLRACE_MAX_QUEUE=${maxQueue}.\n`,
    )
    for (const line of HEADING) say(line)
    await measure(`${times} times`, service, path, capacity * times, ledger)
  })
  await endOf(upstream)
}

say(
  `Node ${process.version}, ${cpus().length} cores, ${process.arch}; ${seconds} s each. Senders share the cores with the service.\n`,
)
if (parts.includes('A')) await overload('A', FLOW_A)
if (parts.includes('B')) {
  const port = await freePort()
  const upstream = await spawnScript(['bench/upstream.ts', String(port)])
  await overload('B', flowB(`http://127.0.0.1:${port}`))
  await endOf(upstream)
}
if (parts.includes('C')) await overload('C', FLOW_C)
if (parts.includes('hostile')) await hostile()
if (parts.includes('behind')) await behind()
writeFileSync(join(import.meta.dirname, 'results', `overload-${process.arch}.md`), `${lines.join('\n')}\n`)
