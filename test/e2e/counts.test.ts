// Counts what a run costs: rows, statements and syncs. Triggers in the database count what is really written to it.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Millrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { connectRaw, requestBytes } from '../harness/raw-request.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const dataDir = temporaryFolder()
let millrace: Millrace
let upstream: Upstream
let db: DatabaseSync

beforeAll(async () => {
  // The first start creates the tables.
  await (await startMillrace({ MILLRACE_DATA_DIR: dataDir })).stop()
  db = new DatabaseSync(join(dataDir, 'millrace.db'), { timeout: 5000 })
  db.exec('CREATE TABLE counted (what TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  for (const table of ['run', 'step', 'delivery', 'dedupe'])
    for (const deed of ['INSERT', 'UPDATE', 'DELETE']) {
      const what = `${table} ${deed.toLowerCase()}`
      db.exec(`INSERT INTO counted VALUES ('${what}', 0);
        CREATE TRIGGER "count ${what}" AFTER ${deed} ON ${table} BEGIN UPDATE counted SET n = n + 1 WHERE what = '${what}'; END`)
    }
  upstream = await startUpstream((_request, response) => void response.end('{}'))
  millrace = await startMillrace({ MILLRACE_DATA_DIR: dataDir })
})

afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const set = (id: string) => ({ id, kind: 'set', vars: { total: '{{ webhook.body.total }}' } })
const immediate = { kind: 'webhook' }

/** Returns what `work` wrote, without zeros. */
async function writtenBy(work: () => Promise<void>): Promise<Record<string, number>> {
  db.exec('UPDATE counted SET n = 0')
  await work()
  const rows = db.prepare('SELECT what, n FROM counted WHERE n > 0').all() as { what: string; n: number }[]
  return Object.fromEntries(rows.map(({ what, n }) => [what, n]))
}

/** A step that takes longer than this is stored as running, too. */
const LONG_MS = 100

/** Counts a run whose steps all took a short time: on a busy machine that may be a later one. */
async function writtenByRun(document: object, body: object = { total: 1 }): Promise<Record<string, number>> {
  const { post } = await millrace.publish(document)
  for (;;) {
    let longest = 0
    const written = await writtenBy(async () => {
      const { body: answer } = await post(body)
      const { status, startedAt, finishedAt } = await millrace.runEnded(answer.id)
      expect(status).toBe('succeeded')
      longest = Date.parse(finishedAt!) - Date.parse(startedAt!)
    })
    if (longest < LONG_MS) return written
  }
}

it('writes a run that reaches nothing outside once, as it ended, and each of its steps once', async () => {
  for (const steps of [0, 1, 10]) {
    const document = { name: 'Sets', trigger: immediate, steps: Array.from({ length: steps }, (_, i) => set(`s${i}`)) }
    expect(await writtenByRun(document)).toEqual({
      'run insert': 1,
      ...(steps && { 'step insert': steps }),
    })
  }
})

it('writes what a request may depend on before it leaves, and nothing more for the request itself', async () => {
  const call = { id: 'call', kind: 'http', method: 'GET', url: upstream.url }
  expect(await writtenByRun({ name: 'Calls', trigger: immediate, steps: [call] })).toEqual({
    'run insert': 1,
    'run update': 1,
    'step insert': 1,
  })
  const around = { name: 'Calls', trigger: immediate, steps: [set('before'), call, set('after')] }
  expect(await writtenByRun(around)).toEqual({ 'run insert': 1, 'run update': 1, 'step insert': 3 })
})

it('writes each round of a loop, its steps and the loop once, if nothing of it leaves the process', async () => {
  const loop = { id: 'all', kind: 'loop', each: '{{ webhook.body.items }}', steps: [set('one')] }
  const document = { name: 'Loops', trigger: immediate, steps: [loop] }
  expect(await writtenByRun(document, { total: 1, items: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] })).toEqual({
    'run insert': 1,
    'step insert': 10 + 10 + 1,
  })
})

it('writes one row for a delivery that starts nothing', async () => {
  const { post } = await millrace.publish({
    name: 'Filters',
    trigger: { ...immediate, when: '{{ false }}' },
    steps: [],
  })
  expect(await writtenBy(async () => void (await post({})))).toEqual({ 'delivery insert': 1 })
})

it('shares one sync among fifty deliveries that come at once, and their runs', async () => {
  const { flow } = await millrace.publish({ name: 'Many', trigger: immediate, steps: [set('one')] })
  const bytes = requestBytes({ target: new URL(flow.webhook.url).pathname, body: '{"total":1}' })
  const metric = async (name: string) => {
    const response = await fetch(`${millrace.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
    return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(await response.text())![1])
  }
  const before = {
    syncs: await metric('millrace_commit_seconds_count'),
    writes: await metric('millrace_commit_writes_total'),
  }
  const connection = await connectRaw(millrace.port)
  connection.write(Buffer.concat(Array.from({ length: 50 }, () => bytes)))
  for (let i = 0; i < 50; i++) {
    const { body } = await connection.reply()
    expect((await millrace.runEnded(body.id)).status).toBe('succeeded')
  }
  connection.socket.destroy()
  expect((await metric('millrace_commit_writes_total')) - before.writes).toBe(50)
  expect((await metric('millrace_commit_seconds_count')) - before.syncs).toBe(1)
})
