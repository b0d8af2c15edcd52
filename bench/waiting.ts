// node bench/waiting.ts [--runs 1000000] [--for time|callback]
// Measures what waiting runs cost: the time to start, the memory, and how late they continue, by their time or from their
// callback to their end; beside a start with none.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { rssMb, SERVE } from './load.ts'

const { values: options } = parseArgs({
  options: { runs: { type: 'string', default: '1000000' }, for: { type: 'string', default: 'time' } },
})
const forCallbacks = options.for === 'callback'

const TOKEN = 'benchmark-token-0123456789'
const PORT = 9394
const API = `http://127.0.0.1:${PORT}/api/v1`
const WATCH_MS = 30_000
const PROBES = 20
const FIRST_PROBE_MS = 8_000
const PROBES_APART_MS = 1_000
const PER_TRANSACTION = 100_000

const SLEEPER = {
  name: 'Sleeper',
  trigger: { kind: 'webhook' },
  steps: [
    // The token is a secret, so that its true value is sealed beside the run.
    { id: 'note', kind: 'set', vars: { token: '{{ env.BENCH }}' } },
    { id: 'rest', kind: 'wait', ...(forCallbacks ? { callback: { timeout: 30 * 86_400 } } : { seconds: 30 * 86_400 }) },
    { id: 'after', kind: 'set', vars: { done: true } },
  ],
}
const PING = {
  name: 'Ping',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'note', kind: 'set', vars: { total: '{{ webhook.body.total }}' } }],
}

interface Figures {
  runs: number
  databaseMb: number
  readyMs: number
  rssAtStartMb: number
  rssLaterMb: number
  latestMs: number
}

let millrace: ChildProcess | undefined

function start(dataDir: string): void {
  millrace = spawn(process.execPath, SERVE, {
    env: {
      ...process.env,
      MILLRACE_PORT: String(PORT),
      MILLRACE_DATA_DIR: dataDir,
      MILLRACE_ADMIN_TOKEN: TOKEN,
      MILLRACE_LOG_LEVEL: 'error',
      MILLRACE_ENV_BENCH: 'a-secret-that-is-hidden-0123456789',
    },
    stdio: 'inherit',
  })
}

async function stop(): Promise<void> {
  const ended = new Promise((resolve) => millrace!.on('exit', resolve))
  millrace!.kill('SIGTERM')
  await ended
}

async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(API + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, ...(body && { 'content-type': 'application/json' }) },
    body: body && JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`)
  return (await response.json()) as T
}

/** Asks until there is an answer. */
async function answered<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    if (millrace!.exitCode !== null) throw new Error(`Millrace ended with ${millrace!.exitCode}`)
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      await sleep(5)
    }
  }
}

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

async function publish(document: object): Promise<string> {
  const flow = await call<{ id: string; webhook: { id: string } }>('POST', '/flows', document)
  await call('POST', `/flows/${flow.id}/publish`)
  return `/webhooks/${flow.webhook.id}`
}

/** Prepares a folder with both flows and the probes: waiting runs that Millrace itself made. */
async function prepare(dataDir: string): Promise<{ ping: string; probes: string[] }> {
  start(dataDir)
  const ping = await answered(() => publish(PING))
  const sleeper = await publish(SLEEPER)
  for (let i = 0; i < PROBES; i++) await call('POST', sleeper, { total: i })
  for (;;) {
    const { items } = await call<{ items: { id: string }[] }>('GET', '/runs?status=waiting')
    if (items.length === PROBES) {
      await stop()
      return { ping, probes: items.map(({ id }) => id) }
    }
    await sleep(20)
  }
}

/** Copies one probe `runs` times, due far ahead, and makes the probes due one after another; returns the first time. */
function multiply(dataDir: string, probes: string[], runs: number): number {
  const db = new DatabaseSync(join(dataDir, 'millrace.db'))
  db.exec('PRAGMA synchronous=OFF; PRAGMA cache_size=-262144')
  const copy = (table: 'run' | 'step' | 'callback', key: 'id' | 'run_id') => {
    const names = db.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
    const columns = names.map(({ name }) => String(name))
    // The ids are as long as real ones.
    const values = columns.map((column) => {
      if (column === key) return "substr(:id, 1, 20) || printf('a%09d', i)"
      const isUnique = table === 'callback' && (column === 'id' || column === 'token_digest')
      return isUnique ? `substr(${column}, 1, length(${column}) - 9) || printf('%09d', i)` : column
    })
    return db.prepare(`WITH RECURSIVE n(i) AS (SELECT :from UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :to)
      INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM n, (SELECT * FROM ${table} WHERE ${key} = :id)`)
  }
  const copies = [copy('run', 'id'), copy('step', 'run_id'), ...(forCallbacks ? [copy('callback', 'run_id')] : [])]
  for (let from = 0; from < runs; from += PER_TRANSACTION) {
    db.exec('BEGIN')
    for (const statement of copies) statement.run({ id: probes[0]!, from, to: Math.min(runs, from + PER_TRANSACTION) })
    db.exec('COMMIT')
  }
  const firstDue = Date.now() + FIRST_PROBE_MS
  for (const [i, id] of forCallbacks ? [] : probes.entries()) {
    const due = firstDue + i * PROBES_APART_MS
    db.prepare('UPDATE run SET resume_at = ? WHERE id = ?').run(due, id)
    db.prepare("UPDATE step SET resume_at = ? WHERE run_id = ? AND id = 'rest'").run(due, id)
  }
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  db.close()
  return firstDue
}

/** Returns how late the latest probe ended. */
function latestMs(dataDir: string, probes: string[], firstDue: number): number {
  const db = new DatabaseSync(join(dataDir, 'millrace.db'), { readOnly: true })
  const ended = probes.map((id) => db.prepare('SELECT status, finished_at AS at FROM run WHERE id = ?').get(id)!)
  db.close()
  if (ended.some(({ status }) => status !== 'succeeded')) throw new Error('not every run was carried on')
  return Math.max(...ended.map(({ at }, i) => Number(at) - (firstDue + i * PROBES_APART_MS)))
}

/** Answers one probe after the other; returns the longest time from sending the callback to the end of its run. */
async function slowestAnswerMs(probes: string[]): Promise<number> {
  const took: number[] = []
  for (const id of probes) {
    const { callbacks } = await call<{ callbacks: { url: string }[] }>('GET', `/runs/${id}`)
    const sent = Date.now()
    await call('POST', `/callbacks/${callbacks[0]!.url.split('/').at(-1)!}`, { done: true })
    for (;;) {
      const { finishedAt } = await call<{ finishedAt: string | null }>('GET', `/runs/${id}`)
      if (finishedAt !== null) {
        took.push(Date.parse(finishedAt) - sent)
        break
      }
    }
  }
  console.log(`from callback to end, ms: ${took.join(' ')}`)
  return Math.max(...took)
}

async function measure(runs: number): Promise<Figures> {
  const dataDir = mkdtempSync(join(tmpdir(), 'millrace-waiting-'))
  try {
    const { ping, probes } = await prepare(dataDir)
    console.log(`writing ${runs.toLocaleString('en')} runs that wait ...`)
    const firstDue = multiply(dataDir, probes, runs)
    const databaseMb = Math.round(statSync(join(dataDir, 'millrace.db')).size / (1 << 20))
    const begun = performance.now()
    start(dataDir)
    await answered(() => call('POST', ping, { total: 1 }))
    const readyMs = Math.round(performance.now() - begun)
    const rssAtStartMb = rssMb(millrace!.pid!)
    await sleep(WATCH_MS)
    const rssLaterMb = rssMb(millrace!.pid!)
    const latest = forCallbacks ? await slowestAnswerMs(probes) : latestMs(dataDir, probes, firstDue)
    await stop()
    return { runs, databaseMb, readyMs, rssAtStartMb, rssLaterMb, latestMs: latest }
  } finally {
    millrace?.kill('SIGKILL')
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const rows: Figures[] = []
for (const runs of [0, Number(options.runs)]) rows.push(await measure(runs))
const report = [
  `Node ${process.version}, ${cpus().length} cores, ${process.arch}.`,
  '',
  '| waiting runs | database MB | first answer after ms | RSS then MB | RSS 30 s later MB | most late ms |',
  '|---|---|---|---|---|---|',
  ...rows.map((row) => `| ${Object.values(row).join(' | ')} |`),
  '',
].join('\n')
writeFileSync(join(import.meta.dirname, 'results', forCallbacks ? 'waiting-callbacks.md' : 'waiting.md'), report)
console.log(`\n${report}`)
