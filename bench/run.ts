// npm run bench [-- --rounds 3 --seconds 8 --connections 1,16,64 --only A,B --bytes 64000 --profile --peers --postgres --workers 0,1,2]
// Measures Millrace beside the bare and the durable floor, in alternate rounds on this machine; ratios are taken within a round.
import { type ChildProcess, execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type PostgresServer, startPostgres } from '../test/harness/postgres.ts'
import { FLOW_A, FLOW_C, flowB } from './flows.ts'
import { temporaryFolder } from './folder.ts'
import { EVENT, familyOf, load, type Parts, SERVE, settle } from './load.ts'
import { startNodeRed } from './peers/node-red.ts'
import { circumstances, heading, median, type Row, table } from './report.ts'
import { endAll, spawnScript } from './service.ts'
import { startTimes } from './start.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warm: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,16,64' },
    only: { type: 'string', default: 'A,B,C' },
    // Posts an event with so many items more that it has at least this size.
    bytes: { type: 'string' },
    profile: { type: 'boolean', default: false },
    // Measures Node-RED too, which is installed from npm into a temporary folder.
    peers: { type: 'boolean', default: false },
    // Measures PostgreSQL too: with one process, and with one that takes deliveries and `workers` that run them.
    postgres: { type: 'boolean', default: false },
    workers: { type: 'string', default: '0,1,2' },
  },
})

const TOKEN = 'benchmark-token-0123456789'
const PORTS = { upstream: 9391, floor: 9392, durable: 9389, nodeRed: 9387, millrace: 9393 }
const upstreamUrl = `http://127.0.0.1:${PORTS.upstream}`
const scenarios = options.only.split(',')
const results = join(import.meta.dirname, 'results')

const FLOWS: Record<string, object> = { A: FLOW_A, B: flowB(upstreamUrl), C: FLOW_C }

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

/** A target of load, with the URLs of the scenarios that it has, and its processes. */
interface Target {
  name: string
  urls: Map<string, string>
  parts: Parts
}

const one = (child: ChildProcess) => () => [child.pid!]

let nextPort = PORTS.millrace

async function startMillrace(environment: Record<string, string>): Promise<{ child: ChildProcess; base: string }> {
  const port = String(nextPort++)
  const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${results}`] : []
  const child = await spawnScript([...profile, ...SERVE], {
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

const paths = (port: number, names: string[]): Map<string, string> =>
  new Map(names.map((name) => [name, `http://127.0.0.1:${port}/${name.toLowerCase()}`]))

async function bareFloor(): Promise<Target> {
  const child = await spawnScript(['bench/floor.ts', String(PORTS.floor), upstreamUrl])
  return { name: 'floor', urls: paths(PORTS.floor, scenarios), parts: { floor: one(child) } }
}

/** Has A alone: B and C would add nothing to it but the work of the bare floor. */
async function durableFloor(): Promise<Target> {
  const child = await spawnScript(['bench/durable-floor.ts', String(PORTS.durable), temporaryFolder()])
  const urls = paths(
    PORTS.durable,
    scenarios.filter((name) => name === 'A'),
  )
  return { name: 'durable', urls, parts: { durable: one(child) } }
}

async function onSqlite(): Promise<Target> {
  const { child, base } = await startMillrace({ MILLRACE_DATA_DIR: temporaryFolder() })
  return { name: 'millrace', urls: await published(base), parts: { millrace: one(child) } }
}

/** `workers` 0: one process does both. */
async function onPostgres(server: PostgresServer, workers: number): Promise<Target> {
  const environment = {
    DATABASE_URL: await server.createEmpty(),
    MILLRACE_SECRET_KEY: Buffer.alloc(32, 1).toString('base64'),
  }
  const database = () => familyOf(server.pid())
  if (workers === 0) {
    const { child, base } = await startMillrace(environment)
    return { name: 'postgres, 1 process', urls: await published(base), parts: { millrace: one(child), database } }
  }
  const web = await startMillrace({ ...environment, MILLRACE_ROLE: 'web' })
  const children: ChildProcess[] = []
  for (let i = 0; i < workers; i++)
    children.push((await startMillrace({ ...environment, MILLRACE_ROLE: 'worker' })).child)
  return {
    name: `postgres, 1 web, ${workers} worker${workers > 1 ? 's' : ''}`,
    urls: await published(web.base),
    parts: { web: one(web.child), workers: () => children.map(({ pid }) => pid!), database },
  }
}

/** Returns the file with the event to post. */
function eventFile(): string {
  if (options.bytes === undefined) return EVENT
  const event = JSON.parse(readFileSync(EVENT, 'utf8')) as { items: object[] }
  const [item] = event.items
  const room = Number(options.bytes) - JSON.stringify(event).length
  for (let left = room; left > 0; left -= JSON.stringify(item).length + 1) event.items.push(item!)
  const file = join(temporaryFolder(), 'event.json')
  writeFileSync(file, JSON.stringify(event))
  return file
}

async function main(): Promise<void> {
  try {
    execFileSync('wrk', ['-v'], { stdio: 'ignore' })
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT')
      throw new Error('wrk is missing; install it, for example with: apt-get install wrk')
  }
  mkdirSync(results, { recursive: true })
  const at = circumstances()
  const starts = await startTimes(5)
  console.log(`start to first answered webhook: ${starts.join(', ')} ms`)
  console.log('starting upstream, floors and Millrace ...')
  await spawnScript(['bench/upstream.ts', String(PORTS.upstream)])
  const targets: Target[] = [await bareFloor(), await durableFloor(), await onSqlite()]
  const nodeRed = options.peers ? await startNodeRed(PORTS.nodeRed, upstreamUrl) : null
  for (const { name, port, child } of nodeRed?.variants ?? [])
    targets.push({ name, urls: paths(port, scenarios), parts: { 'node-red': one(child) } })
  const server = options.postgres ? await startPostgres() : null
  if (server)
    for (const workers of options.workers.split(',').map(Number)) targets.push(await onPostgres(server, workers))
  const event = eventFile()
  const rows: Row[] = []
  for (let round = 1; round <= Number(options.rounds); round++)
    for (const scenario of scenarios)
      for (const connections of options.connections.split(',').map(Number))
        for (const { name: target, urls, parts } of targets) {
          const url = urls.get(scenario)
          if (!url) continue
          await load(url, parts, connections, Number(options.warm), event)
          await settle(parts)
          const measured = await load(url, parts, connections, Number(options.seconds), event)
          await settle(parts)
          rows.push({ scenario, connections, target, round, ...measured })
          console.log(
            `round ${round} ${scenario} ${String(connections).padStart(2)} connections ${target.padEnd(8)} ${measured.perSecond} requests/s, p99 ${measured.p99Ms} ms, CPU ${measured.cpuPercent} %, RSS ${measured.rssMb} MB`,
          )
        }
  const report = [
    heading(at),
    '',
    `${options.rounds} rounds of ${options.seconds} s; medians, ratios within a round. Start to first answered webhook: ${median(starts)} ms (${starts[0]} to ${starts.at(-1)}).`,
    ...(nodeRed
      ? ['', `Node-RED ${nodeRed.version}, which stores nothing: as it is installed, and without its editor.`]
      : []),
    ...(server ? ['', 'PostgreSQL, the load and the upstream share the cores with what is measured.'] : []),
    '',
    table(rows),
    '',
  ].join('\n')
  const name = [server && 'postgres', options.bytes && `${options.bytes}-bytes`, process.arch].filter(Boolean).join('-')
  writeFileSync(join(results, `${name}.md`), report)
  writeFileSync(join(results, `${name}.json`), `${JSON.stringify({ ...at, starts, rows }, null, 1)}\n`)
  console.log(`\n${report}`)
  await endAll()
  await server?.stop()
}

try {
  await main()
} catch (error) {
  console.error((error as Error).message)
  process.exitCode = 1
}
process.exit()
