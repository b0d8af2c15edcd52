// The port to tracing, which follows work across systems by the headers of W3C Trace Context.

import type { Outcome, StepError } from '../step-kind.ts'
import type { TraceHeaders } from '../trace-context.ts'
import type { HttpClient } from './http-client.ts'
import type { Advanced, ClaimedRun, JournalEntry } from './run-journal.ts'

export interface RunTracing {
  /** Begins the trace of a run that is taken up; null if the run is part of no trace. */
  run(run: ClaimedRun, flowName: string): RunTrace | null
}

export interface RunTrace {
  /** Begins the span of a step. Steps inside it begin before it ends. */
  step(entry: JournalEntry): StepTrace
  failed(error: StepError): void
  /** Ends the trace with how far the run was carried; null if a fault broke it off. */
  ended(state: Advanced['state'] | null): void
}

export interface StepTrace {
  /** The HTTP client of this step. Its requests belong to the trace. */
  http: HttpClient
  /** The place of the step in the trace, for a run that it starts. */
  headers: TraceHeaders
  /** Ends the span; null if the step waits or was cut short. */
  ended(outcome: Outcome | null): void
}

export interface DeliveryTracing {
  delivery(method: string, given: TraceHeaders): DeliveryTrace
}

export interface DeliveryTrace {
  /** The headers for the work that the delivery causes. They replace the received ones, so that the run stores them. */
  headers: TraceHeaders
  /** Ends the span with the status of the reply; null if the sender disconnected before. */
  ended(status: number | null): void
}
