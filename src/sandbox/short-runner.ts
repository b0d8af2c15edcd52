// Runs short code on the main thread, in a QuickJS of its own: no run is told of a limit there, it ends as NotShort.
import { CODE } from '../base/error-catalogue.ts'
import { GuestRun } from './guest-run.ts'
import {
  FUSE_MS,
  SHORT_ARGUMENT_BYTES,
  SHORT_CALL_STACK_BYTES,
  SHORT_CROSSING_BYTES,
  SHORT_FREE_LOOKS,
  SHORT_MEMORY_BYTES,
} from './limits.ts'
import type { Prepared, RunReply, RunRequest } from './messages.ts'
import { NotShort } from './quickjs/guest-error.ts'
import type { Bounds } from './quickjs/host.ts'
import type { CompiledModule } from './quickjs/web-assembly.ts'

const BOUNDS: Bounds = {
  crossingBytes: SHORT_CROSSING_BYTES,
  argumentBytes: SHORT_ARGUMENT_BYTES,
  callStackBytes: SHORT_CALL_STACK_BYTES,
  memoryBytes: SHORT_MEMORY_BYTES,
  freeLooks: SHORT_FREE_LOOKS,
  areTold: false,
}

export class ShortRunner {
  readonly #guest: GuestRun
  /** The text that ran last, and whether it did so twice in a row. */
  #last: Prepared | null = null
  #isRepeated = false
  /** The text whose image is in memory, untouched. */
  #ready: Prepared | null = null

  static async create(compiled: CompiledModule): Promise<ShortRunner> {
    return new ShortRunner(await GuestRun.create(compiled, BOUNDS))
  }

  private constructor(guest: GuestRun) {
    this.#guest = guest
  }

  /** Returns null where only a worker can say what comes of the code: it took too long, or reached another limit. */
  run(request: RunRequest, prepared: Prepared): RunReply | null {
    this.#isRepeated = this.#last === prepared
    this.#last = prepared
    const load = () => {
      if (this.#ready !== prepared) this.#load(prepared)
      this.#ready = null
      return prepared
    }
    try {
      const reply = this.#guest.run(request, load, FUSE_MS)
      const isDecided = !('failure' in reply) || (!reply.broken && reply.failure.code === CODE.code_failed)
      return isDecided ? reply : null
    } catch (error) {
      if (error instanceof NotShort) return null
      throw error
    }
  }
  /** Puts the memory right after a run, where the next one is likely to be of the same text: it need not wait for that then. */
  tidyUp(): void {
    if (!this.#isRepeated || !this.#last || this.#ready) return
    this.#load(this.#last)
    this.#ready = this.#last
  }

  #load({ handles, image }: Prepared): void {
    this.#guest.quickJs.adopt(handles)
    this.#guest.quickJs.restore(image)
  }
}
