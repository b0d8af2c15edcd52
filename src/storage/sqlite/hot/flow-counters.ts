// Counts what the writes of a transaction do, and writes the sums before it commits; the labels of its runs, too.
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { MINUTE_MS } from '../../../operations/ports/stats.ts'
import { type Counted, DELTA_KEYS } from '../../rows/flow-counts.ts'
import { FailureCounters } from '../failures/failure-counters.ts'
import { LateLabels } from './late-labels.ts'

const keys = DELTA_KEYS.join(', ')
/** One narrow row per flow, minute and counter: adding to the rows of hours and of all flows would take four times as long. */
const ADD = `INSERT INTO flow_delta (${keys}, count) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (${keys}) DO UPDATE SET count = count + excluded.count`

/** Bounds the search where a batch is of many flows: two sums of the same are as right as one. */
const LOOKED_AT = 8

interface Sum {
  minute: number
  counted: Counted
  count: number
}

export class FlowCounters {
  readonly #add: StatementSync
  /** A batch holds few kinds of events, so looking through them is quickest. */
  #sums: Sum[] = []
  readonly failures: FailureCounters
  readonly labels: LateLabels

  constructor(db: DatabaseSync) {
    this.#add = db.prepare(ADD)
    this.failures = new FailureCounters(db)
    this.labels = new LateLabels(db)
  }

  add(counted: Counted): void {
    const minute = Math.floor(counted.at / MINUTE_MS)
    const { flowId, counter, bucket, code } = counted
    for (let i = Math.max(0, this.#sums.length - LOOKED_AT); i < this.#sums.length; i++) {
      const sum = this.#sums[i]!
      const { counted: of } = sum
      if (sum.minute !== minute || of.counter !== counter || of.bucket !== bucket || of.code !== code) continue
      if (of.flowId !== flowId) continue
      sum.count++
      return
    }
    this.#sums.push({ minute, counted, count: 1 })
  }

  /** Writes what was counted since the last call, inside the transaction of what it counts. */
  write(): void {
    for (const { minute, counted, count } of this.#sums)
      this.#add.run(counted.flowId, minute, counted.counter, counted.bucket, counted.code, count)
    this.failures.write()
    this.labels.write()
    this.forget()
  }

  /** Forgets what a transaction counted that was rolled back. */
  forget(): void {
    if (this.#sums.length) this.#sums = []
    this.failures.forget()
    this.labels.forget()
  }
}
