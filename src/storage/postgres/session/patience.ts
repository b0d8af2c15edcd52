// Waits longer for a database session while the service starts, because the machine then has the most to do.
import { explained, isTooLate } from './faults.ts'

export class Patience {
  readonly #endsAt: number

  constructor(patienceMs: number) {
    this.#endsAt = performance.now() + patienceMs
  }

  /** Opens a session, again if the time was too short for it and the service has just been started. */
  async connect<Session>(open: () => Promise<Session>): Promise<Session> {
    for (;;)
      try {
        return await open()
      } catch (error) {
        if (!isTooLate(error) || performance.now() > this.#endsAt) throw explained(error)
      }
  }
}
