// The port to whoever follows work from system to system, by the headers of W3C Trace Context.

import type { Outcome, StepError } from '../step-kind.ts'
import type { HttpClient } from './http-client.ts'
import type { Advanced, ClaimedRun, JournalEntry } from './run-journal.ts'

export interface RunTracing {
  /** A run is taken up; null: it is part of no trace. */
  run(run: ClaimedRun, flowName: string): RunTrace | null
}

export interface RunTrace {
  /** A step begins; steps inside it begin before it ends. */
  step(entry: JournalEntry): StepTrace
  failed(error: StepError): void
  /** How far the run was carried; null: it broke off by a fault. */
  ended(state: Advanced['state'] | null): void
}

export interface StepTrace {
  /** The way out, for this step: what leaves belongs to the trace. */
  http: HttpClient
  /** null: it waits, or was cut short. */
  ended(outcome: Outcome | null): void
}

/** The trace headers of a request, as they came or are to be sent. */
export interface TraceHeaders {
  traceparent: string | undefined
  tracestate: string | undefined
}

export interface DeliveryTracing {
  delivery(method: string, given: TraceHeaders): DeliveryTrace
}

export interface DeliveryTrace {
  /** For whatever the delivery leads to. They stand in place of those that came with it, so that they are stored with the run. */
  headers: TraceHeaders
  /** The status that was answered; null: the sender went away before. */
  ended(status: number | null): void
}
