// Accepts runs: deliveries that arrive together share one statement, which commits them with their dedupe keys.
import type { NewRun } from '../../engine/ports/run-journal.ts'
import { StorageUnavailable } from '../../engine/ports/storage-unavailable.ts'
import type { RecordEntry } from '../../operations/ports/audit.ts'
import type { Accepted, Dedupe, RunTerms } from '../../operations/ports/runs.ts'
import type { Protect } from '../../operations/ports/secrets.ts'
import { runBinding } from '../rows/bindings.ts'
import { sealedStartColumns } from '../rows/request-columns.ts'
import { labelsColumn, testColumn, triggerColumn, wakenBy } from '../rows/run-rows.ts'
import { GIVEN, type GivenRun, HOLDER, INSERT, PRESENT } from './accept-statements.ts'
import { arrays } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool, PostgresStorage } from './database.ts'
import { holdFiles, useFiles } from './files/run-files.ts'
import { HELD } from './held.ts'
import type { PostgresClaim } from './run-claim.ts'

/** The part that this process takes in running the runs that it accepts. */
export interface RunsHere {
  /** The name that replies to this process's callers are addressed to. */
  node: string
  /** Reserves a place for a run that starts here at once, and returns its holder; null: other processes may take the run. */
  reserve(): string | null
  /** Frees a reserved place that is not needed. */
  giveBack(): void
  /** Returns how many of the changes, by any process, this process knows. */
  known(): number
  /** Resolves when this process knows the first `changes` changes, which a run that starts here needs. */
  catchUp(changes: number): Promise<void> | void
  /** Returns the name under which this process holds runs; null while it may hold none. */
  worker(): string | null
  /** Returns whether no other process can consider this one dead yet. Otherwise `renewed` resolves when that is settled. */
  isCertain(): boolean
  renewed(): Promise<void>
}

type AcceptStorage = Pick<PostgresStorage, 'hot' | 'joint'>

/** How long a commit whose reply was lost is looked for, before its callers are told to try again. */
const SETTLE_WITHIN_MS = 5_000
const LOOK_EVERY_MS = 100
const UNIQUE_VIOLATION = '23505'
const MOST_AT_ONCE = 200
const LANES = 2

const ANY_ROUTE: RunTerms = { concurrency: null, awaited: false, small: true, route: null }

/** Inserts runs inside the caller's transaction; used by a replay, which inserts a journal too, and by calls. */
export async function insertRuns(query: HotPool['query'], runs: GivenRun[]): Promise<void> {
  await query({ name: 'accept', text: INSERT, values: [...arrays(GIVEN, runs), runs[0]!.created_at] })
}

/** Returns which of the runs are stored already. */
export async function present(query: HotPool['query'], runs: readonly GivenRun[]): Promise<Set<string>> {
  const values = [runs.map(({ id }) => id)]
  const rows = await query<{ id: string }>({ name: 'present', text: PRESENT, values })
  return new Set(rows.map(({ id }) => id))
}

export function givenRun(
  run: NewRun,
  dedupe: Dedupe | null,
  { concurrency, awaited, route }: RunTerms,
  here: Pick<RunsHere, 'node'>,
  worker: string | null,
  protect: Protect,
): GivenRun {
  return {
    id: run.id,
    flow_id: run.flowId,
    version: run.version,
    document: run.document,
    test: testColumn(run),
    hops: run.hops,
    reply_status: run.replyStatus,
    created_at: run.createdAt,
    replay_of: run.replayOf,
    trigger: triggerColumn(run.trigger),
    parent_run: run.parent?.run ?? null,
    parent_step: run.parent?.step ?? null,
    parent_waits: run.parent ? Number(run.parent.waits) : null,
    labels: labelsColumn(run),
    ...sealedStartColumns(run, protect.of(run.flowId), runBinding(run.id)),
    worker,
    at_once: concurrency,
    reply_to: awaited ? here.node : null,
    webhook_id: route?.webhookId ?? null,
    dedupe_key: dedupe?.key ?? null,
    dedupe_until: dedupe?.expiresAt ?? null,
  }
}

/** What is stored in the transaction of a run; such a run is accepted alone. */
interface StoredWith {
  files?: readonly string[]
  entry?: RecordEntry | null
}

export function createAccept(
  storage: AcceptStorage,
  protect: Protect,
  here: RunsHere,
  onCommit: (seconds: number, writes: number) => void,
) {
  const batches = new Batches<GivenRun, Accepted>({
    lanes: LANES,
    most: MOST_AT_ONCE,
    send: (runs) => acceptAll(storage, runs, here),
    onSent: onCommit,
  })

  return async (run: NewRun, dedupe: Dedupe | null = null, terms: RunTerms = ANY_ROUTE): Promise<Accepted> => {
    // A large run begins when the queue has room for it.
    const worker = terms.concurrency === null && terms.small ? here.reserve() : null
    const started = performance.now()
    let accepted: Accepted | null = null
    const given = givenRun(run, dedupe, terms, here, worker, protect)
    try {
      const isAlone = run.files?.length || terms.entry
      accepted = isAlone
        ? (await acceptAll(storage, [given], here, { files: run.files ?? [], entry: terms.entry }))[0]!
        : await batches.add(given)
    } finally {
      if (worker !== null && !isTakenOn(accepted)) here.giveBack()
    }
    if (worker === null || !isTakenOn(accepted)) return accepted
    const claim: PostgresClaim = { runId: run.id, epoch: 1, flowId: run.flowId, wakes: wakenBy(run), seenAt: started }
    return { ...accepted, claim }
  }
}

/** Whether the run begins where it was accepted, if there is a place. */
const isTakenOn = (accepted: Accepted | null): boolean =>
  accepted !== null && accepted.duplicateOf === null && !accepted.stale && !accepted.held

async function acceptAll(
  storage: AcceptStorage,
  runs: GivenRun[],
  here: RunsHere,
  storedWith: StoredWith = {},
): Promise<Accepted[]> {
  // One statement can insert a key once: the first run of those with the same key stands for all.
  const firsts = new Map<string, GivenRun>()
  const keyOf = (run: GivenRun) => JSON.stringify([run.flow_id, run.dedupe_key])
  for (const run of runs) if (run.dedupe_key !== null && !firsts.has(keyOf(run))) firsts.set(keyOf(run), run)
  const isFirst = (run: GivenRun) => run.dedupe_key === null || firsts.get(keyOf(run)) === run
  const { runs: inserted, changes } = await insertGiven(storage, runs.filter(isFirst), storedWith)
  if (runs.some(({ worker }) => worker !== null)) await here.catchUp(changes)

  const results = new Map<GivenRun, Accepted>()
  for (const run of runs.filter(isFirst)) {
    const held = inserted.get(run.id)
    const taken = held ? { duplicateOf: null, held } : { duplicateOf: null }
    results.set(run, held === undefined ? await whyNot(storage.hot, run) : taken)
  }
  return runs.map((run) => {
    const result = results.get(run)
    if (result) return result
    const first = firsts.get(keyOf(run))!
    const ofFirst = results.get(first)!
    return ofFirst.stale ? ofFirst : { duplicateOf: ofFirst.duplicateOf ?? first.id }
  })
}

interface Inserted {
  /** The runs by id, each with whether a pause holds it back. */
  runs: Map<string, boolean>
  /** How often data that processes keep in memory had changed at that moment. */
  changes: number
}

export interface InsertedRow {
  id: string
  placed: number | null
  changes?: number
}

const inserted = (rows: InsertedRow[]): Inserted => ({
  runs: new Map(rows.map(({ id, placed }) => [id, placed === HELD])),
  changes: rows[0]?.changes ?? 0,
})

async function insertGiven(
  { hot, joint }: AcceptStorage,
  runs: GivenRun[],
  { files = [], entry = null }: StoredWith,
): Promise<Inserted> {
  const now = runs.reduce((latest, run) => Math.max(latest, run.created_at as number), 0)
  const statement = { name: 'accept', text: INSERT, values: [...arrays(GIVEN, runs), now] }
  const insert = async () => {
    if (files.length === 0 && !entry) return hot.query<InsertedRow>(statement)
    return (entry ? joint : hot.transaction)(async (query) => {
      if (files.length) await holdFiles(query, files)
      const rows = await query<InsertedRow>(statement)
      await useFiles(
        query,
        rows.map(({ id }) => ({ id, files })),
      )
      if (rows.length) await entry?.()
      return rows
    })
  }
  return inserted(await insertSurely(hot, runs, insert))
}

/** Inserts runs that commit together; after a lost reply it reads the table, because nothing else says whether the commit happened. */
export async function insertSurely<Row extends InsertedRow>(
  hot: HotPool,
  runs: readonly { id: unknown }[],
  insert: () => Promise<Row[]>,
): Promise<Row[]> {
  try {
    return await insert()
  } catch (error) {
    if (!(error instanceof StorageUnavailable && error.unsure)) throw error
    const deadline = performance.now() + SETTLE_WITHIN_MS
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS))
      try {
        const values = [runs.map((run) => run.id)]
        const there = await hot.query<Row>({ name: 'present', text: PRESENT, values })
        // The runs were committed together: a run that is missing was refused.
        return there.length ? there : await insert()
      } catch (again) {
        // A unique violation means that the first attempt was still under way and has committed now.
        const late = (again as { code?: string }).code === UNIQUE_VIOLATION
        if (!(late || again instanceof StorageUnavailable) || performance.now() > deadline) throw again
      }
    }
  }
}

async function whyNot(hot: HotPool, run: GivenRun): Promise<Accepted> {
  if (run.dedupe_key === null) return { duplicateOf: null, stale: true }
  const values = [run.flow_id, run.dedupe_key, run.created_at, run.webhook_id, run.version]
  const [holder] = await hot.query<{ run_id: string }>({ name: 'holder', text: HOLDER, values })
  return holder ? { duplicateOf: holder.run_id } : { duplicateOf: null, stale: true }
}
