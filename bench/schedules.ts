// node bench/schedules.ts [--flows 10000]
// Measures flows that fire in the same second: how late each is, and what senders notice; and what schedules cost at the start.
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { parseArgs } from 'node:util'
import { rssMb } from './load.ts'
import { drained, type Service, sleep, startService } from './service.ts'

const { values: options } = parseArgs({ options: { flows: { type: 'string', default: '10000' } } })
const FLOWS = Number(options.flows)
/** The start must be over by then. */
const FIRE_IN_MS = 20_000
const POST_EVERY_MS = 10

const NOTE = [{ id: 'note', kind: 'set', vars: { done: true } }]
const SCHEDULED = { name: 'Daily', trigger: { kind: 'schedule', every: 86_400 }, steps: NOTE }
const PING = { name: 'Ping', trigger: { kind: 'webhook' }, steps: NOTE }

const folder = mkdtempSync(join(tmpdir(), 'millrace-schedules-'))
try {
  const prepared = await startService(folder)
  const { id } = await prepared.publish(SCHEDULED)
  const ping = await prepared.publish(PING)
  await prepared.stop()
  const none = await figuresOfStart()
  const fireAt = Math.ceil((Date.now() + FIRE_IN_MS) / 1000) * 1000
  multiply(id, fireAt)
  const service = await startService(folder)
  await sleep(3_000)
  const many = { readyMs: service.readyMs, rssMb: rssMb(service.pid) }
  const latencies = await postUntilFired(service, ping.path, fireAt)
  await drained(service)
  await service.stop()
  report(none, many, latencies, lateness(fireAt))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

async function figuresOfStart(): Promise<{ readyMs: number; rssMb: number }> {
  const service = await startService(folder)
  await sleep(3_000)
  const figures = { readyMs: service.readyMs, rssMb: rssMb(service.pid) }
  await service.stop()
  return figures
}

/** Copies the flow until there are enough, each due at `fireAt`. */
function multiply(flowId: string, fireAt: number): void {
  const db = new DatabaseSync(join(folder, 'millrace.db'))
  const columnsOf = (table: string) =>
    (db.prepare(`PRAGMA table_info("${table}")`).all() as { name: string }[]).map(({ name }) => name)
  const copy = (table: string, key: string) => {
    const columns = columnsOf(table)
    const values = columns.map((name) => {
      if (name === key) return '?1'
      return name === 'webhook_id' ? `substr('${'x'.repeat(32)}' || ?2, -32)` : `"${name}"`
    })
    const names = columns.map((name) => `"${name}"`).join(', ')
    const insert = `INSERT INTO ${table} (${names}) SELECT ${values.join(', ')} FROM ${table} WHERE ${key} = ?3 AND ?2 >= 0`
    return db.prepare(insert)
  }
  const copies = [copy('flow', 'id'), copy('flow_version', 'flow_id'), copy('schedule', 'flow_id')]
  db.exec('BEGIN')
  for (let i = 1; i < FLOWS; i++) {
    const id = `${flowId.slice(0, -6)}${String(i).padStart(6, '0')}`
    if (id !== flowId) for (const insert of copies) insert.run(id, i, flowId)
  }
  db.prepare('UPDATE schedule SET next_at = ?, runs_at = ?, since = 0').run(fireAt, fireAt)
  db.exec('COMMIT')
  db.close()
}

/** Posts at a steady rate from a second before the flows fire until all of their runs are stored. */
async function postUntilFired(service: Service, path: string, fireAt: number): Promise<number[]> {
  await sleep(fireAt - 1_000 - Date.now())
  const latencies: number[] = []
  const under = new Set<Promise<void>>()
  const post = async () => {
    const begun = performance.now()
    await service.post(path, {})
    latencies.push(performance.now() - begun)
  }
  for (let fired = 0, tick = 0; fired < FLOWS; tick++) {
    const posted = post().finally(() => under.delete(posted))
    under.add(posted)
    await sleep(POST_EVERY_MS)
    if (tick % 100 === 99) fired = (await service.metrics()).get('millrace_schedule_lateness_seconds_count') ?? 0
  }
  await Promise.all(under)
  return latencies
}

function lateness(fireAt: number): { stored: number[]; ended: number[]; runs: number } {
  const db = new DatabaseSync(join(folder, 'millrace.db'), { readOnly: true })
  const rows = db
    .prepare(
      `SELECT created_at - ? AS stored, finished_at - ? AS ended FROM run JOIN occurrence ON occurrence.run_id = run.id`,
    )
    .all(fireAt, fireAt) as { stored: number; ended: number }[]
  db.close()
  return { stored: rows.map((row) => row.stored), ended: rows.map((row) => row.ended), runs: rows.length }
}

function percentile(values: readonly number[], of: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * of))]!)
}

function report(
  none: { readyMs: number; rssMb: number },
  many: { readyMs: number; rssMb: number },
  latencies: number[],
  { stored, ended, runs }: ReturnType<typeof lateness>,
): void {
  console.log(`${FLOWS} flows that fire in the same second; Node ${process.version}, ${cpus().length} cores`)
  console.log(
    `start: ready in ${many.readyMs} ms with ${many.rssMb} MB, beside ${none.readyMs} ms with ${none.rssMb} MB`,
  )
  console.log(`runs: ${runs} of ${FLOWS} times have one`)
  console.log(`taken up late by p50 ${percentile(stored, 0.5)} ms, p99 ${percentile(stored, 0.99)} ms`)
  console.log(`ended after p50 ${percentile(ended, 0.5)} ms, p99 ${percentile(ended, 0.99)} ms`)
  console.log(
    `webhooks meanwhile: ${latencies.length}, p50 ${percentile(latencies, 0.5)} ms, p99 ${percentile(latencies, 0.99)} ms`,
  )
}
