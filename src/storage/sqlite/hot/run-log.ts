// Acknowledges single runs from a log of its own at quiet times: one write and one sync of a file, where the database would change
// seven pages. They get into the database many at a time, and before anybody reads it.
import type { DatabaseSync } from 'node:sqlite'
import type { BatchResult, HotStatement, HotWrite } from './hot-writes.ts'
import { type RunLogFile, recordsAfter, removeLog } from './run-log-file.ts'

/** So many runs wait for the database at most, each with so much text. */
const MOST_RUNS = 64
const MOST_CHARS = 32 * 1024
/** What a run that has ended may consist of: rows that nobody else writes, and counts. */
const WHOLE: ReadonlySet<string> = new Set(['insertRun', 'count', 'putStep'] satisfies HotStatement[0][])
/** Where `insertRun` has the time of the run's end. */
const FINISHED_AT = 4

export class RunLog {
  readonly #file: RunLogFile
  readonly #salt: number
  #generation = 1
  #statements: HotStatement[] = []
  #runs = 0
  /** The generation that is being put into the database. */
  #taken: HotWrite | null = null
  /** Why nothing more is logged: the runs that were taken found no room, or the file is not to be trusted. */
  #isFailing = false
  #isBroken = false
  /** Whether there may be a record of a run that was not acknowledged from the log. */
  #isUnsure = false

  constructor(file: RunLogFile, salt: number) {
    this.#file = file
    this.#salt = salt
    file.begin(this.#generation)
  }

  /** Whether all runs are in the database. */
  get isEmpty(): boolean {
    return this.#runs === 0 && this.#taken === null && !this.#isUnsure
  }

  /** Whether runs were added since the last were taken. */
  get hasNew(): boolean {
    return this.#runs > 0
  }

  get isFull(): boolean {
    return this.#runs >= MOST_RUNS
  }

  /** Returns false if the write is none of a whole run, or there is no room for it. */
  append(write: HotWrite): boolean {
    if (this.#isBroken || this.#isFailing || this.isFull || !isWhole(write)) return false
    try {
      if (!this.#file.append(JSON.stringify(write))) return false
    } catch {
      // A sync after one that failed may succeed without having written: from now on the database is asked. It also gets the mark
      // that says that the record does not count.
      this.#isBroken = true
      this.#isUnsure = true
      return false
    }
    for (const statement of write) this.#statements.push(statement)
    this.#runs++
    return true
  }

  /** Returns the runs to be put into the database, with the mark that says so; null: there are none. */
  take(): HotWrite | null {
    if (this.#taken || (this.#runs === 0 && !this.#isUnsure)) return this.#taken
    this.#isUnsure = false
    this.#taken = [...this.#statements, ['markLog', [this.#salt, this.#generation]]]
    this.#statements = []
    this.#runs = 0
    this.#generation++
    this.#file.begin(this.#generation)
    return this.#taken
  }

  /** The runs that were taken are in the database; `count`: the statements that were done. */
  stored(count: number): void {
    if (count !== this.#taken!.length) throw new Error('The runs of the log were put into the database in part.')
    this.#taken = null
    this.#isFailing = false
  }

  /** The runs that were taken could not be put into the database now. */
  failed(): void {
    this.#isFailing = true
  }

  /** Leaves the file if it holds runs for which there was no room: the next process puts them into the database. */
  close(): void {
    this.#file.close(this.isEmpty)
  }
}

/** Returns whether the write is that of a run from its start to its end, and a small one. */
function isWhole(write: HotWrite): boolean {
  const [name, values] = write[0]!
  if (name !== 'insertRun' || values[FINISHED_AT] === null) return false
  let chars = 0
  for (const [i, [what, given]] of write.entries()) {
    if (!WHOLE.has(what) || (what === 'insertRun' && i > 0)) return false
    if (what === 'count') continue
    for (const value of given as unknown[]) {
      if (typeof value === 'string') chars += value.length
      // Only what JSON gives back as it was.
      else if (typeof value !== 'number' && value !== null) return false
    }
  }
  return chars <= MOST_CHARS
}

/** There are acknowledged runs in the log that cannot be put into the database. */
export class LeftRuns extends Error {
  constructor(reason: string) {
    super(`it lacks runs that were acknowledged, and they cannot be stored (${reason})`)
  }
}

/** Puts the runs into the database that a process left in its log when it was killed. */
export function storeLeftRuns(
  db: DatabaseSync,
  path: string,
  doBatch: (batch: readonly HotWrite[]) => BatchResult,
): void {
  const mark = db.prepare('SELECT salt, generation FROM run_log').get() as Mark | undefined
  const records = mark ? recordsAfter(path, mark.salt, mark.generation) : []
  if (records.length) {
    const isThere = db.prepare('SELECT 1 FROM run WHERE id = ?')
    const writes = records
      .map(({ text }) => JSON.parse(text) as HotWrite)
      // The process may have been killed when they were stored, before the log was removed.
      .filter(([start]) => !isThere.get((start![1] as string[])[0]!))
    const marked: HotStatement = ['markLog', [mark!.salt, records.at(-1)!.generation]]
    const write = [...writes.flat(), marked]
    const [result] = doBatch([write]).results
    if (result !== write.length) throw new LeftRuns((result as { message?: string }).message ?? 'in part only')
  }
  removeLog(path)
}

interface Mark {
  salt: number
  generation: number
}
