// Limits the refused deliveries that an inbox keeps, and those whose bodies it keeps: anyone with the URL can send them quickly, and each costs a write.
import type { DeliveryStore } from '../ports/deliveries.ts'
import { RateLimit } from './rate-limit.ts'

export interface RejectionLimits {
  /** The rate per flow, with bursts of twice that. */
  perSecond: number
  /** The number per flow, at times exceeded by up to a tenth. */
  kept: number
  /** The bodies per flow, at times exceeded by up to a tenth, which makes 200 at most. */
  bodies: number
}

/** The largest body of a refused delivery that is kept, and for how long. */
export const LARGEST_KEPT_BODY = 65_536
export const BODIES_KEPT_MS = 72 * 3_600_000
/** Refused bodies that are read at once: whoever has the URL can send them slowly. */
const MOST_READING = 20

const LIMITS: RejectionLimits = { perSecond: 10, kept: 1_000, bodies: 180 }

export class KeptRejections {
  readonly #deliveries: Pick<DeliveryStore, 'trimRejected' | 'trimBodies'>
  readonly #limits: RejectionLimits
  readonly #rate: RateLimit
  /** How many more deliveries a flow may add before the oldest are deleted. */
  readonly #untilTrim = new Map<string, number>()
  readonly #untilBodiesTrim = new Map<string, number>()
  #reading = 0

  constructor(deliveries: Pick<DeliveryStore, 'trimRejected' | 'trimBodies'>, limits = LIMITS) {
    this.#deliveries = deliveries
    this.#limits = limits
    this.#rate = new RateLimit(limits.perSecond)
  }

  /** Returns whether a refused delivery that arrives now is kept. */
  admits(flowId: string, now: number): boolean {
    return this.#rate.take(flowId, now) === null
  }

  /** Counts a kept delivery, and deletes the oldest ones from time to time. */
  async added(flowId: string, withBody = false): Promise<void> {
    const { kept, bodies } = this.#limits
    if (isTimeToTrim(this.#untilTrim, flowId, kept)) await this.#deliveries.trimRejected(flowId, kept)
    if (withBody && isTimeToTrim(this.#untilBodiesTrim, flowId, bodies))
      await this.#deliveries.trimBodies(flowId, bodies)
  }

  /** Reads a body that is kept; returns null if too many are being read. */
  async reading(read: () => Promise<Buffer | null>): Promise<Buffer | null> {
    if (this.#reading >= MOST_READING) return null
    this.#reading++
    try {
      return await read()
    } finally {
      this.#reading--
    }
  }
}

function isTimeToTrim(until: Map<string, number>, flowId: string, kept: number): boolean {
  const left = until.get(flowId) ?? 0
  until.set(flowId, left > 0 ? left - 1 : Math.floor(kept / 10))
  return left === 0
}
