// Puts the labels of runs into their index many at a time: one by one, each would change a page of its own. A run has its labels in
// its own row too, and with it commits from which run on the index lacks them; so whoever looks for labels adds them before.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { ADD_LABELS, ADD_LATE_LABELS, LATE_BODY_CHARS, NONE_LATE } from '../../rows/labels/late-labels.ts'

const MARK = `INSERT INTO late_label (one, since) VALUES (1, ?)
  ON CONFLICT (one) DO UPDATE SET since = min(since, excluded.since)`

/** So many runs may be late, for so long: the index is searched in a moment then, whoever asks. */
const MOST_LATE = 1_000
const LATE_MS = 1_000

export class LateLabels {
  readonly #mark: StatementSync
  readonly #add: StatementSync
  readonly #addLate: StatementSync
  readonly #forget: StatementSync
  /** The first of the transaction's runs with labels. */
  #first: string | null = null
  #count = 0
  /** How many runs are late at most, and since when; some may be from before this process. */
  #late = 1
  #since = 0

  constructor(db: DatabaseSync) {
    this.#mark = db.prepare(MARK)
    this.#add = db.prepare(ADD_LABELS)
    this.#addLate = db.prepare(ADD_LATE_LABELS)
    this.#forget = db.prepare(NONE_LATE)
  }

  /** Notes a run with labels that the transaction stores. */
  add(runId: string, labels: string, bodyChars: number): void {
    if (bodyChars > LATE_BODY_CHARS) {
      this.#add.run(runId, labels)
      return
    }
    if (this.#first === null || runId < this.#first) this.#first = runId
    this.#count++
  }

  /** Marks the runs of the transaction as late, or adds all that are. */
  write(): void {
    if (this.#first !== null) {
      this.#mark.run(this.#first)
      if (this.#late === 0) this.#since = Date.now()
      this.#late += this.#count
      this.forget()
    }
    if (this.#late === 0 || (this.#late < MOST_LATE && Date.now() - this.#since < LATE_MS)) return
    this.#addLate.run()
    this.#forget.run()
    this.#late = 0
  }

  /** Forgets the runs of a transaction that was rolled back. */
  forget(): void {
    this.#first = null
    this.#count = 0
  }
}
