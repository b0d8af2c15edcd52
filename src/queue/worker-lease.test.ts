import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, startDatabases } from '../../test/harness/postgres.ts'
import type { Claim } from '../engine/ports/run-journal.ts'
import type { DispatchStore } from '../operations/ports/queue.ts'
import { testProtect } from '../secrets/keys.testkit.ts'
import { newRun } from '../storage/conformance/stores.testkit.ts'
import { openPostgres, type PostgresStorage } from '../storage/postgres/database.ts'
import { createDispatchStore } from '../storage/postgres/dispatch.ts'
import { createPostgresRunJournal, type PostgresRunJournal } from '../storage/postgres/run-journal.ts'
import { createRunStore } from '../storage/stores/run-store.ts'
import { WorkerLease } from './worker-lease.ts'

let databases: Databases
let storage: PostgresStorage
let journal: PostgresRunJournal
let dispatch: DispatchStore
beforeAll(async () => {
  databases = await startDatabases()
  storage = await openPostgres(await databases.create())
  const here = {
    node: 'n',
    reserve: () => null,
    giveBack: () => {},
    known: () => 0,
    catchUp: () => {},
    worker: () => 'w',
    isCertain: () => true,
    renewed: async () => {},
    now: Date.now,
  }
  journal = createPostgresRunJournal(storage, testProtect(), here)
  dispatch = createDispatchStore(storage.hot, journal.claimReady, () => 0)
})
afterAll(async () => {
  await storage.close()
  await databases.stop()
})

let names = 0
/** Creates a worker that carries the claims in `working`. */
function leaseOf(working: Claim[]) {
  const lost: Claim[] = []
  let heard = () => {}
  const lease = new WorkerLease({
    dispatch,
    newName: () => `worker_${++names}`,
    elapsedMs: () => performance.now(),
    claims: () => working,
    carries: (runId) => working.some((claim) => claim.runId === runId),
    lose: (claims) => {
      lost.push(...claims)
      if (claims.length) heard()
    },
    freed: () => heard(),
    failed: (error) => {
      throw error
    },
  })
  /** Resolves when runs were lost or freed. */
  const next = () =>
    new Promise<void>((resolve) => {
      heard = resolve
    })
  return { lease, lost, next }
}

describe('a worker', () => {
  it('puts back what it holds in the database without knowing it, as after a reply that was lost', async () => {
    const { lease, next } = leaseOf([])
    await lease.start()
    const run = newRun('flow_stray')
    await journal.runs.accept(run)
    const freed = next()
    expect(await dispatch.take(lease.name!, 10)).toHaveLength(1)
    expect(await dispatch.take(lease.name!, 10)).toEqual([])
    await freed
    const [again] = await dispatch.take(lease.name!, 10)
    expect(again).toMatchObject({ id: run.id, claim: { epoch: 3 } })
    await createRunStore(storage.kysely).cancel(run.id, 1, { code: 'cancelled', message: 'x' })
    await lease.stop()
  })

  it('loses what was cancelled without a word, and keeps the rest', async () => {
    const working: Claim[] = []
    const { lease, lost, next } = leaseOf(working)
    await lease.start()
    const runs = [newRun('flow_lost_word'), newRun('flow_lost_word')]
    for (const run of runs) await journal.runs.accept(run)
    working.push(...(await dispatch.take(lease.name!, 10)).map(({ claim }) => claim))
    expect(working).toHaveLength(2)
    const told = next()
    await createRunStore(storage.kysely).cancel(runs[0]!.id, 1, { code: 'cancelled', message: 'x' })
    await told
    expect(lost.map(({ runId }) => runId)).toEqual([runs[0]!.id])
    await lease.stop()
    // The stopped worker leaves its runs to others.
    expect(await dispatch.take('another', 10)).toMatchObject([{ id: runs[1]!.id }])
  })

  it('that was given up for dead loses everything, and begins anew under another name', async () => {
    const working: Claim[] = []
    const { lease, lost, next } = leaseOf(working)
    await lease.start()
    const before = lease.name!
    const run = newRun('flow_given_up')
    await journal.runs.accept(run)
    working.push(...(await dispatch.take(before, 10)).map(({ claim }) => claim))
    const told = next()
    const beat = (await dispatch.beats()).get(before)!
    for (let tried = beat; (await dispatch.beats()).has(before); tried++) await dispatch.strike(before, tried)
    await told
    expect(lost.map(({ runId }) => runId)).toEqual([run.id])
    await next()
    expect(lease.name).not.toBe(before)
    await lease.stop()
  })
})
