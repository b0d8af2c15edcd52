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
import type { Bounds } from './quickjs/quickjs.ts'
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

  static async create(compiled: CompiledModule): Promise<ShortRunner> {
    return new ShortRunner(await GuestRun.create(compiled, BOUNDS))
  }

  private constructor(guest: GuestRun) {
    this.#guest = guest
  }

  /** Returns null where only a worker can say what comes of the code: it took too long, or reached another limit. */
  run(request: RunRequest, prepared: Prepared): RunReply | null {
    const load = () => {
      this.#guest.quickJs.adopt(prepared.handles)
      this.#guest.quickJs.restore(prepared.image)
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
}
