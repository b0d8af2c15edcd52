/** The state of one rendering: the bindings, the values of arrow parameters, the budget, and which reference was missing. */
import { CODE } from '../../../base/error-catalogue.ts'
import { type Bindings, MISSING } from './bindings.ts'
import { ExpressionError } from './errors.ts'

export type Compute = (run: Evaluation) => unknown
export type Callback = (run: Evaluation, a?: unknown, b?: unknown, c?: unknown, d?: unknown) => unknown

// An operation takes about 20 ns, so the limit is reached well within 100 ms; longer work is charged as several. 10 MiB of
// text (the largest body) can still be searched or converted and inserted.
const MAX_OPERATIONS = 2_500_000
const MAX_SIZE = 32 * 1024 * 1024

/** The size charged for a list element and for an object's property; a character is charged 1. */
export const ELEMENT_SIZE = 16
export const PROPERTY_SIZE = 48

// Engines keep an object with more properties as a hash table, whose every entry costs ten times as much.
export const LARGE_OBJECT = 64

export const MAX_DATA_DEPTH = 1_000

export class Evaluation {
  readonly bindings: Bindings
  // Slots are numbered at compile time. An arrow function cannot call itself, so each slot has one live value.
  readonly slots: unknown[] = []
  #operations = 0
  #size = 0
  #missing = ''
  #missingBase = ''

  constructor(bindings: Bindings) {
    this.bindings = bindings
  }

  work(operations: number): void {
    this.#operations += operations
    if (this.#operations > MAX_OPERATIONS) throw overBudget('takes too many operations')
  }

  /** Charges for memory; callers that know the amount call it before they allocate. */
  grow(size: number): void {
    this.#size += size
    if (this.#size > MAX_SIZE) throw overBudget('produces too much data')
  }

  get sizeLeft(): number {
    return MAX_SIZE - this.#size
  }

  /** Charges for reading a text, which takes time in proportion: joined texts are copied together when first read. */
  read(text: string): void {
    this.work(1 + (text.length >> 5))
  }

  /** Charges for converting a text: beyond ASCII it takes up to 16 times as long, and may become `growth` times as long. */
  convert(text: string, growth: number): void {
    const plain = isAscii(text)
    this.work(1 + (plain ? text.length >> 3 : text.length * growth))
    this.grow(plain ? text.length : text.length * growth)
  }

  /** Charges for listing or copying the properties of one object. */
  properties(count: number): void {
    this.work(count * (count > LARGE_OBJECT ? 40 : 4))
    this.grow(count * PROPERTY_SIZE)
  }

  /** Records that `written` was looked up in existing data and not found. */
  lacks(written: string): void {
    this.#missing = written
    this.#missingBase = written
  }

  /** Records that `written` is below something that was already missing. */
  lacksBelow(written: string): void {
    this.#missing = written
  }

  /** Names the missing reference: every node that yields MISSING records itself first, so the last record counts. */
  missingError(): ExpressionError {
    const missing = this.#missing
    const base = this.#missingBase
    const reason = base === missing ? '' : ` (there is no ${base})`
    return new ExpressionError(
      CODE.missing_value,
      `${missing} is missing${reason}; use \`{{ ${missing} ?? '' }}\` if it may be`,
      `Check the spelling of ${base} and the data of the delivery.`,
    )
  }
}

const BEYOND_ASCII = /[\u0080-\uffff]/

export const isAscii = (text: string): boolean => !BEYOND_ASCII.test(text)

/** Throws if the value is missing; for values that are inserted, passed on or calculated with. */
export function needed(run: Evaluation, value: unknown): unknown {
  if (value === MISSING) throw run.missingError()
  return value
}

function overBudget(what: string): ExpressionError {
  return new ExpressionError(
    CODE.expression_failed,
    `The expression ${what}`,
    'Work on less data, for example page by page in a loop, or do it in a code step.',
  )
}
