// node bench/growth.ts [--runs 1000000 --expired 100000 --flows 10000 --steps 10000 --rounds 3 --seconds 6]
// [--only runs,retention,flows,steps] measures what a history costs: A and the lists with a million finished runs beside an
// empty database, retention under load, A and the start with ten thousand flows, and steps in short and long runs.
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { FLOW_A } from './flows.ts'
import { load, rssMb, settle } from './load.ts'
import { openDatabase, seedFlows, seedRuns } from './seed.ts'
import { drained, type Service, sleep, startService } from './service.ts'

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    expired: { type: 'string', default: '100000' },
    flows: { type: 'string', default: '10000' },
    steps: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    only: { type: 'string', default: 'runs,retention,flows,steps' },
  },
})
const parts = options.only.split(',')
const DAY_MS = 86_400_000
const RETENTION_DAYS = 30
/** Housekeeping begins a minute after the start. */
const BEFORE_HOUSEKEEPING_MS = 55_000
const CONNECTIONS = 64
const ASKED = 20

const FAILS = {
  name: 'Fails',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'end', kind: 'fail', message: 'Out of stock' }],
}

const lines: string[] = []
const say = (line: string) => {
  console.log(line)
  lines.push(line)
}
const folders: string[] = []
process.on('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-growth-'))
  folders.push(folder)
  return folder
}

const sorted = (numbers: number[]) => numbers.toSorted((a, b) => a - b)
const median = (numbers: number[]) => sorted(numbers)[numbers.length >> 1]!
const most = (numbers: number[]) => numbers.reduce((a, b) => Math.max(a, b), 0)

/** Measures A's rate at each target, in turn, so that other work on the machine affects all alike. */
async function rates(targets: { name: string; service: Service; path: string }[]): Promise<void> {
  const measured = targets.map(() => ({
    perSecond: [] as number[],
    perCpuSecond: [] as number[],
    ratio: [] as number[],
  }))
  for (let round = 1; round <= Number(options.rounds); round++)
    for (const [i, { name, service, path }] of targets.entries()) {
      const processes = { millrace: () => [service.pid] }
      const url = `http://127.0.0.1:${service.port}${path}`
      await load(url, processes, CONNECTIONS, 2)
      await settle(processes)
      const { perSecond, perCpuSecond, p99Ms } = await load(url, processes, CONNECTIONS, Number(options.seconds))
      await settle(processes)
      console.log(`round ${round} A ${name}: ${perSecond} requests/s, ${perCpuSecond} per CPU-s, p99 ${p99Ms} ms`)
      measured[i]!.perSecond.push(perSecond)
      measured[i]!.perCpuSecond.push(perCpuSecond)
      measured[i]!.ratio.push(perSecond / measured[0]!.perSecond.at(-1)!)
    }
  say(`| A | requests/s | per CPU-s | of the first | RSS MB |\n|---|---|---|---|---|`)
  for (const [i, { name, service }] of targets.entries()) {
    const { perSecond, perCpuSecond, ratio } = measured[i]!
    say(
      `| ${name} | ${median(perSecond)} | ${median(perCpuSecond)} | ${median(ratio).toFixed(2)} | ${rssMb(service.pid)} |`,
    )
  }
}

async function timesOf(service: Service, paths: Record<string, string>): Promise<void> {
  say(`\n| list of 50 | median ms | most ms |\n|---|---|---|`)
  for (const [name, path] of Object.entries(paths)) {
    const times: number[] = []
    for (let i = 0; i <= ASKED; i++) {
      const begun = performance.now()
      await service.call('GET', path)
      times.push(performance.now() - begun)
    }
    // The first request warms up the path.
    times.shift()
    say(`| ${name} | ${median(times).toFixed(1)} | ${most(times).toFixed(1)} |`)
  }
}

interface Seeded {
  dataDir: string
  a: { id: string; path: string }
  fails: { id: string; path: string }
  rare: { id: string; path: string }
}

async function seeded(): Promise<Seeded> {
  const dataDir = newFolder()
  const service = await startService(dataDir)
  const a = await service.publish(FLOW_A)
  const fails = await service.publish(FAILS)
  const rare = await service.publish({ ...FLOW_A, name: 'Rare' })
  const patterns: string[] = []
  for (const { path } of [a, fails, rare])
    patterns.push((await service.post(path, { total: 149.9, notes: 'x'.repeat(600) })).id)
  await drained(service)
  await service.stop()
  const now = Date.now()
  const count = Number(options.runs)
  const expired = Number(options.expired)
  const oldest = now - RETENTION_DAYS * DAY_MS
  // One run in a hundred failed, and one in ten thousand is of the flow that is seldom called.
  const patternOf = (n: number) => (n % 10_000 === 5_000 ? 2 : n % 100 === 50 ? 1 : 0)
  console.log(`writing ${expired.toLocaleString('en')} and ${count.toLocaleString('en')} finished runs ...`)
  seedRuns(dataDir, { count: expired, fromMs: oldest - 5 * DAY_MS, toMs: oldest - DAY_MS, patterns, patternOf })
  seedRuns(dataDir, { count, fromMs: oldest + 2 * DAY_MS, toMs: now - 60_000, patterns, patternOf })
  return { dataDir, a, fails, rare }
}

async function history({ dataDir, a, fails, rare }: Seeded): Promise<void> {
  const megabytes = Math.round(statSync(join(dataDir, 'millrace.db')).size / (1 << 20))
  const total = Number(options.runs) + Number(options.expired)
  say(`### ${total.toLocaleString('en')} finished runs, ${megabytes} MB\n`)
  // The retention is long, so that the expired runs are not deleted yet.
  const full = await startService(dataDir, { MILLRACE_RETENTION_DAYS: '3650' })
  const empty = await startService(newFolder())
  const { path } = await empty.publish(FLOW_A)
  say(`Ready after ${full.readyMs} ms; with an empty database after ${empty.readyMs} ms.\n`)
  const db = openDatabase(dataDir)
  const at = (share: number) =>
    String(
      db.prepare('SELECT id FROM run ORDER BY id DESC LIMIT 1 OFFSET ?').get(Math.floor(Number(options.runs) * share))![
        'id'
      ],
    )
  const deep = at(0.9)
  db.close()
  const since = new Date(Date.now() - 7 * DAY_MS).toISOString()
  const until = new Date(Date.now() - 20 * DAY_MS).toISOString()
  await timesOf(full, {
    'GET /runs': '/runs',
    'GET /runs, a deep page': `/runs?cursor=${deep}`,
    'flow=A': `/runs?flow=${a.id}`,
    'flow=A, a deep page': `/runs?flow=${a.id}&cursor=${deep}`,
    'flow=Rare': `/runs?flow=${rare.id}`,
    'status=succeeded': '/runs?status=succeeded',
    'status=succeeded, a deep page': `/runs?status=succeeded&cursor=${deep}`,
    'status=failed': '/runs?status=failed',
    'status=failed, a deep page': `/runs?status=failed&cursor=${deep}`,
    'status=cancelled, none': '/runs?status=cancelled',
    'status=running, none': '/runs?status=running',
    'status=waiting, none': '/runs?status=waiting',
    'status=queued, none': '/runs?status=queued',
    'flow=A, status=failed, none': `/runs?flow=${a.id}&status=failed`,
    'flow=A, status=waiting, none': `/runs?flow=${a.id}&status=waiting`,
    'flow=Fails, status=succeeded, none': `/runs?flow=${fails.id}&status=succeeded`,
    'since, seven days': `/runs?since=${since}`,
    'until, twenty days ago': `/runs?until=${until}`,
    'since and status=failed': `/runs?since=${since}&status=failed`,
    'since and flow=Rare': `/runs?since=${since}&flow=${rare.id}`,
    'GET /deliveries': '/deliveries',
    'GET /deliveries, a deep page': `/deliveries?cursor=${deep.replace('run_', 'dlv_')}`,
    'GET /deliveries, rejected': '/deliveries?outcome=rejected',
    'GET /flows/:id/deliveries, Rare': `/flows/${rare.id}/deliveries`,
    'GET /flows': '/flows',
    'GET /flow-stats': '/flow-stats',
  })
  say('')
  await rates([
    { name: 'empty', service: empty, path },
    { name: `${total.toLocaleString('en')} runs`, service: full, path: a.path },
  ])
  await full.stop()
  await empty.stop()
}

/** Posts one webhook after another until stopped, and records how long each waited. */
function startPosting(service: Service, path: string): { times: number[]; stop(): Promise<void> } {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const times: number[] = []
  let stopped = false
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const begun = performance.now()
      const headers = { 'content-type': 'application/json' }
      request({ host: '127.0.0.1', port: service.port, path, method: 'POST', headers, agent }, (response) => {
        response.resume()
        response.on('end', () => {
          times.push(performance.now() - begun)
          if (response.statusCode === 200) resolve()
          else reject(new Error(`a webhook was answered with ${response.statusCode}`))
        })
      })
        .on('error', reject)
        .end('{"total":1}')
    })
  const posting = (async () => {
    while (!stopped) {
      await post()
      await sleep(5)
    }
    agent.destroy()
  })()
  return {
    times,
    stop: () => {
      stopped = true
      return posting
    },
  }
}

async function retention({ dataDir, a }: Seeded): Promise<void> {
  say(`\n### Retention deletes ${Number(options.expired).toLocaleString('en')} runs\n`)
  const service = await startService(dataDir, { MILLRACE_RETENTION_DAYS: String(RETENTION_DAYS) })
  const db = openDatabase(dataDir)
  const before = Date.now() - RETENTION_DAYS * DAY_MS
  const oldest = () => Number(db.prepare('SELECT created_at AS at FROM run ORDER BY id LIMIT 1').get()!['at'])
  const quiet = startPosting(service, a.path)
  await sleep(BEFORE_HOUSEKEEPING_MS)
  await quiet.stop()
  const busy = startPosting(service, a.path)
  while (oldest() < before) await sleep(500)
  const seconds = (performance.now() - service.startedAt) / 1000 - 60
  await busy.stop()
  db.close()
  say(`| a webhook waits | median ms | p99 ms | most ms | webhooks |\n|---|---|---|---|---|`)
  for (const [name, { times }] of Object.entries({ before: quiet, meanwhile: busy })) {
    const ordered = sorted(times)
    say(
      `| ${name} | ${median(times).toFixed(1)} | ${ordered[Math.floor(ordered.length * 0.99)]!.toFixed(1)} | ${most(times).toFixed(1)} | ${times.length} |`,
    )
  }
  say(`\nIt took ${Math.round(seconds)} s.`)
  await service.stop()
}

async function manyFlows(): Promise<void> {
  const count = Number(options.flows)
  say(`\n### ${count.toLocaleString('en')} published flows\n`)
  const dataDir = newFolder()
  const first = await startService(dataDir)
  const { id, path } = await first.publish(FLOW_A)
  await first.stop()
  seedFlows(dataDir, id, count)
  const few = await startService(newFolder())
  const target = await few.publish(FLOW_A)
  const many = await startService(dataDir)
  say(
    `Ready after ${many.readyMs} ms, RSS ${rssMb(many.pid)} MB; with one flow after ${few.readyMs} ms, RSS ${rssMb(few.pid)} MB.\n`,
  )
  await rates([
    { name: 'one flow', service: few, path: target.path },
    { name: `${count.toLocaleString('en')} flows`, service: many, path },
  ])
  await timesOf(many, {
    'GET /flows': '/flows',
    'GET /flows?q=': '/flows?q=00009999',
    'GET /flow-stats': '/flow-stats',
  })
  await few.stop()
  await many.stop()
}

async function stepCosts(): Promise<void> {
  const many = Number(options.steps)
  const few = 10
  say(`\n### Runs of ${few} and of ${many.toLocaleString('en')} steps\n`)
  const set = (id: string) => ({ id, kind: 'set', vars: { total: '{{ webhook.body.total }}' } })
  const inRow = (count: number) => ({
    name: `${count} steps`,
    trigger: { kind: 'webhook', response: { mode: 'finished', timeout: 300 } },
    steps: Array.from({ length: count }, (_, i) => set(`s${i}`)),
  })
  const loop = {
    name: 'Loop',
    trigger: { kind: 'webhook', response: { mode: 'finished', timeout: 300 } },
    steps: [{ id: 'all', kind: 'loop', each: '{{ webhook.body.items }}', steps: [set('one')] }],
  }
  const dataDir = newFolder()
  const service = await startService(dataDir)
  const items = (count: number) => ({ total: 1, items: Array.from({ length: count }, (_, i) => i) })
  const looped = await service.publish(loop)
  say(`| | µs a step | RSS MB after |\n|---|---|---|`)
  for (const [name, flow, body, count, times] of [
    [`${few} steps`, await service.publish(inRow(few)), items(0), few, 300],
    [`${many} steps`, await service.publish(inRow(many)), items(0), many, 3],
    [`a loop of ${few} rounds`, looped, items(few), few, 300],
    [`a loop of ${many} rounds`, looped, items(many), many, 3],
  ] as const) {
    await service.post(flow.path, body)
    const ids: string[] = []
    for (let i = 0; i < times; i++) ids.push((await service.post(flow.path, body)).id)
    const db = openDatabase(dataDir)
    const took = db.prepare('SELECT status, finished_at - started_at AS ms FROM run WHERE id = ?')
    const rows = ids.map((id) => took.get(id) as { status: string; ms: number })
    db.close()
    if (rows.some(({ status }) => status !== 'succeeded')) throw new Error(`${name}: a run did not succeed`)
    const ms = rows.reduce((sum, row) => sum + row.ms, 0)
    say(`| ${name} | ${((ms * 1000) / times / count).toFixed(0)} | ${rssMb(service.pid)} |`)
  }
  await service.stop()
}

say(`Node ${process.version}, ${cpus().length} cores, ${process.arch}.\n`)
if (parts.includes('runs') || parts.includes('retention')) {
  const data = await seeded()
  if (parts.includes('runs')) await history(data)
  if (parts.includes('retention')) await retention(data)
}
if (parts.includes('flows')) await manyFlows()
if (parts.includes('steps')) await stepCosts()
writeFileSync(join(import.meta.dirname, 'results', 'growth.md'), `${lines.join('\n')}\n`)
process.exit()
