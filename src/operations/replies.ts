// Webhook callers that wait for what their run has to say.
import type { CallerReply } from '../engine/step-kind.ts'

export class Replies {
  readonly #waiting = new Map<string, (reply: CallerReply | null) => void>()

  /** Resolves with null when the time is up. */
  wait(runId: string, timeoutMs: number): Promise<CallerReply | null> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => this.#settle(runId, null), timeoutMs)
      this.#waiting.set(runId, (reply) => {
        clearTimeout(timer)
        resolve(reply)
      })
    })
  }

  send(runId: string, reply: CallerReply): void {
    this.#settle(runId, reply)
  }

  /** The process stops: nobody is kept waiting. */
  releaseAll(): void {
    for (const runId of this.#waiting.keys()) this.#settle(runId, null)
  }

  #settle(runId: string, reply: CallerReply | null): void {
    const settle = this.#waiting.get(runId)
    this.#waiting.delete(runId)
    settle?.(reply)
  }
}
