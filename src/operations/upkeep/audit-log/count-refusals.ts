// Counts what strangers are refused, and sums it up for the audit log, so that nobody can flood it.

/** The least time between two entries. */
const EVERY_MS = 60_000
const LISTED = 10
/** More networks are not told apart. */
const MOST_NETWORKS = 1_000

/** The details of an entry. It names networks, and nothing that was sent. */
export interface CountedRefusals extends Record<string, unknown> {
  count: number
  /** The number of networks. */
  networks: number
  /** Whether there were more networks than are told apart. */
  more?: true
  /** The first networks. */
  from: string[]
  firstAt: string
  lastAt: string
}

export interface RefusalPorts {
  record(refusals: CountedRefusals): Promise<void>
  now(): number
  failed(error: unknown): void
}

export class CountRefusals {
  readonly #ports: RefusalPorts
  #count = 0
  #networks = new Set<string>()
  #more = false
  #firstAt = 0
  #lastAt = 0
  /** Runs from one entry until the next may be written. */
  #timer: NodeJS.Timeout | null = null
  #writing: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(ports: RefusalPorts) {
    this.#ports = ports
  }

  add(network: string): void {
    const at = this.#ports.now()
    if (this.#count++ === 0) this.#firstAt = at
    this.#lastAt = at
    if (this.#networks.size < MOST_NETWORKS) this.#networks.add(network)
    else this.#more ||= !this.#networks.has(network)
    if (this.#timer === null && !this.#stopped) this.#write()
  }

  /** Writes what was counted last. */
  async stop(): Promise<void> {
    this.#stopped = true
    if (this.#timer) clearTimeout(this.#timer)
    await this.#writing
    this.#write()
    await this.#writing
  }

  #write(): void {
    if (this.#count === 0) return
    const taken: CountedRefusals = {
      count: this.#count,
      networks: this.#networks.size,
      ...(this.#more && { more: true }),
      from: [...this.#networks].slice(0, LISTED),
      firstAt: new Date(this.#firstAt).toISOString(),
      lastAt: new Date(this.#lastAt).toISOString(),
    }
    const networks = this.#networks
    this.#count = 0
    this.#networks = new Set()
    this.#more = false
    this.#writing = this.#ports.record(taken).catch((error) => {
      // They are in the next entry, which is tried in a minute.
      if (this.#count === 0) this.#lastAt = Date.parse(taken.lastAt)
      this.#count += taken.count
      this.#firstAt = Date.parse(taken.firstAt)
      this.#networks = new Set([...networks, ...this.#networks].slice(0, MOST_NETWORKS))
      this.#ports.failed(error)
    })
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#timer = null
      this.#write()
    }, EVERY_MS)
    this.#timer.unref()
  }
}
