// The port to the senders of deliveries that wait for the reply of their run.
import type { CallerReply } from '../../engine/step-kind.ts'

export interface Callers {
  waits(runId: string): boolean
  /** Returns the runs of a flow whose sender waits. */
  awaitedOf(flowId: string): string[]
  send(runId: string, reply: CallerReply): void
  sendAllOf(flowId: string, make: (runId: string) => CallerReply): void
}
