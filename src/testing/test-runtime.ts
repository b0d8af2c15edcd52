// Where a flow is tried out: everything that takes on deliveries and runs them, with a clock that leaps and nothing outside.
import type { Issue } from '../flow/issue.ts'
import type { DeliveryServices } from '../operations/deliveries/services.ts'
import type { RouteRecord } from '../operations/ports/flows.ts'
import type { StubClient } from './stub-client.ts'
import type { VirtualClock } from './virtual-clock.ts'

export interface Bench {
  services: DeliveryServices
  clock: VirtualClock
  http: StubClient
  /** Makes the document live, or says why it cannot be. */
  publish(document: unknown): Promise<RouteRecord | Issue[]>
  /** The ids of the runs that were taken on since this was called last; resolves when they have ended. */
  finished(): Promise<string[]>
  /** Faults of Millrace itself. */
  bugs: unknown[]
  close(): Promise<void>
}
