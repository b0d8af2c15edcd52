// npm run bench [-- --rounds 3 --seconds 8 --connections 1,16,64 --only A,B --profile]
// Millrace beside the bare floor, interleaved round by round on this machine; ratios are taken within a round.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { load, type Measured, settle } from './load.ts'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    warm: { type: 'string', default: '4' },
    connections: { type: 'string', default: '1,16,64' },
    only: { type: 'string', default: 'A,B,C' },
    profile: { type: 'boolean', default: false },
  },
})

const TOKEN = 'benchmark-token-0123456789'
const PORTS = { upstream: 9391, floor: 9392, millrace: 9393 }
const upstreamUrl = `http://127.0.0.1:${PORTS.upstream}`
const results = join(import.meta.dirname, 'results')
const children: ChildProcess[] = []

const reply = (tier: string) => ({ id: 'high', kind: 'respond', body: { tier, mac: '{{ steps.sign }}' } })

const FLOWS: Record<string, object> = {
  A: {
    name: 'A',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'note', kind: 'set', vars: { total: '{{ webhook.body.total }}' } }],
  },
  C: {
    name: 'C',
    trigger: { kind: 'webhook', response: { mode: 'finished' } },
    steps: [
      {
        id: 'sign',
        kind: 'code',
        input: '{{ webhook.rawBody }}',
        code: "export default (body) => crypto.createHmac('sha256', 'whsec_bench').update(body).digest('hex')",
      },
      {
        id: 'size',
        kind: 'branch',
        cases: [{ when: '{{ webhook.body.total > 100 }}', steps: [reply('high')] }],
        otherwise: [{ ...reply('low'), id: 'low' }],
      },
    ],
  },
  B: {
    name: 'B',
    trigger: { kind: 'webhook', response: { mode: 'finished', body: { rate: '{{ steps.call.body.rate }}' } } },
    steps: [
      {
        id: 'call',
        kind: 'http',
        method: 'POST',
        url: `${upstreamUrl}/rate`,
        body: { kind: 'json', value: { id: '{{ webhook.body.id }}', total: '{{ webhook.body.total }}' } },
      },
    ],
  },
}

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

async function api(method: string, path: string, body?: object): Promise<{ id: string; webhook: { id: string } }> {
  const response = await fetch(`http://127.0.0.1:${PORTS.millrace}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as { id: string; webhook: { id: string } }
}

async function publish(document: object): Promise<string> {
  const flow = await api('POST', '/flows', document)
  await api('POST', `/flows/${flow.id}/publish`)
  return `http://127.0.0.1:${PORTS.millrace}/api/v1/webhooks/${flow.webhook.id}`
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
    '| scenario | connections | target | requests/s | of floor | of floor per CPU-s | p50 ms | p99 ms | CPU % | RSS MB (most) | failed |',
    '|---|---|---|---|---|---|---|---|---|---|---|',
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
    lines.push(
      `| ${first.scenario} | ${first.connections} | ${first.target} | ${Math.round(of((r) => r.perSecond))} | ${of((r) => r.perSecond / floorOf(r).perSecond).toFixed(2)} | ${of((r) => r.perCpuSecond / floorOf(r).perCpuSecond).toFixed(2)} | ${of((r) => r.p50Ms).toFixed(2)} | ${of((r) => r.p99Ms).toFixed(1)} | ${Math.round(of((r) => r.cpuPercent))} | ${Math.max(...mine.map((r) => r.rssMb))} | ${mine.reduce((sum, r) => sum + r.failed, 0)} |`,
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
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-bench-'))
  const profile = options.profile ? ['--cpu-prof', `--cpu-prof-dir=${results}`] : []
  console.log('starting upstream, floor and Millrace ...')
  await start('upstream', ['bench/upstream.ts', String(PORTS.upstream)])
  const floor = await start('floor', ['bench/floor.ts', String(PORTS.floor), upstreamUrl])
  const begun = performance.now()
  const millrace = await start('Millrace', [...profile, '--max-semi-space-size=8', 'src/cli/millrace.ts', 'serve'], {
    MILLRACE_PORT: String(PORTS.millrace),
    MILLRACE_DATA_DIR: dataDir,
    MILLRACE_ADMIN_TOKEN: TOKEN,
    MILLRACE_EGRESS_ALLOW: 'loopback',
  })
  const startMs = Math.round(performance.now() - begun)
  const rows: Row[] = []
  const scenarios = options.only.split(',')
  const urls = new Map<string, string>()
  for (const scenario of scenarios) urls.set(scenario, await publish(FLOWS[scenario]!))
  for (let round = 1; round <= Number(options.rounds); round++)
    for (const scenario of scenarios)
      for (const connections of options.connections.split(',').map(Number))
        for (const [target, url, pid] of [
          ['floor', `http://127.0.0.1:${PORTS.floor}/${scenario.toLowerCase()}`, floor.pid!],
          ['millrace', urls.get(scenario)!, millrace.pid!],
        ] as const) {
          await load(url, pid, connections, Number(options.warm))
          await settle(pid)
          const measured = await load(url, pid, connections, Number(options.seconds))
          await settle(pid)
          rows.push({ scenario, connections, target, round, ...measured })
          console.log(
            `round ${round} ${scenario} ${String(connections).padStart(2)} connections ${target.padEnd(8)} ${measured.perSecond} requests/s, p99 ${measured.p99Ms} ms, CPU ${measured.cpuPercent} %, RSS ${measured.rssMb} MB`,
          )
        }
  const report = [
    `Node ${process.version}, ${cpus().length} cores, ${process.arch}; ${options.rounds} rounds of ${options.seconds} s; medians, ratios within a round. Ready ${startMs} ms after spawn.`,
    '',
    table(rows),
    '',
  ].join('\n')
  writeFileSync(join(results, 'latest.md'), report)
  writeFileSync(join(results, 'latest.json'), `${JSON.stringify(rows, null, 1)}\n`)
  console.log(`\n${report}`)
  millrace.kill('SIGTERM')
  await new Promise((resolve) => millrace.on('exit', resolve))
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
