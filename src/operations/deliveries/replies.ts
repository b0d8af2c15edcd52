// Holds the webhook callers that wait for the reply of their run.
import type { CallerReply } from '../../engine/step-kind.ts'

export class Replies {
  readonly #waiting = new Map<string, { flowId: string; settle(reply: CallerReply | null): void }>()

  /** Resolves to the reply, or to null after `timeoutMs`. */
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

  awaitedOf(flowId: string): string[] {
    return [...this.#waiting].filter(([, waiting]) => waiting.flowId === flowId).map(([runId]) => runId)
  }

  send(runId: string, reply: CallerReply): void {
    this.#settle(runId, reply)
  }

  sendAllOf(flowId: string, replyOf: (runId: string) => CallerReply): void {
    for (const runId of this.awaitedOf(flowId)) this.#settle(runId, replyOf(runId))
  }

  /** Releases all waiting callers, because the process stops. */
  releaseAll(): void {
    for (const runId of this.#waiting.keys()) this.#settle(runId, null)
  }

  #settle(runId: string, reply: CallerReply | null): void {
    const waiting = this.#waiting.get(runId)
    this.#waiting.delete(runId)
    waiting?.settle(reply)
    // A busy map delays the collection of its outgrown tables and all that they hold, so the entry is left nearly empty.
    if (waiting) waiting.settle = () => {}
  }
}
