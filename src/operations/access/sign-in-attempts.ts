// Guessing passwords and codes is made slow: by account, by network, and in total.
import { RateLimited } from '../operation-error.ts'
import { AttemptLimit } from './attempt-limit.ts'

/** Each checks a password, which takes a fraction of a second and 16 MiB. */
const MAX_UNDER_WAY = 50

export class SignInAttempts {
  readonly #accounts = new AttemptLimit(10, 60_000)
  readonly #networks = new AttemptLimit(30, 20_000)
  /** Failures that are worth an entry in the audit log. */
  readonly #recorded = new AttemptLimit(100, 36_000, 1)
  #underWay = 0

  /** Counted before it is known how the attempt ends, so that many at once are no way around; a success is given back. */
  async attempt<T>(account: string | null, network: string, now: number, work: () => Promise<T>): Promise<T> {
    const wait = this.#take(account, network, now)
    if (wait !== null) throw new RateLimited(`Too many attempts; try again in ${wait} seconds.`, wait)
    this.#underWay++
    try {
      const result = await work()
      if (account !== null) this.#accounts.giveBack(account)
      this.#networks.giveBack(network)
      return result
    } finally {
      this.#underWay--
    }
  }

  /** false: there were so many failures that more of them would only fill the audit log. */
  worthRecording(now: number): boolean {
    return this.#recorded.take('', now) === null
  }

  #take(account: string | null, network: string, now: number): number | null {
    if (this.#underWay >= MAX_UNDER_WAY) return 1
    return this.#networks.take(network, now) ?? (account === null ? null : this.#accounts.take(account, now))
  }
}
