// The port to the senders of deliveries that wait for the reply of their run.
import type { CallerReply } from '../../engine/step-kind.ts'

export interface Callers {
  waits(runId: string): boolean
  /** Returns the runs of a flow whose sender waits. */
  awaitedOf(flowId: string): string[]
  send(runId: string, reply: CallerReply): void
  sendAllOf(flowId: string, make: (runId: string) => CallerReply): void
  /** Resolves to the reply; to null after the time, or when the process stops. */
  wait(runId: string, flowId: string, timeoutMs: number): Promise<CallerReply | null>
}
