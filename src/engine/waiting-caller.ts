// The sender of a delivery that waits for what its run replies: told once, and only what is in the journal.
import type { CompiledTrigger } from '../flow/compile.ts'
import { defaultReply, finalReply, soundReply } from './caller-reply.ts'
import type { EnginePorts } from './ports/engine-ports.ts'
import type { ClaimedRun, RunError } from './ports/run-journal.ts'
import { type Roots, stepScope } from './run-scope.ts'
import type { CallerReply } from './step-kind.ts'

export class WaitingCaller {
  readonly #run: ClaimedRun
  readonly #ports: EnginePorts
  #hasReply: boolean
  /** What the caller is told as soon as it is written that it was said. */
  #unsent: CallerReply | null = null

  constructor(run: ClaimedRun, ports: EnginePorts) {
    this.#run = run
    this.#ports = ports
    this.#hasReply = run.journal.some((entry) => entry.outcome === 'reply')
  }

  get isOwedReply(): boolean {
    return this.#unsent !== null
  }

  /** The first reply of a run counts. */
  owe(reply: CallerReply): void {
    if (this.#hasReply) return
    this.#hasReply = true
    this.#unsent = reply
  }

  /** Once it is journalled. */
  sendOwed(): void {
    if (this.#unsent) this.#ports.reply(this.#run, soundReply(this.#unsent, defaultReply(this.#run.id), this.#refused))
    this.#unsent = null
  }

  /** The run has ended: a caller that got no reply of a step gets the one of the trigger. */
  sendFinal(trigger: CompiledTrigger, roots: Roots, error: RunError | null): void {
    this.sendOwed()
    if (trigger.mode !== 'finished' || this.#hasReply) return
    const { hashing, now, redactReply, reply } = this.#ports
    const scope = (of: Roots) => stepScope(of, hashing, this.#run.id, 'reply', now())
    // An error's message may name what the caller must not know, such as a URL with a key.
    const told = redactReply(error, this.#run)
    reply(this.#run, finalReply(trigger, this.#run.id, roots, scope, told, this.#refused))
  }

  readonly #refused = (reason: string): void => this.#ports.replyRefused(this.#run, reason)
}
