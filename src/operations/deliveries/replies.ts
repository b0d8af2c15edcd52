// Webhook callers that wait for what their run has to say.
import type { CallerReply } from '../../engine/step-kind.ts'

export class Replies {
  readonly #waiting = new Map<string, { flowId: string; settle(reply: CallerReply | null): void }>()

  /** Resolves with null when the time is up. */
  wait(runId: string, flowId: string, timeoutMs: number): Promise<CallerReply | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(runId, null), timeoutMs)
      const settle = (reply: CallerReply | null) => {
        clearTimeout(timer)
        resolve(reply)
      }
      this.#waiting.set(runId, { flowId, settle })
    })
  }

  waits(runId: string): boolean {
    return this.#waiting.has(runId)
  }

  send(runId: string, reply: CallerReply): void {
    this.#settle(runId, reply)
  }

  sendAllOf(flowId: string, replyOf: (runId: string) => CallerReply): void {
    for (const [runId, waiting] of this.#waiting) if (waiting.flowId === flowId) this.#settle(runId, replyOf(runId))
  }

  /** The process stops: nobody is kept waiting. */
  releaseAll(): void {
    for (const runId of this.#waiting.keys()) this.#settle(runId, null)
  }

  #settle(runId: string, reply: CallerReply | null): void {
    const waiting = this.#waiting.get(runId)
    this.#waiting.delete(runId)
    waiting?.settle(reply)
    // A map that churns keeps its outgrown tables, and what they hold, from being collected for long: let it be little.
    if (waiting) waiting.settle = () => {}
  }
}
