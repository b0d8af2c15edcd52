// Limits requests in flight in total and per host. Waiters of one host are served in order, and hosts with room take turns,
// so neither a slow host at its limit nor one with a long queue delays another.

export interface Waiter {
  /** Called once, when the waiter gets the slot. */
  granted(): void
}

interface Host {
  key: string
  active: number
  waiting: Set<Waiter>
}

export class Slots {
  readonly #total: number
  readonly #perHost: number
  readonly #hosts = new Map<string, Host>()
  /** Hosts that have both waiters and room, in the order of their turns. */
  readonly #ready = new Set<Host>()
  #active = 0
  #waiting = 0
  #granting = false

  constructor(total: number, perHost: number) {
    this.#total = total
    this.#perHost = perHost
  }

  get active(): number {
    return this.#active
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Takes a slot at once (true), or queues the waiter (false). */
  acquire(key: string, waiter: Waiter): boolean {
    let host = this.#hosts.get(key)
    if (host === undefined) {
      host = { key, active: 0, waiting: new Set() }
      this.#hosts.set(key, host)
    }
    if (this.#active < this.#total && host.active < this.#perHost && host.waiting.size === 0) {
      this.#active++
      host.active++
      return true
    }
    host.waiting.add(waiter)
    this.#waiting++
    if (host.active < this.#perHost) this.#ready.add(host)
    return false
  }

  release(key: string): void {
    const host = this.#hosts.get(key)!
    this.#active--
    host.active--
    if (host.waiting.size > 0) this.#ready.add(host)
    else this.#forgetIfIdle(host)
    if (this.#waiting > 0) this.#grant()
  }

  /** Removes a waiter that has no slot yet from the queue. */
  cancel(key: string, waiter: Waiter): void {
    const host = this.#hosts.get(key)
    if (!host?.waiting.delete(waiter)) return
    this.#waiting--
    if (host.waiting.size > 0) return
    this.#ready.delete(host)
    this.#forgetIfIdle(host)
  }

  #grant(): void {
    // A waiter may fail at once and release within `granted`; the outer call continues for it.
    if (this.#granting) return
    this.#granting = true
    for (const host of this.#ready) {
      if (this.#active >= this.#total) break
      // The host is deleted and added again: the set's order is the order of turns.
      this.#ready.delete(host)
      const waiter = host.waiting.values().next().value!
      host.waiting.delete(waiter)
      this.#waiting--
      this.#active++
      host.active++
      if (host.waiting.size > 0 && host.active < this.#perHost) this.#ready.add(host)
      waiter.granted()
    }
    this.#granting = false
  }

  #forgetIfIdle(host: Host): void {
    if (host.active === 0 && host.waiting.size === 0) this.#hosts.delete(host.key)
  }
}
