// Answers those that are refused in an overload within a share of the time. A sender that comes back at once when it is refused, as
// many programs do, would get the time in which those that were taken on are served: it waits for its refusal instead.
import type { ServerResponse } from 'node:http'
import type { ApiErrorCode } from '../../base/error-catalogue.ts'
import { Fifo } from '../../base/fifo.ts'
import type { PlainReply } from './plain/plain-reply.ts'

/** Without anything of the request, whose body may be in memory. */
export interface Refusal {
  response: ServerResponse | PlainReply
  requestId: string
  code: ApiErrorCode
  message: string
  retryAfterSeconds: number | null
}

/** The share of the time for writing refusals; reading what is refused takes about as much again. */
const SHARE = 0.05
/** So much may be ahead of the share: a burst is answered at once. */
const AHEAD_MS = 10
/** A refusal that took longer was not at work for all of it: other processes had the processor. */
const MOST_MS = 0.2
/** Who waits for longer is answered whatever it takes: some senders give up after 3 s. */
const LONGEST_MS = 2_000
/** Further ones are answered at once: what waits takes memory. */
const MOST_WAITING = 5_000
const LOOK_MS = 10
/** Longer at once would hold up everything else. */
const MOST_AT_ONCE_MS = 10

export class Refusals {
  readonly #send: (refusal: Refusal) => void
  readonly #clock: () => number
  readonly #crowd: (isThere: boolean) => void
  readonly #waiting = new Fifo<Refusal & { since: number }>()
  /** How long it took to write what was written, less the share of the time since. */
  #spentMs = 0
  #countedAt = 0
  #timer: NodeJS.Timeout | null = null
  #isStopping = false

  /** `crowd` is told when somebody has to wait, and when nobody does any more. */
  constructor(
    send: (refusal: Refusal) => void,
    crowd: (isThere: boolean) => void,
    clock: () => number = () => performance.now(),
  ) {
    this.#send = send
    this.#crowd = crowd
    this.#clock = clock
  }

  refuse(refusal: Refusal): void {
    const now = this.#clock()
    const { size } = this.#waiting
    if (size === MOST_WAITING || this.#isStopping || (size === 0 && this.#hasTime(now))) this.#answer(refusal, now)
    else {
      this.#waiting.push({ ...refusal, since: now })
      this.#timer ??= this.#beginToLook()
    }
  }

  #beginToLook(): NodeJS.Timeout {
    this.#crowd(true)
    return setInterval(() => this.#look(), LOOK_MS)
  }

  /** Lets nobody wait any more: connections are cut off soon. */
  stop(): void {
    this.#isStopping = true
    this.#look()
  }

  #look(): void {
    const began = this.#clock()
    for (let first = this.#waiting.peek(); first; first = this.#waiting.peek()) {
      const now = this.#clock()
      const isDue = this.#isStopping || this.#hasTime(now) || now - first.since >= LONGEST_MS
      if (!isDue || now - began >= MOST_AT_ONCE_MS) return
      this.#waiting.shift()
      this.#answer(first, now)
    }
    if (!this.#timer) return
    clearInterval(this.#timer)
    this.#timer = null
    this.#crowd(false)
  }

  #hasTime(now: number): boolean {
    this.#spentMs = Math.max(0, this.#spentMs - (now - this.#countedAt) * SHARE)
    this.#countedAt = now
    return this.#spentMs < AHEAD_MS
  }

  #answer(refusal: Refusal, now: number): void {
    this.#send(refusal)
    this.#spentMs += Math.min(MOST_MS, this.#clock() - now)
  }
}
