// Runs that begin before their start is stored; the database may say that they have not begun.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { query } from '../../../test/harness/postgres.ts'
import type { NewRun, RunProgress } from '../../engine/ports/run-journal.ts'
import type { RunTerms } from '../../operations/ports/runs.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { entry, newRun } from '../conformance/stores.testkit.ts'
import { type BehindProxy, openBehindProxy } from './behind-proxy.testkit.ts'
import { nowhere } from './nowhere.testkit.ts'
import { createPostgresRunJournal, type PostgresRunJournal } from './run-journal.ts'

let database: BehindProxy
let proxy: BehindProxy['proxy']
let countsOf: BehindProxy['countsOf']
let url: string
let journal: PostgresRunJournal
let known: number
let commits = 0

beforeAll(async () => {
  database = await openBehindProxy()
  ;({ proxy, countsOf, url } = database)
  known = await changes()
  const here = {
    ...nowhere,
    reserve: () => 'worker_test',
    known: () => known,
    catchUp(changes: number) {
      known = changes
    },
  }
  journal = createPostgresRunJournal(database.storage, testProtect(), here, () => commits++)
})
afterAll(() => database.close())

const changes = async () => Number((await query(url, 'select last_value from change_count'))[0]!['last_value'])
const begin = (run: NewRun, terms: Partial<RunTerms> = {}) =>
  journal.runs.begin!(run, { concurrency: null, awaited: false, route: null, ...terms })!

const at = { startedAt: Date.now(), resumeAt: null, error: null }
const ended = (output: unknown = { n: 1 }): RunProgress => ({
  ...at,
  status: 'succeeded',
  finishedAt: at.startedAt + 3,
  entries: [entry('a', { output })],
})
const running: RunProgress = { ...at, status: 'running', finishedAt: null, entries: [entry('a')] }

const stored = async (id: string) => {
  const text = `select status, epoch, worker, placed, due_at is not null as due, started_at::float, finished_at::float,
    (select count(*)::int from step where run_id = run.id) as steps from run where id = $1`
  return (await query(url, text, [id]))[0]
}
const notBegun = (accepted: object) => ({ message: 'The run has not begun here.', accepted })
const dropped = { epoch: 0, worker: null, started_at: null, finished_at: null, status: 'queued', steps: 0 }

it('are one statement with what they did before it was sent', async () => {
  const run = newRun('flow_early', { labels: { order: '7' } })
  const claim = begin(run)
  commits = 0
  expect(await journal.record(claim, ended())).toBe(true)
  await claim.stored
  expect(commits).toBe(1)
  expect(await stored(run.id)).toMatchObject({
    status: 'succeeded',
    epoch: 1,
    worker: null,
    due: false,
    started_at: at.startedAt,
    finished_at: at.startedAt + 3,
    steps: 1,
  })
  const labels = await query(url, 'select value, name from run_label where run_id = $1', [run.id])
  expect(labels).toEqual([{ value: '7', name: 'order' }])
  expect(await countsOf('flow_early')).toEqual([
    { counter: 'accepted', count: 1 },
    { counter: 'succeeded', count: 1 },
  ])
})

it('stay with this process while they are under way', async () => {
  const run = newRun('flow_under_way')
  const claim = begin(run)
  expect(await journal.record(claim, running)).toBe(true)
  expect(await stored(run.id)).toMatchObject({
    status: 'running',
    epoch: 1,
    worker: 'worker_test',
    due: false,
    steps: 1,
  })
  expect(await journal.record(claim, ended('later'))).toBe(true)
  expect(await stored(run.id)).toMatchObject({ status: 'succeeded', worker: null, steps: 1 })
})

it('write later what concerns others, and what they do after the start was sent', async () => {
  const failed = newRun('flow_fails')
  const error = { code: 'step_failed', message: 'No.', step: 'a' }
  expect(await journal.record(begin(failed), { ...ended(), status: 'failed', error } as RunProgress)).toBe(true)
  expect(await stored(failed.id)).toMatchObject({ status: 'failed', epoch: 1, steps: 1 })
  expect(await query(url, 'select count(*)::int as n from failure_delta where run_id = $1', [failed.id])).toEqual([
    { n: 1 },
  ])

  const operation = { op: 'set', key: 'k', value: 1, ttlMs: null } as never
  const operating = newRun('flow_keys')
  const entries = [entry('kept', { operation, output: null })]
  expect(await journal.record(begin(operating), { ...ended(), entries })).toBe(true)
  expect(await query(url, `select count(*)::int as n from key_value where flow_id = 'flow_keys'`)).toEqual([{ n: 1 }])

  const sent = newRun('flow_sent')
  const claim = begin(sent)
  await claim.stored
  expect(await stored(sent.id)).toMatchObject({ status: 'queued', epoch: 1, worker: 'worker_test', due: false })
  expect(await journal.record(claim, ended())).toBe(true)
  expect(await stored(sent.id)).toMatchObject({ status: 'succeeded', steps: 1 })
})

it('have not begun if this process did not know a change', async () => {
  await query(url, `select nextval('change_count')`)
  const run = newRun('flow_changed')
  const claim = begin(run)
  const recorded = journal.record(claim, ended())
  await expect(claim.stored).rejects.toMatchObject(notBegun({ duplicateOf: null, held: false }))
  expect(await recorded).toBe(false)
  expect(await stored(run.id)).toMatchObject({ ...dropped, due: true, placed: null })
  expect(await countsOf('flow_changed')).toEqual([{ counter: 'accepted', count: 1 }])
  expect(known).toBe(await changes())
  const [taken] = await journal.claimReady('worker_other', 10, Date.now())
  expect(taken).toMatchObject({ id: run.id, claim: { epoch: 1 } })
  // Both claims have the same epoch, and only one of them stands.
  expect(await journal.record(claim, ended('late'))).toBe(false)
  expect(await journal.holds!(claim)).toBe(false)
  expect(await stored(run.id)).toMatchObject({ status: 'queued', steps: 0 })
  expect(await journal.record(taken!.claim, ended())).toBe(true)
})

it('have not begun if their flow is paused, and are not stored if their webhook leads elsewhere', async () => {
  await query(
    url,
    `insert into flow (id, webhook_id, version, created_at, updated_at, paused_at, name, draft, revision)
     values ('flow_paused', 'hook', 1, 1, 1, 1, 'Paused', '{}', 1)`,
  )
  const held = newRun('flow_paused')
  const claim = begin(held)
  const recorded = journal.record(claim, ended())
  await expect(claim.stored).rejects.toMatchObject(notBegun({ duplicateOf: null, held: true }))
  expect(await recorded).toBe(false)
  expect(await stored(held.id)).toMatchObject({ ...dropped, placed: 2, due: false })

  const stale = newRun('flow_paused')
  const gone = begin(stale, { route: { webhookId: 'elsewhere' } as never })
  await expect(gone.stored).rejects.toMatchObject(notBegun({ duplicateOf: null, stale: true }))
  expect(await journal.record(gone, ended())).toBe(false)
  expect(await stored(stale.id)).toBeUndefined()
})

it('are accepted first if their flow has a limit, or is known to be paused', () => {
  expect(begin(newRun('flow_limited'), { concurrency: 1 })).toBeNull()
  expect(begin(newRun('flow_paused'), { route: { webhookId: 'hook', paused: true } as never })).toBeNull()
})

it('are stored once if the reply to the commit is lost, and what has not ended is nobody’s then', async () => {
  const over = newRun('flow_lost')
  const cut = proxy.loseReplyTo((message) => message.includes(over.id))
  const claim = begin(over)
  expect(await journal.record(claim, ended())).toBe(true)
  await claim.stored
  await cut
  expect(await stored(over.id)).toMatchObject({ status: 'succeeded', epoch: 1, steps: 1 })
  expect(await countsOf('flow_lost')).toEqual([
    { counter: 'accepted', count: 1 },
    { counter: 'succeeded', count: 1 },
  ])

  // Somebody may have taken it since: this process itself, too.
  const open = newRun('flow_lost_open')
  const cutAgain = proxy.loseReplyTo((message) => message.includes(open.id))
  const other = begin(open)
  const recorded = journal.record(other, running)
  await expect(other.stored).rejects.toMatchObject(notBegun({ duplicateOf: null, held: false }))
  await cutAgain
  expect(await recorded).toBe(false)
  expect(await stored(open.id)).toMatchObject({ status: 'running', epoch: 1, worker: 'worker_test' })
})
