// What all trigger kinds have in common.
import Type, { type TObject } from 'typebox'
import type { IssueCode } from '../../base/error-catalogue.ts'
import type { Bindings } from '../expression/values/bindings.ts'
import type { Senders } from '../senders/schema.ts'
import { type CompiledLabels, LabelsSetting } from './labels.ts'

/** The keys that triggers of every kind have. */
export const TriggerCommon = {
  concurrency: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
  labels: LabelsSetting,
}

export interface CompiledReply {
  status: ((bindings: Bindings) => unknown) | null
  headers: ((bindings: Bindings) => unknown) | null
  body: ((bindings: Bindings) => unknown) | null
}

export interface CompiledCommon {
  concurrency: number | null
  /** null: the runs have no labels. */
  labels: CompiledLabels | null
  /** What a caller that waits for the end of the run gets; null if none waits. */
  finalReply: { success: CompiledReply; error: CompiledReply } | null
  /** Whether the body of a step's reply is the result of the run, so that the journal keeps it. */
  keepsReply: boolean
}

/** What becomes of a reply that a step makes: the caller gets it, its body becomes the result of the run, or nothing. */
export type ReplyUse = 'sent' | 'result' | 'none'

/** Reports a problem at a path below the trigger. */
export type ReportTrigger = (path: string, code: IssueCode, message: string, weight?: 'publish' | 'warning') => void

/** What validation has to know of a trigger kind. A document may be a draft, so that nothing in it is certain. */
export interface TriggerKind {
  kind: string
  label: string
  settings: TObject
  /** The name by which templates read what a run began with. */
  root: string
  /** Returns the roots that a template at this path may read; `runRoots` are those of a step. */
  rootsAt(path: string, trigger: Record<string, unknown>, runRoots: readonly string[]): readonly string[]
  replyUse(trigger: Record<string, unknown>): ReplyUse
  /** Returns the paths that may name a field of a connection which is not there yet. */
  arrivesLater?(trigger: Record<string, unknown>, senders: Senders): ReadonlySet<string>
  /** Reports what the schema cannot express. `now`: the time of publishing, if it is known; `senders`: null if they are not. */
  check(trigger: Record<string, unknown>, report: ReportTrigger, now: number | undefined, senders: Senders | null): void
}
