// Tests a socket that breaks after the database has committed and before it could say so: nothing is done twice or lost.
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { query } from '../../../test/harness/postgres.ts'
import type { JournalEntry, RunProgress } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import { testProtect } from '../../secrets/keys.testkit.ts'
import { entry, newRun } from '../conformance/stores.testkit.ts'
import { type BehindProxy, openBehindProxy } from './behind-proxy.testkit.ts'
import { nowhere } from './nowhere.testkit.ts'
import { createPostgresRunJournal, type PostgresRunJournal } from './run-journal.ts'

let database: BehindProxy
let proxy: BehindProxy['proxy']
let storage: BehindProxy['storage']
let countsOf: BehindProxy['countsOf']
let url: string
let journal: PostgresRunJournal

beforeAll(async () => {
  database = await openBehindProxy()
  ;({ proxy, storage, countsOf, url } = database)
  journal = createPostgresRunJournal(storage, testProtect(), nowhere)
})
afterAll(() => database.close())

const holding = (text: string) => (message: Buffer) => message.includes(text)
const runsOf = (flowId: string) => query(url, 'select id, status, epoch from run where flow_id = $1', [flowId])

const progressOf = (status: RunProgress['status'], entries: JournalEntry[]): RunProgress => ({
  status,
  startedAt: 1,
  finishedAt: status === 'succeeded' ? 5 : null,
  resumeAt: null,
  error: null,
  entries,
})

/** Tries again until the database has answered, as the engine does. */
async function recordAtLast(claim: { runId: string; epoch: number }, progress: RunProgress): Promise<boolean> {
  try {
    return await journal.record(claim, progress)
  } catch (error) {
    expect(error).toBeInstanceOf(StorageUnavailable)
    expect(error).toMatchObject({ unsure: true })
    return journal.record(claim, progress)
  }
}

async function claimed(flowId: string) {
  const run = newRun(flowId)
  await journal.runs.accept(run)
  return (await journal.claim(run.id, 1))!.claim
}

describe('when the reply to a commit is lost', () => {
  it('takes a delivery on once, and tells its sender so', async () => {
    const runs = [newRun('flow_lost'), newRun('flow_lost'), newRun('flow_lost')]
    const cut = proxy.loseReplyTo(holding(runs[0]!.id))
    const accepted = await Promise.all(runs.map((run) => journal.runs.accept(run)))
    await cut
    expect(accepted).toEqual(runs.map(() => ({ duplicateOf: null })))
    const stored = await runsOf('flow_lost')
    expect(new Set(stored.map(({ id }) => id))).toEqual(new Set(runs.map(({ id }) => id)))
    expect(stored).toHaveLength(3)
    expect(await countsOf('flow_lost')).toEqual([{ counter: 'accepted', count: 3 }])
  })

  it('starts a run once that somebody asked for, with one entry', async () => {
    await query(url, 'create table noted (run_id text)')
    const run = newRun('flow_lost_entry')
    const entry = async () => {
      await sql`insert into noted values (${run.id})`.execute(storage.kysely)
    }
    const cut = proxy.loseReplyTo(holding('commit'))
    const terms = { concurrency: null, awaited: false, route: null, entry }
    expect(await journal.runs.accept(run, null, null, terms)).toEqual({ duplicateOf: null })
    await cut
    expect(await runsOf('flow_lost_entry')).toHaveLength(1)
    expect(await query(url, 'select run_id from noted')).toEqual([{ run_id: run.id }])
    expect(await countsOf('flow_lost_entry')).toEqual([{ counter: 'accepted', count: 1 }])
  })

  it('takes no delivery for a duplicate of itself', async () => {
    const run = newRun('flow_lost_key')
    const dedupe = { key: 'k', expiresAt: run.createdAt + 60_000 }
    const cut = proxy.loseReplyTo(holding(run.id))
    expect(await journal.runs.accept(run, dedupe)).toEqual({ duplicateOf: null })
    await cut
    expect(await journal.runs.accept(newRun('flow_lost_key'), dedupe)).toEqual({ duplicateOf: run.id })
    expect(await runsOf('flow_lost_key')).toHaveLength(1)
  })

  it('knows that it ended the run itself', async () => {
    const claim = await claimed('flow_lost_end')
    const cut = proxy.loseReplyTo(holding('marked-output'))
    const end = progressOf('succeeded', [entry('a', { output: 'marked-output' })])
    expect(await recordAtLast(claim, end)).toBe(true)
    await cut
    expect(await runsOf('flow_lost_end')).toMatchObject([{ status: 'succeeded', epoch: claim.epoch }])
    expect(await journal.record(claim, progressOf('succeeded', []))).toBe(false)
    expect(await countsOf('flow_lost_end')).toEqual([
      { counter: 'accepted', count: 1 },
      { counter: 'succeeded', count: 1 },
    ])
  })

  it('operates on a key once', async () => {
    const claim = await claimed('flow_lost_count')
    const counting = entry('n', { operation: { op: 'increment', key: 'lost-counter', value: null, ttlMs: null } })
    const cut = proxy.loseReplyTo(holding('commit'))
    expect(await recordAtLast(claim, progressOf('running', [counting]))).toBe(true)
    await cut
    expect(counting.output).toEqual({ value: 1 })
    const stored = await query(url, `select value from key_value where key = 'lost-counter'`)
    expect(stored).toEqual([{ value: '1' }])
  })
})
