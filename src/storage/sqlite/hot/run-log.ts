// Acknowledges runs from a log of its own where few come at once: one write and one sync of a file, where the database would change
// seven pages. They get into the database many at a time, and before anybody reads it.
import type { DatabaseSync } from 'node:sqlite'
import { type BatchResult, type HotStatement, type HotWrite, INSERTED, UPDATED } from './hot-writes.ts'
import { type RunLogFile, recordsAfter, removeLog } from './run-log-file.ts'
import { type Generation, readRecord, recordOf } from './run-record.ts'

/** So many writes wait for the database at most. */
const MOST_WRITES = 64
/** Whoever reads may have to wait for all of them. */
const MOST_STATEMENTS = 1_000

export class RunLog {
  readonly #file: RunLogFile
  readonly #salt: number
  #generation = 1
  /** As they were written: to hand their statements to the thread would take seven times as long. */
  #records: string[] = []
  #statements = 0
  /** The epochs of the runs that have begun in this generation and not ended: until they are taken, nobody else can have changed them. */
  readonly #open = new Map<unknown, unknown>()
  /** The generation that is being put into the database, and those of its runs that have not ended. */
  #taken: Generation | null = null
  #takenOpen: ReadonlySet<unknown> = new Set()
  /** Why nothing more is logged: the runs that were taken could not be stored, or the file is not to be trusted. */
  isFailing = false
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
    return this.#records.length === 0 && this.#taken === null && !this.#isUnsure
  }

  /** Whether runs were added since the last were taken. */
  get hasNew(): boolean {
    return this.#records.length > 0
  }

  get isFull(): boolean {
    return this.#records.length >= MOST_WRITES || this.#statements >= MOST_STATEMENTS
  }

  /** Returns whether the write carries a run on that is only here, and has not been taken. */
  carriesOn([first]: HotWrite): boolean {
    const [name, values] = first!
    return name === 'updateRun' && this.#open.has(values[UPDATED.id])
  }

  /** Returns whether a run that has not ended is not in the database. */
  keeps(runId: string): boolean {
    return this.#open.has(runId) || this.#takenOpen.has(runId)
  }

  /** Takes all of the writes or none: returns false if one does not belong here, or there is no room for them. */
  append(writes: readonly HotWrite[]): boolean {
    if (this.#isBroken || this.isFailing || this.isFull || !this.#areOwn(writes)) return false
    const records: string[] = []
    for (const write of writes) {
      const record = recordOf(write)
      if (record === null) return false
      records.push(record)
    }
    try {
      if (!this.#file.append(records)) return false
    } catch {
      // A sync after one that failed may succeed without having written: from now on the database is asked. It also gets the mark
      // that says that the record does not count.
      this.#isBroken = true
      this.#isUnsure = true
      return false
    }
    for (const [i, write] of writes.entries()) {
      this.#records.push(records[i]!)
      this.#statements += write.length
      this.#follow(write[0]!)
    }
    return true
  }

  /** The writes of one run depend on each other, so there may be only one of each. */
  #areOwn(writes: readonly HotWrite[]): boolean {
    if (!writes.every(([first]) => this.#isOwn(first!))) return false
    return writes.length === 1 || new Set(writes.map(runOf)).size === writes.length
  }

  /** Returns whether the statement begins a run, or carries one on that is only here: then it will change a row. */
  #isOwn([name, values]: HotStatement): boolean {
    if (name === 'insertRun') return true
    return name === 'updateRun' && this.#open.get(values[UPDATED.id]) === values[UPDATED.heldEpoch]
  }

  #follow([name, values]: HotStatement): void {
    if (name === 'insertRun') {
      if (values[INSERTED.finishedAt] === null) this.#open.set(values[INSERTED.id], values[INSERTED.epoch])
    } else if (name === 'updateRun') {
      if (values[UPDATED.finishedAt] === null) this.#open.set(values[UPDATED.id], values[UPDATED.epoch])
      else this.#open.delete(values[UPDATED.id])
    }
  }

  /** Returns the runs to be put into the database, with the mark that says so; null: there are none. */
  take(): Generation | null {
    if (this.#taken || (this.#records.length === 0 && !this.#isUnsure)) return this.#taken
    this.#isUnsure = false
    this.#taken = { records: this.#records, mark: ['markLog', [this.#salt, this.#generation]] }
    this.#records = []
    this.#statements = 0
    this.#takenOpen = new Set(this.#open.keys())
    this.#open.clear()
    this.#generation++
    this.#file.begin(this.#generation)
    return this.#taken
  }

  /** The runs that were taken are in the database. */
  stored(): void {
    this.#taken = null
    this.#takenOpen = new Set()
    this.isFailing = false
  }

  /** The runs that were taken could not be put into the database now. */
  failed(): void {
    this.isFailing = true
  }

  /** Leaves the file if it holds runs for which there was no room: the next process puts them into the database. */
  close(): void {
    this.#file.close(this.isEmpty)
  }
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
    const writes = records.map(({ text }) => readRecord(text))
    const isThere = db.prepare('SELECT 1 FROM run WHERE id = ?')
    // The process may have been killed when they were stored, before the log was removed.
    const stored = new Set(writes.map(runOf).filter((id) => isThere.get(id)))
    const marked: HotStatement = ['markLog', [mark!.salt, records.at(-1)!.generation]]
    const write = [...writes.filter((one) => !stored.has(runOf(one))).flat(), marked]
    const [result] = doBatch([write]).results
    if (result !== write.length) throw new LeftRuns((result as { message?: string }).message ?? 'in part only')
  }
  removeLog(path)
}

function runOf([first]: HotWrite): string {
  const [name, values] = first!
  return (values as string[])[name === 'updateRun' ? UPDATED.id : INSERTED.id]!
}

interface Mark {
  salt: number
  generation: number
}
