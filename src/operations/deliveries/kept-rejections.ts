// Limits the refused deliveries that an inbox keeps: anyone with the URL can send them quickly, and each costs a write.
import type { DeliveryStore } from '../ports/deliveries.ts'
import { RateLimit } from './rate-limit.ts'

export interface RejectionLimits {
  /** The rate per flow, with bursts of twice that. */
  perSecond: number
  /** The number per flow, at times exceeded by up to a tenth. */
  kept: number
}

const LIMITS: RejectionLimits = { perSecond: 10, kept: 1_000 }

export class KeptRejections {
  readonly #deliveries: Pick<DeliveryStore, 'trimRejected'>
  readonly #limits: RejectionLimits
  readonly #rate: RateLimit
  /** How many more deliveries a flow may add before the oldest are deleted. */
  readonly #untilTrim = new Map<string, number>()

  constructor(deliveries: Pick<DeliveryStore, 'trimRejected'>, limits = LIMITS) {
    this.#deliveries = deliveries
    this.#limits = limits
    this.#rate = new RateLimit(limits.perSecond)
  }

  /** Returns whether a refused delivery that arrives now is kept. */
  admits(flowId: string, now: number): boolean {
    return this.#rate.take(flowId, now) === null
  }

  /** Counts a kept delivery, and deletes the oldest ones from time to time. */
  async added(flowId: string): Promise<void> {
    const left = this.#untilTrim.get(flowId) ?? 0
    this.#untilTrim.set(flowId, left > 0 ? left - 1 : Math.floor(this.#limits.kept / 10))
    if (left === 0) await this.#deliveries.trimRejected(flowId, this.#limits.kept)
  }
}
