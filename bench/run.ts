// npm run bench [-- --rounds 3 --seconds 8 --connections 1,16,64 --only A,B --profile --postgres --workers 0,1,2]
// Measures Millrace beside the bare floor, in alternate rounds on this machine; ratios are taken within a round.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type PostgresServer, startPostgres } from '../test/harness/postgres.ts'
import { FLOW_A, FLOW_C, flowB } from './flows.ts'
import { familyOf, load, type Measured, type Parts, SERVE, settle } from './load.ts'
import { startTimes } from './start.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warm: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,16,64' },
    only: { type: 'string', default: 'A,B,C' },
    profile: { type: 'boolean', default: false },
    // Measures PostgreSQL too: with one process, and with one that takes deliveries and `workers` that run them.
    postgres: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0,1,2' },
  },
})

const TOKEN = 'benchmark-token-0123456789'
const PORTS = { upstream: 9391, floor: 9392, millrace: 9393 }
const upstreamUrl = `http://127.0.0.1:${PORTS.upstream}`
const scenarios = options.only.split(',')
const results = join(import.meta.dirname, 'results')
const children: ChildProcess[] = []

const FLOWS: Record<string, object> = { A: FLOW_A, B: flowB(upstreamUrl), C: FLOW_C }

function start(name: string, args: string[], environment: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  return new Promise((resolve, reject) => {
    child.stdout!.on('data', (chunk) => String(chunk).includes('is ready') && resolve(child))
    child.on('exit', (code) => reject(new Error(`${name} ended with ${code}`)))
  })
}

async function api(
  base: string,
  method: string,
  path: string,
  body?: object,
): Promise<{ id: string; webhook: { id: string } }> {
  const response = await fetch(`${base}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { id: string; webhook: { id: string } }
}

async function publish(base: string, document: object): Promise<string> {
  const flow = await api(base, 'POST', '/flows', document)
  await api(base, 'POST', `/flows/${flow.id}/publish`)
  return `${base}/api/v1/webhooks/${flow.webhook.id}`
}

/** A target of load, and its processes. */
interface Target {
  name: string
  urls: Map<string, string>
  parts: Parts
}

const one = (child: ChildProcess) => () => [child.pid!]

let nextPort = PORTS.millrace

async function startMillrace(
  name: string,
  environment: Record<string, string>,
): Promise<{ child: ChildProcess; base: string }> {
  const port = String(nextPort++)
  const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${results}`] : []
  const child = await start(name, [...profile, ...SERVE], {
    MILLRACE_PORT: port,
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_EGRESS_ALLOW: 'loopback',
    ...environment,
  })
  return { child, base: `http://127.0.0.1:${port}` }
}

async function published(base: string): Promise<Map<string, string>> {
  const urls = new Map<string, string>()
  for (const scenario of scenarios) urls.set(scenario, await publish(base, FLOWS[scenario]!))
  return urls
}

async function onSqlite(dataDir: string): Promise<Target> {
  const { child, base } = await startMillrace('Millrace on SQLite', { MILLRACE_DATA_DIR: dataDir })
  return { name: 'millrace', urls: await published(base), parts: { millrace: one(child) } }
}

/** `workers` 0: one process does both. */
async function onPostgres(server: PostgresServer, workers: number): Promise<Target> {
  const environment = {
    DATABASE_URL: await server.create(),
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  }
  const database = () => familyOf(server.pid())
  if (workers === 0) {
    const { child, base } = await startMillrace('Millrace on PostgreSQL', environment)
    return { name: 'postgres, 1 process', urls: await published(base), parts: { millrace: one(child), database } }
  }
  const web = await startMillrace('web', { ...environment, MILLRACE_ROLE: 'web' })
  const children: ChildProcess[] = []
  for (let i = 0; i < workers; i++)
    children.push((await startMillrace('worker', { ...environment, MILLRACE_ROLE: 'worker' })).child)
  return {
    name: `postgres, 1 web, ${workers} worker${workers > 1 ? 's' : ''}`,
    urls: await published(web.base),
    parts: { web: one(web.child), workers: () => children.map(({ pid }) => pid!), database },
  }
}

interface Row extends Measured {
  scenario: string
  connections: number
  target: string
  round: number
}

function median(numbers: number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  const upper = sorted.length >> 1
  return sorted.length % 2 ? sorted[upper]! : (sorted[upper - 1]! + sorted[upper]!) / 2
}

function table(rows: Row[]): string {
  const lines = [
    '| scenario | connections | target | requests/s | of floor | of floor per CPU-s | p50 ms | p99 ms | CPU % | RSS MB (most) | µs of CPU per request | failed |',
    '|---|---|---|---|---|---|---|---|---|---|---|---|',
  ]
  for (const key of new Set(rows.map((row) => `${row.scenario} ${row.connections} ${row.target}`))) {
    const mine = rows.filter((row) => `${row.scenario} ${row.connections} ${row.target}` === key)
    const first = mine[0]!
    const floorOf = (row: Row) =>
      rows.find(
        (r) =>
          r.target === 'floor' &&
          r.round === row.round &&
          r.scenario === row.scenario &&
          r.connections === row.connections,
      )!
    const of = (pick: (row: Row) => number) => median(mine.map(pick))
    const parts = Object.keys(first.parts).map((part) => `${part} ${Math.round(of((r) => r.parts[part]!))}`)
    lines.push(
      `| ${first.scenario} | ${first.connections} | ${first.target} | ${Math.round(of((r) => r.perSecond))} | ${of((r) => r.perSecond / floorOf(r).perSecond).toFixed(2)} | ${of((r) => r.perCpuSecond / floorOf(r).perCpuSecond).toFixed(2)} | ${of((r) => r.p50Ms).toFixed(2)} | ${of((r) => r.p99Ms).toFixed(1)} | ${Math.round(of((r) => r.cpuPercent))} | ${Math.max(...mine.map((r) => r.rssMb))} | ${parts.join(', ')} | ${mine.reduce((sum, r) => sum + r.failed, 0)} |`,
    )
  }
  return lines.join('\n')
}

async function main(): Promise<void> {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT')
      throw new Error('wrk is missing; install it, for example with: apt-get install wrk')
  }
  mkdirSync(results, { recursive: true })
  const starts = await startTimes(5)
  console.log(`start to first answered webhook: ${starts.join(', ')} ms`)
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  console.log('starting upstream, floor and Millrace ...')
  await start('upstream', ['bench/upstream.ts', String(PORTS.upstream)])
  const floor = await start('floor', ['bench/floor.ts', String(PORTS.floor), upstreamUrl])
  const floorUrls = new Map(scenarios.map((name) => [name, `http://127.0.0.1:${PORTS.floor}/${name.toLowerCase()}`]))
  const targets: Target[] = [{ name: 'floor', urls: floorUrls, parts: { floor: one(floor) } }, await onSqlite(dataDir)]
  const server = options.postgres ? await startPostgres() : null
  if (server)
    for (const workers of options.workers.split(',').map(Number)) targets.push(await onPostgres(server, workers))
  const rows: Row[] = []
  for (let round = 1; round <= Number(options.rounds); round++)
    for (const scenario of scenarios)
      for (const connections of options.connections.split(',').map(Number))
        for (const { name: target, urls, parts } of targets) {
          const url = urls.get(scenario)!
          await load(url, parts, connections, Number(options.warm))
          await settle(parts)
          const measured = await load(url, parts, connections, Number(options.seconds))
          await settle(parts)
          rows.push({ scenario, connections, target, round, ...measured })
          console.log(
            `round ${round} ${scenario} ${String(connections).padStart(2)} connections ${target.padEnd(8)} ${measured.perSecond} requests/s, p99 ${measured.p99Ms} ms, CPU ${measured.cpuPercent} %, RSS ${measured.rssMb} MB`,
          )
        }
  const report = [
    `Node ${process.version}, ${cpus().length} cores, ${process.arch}; ${options.rounds} rounds of ${options.seconds} s; medians, ratios within a round. Start to first answered webhook: ${median(starts)} ms (${starts[0]} to ${starts.at(-1)}).`,
    ...(server ? ['', 'PostgreSQL, the load and the upstream share the cores with what is measured.'] : []),
    '',
    table(rows),
    '',
  ].join('\n')
  const name = server ? 'postgres' : 'latest'
  writeFileSync(join(results, `${name}.md`), report)
  writeFileSync(join(results, `${name}.json`), `${JSON.stringify(rows, null, 1)}\n`)
  console.log(`\n${report}`)
  const exits = children.map((child) => new Promise((resolve) => child.once('exit', resolve)))
  for (const child of children) child.kill('SIGTERM')
  await Promise.all(exits)
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
} finally {
  for (const child of children) child.kill('SIGKILL')
}
