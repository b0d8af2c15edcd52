// Slows down guesses of passwords and codes: per network and account, per network, per account, and in total. Strangers
// cannot lock a user out: attempts with a browser that the user has signed in with before count for that browser alone.

import { Buckets } from '../../base/buckets.ts'
import { RateLimited } from '../operation-error.ts'

/** Each attempt checks a password, which takes a fraction of a second and 16 MiB. */
const MAX_UNDER_WAY = 50
/** Known browsers have extra places, so that strangers cannot take them all. */
const MAX_WITH_KNOWN = 60

export interface Attempter {
  network: string
  /** null for a code, which belongs to no account. */
  account: string | null
  /** A known browser or session, which shows that the user was here before. */
  known: string | null
}

/** Strangers choose the keys, so their number is limited. */
const MOST_KEYS = 10_000

export class SignInAttempts {
  readonly #known = new Buckets(10, 60_000, MOST_KEYS)
  readonly #accountsByNetwork = new Buckets(10, 60_000, MOST_KEYS)
  readonly #networks = new Buckets(30, 20_000, MOST_KEYS)
  /** Limits all networks together: far above what one network can cause, and still too slow to find a password. */
  readonly #accounts = new Buckets(100, 6_000, MOST_KEYS)
  /** Limits the failures that have an entry of their own in the audit log; the others are counted. */
  readonly #recorded = new Buckets(100, 36_000, 1)
  /** Limits the codes of a second factor, for whoever has the password: a million codes are few. */
  readonly #codes = new Buckets(10, 300_000, MOST_KEYS)
  #underWay = 0

  /** Counts the attempt before its result is known, so that parallel attempts get no advantage. A success is given back. */
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

  /** Counts an attempt at a code of a second factor: by the account, or the browser that the user was in before. */
  async attemptCode<T>(key: string, now: number, work: () => Promise<T>): Promise<T> {
    const wait = this.#codes.take(key, now)
    if (wait !== null) throw new RateLimited(`Too many wrong codes; try again in ${wait} seconds.`, wait)
    const result = await work()
    this.#codes.giveBack(key)
    return result
  }

  /** Returns false if an entry for each further failure would only fill the audit log. */
  worthRecording(now: number): boolean {
    return this.#recorded.take('', now) === null
  }

  #isFull({ known }: Attempter): boolean {
    return this.#underWay >= (known === null ? MAX_UNDER_WAY : MAX_WITH_KNOWN)
  }

  /** Returns the narrowest limit first, so that an attempt it refuses does not count against the others. */
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
