// The port to the store of callbacks, for those who answer them and for those who look.
import type { CallbackData, CallbackJournal, CallbackState } from '../../../engine/ports/callbacks.ts'
import type { RunStatus } from '../../../engine/ports/run-journal.ts'
import type { Page, Paged } from '../page.ts'

/** How the token of a callback begins: so it is found, and hidden, wherever it stands. */
export const TOKEN_PREFIX = 'mrc_'
/** Returns the token with these 192 random bits, in base64url. */
export const tokenFrom = (random: string): string => TOKEN_PREFIX + random

export interface CallbackRecord {
  id: string
  runId: string
  flowId: string
  /** What the run follows: a version, or a document of its own. */
  version: number | null
  document: string | null
  runStatus: RunStatus
  path: string
  step: string
  isApproval: boolean
  state: CallbackState
  asks: { title: string; text: string } | null
  createdAt: number
  openedAt: number | null
  expiresAt: number | null
  endedAt: number | null
  answeredBy: string | null
  answerId: string | null
}

export interface NewAnswer {
  id: string
  /** Of what was sent: the same again is the same answer. */
  digest: string
  data: CallbackData
  receivedAt: number
  by: string | null
}

/** What came for a callback, for those who look. */
export interface ShownAnswers {
  /** What it was answered; null if nothing, or too much. */
  answer: CallbackData | null
  /** The first of what came before the run waited and it has not looked at. */
  early: CallbackData[]
  /** What is too large to be shown. */
  omitted: ('answer' | 'early')[]
}

export interface CallbackStore extends CallbackJournal {
  find(token: string): Promise<CallbackRecord | null>
  get(id: string): Promise<CallbackRecord | null>
  at(runId: string, path: string): Promise<CallbackRecord | null>
  ofRun(runId: string): Promise<CallbackRecord[]>
  /** Returns the tokens of these callbacks by id. */
  tokens(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns what the condition of the step reads of the run. */
  reads(id: string): Promise<Record<string, unknown>>
  /** Returns what a person or system answered; null if nobody has. */
  answerOf(id: string): Promise<{ digest: string; data: CallbackData } | null>
  /** Returns what came for these callbacks, by id: for all of them together at most `maxBytes`, answers first. */
  shownAnswers(ids: readonly string[], maxBytes: number): Promise<ReadonlyMap<string, ShownAnswers>>
  /**
   * Keeps an answer for a run that has not reached the step. `known`: the same came before; `full`: too many, or too much, wait already;
   * `changed`: the run has reached the step or ended meanwhile.
   */
  keepEarly(record: CallbackRecord, answer: NewAnswer): Promise<'kept' | 'known' | 'full' | 'changed'>
  /** Answers an open callback and makes its run due, in one transaction; false if it is not open any more. */
  answer(record: CallbackRecord, answer: NewAnswer): Promise<boolean>
  /** Gives the callback a new URL; the old one leads nowhere from then on. Returns the token. */
  renew(id: string): Promise<string>
  openApprovals(page: Page, among?: readonly string[] | null): Promise<Paged<CallbackRecord>>
  /** Counts those that are open, up to `most`. */
  countOpen(most: number): Promise<number>
}
