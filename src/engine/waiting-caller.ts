// Replies to the sender of a delivery that waits for its run: once, and only with what is in the journal.
import type { CompiledTrigger } from '../flow/triggers/compile-trigger.ts'
import { defaultReply, finalReply, soundReply } from './caller-reply.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { ClaimedRun, RunError } from './ports/run-journal.ts'
import { type Roots, stepBindings } from './run-bindings.ts'
import type { CallerReply } from './step-kind.ts'

export class WaitingCaller {
  readonly #run: ClaimedRun
  readonly #ports: EnginePorts
  #hasReply: boolean
  /** The reply that is sent as soon as the journal holds it. */
  #unsent: CallerReply | null = null

  constructor(run: ClaimedRun, ports: EnginePorts) {
    this.#run = run
    this.#ports = ports
    this.#hasReply = run.journal.some((entry) => entry.outcome === 'reply')
  }

  get isOwedReply(): boolean {
    return this.#unsent !== null
  }

  /** Keeps a reply for the caller. Only the first reply of a run counts. */
  owe(reply: CallerReply): void {
    if (this.#hasReply) return
    this.#hasReply = true
    this.#unsent = reply
  }

  /** Sends the kept reply. Called once the reply is journalled. */
  sendOwed(): void {
    if (this.#unsent) this.#ports.reply(this.#run, soundReply(this.#unsent, defaultReply(this.#run.id), this.#refused))
    this.#unsent = null
  }

  /** Sends the trigger's reply at the end of the run, if no step has replied. */
  sendFinal(trigger: CompiledTrigger, roots: Roots, error: RunError | null): void {
    this.sendOwed()
    if (!trigger.finalReply || this.#hasReply) return
    const { hashing, now, redactReply, reply } = this.#ports
    const bindings = (of: Roots) => stepBindings(of, hashing, this.#run.id, 'reply', now())
    // The message of an error may contain what the caller must not know, such as a URL with a key.
    const told = redactReply(error, this.#run)
    reply(this.#run, finalReply(trigger.finalReply, this.#run.id, roots, bindings, told, this.#refused))
  }

  readonly #refused = (reason: string): void => this.#ports.replyRefused(this.#run, reason)
}
