// What a step kind is: its settings as a schema, and a run function that returns an outcome as data.

import type { Static, TSchema } from 'typebox'
import type { IssueCode } from '../base/error-catalogue.ts'
import type { KeySettings } from '../flow/document.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import type { StepListHandle } from '../flow/schema.ts'
import type { Connections } from './ports/connections.ts'
import type { HttpClient, RoomOfRun, Standing } from './ports/http-client.ts'
import type { Sandbox } from './ports/sandbox.ts'

/** Why a step or run failed. */
export interface StepError {
  code: string
  message: string
  hint?: string
  status?: number
  response?: unknown
}

/** What the waiting webhook caller gets. */
export interface CallerReply {
  status: number
  headers: readonly { name: string; value: string }[]
  body: unknown
}

/** What a retry policy looks at. */
export interface Trouble {
  code: string
  status?: number
  /** The other side's wish, from Retry-After. */
  retryAfterMs?: number
}

export type Outcome =
  | { type: 'done'; output: unknown; trouble?: Trouble; shown?: ShownOutput }
  | { type: 'assign'; output: Record<string, unknown>; shown?: ShownOutput }
  | { type: 'reply'; output: unknown; reply: CallerReply }
  | { type: 'stop' }
  | { type: 'wait'; until: number; output: unknown; shown?: ShownOutput }
  | { type: 'keyValue'; operation: KeyValueOperation }
  | { type: 'failed'; error: StepError; output?: unknown; trouble?: Trouble; shown?: ShownOutput }

/** What is stored and shown in place of an output that comes of a secret. */
export interface ShownOutput {
  output: unknown
}

/** `trouble`: what a retry policy should know of a result that is no failure. */
export const done = (output: unknown, trouble?: Trouble): Outcome => ({ type: 'done', output, trouble })
/** Sets variables; they are the step's output too. */
export const assign = (vars: Record<string, unknown>): Outcome => ({ type: 'assign', output: vars })
/** Answers the waiting webhook caller; the flow goes on. */
export const reply = (response: CallerReply): Outcome => ({ type: 'reply', output: {}, reply: response })
/** Ends the run as succeeded. */
export const stop = (): Outcome => ({ type: 'stop' })
/** Goes on at that time, with that output; the run holds no memory until then. */
export const waitUntil = (until: number, output: unknown): Outcome => ({ type: 'wait', until, output })
/** Done in the transaction that journals it: once, whatever happens. */
export const keyValue = (operation: KeyValueOperation): Outcome => ({ type: 'keyValue', operation })
/** Messages stand in the lists of runs, and may be made of whatever was delivered. */
const LONGEST_MESSAGE = 2_000
const cut = (message: string): string => `${message.slice(0, LONGEST_MESSAGE)}…`

/** `output` is what later steps still see of it, for example the reply of a refused request. */
export const failed = (error: StepError, output?: unknown, trouble?: Trouble): Outcome & { type: 'failed' } => ({
  type: 'failed',
  error: error.message.length > LONGEST_MESSAGE ? { ...error, message: cut(error.message) } : error,
  output,
  trouble,
})

/** An operation on the flow's own durable keys. */
export interface KeyValueOperation {
  op: 'get' | 'set' | 'add' | 'delete' | 'increment'
  key: string
  value: unknown
  ttlMs: number | null
  /** kept: the step knows that the value may come of a secret; revealed: it may be seen nevertheless. */
  secret?: 'kept' | 'revealed'
}

export interface RoundPlan {
  steps: StepListHandle
  /** The items to go through; null for rounds while a condition holds. */
  items: readonly unknown[] | null
  holds: ((round: Bindings) => boolean) | null
  /** What a round leaves in the results. */
  collect: ((round: Bindings) => unknown) | null
  concurrency: number
  max: number
}

export interface RoundsResult {
  count: number
  /** Aligned with the items; null where a round failed or nothing is collected. */
  results: unknown[]
  errors: { index: number; item: unknown; error: StepError }[]
  /** Why the loop as a whole failed. */
  failure: StepError | null
}

export interface StepContext<Settings> {
  /** Templates resolved, defaults filled in. */
  settings: Settings
  /** Where templates hold secrets: the settings as they may be seen, and whose secrets stand at which place of them. */
  secrets: {
    shown: Settings
    places: ReadonlyMap<string, ReadonlySet<string>>
    /** Where something was made of the secret, which nobody would find by its value. */
    derived: ReadonlySet<string>
  } | null
  runId: string
  /** Unique within the run: ids joined by `/`, rounds of a loop in brackets. */
  path: string
  /** When this step began, in milliseconds. */
  now: number
  /** How many webhooks of this service stand before this run in a chain. */
  hops: number
  /** An earlier process began this step and left no result. */
  interrupted: boolean
  /** Journals that the step began, before its effect leaves. */
  announce(): Promise<void>
  /** What the run's history shows as the step's input, in place of the settings. */
  showInput(input: unknown): void
  /** Chooses once: what was chosen before a crash or a wait is chosen again. */
  decide<T>(choose: () => T): T
  /** Runs nested steps; a failing one fails this step. */
  runSteps(list: StepListHandle): Promise<void>
  /** Runs nested steps again and again, each time in a round of their own. */
  runRounds(plan: RoundPlan): Promise<RoundsResult>
  /** Whether the text holds a secret from a connection, `env` or a sealed literal. */
  holdsSecret(text: string): boolean
  http: HttpClient
  /** Where large replies have to wait for it; null: they need none. */
  replyRoom(): RoomOfRun | null
  /** Whether the run is still this process's, for what is about to leave; null: it cannot be another's. */
  standing(): Standing | null
  connections: Connections
  sandbox: Sandbox
  /** Keeps a line with the run. */
  log(line: string): void
  /** Aborted when the run is cancelled or the process stops. */
  signal(): AbortSignal
}

export interface StepKind<S extends TSchema = TSchema> {
  kind: string
  label: string
  settings: S
  /** Its work leaves the process: everything before it is journalled first. */
  reachesOut: boolean
  /** What a retry counts where the flow does not say. */
  retryOn: readonly string[]
  /** Its input is a request and its output a reply, as curl commands, HAR files and fixtures show them. */
  sendsRequest?: boolean
  /** Its settings go to the webhook's caller, so they may hold no secrets. */
  answersCaller?: boolean
  /** The setting whose keys become variables. */
  assigns?: string
  keeps?: KeySettings
  /** Settings that are in its result: where one of them holds a secret, all of the result is secret. */
  secretFrom?: readonly string[]
  run(context: StepContext<Static<S>>): Outcome | Promise<Outcome>
  /** What the schema cannot say; each problem with a JSON Pointer below the step. */
  check?(settings: Record<string, unknown>, mayRead: (characters: number) => boolean): StepIssue[]
}

export interface StepIssue {
  path: string
  code: IssueCode
  message: string
  /** Published all the same. */
  warning?: true
}

export function defineStep<S extends TSchema>(
  kind: Omit<StepKind<S>, 'reachesOut' | 'retryOn'> & Partial<Pick<StepKind, 'reachesOut' | 'retryOn'>>,
): StepKind<S> {
  return { reachesOut: false, retryOn: ['error'], ...kind }
}
