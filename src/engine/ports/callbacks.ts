// The port to the callbacks of runs: the URLs by which others answer, and what came in by them.

/**
 * early: the run has not reached the step; open: it waits; answered: what it goes on with is decided; timedOut, cancelled:
 * nobody can answer any more. A run that has ended takes no answers either, whatever the state.
 */
export type CallbackState = 'early' | 'open' | 'answered' | 'timedOut' | 'cancelled'

/** What came in, as the step's result has it: of an outside system, or of a person. */
export type CallbackData = Readonly<Record<string, unknown>>

/** Of a callback of an outside system, and of an approval. */
export const CALLBACK_FIELDS = ['body', 'headers', 'query', 'rawBody', 'receivedAt'] as const
export const APPROVAL_FIELDS = ['answer', 'fields', 'by', 'at'] as const

export interface RunCallback {
  id: string
  token: string
  state: CallbackState
  expiresAt: number | null
  /** What the run goes on with; null if it is not answered. */
  answer: CallbackData | null
}

export interface NewCallback {
  runId: string
  flowId: string
  /** The path of the step with its rounds, the same for every attempt of the steps around it. */
  path: string
  step: string
  isApproval: boolean
}

/** What is known once the run waits. */
export interface Opening {
  expiresAt: number
  /** What a person is asked. */
  asks: { title: string; text: string } | null
  /** What the condition of the step reads of the run. */
  reads: Readonly<Record<string, unknown>>
}

export interface CallbackJournal {
  /** Returns the callback of a step, which is made with a new URL if there was none. */
  of(callback: NewCallback): Promise<RunCallback>
  urlOf(token: string, isApproval: boolean): string
  /** Returns the early answers that the run has not looked at, the first first. */
  unseen(id: string, limit: number): Promise<{ id: string; data: CallbackData }[]>
  /** Lets others answer from now on; does nothing if there are answers that the run has not looked at. */
  open(id: string, flowId: string, opening: Opening): Promise<void>
  /** Goes on with an early answer. */
  take(id: string, answerId: string): Promise<void>
  /** Notes that the condition of the step did not take an early answer. */
  pass(id: string, answerId: string): Promise<void>
  /** Ends the wait, and returns true, unless an answer came first. */
  timeOut(id: string): Promise<boolean>
  /** Closes the callbacks under a path, whose steps do not count any more. */
  cancelUnder(runId: string, prefix: string): Promise<void>
}
