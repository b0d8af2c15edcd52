// Deletes the data of runs that have ended, where their flow says so.
import { RepeatedLook } from '../repeated-look.ts'
import type { UpkeepServices } from './services.ts'

const BATCH = 50
const IDLE_MS = 2_000
/** Whoever waited for the end of the run reads its result meanwhile. Nobody else is shown its data from its end on. */
const GRACE_MS = 5_000

export class EraseLoop {
  readonly #loop: RepeatedLook

  constructor({ erasing, now, warn }: Pick<UpkeepServices, 'erasing' | 'now' | 'warn'>) {
    const look = async () => ((await erasing.eraseSome(now() - GRACE_MS, BATCH)) === BATCH ? 0 : IDLE_MS)
    this.#loop = new RepeatedLook(look, IDLE_MS, ({ message }) =>
      warn('the data of finished runs could not be deleted; it is tried again', { reason: message }),
    )
  }

  start(): void {
    this.#loop.wake()
  }

  stop(): Promise<void> {
    return this.#loop.stop()
  }
}
