// Which refused deliveries an inbox keeps: whoever knows the URL can send them as fast as they like, and each costs a write.
import type { DeliveryStore } from '../ports/deliveries.ts'
import { RateLimit } from './rate-limit.ts'

export interface RejectionLimits {
  /** Of each flow, with bursts of twice that. */
  perSecond: number
  /** Of each flow, and up to a tenth more for a while. */
  kept: number
}

const LIMITS: RejectionLimits = { perSecond: 10, kept: 1_000 }

export class KeptRejections {
  readonly #deliveries: Pick<DeliveryStore, 'trimRejected'>
  readonly #limits: RejectionLimits
  readonly #rate: RateLimit
  /** How many more a flow may have before the oldest are looked for. */
  readonly #untilTrim = new Map<string, number>()

  constructor(deliveries: Pick<DeliveryStore, 'trimRejected'>, limits = LIMITS) {
    this.#deliveries = deliveries
    this.#limits = limits
    this.#rate = new RateLimit(limits.perSecond)
  }

  /** Whether one that comes now is kept. */
  admits(flowId: string, now: number): boolean {
    return this.#rate.take(flowId, now) === null
  }

  /** One was kept: those that are too many by now go. */
  async added(flowId: string): Promise<void> {
    const left = this.#untilTrim.get(flowId) ?? 0
    this.#untilTrim.set(flowId, left > 0 ? left - 1 : Math.floor(this.#limits.kept / 10))
    if (left === 0) await this.#deliveries.trimRejected(flowId, this.#limits.kept)
  }
}
