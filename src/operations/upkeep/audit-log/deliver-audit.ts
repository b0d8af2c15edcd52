// Delivers the entries of the audit log to a destination outside: in order, at least once, from where it ended before.

import { type AuditChains, type AuditDestinations, lineOf, type StoredEntry } from '../../ports/audit-log/chain.ts'
import { RepeatedLook } from '../../repeated-look.ts'

const LOOK_EVERY_MS = 1_000
const ENTRIES_AT_ONCE = 100
const BYTES_AT_ONCE = 500_000
/** A process that is killed leaves the destination to another after this time. */
const HELD_MS = 60_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 300_000

export interface AuditDestination {
  /** Names its cursor. */
  name: 'syslog' | 'webhook'
  /** Rejects if the destination did not take them. */
  send(entries: readonly StoredEntry[]): Promise<void>
  /** Gives up what is under way. */
  close(): void
}

export interface DeliveryPorts {
  chains: AuditChains
  destinations: AuditDestinations
  destination: AuditDestination
  /** Names this process. */
  holder: string
  now(): number
  warn(message: string, details: Record<string, unknown>): void
}

export class AuditDelivery {
  readonly #ports: DeliveryPorts
  readonly #loop: RepeatedLook
  #failures = 0

  constructor(ports: DeliveryPorts) {
    this.#ports = ports
    this.#loop = new RepeatedLook(
      () => this.look(),
      LOOK_EVERY_MS,
      ({ message }) => this.#warn('the audit log could not be read for its delivery; it is tried again', message),
    )
  }

  /** Gives a new destination its cursor: it gets what is done from now on. */
  async begin(): Promise<void> {
    await this.#claim()
  }

  start(): void {
    this.#loop.wake()
  }

  async stop(): Promise<void> {
    const { destinations, destination, holder } = this.#ports
    const stopped = this.#loop.stop()
    destination.close()
    await stopped
    await destinations
      .release(destination.name, holder)
      .catch((error) => this.#warn('a destination of the audit log was not released', (error as Error).message))
  }

  /** Sends what is due, a batch of each chain. Returns the time until the next look; 0: there is more. */
  async look(): Promise<number> {
    const { chains, destinations, destination, now } = this.#ports
    const at = now()
    if (!(await this.#claim())) return LOOK_EVERY_MS
    let isMore = false
    for (const { chain, seq } of await destinations.behind(destination.name)) {
      const found = await chains.entries(chain, seq, ENTRIES_AT_ONCE)
      const entries = fitting(found)
      if (entries.length === 0) continue
      try {
        await destination.send(entries)
      } catch (error) {
        return this.#failed(error as Error)
      }
      this.#failures = 0
      await destinations.arrived(destination.name, chain, entries.at(-1)!.seq!)
      isMore ||= entries.length < found.length || found.length === ENTRIES_AT_ONCE
      if (this.#loop.isStopped || now() - at > HELD_MS / 2) return 0
    }
    return isMore ? 0 : LOOK_EVERY_MS
  }

  #claim(): Promise<boolean> {
    const { destinations, destination, holder, now } = this.#ports
    return destinations.claim(destination.name, holder, now(), now() + HELD_MS)
  }

  #failed({ message }: Error): number {
    const wait = Math.min(FIRST_RETRY_MS * 2 ** this.#failures++, LONGEST_RETRY_MS)
    this.#warn('entries of the audit log could not be delivered; it is tried again', message)
    return wait
  }

  #warn(message: string, reason: string): void {
    this.#ports.warn(message, { destination: this.#ports.destination.name, reason })
  }
}

/** Returns the first entries, as many as fit into one message; at least one. */
function fitting(entries: readonly StoredEntry[]): readonly StoredEntry[] {
  let bytes = 0
  const end = entries.findIndex((entry) => {
    bytes += lineOf(entry).length
    return bytes > BYTES_AT_ONCE
  })
  return end === -1 ? entries : entries.slice(0, Math.max(1, end))
}
