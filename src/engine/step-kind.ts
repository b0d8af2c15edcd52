// Defines a step kind: its settings as a schema, and a run function that returns an outcome as data.

import type { Static, TSchema } from 'typebox'
import type { IssueCode } from '../base/error-catalogue.ts'
import type { KeySettings, SettingPlace } from '../flow/document.ts'
import type { Bindings } from '../flow/expression/values/bindings.ts'
import type { StepListHandle } from '../flow/schema.ts'
import type { RunFiles } from './files/run-files.ts'
import type { Connections } from './ports/connections.ts'
import type { FileValue } from './ports/files.ts'
import type { HttpClient, RoomOfRun, Standing } from './ports/http-client.ts'
import type { Sandbox } from './ports/sandbox.ts'

/** Why a step or run failed. */
export interface StepError {
  code: string
  message: string
  hint?: string
  status?: number
  response?: unknown
  /** The run that failed or was cancelled, if the step called one, and the id of its step. */
  child?: { run: string; step?: string }
}

/** The reply that the waiting webhook caller gets. */
export interface CallerReply {
  status: number
  headers: readonly { name: string; value: string }[]
  body: unknown
  /** A file of the run, whose bytes are sent in place of a body. */
  file?: { value: FileValue; run: string }
}

/** The facts that a retry policy looks at. */
export interface Trouble {
  code: string
  status?: number
  /** The delay that the remote API asks for with Retry-After. */
  retryAfterMs?: number
}

export type Outcome =
  | { type: 'done'; output: unknown; trouble?: Trouble; shown?: ShownOutput }
  | { type: 'assign'; output: Record<string, unknown>; shown?: ShownOutput }
  | { type: 'reply'; output: unknown; reply: CallerReply }
  | { type: 'stop' }
  | { type: 'wait'; until: number; output: unknown; shown?: ShownOutput }
  | { type: 'keyValue'; operation: KeyValueOperation }
  | { type: 'call'; flow: string; input: unknown; wait: boolean }
  | { type: 'callback'; awaited: AwaitedCallback }
  | { type: 'failed'; error: StepError; output?: unknown; trouble?: Trouble; shown?: ShownOutput }

/** What a step waits for that has a callback. */
export interface AwaitedCallback {
  timeoutMs: number
  onTimeout: 'fail' | 'continue'
  /** What a person is asked; null if an outside system answers. */
  asks: { title: string; text: string } | null
}

/** The value that is stored and shown in place of an output that derives from a secret. */
export interface ShownOutput {
  output: unknown
}

/** Succeeds with an output. `trouble` describes a bad result that is no failure to the retry policy. */
export const done = (output: unknown, trouble?: Trouble): Outcome => ({ type: 'done', output, trouble })
/** Sets variables, which are also the step's output. */
export const assign = (vars: Record<string, unknown>): Outcome => ({ type: 'assign', output: vars })
/** Replies to the waiting webhook caller; the flow continues. */
export const reply = (response: CallerReply): Outcome => ({ type: 'reply', output: {}, reply: response })
/** Ends the run as succeeded. */
export const stop = (): Outcome => ({ type: 'stop' })
/** Continues at `until` with `output`. The run uses no memory until then. */
export const waitUntil = (until: number, output: unknown): Outcome => ({ type: 'wait', until, output })
/** Runs the operation in the transaction that journals it, and therefore exactly once. */
export const keyValue = (operation: KeyValueOperation): Outcome => ({ type: 'keyValue', operation })
/** Starts a run of another flow in the transaction that journals it, and with `wait` continues with its result. */
export const callFlow = (flow: string, input: unknown, wait: boolean): Outcome => ({ type: 'call', flow, input, wait })
/** Continues with what comes in by the URL of the step, or when the time is over. */
export const awaitCallback = (awaited: AwaitedCallback): Outcome => ({ type: 'callback', awaited })
/** Messages appear in the lists of runs and may contain delivered data, so their length is limited. */
const LONGEST_MESSAGE = 2_000
const cut = (message: string): string => `${message.slice(0, LONGEST_MESSAGE)}…`

/** Fails the step. `output` is what later steps can still read, for example the reply of a refused request. */
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
  /** kept: the value may derive from a secret; revealed: it may, but is shown nevertheless. */
  secret?: 'kept' | 'revealed'
}

export interface RoundPlan {
  steps: StepListHandle
  /** The items to loop over; null for rounds while a condition holds. */
  items: readonly unknown[] | null
  holds: ((round: Bindings) => boolean) | null
  /** Returns what a round adds to the results. */
  collect: ((round: Bindings) => unknown) | null
  concurrency: number
  max: number
}

export interface RoundsResult {
  count: number
  /** One result per item; null if the round failed or nothing is collected. */
  results: unknown[]
  errors: { index: number; item: unknown; error: StepError }[]
  /** The error that failed the loop as a whole. */
  failure: StepError | null
}

export interface BranchesPlan {
  branches: readonly { name: string; steps: StepListHandle }[]
  /** all: every branch has to succeed; first: the first that succeeds decides. */
  finish: 'all' | 'first'
}

export interface BranchesResult {
  /** The branches that have succeeded, in the order of the document. */
  finished: string[]
  errors: { branch: string; error: StepError }[]
  /** The error that failed the step as a whole. */
  failure: StepError | null
}

export interface StepContext<Settings> {
  /** The settings with templates resolved and defaults filled in. */
  settings: Settings
  /** Set if templates hold secrets: the settings as they may be shown, and whose secrets each place of them holds. */
  secrets: {
    shown: Settings
    places: ReadonlyMap<string, ReadonlySet<string>>
    /** The places with a value derived from a secret, which a search for the secret itself does not find. */
    derived: ReadonlySet<string>
  } | null
  runId: string
  /** The path, unique within the run: ids joined by `/`, rounds of a loop in brackets. */
  path: string
  /** The time at which this step began, in milliseconds. */
  now: number
  /** How many webhooks of this service precede this run in a chain. */
  hops: number
  /** Whether an earlier process began this step and left no result. */
  interrupted: boolean
  /** Journals that the step has begun, before its effect leaves the process. */
  announce(): Promise<void>
  /** Sets the input that the run's history shows, in place of the settings. */
  showInput(input: unknown): void
  /** Returns the choice. After a crash or a wait it returns the earlier choice without calling `choose`. */
  decide<T>(choose: () => T): T
  /** Runs nested steps. If one of them fails, this step fails. */
  runSteps(list: StepListHandle): Promise<void>
  /** Runs nested steps repeatedly, each time in a round of their own. */
  runRounds(plan: RoundPlan): Promise<RoundsResult>
  /** Runs lists of nested steps at the same time. */
  runBranches(plan: BranchesPlan): Promise<BranchesResult>
  /** Returns whether the text holds a secret from a connection, `env` or a sealed literal. */
  holdsSecret(text: string): boolean
  http: HttpClient
  /** Returns the room that large replies wait for; null if they need none. */
  replyRoom(): RoomOfRun | null
  /** Tells, before a request leaves, whether this process still holds the run; null if no other process can. */
  standing(): Standing | null
  connections: Connections
  /** The flow that the step is of; null if it is of none. */
  flowId: string | null
  files: RunFiles
  sandbox: Sandbox
  /** Adds a line to the run's logs. */
  log(line: string): void
  /** Returns a signal that aborts when the run is cancelled or the process stops. */
  signal(): AbortSignal
}

export interface StepKind<S extends TSchema = TSchema> {
  kind: string
  label: string
  settings: S
  /** Whether its work leaves the process: all earlier outcomes are then journalled first. */
  reachesOut: boolean
  /** The errors that are retried if the flow does not list any. */
  retryOn: readonly string[]
  /** Whether its input is a request and its output a reply, as curl commands, HAR files and fixtures show them. */
  sendsRequest?: boolean
  /** Whether its settings go to the webhook's caller, and so may hold no secrets. */
  answersCaller?: boolean
  /** Whether its nested steps run at the same time, in no certain order. */
  sideBySide?: boolean
  /** Whether its settings go to another run, and so may hold no secrets. */
  startsRun?: boolean
  /** The setting whose keys become variables. */
  assigns?: string
  keeps?: KeySettings
  /** The settings that are part of the result: if one of them holds a secret, the whole result is secret. */
  secretFrom?: readonly string[]
  /** How a run ends with a step of this kind; other kinds let it continue. */
  ends?: 'succeeded' | 'failed'
  /** Returns what a template at a place of the settings may read, and whether strangers see it; null if nothing is special. */
  placeOf?(setting: string): SettingPlace | null
  /** Returns whether the step waits for a callback, and so has a URL. */
  awaitsCallback?(settings: object): boolean
  /** Of a kind with nested steps: returns whether every run takes one of its lists. */
  takesOneWay?(settings: object): boolean
  run(context: StepContext<Static<S>>): Outcome | Promise<Outcome>
  /** Returns the problems that the schema cannot express, each with a JSON Pointer below the step. */
  check?(settings: Record<string, unknown>, mayRead: (characters: number) => boolean): StepIssue[]
}

export interface StepIssue {
  path: string
  code: IssueCode
  message: string
  /** Whether the flow can be published despite the issue. */
  warning?: true
}

export function defineStep<S extends TSchema>(
  kind: Omit<StepKind<S>, 'reachesOut' | 'retryOn'> & Partial<Pick<StepKind, 'reachesOut' | 'retryOn'>>,
): StepKind<S> {
  return { reachesOut: false, retryOn: ['error'], ...kind }
}
