// Counts what a conversion takes. An evaluation of expressions is one, so that its budget holds for formats too.

export interface Meter {
  work(operations: number): void
  grow(size: number): void
}

/** For whoever bounds what goes in by other means. */
export const UNMETERED: Meter = { work() {}, grow() {} }
