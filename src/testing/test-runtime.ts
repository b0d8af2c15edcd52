// Describes what a test of a flow runs in: everything that accepts deliveries and runs them, with a virtual clock and no network.
import type { RunEnd } from '../engine/ports/run-journal.ts'
import type { Issue } from '../flow/issue.ts'
import type { DeliveryServices } from '../operations/deliveries/services.ts'
import type { RouteRecord } from '../operations/ports/flows.ts'
import type { CallStubs } from './call-stubs.ts'
import type { CallbackStubs } from './callback-stubs.ts'
import type { StubClient } from './stub-client.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface TestRuntime {
  services: DeliveryServices
  clock: VirtualClock
  http: StubClient
  calls: CallStubs
  callbacks: CallbackStubs
  /** Publishes the document, or returns the issues that prevent it. */
  publish(document: unknown): Promise<RouteRecord | Issue[]>
  /** Resolves when the runs accepted since the last call have ended; returns their ids. */
  finished(): Promise<string[]>
  endOf(runId: string): Promise<RunEnd | null>
  /** Faults of Millrace itself. */
  bugs: unknown[]
  close(): Promise<void>
}
