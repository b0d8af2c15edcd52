// Guessing passwords and codes is made slow: by network and account together, by network, by account, and in total. No stranger can
// keep a user out: whoever comes with a browser that the user has signed in with before is counted by that browser alone.

import { Buckets } from '../../base/buckets.ts'
import { RateLimited } from '../operation-error.ts'

/** Each checks a password, which takes a fraction of a second and 16 MiB. */
const MAX_UNDER_WAY = 50
/** More than that for known browsers: strangers cannot take all places. */
const MAX_WITH_KNOWN = 60

export interface Attempter {
  network: string
  /** null: a code is tried, which is nobody's. */
  account: string | null
  /** What shows that the user was here before: a browser, or a session. */
  known: string | null
}

/** Strangers choose them: more are not kept. */
const MOST_KEYS = 10_000

export class SignInAttempts {
  readonly #known = new Buckets(10, 60_000, MOST_KEYS)
  readonly #accountsByNetwork = new Buckets(10, 60_000, MOST_KEYS)
  readonly #networks = new Buckets(30, 20_000, MOST_KEYS)
  /** From all networks together: far more than one of them can cause, and still no rate to find a password with. */
  readonly #accounts = new Buckets(100, 6_000, MOST_KEYS)
  /** Failures that are worth an entry in the audit log. */
  readonly #recorded = new Buckets(100, 36_000, 1)
  #underWay = 0

  /** Counted before it is known how the attempt ends, so that many at once are no way around; a success is given back. */
  async attempt<T>(by: Attempter, now: number, work: () => Promise<T>): Promise<T> {
    const limits = this.#limitsOf(by)
    const wait = this.#isFull(by) ? 1 : firstWait(limits, now)
    if (wait !== null) throw new RateLimited(`Too many attempts; try again in ${wait} seconds.`, wait)
    this.#underWay++
    try {
      const result = await work()
      for (const [limit, key] of limits) limit.giveBack(key)
      return result
    } finally {
      this.#underWay--
    }
  }

  /** false: there were so many failures that more of them would only fill the audit log. */
  worthRecording(now: number): boolean {
    return this.#recorded.take('', now) === null
  }

  #isFull({ known }: Attempter): boolean {
    return this.#underWay >= (known === null ? MAX_UNDER_WAY : MAX_WITH_KNOWN)
  }

  /** The narrowest first: what it refuses is not counted against others. */
  #limitsOf({ network, account, known }: Attempter): [Buckets, string][] {
    if (known !== null) return [[this.#known, known]]
    if (account === null) return [[this.#networks, network]]
    return [
      [this.#accountsByNetwork, `${network} ${account}`],
      [this.#networks, network],
      [this.#accounts, account],
    ]
  }
}

function firstWait(limits: readonly [Buckets, string][], now: number): number | null {
  for (const [limit, key] of limits) {
    const wait = limit.take(key, now)
    if (wait !== null) return wait
  }
  return null
}
