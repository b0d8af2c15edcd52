// Sends signals between processes by LISTEN and NOTIFY. `resumed` makes up for signals lost while a session is broken.
import type pg from 'pg'
import { parseJson } from '../../flow/json/parse-json.ts'
import type { Signal, Signals } from '../../operations/ports/signals.ts'
import { arrays, type Columns, DATABASE_NOW, unnest } from './arrays.ts'
import { Batches } from './batches.ts'
import type { HotPool, PostgresStorage } from './database.ts'
import type { PostgresClock } from './session/clock.ts'
import { explained } from './session/faults.ts'
import { databaseTime } from './session/probe.ts'

export interface SignalListener {
  /** Called when there may be runs to take. */
  work(): void
  signal(signal: Signal): void
  /** Called with a message that another process sent by `tell`. */
  message(message: unknown): void
  /** Called when signals may have been missed. */
  resumed(): void
  failed(error: unknown): void
}

const ALL = 'millrace'
const WORK = 'millrace_work'
const channelOf = (node: string): string => `millrace_${node}`
/** PostgreSQL accepts payloads of less than 8,000 bytes. */
const LONGEST_PAYLOAD_BYTES = 7_900
/** How often the session is asked for the time: a silent socket may be dead. */
const ASK_EVERY_MS = 1_000
const CONNECT_AGAIN_MS = 200
const MOST_UNSENT = 1_000

const NOTIFY = `select pg_notify(channel, payload) from unnest($1::text[], $2::text[]) as given(channel, payload)`
const MESSAGE = { node: 'text', body: 'bytea' } as const satisfies Columns
const TELL = `with given as (select * from ${unnest('given_message', MESSAGE)}),
  put as (insert into message (node, body, created_at) select node, body, ${DATABASE_NOW} from given)
  select pg_notify('millrace_' || node, '') from (select distinct node from given) as nodes`
const COLLECT = `delete from message where node = $1 returning id, body`

export class PostgresSignals implements Signals {
  readonly #node: string
  readonly #hot: HotPool
  readonly #connect: PostgresStorage['connect']
  readonly #clock: PostgresClock
  readonly #messages: Batches<{ node: string; body: Uint8Array }, void>
  #listener: SignalListener | null = null
  #client: pg.Client | null = null
  #timer: NodeJS.Timeout | null = null
  #closed = false
  #unsent: { channel: string; payload: string }[] = []
  #workUnsent = false
  #sending = false
  #collecting = false
  #collectAgain = false

  constructor(node: string, { hot, connect, clock }: PostgresStorage) {
    this.#node = node
    this.#hot = hot
    this.#connect = connect
    this.#clock = clock
    this.#messages = new Batches({
      lanes: 1,
      most: 100,
      send: async (messages) => {
        await hot.query({ name: 'tell', text: TELL, values: arrays(MESSAGE, messages) })
        return messages.map(() => undefined)
      },
      onSent: () => {},
    })
  }

  async listen(listener: SignalListener): Promise<void> {
    this.#listener = listener
    await this.#open()
  }

  send(signal: Signal): void {
    const payload = JSON.stringify({ from: this.#node, signal })
    if (Buffer.byteLength(payload) > LONGEST_PAYLOAD_BYTES) throw new Error(`A signal is too long: ${signal.topic}`)
    // A process that misses a signal finds out by itself, later; the limit bounds memory.
    if (this.#unsent.length < MOST_UNSENT) this.#unsent.push({ channel: ALL, payload })
    void this.#flush()
  }

  /** Wakes the processes that run runs; any number of calls during a send lead to one more. */
  call(): void {
    this.#workUnsent = true
    void this.#flush()
  }

  /** Sends a message of any size to one process; the database keeps it until it is collected. */
  tell(node: string, message: unknown): Promise<void> {
    return this.#messages.add({ node, body: Buffer.from(JSON.stringify(message)) })
  }

  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    const client = this.#client
    this.#client = null
    await client?.end().catch(() => {})
  }

  async #flush(): Promise<void> {
    if (this.#sending || this.#closed) return
    this.#sending = true
    try {
      while (this.#unsent.length || this.#workUnsent) await this.#sendSome()
    } catch (error) {
      this.#listener?.failed(error)
      setTimeout(() => void this.#flush(), CONNECT_AGAIN_MS).unref()
    } finally {
      this.#sending = false
    }
  }

  async #sendSome(): Promise<void> {
    const notices = this.#unsent.slice(0, 100)
    const work = this.#workUnsent
    this.#workUnsent = false
    const all = work ? [...notices, { channel: WORK, payload: '' }] : notices
    const values = [all.map(({ channel }) => channel), all.map(({ payload }) => payload)]
    try {
      await this.#hot.query({ name: 'notify', text: NOTIFY, values })
    } catch (error) {
      this.#workUnsent ||= work
      throw error
    }
    this.#unsent.splice(0, notices.length)
  }

  async #open(): Promise<void> {
    const client = await this.#connect()
    if (this.#closed) return client.end()
    client.on('error', (error) => this.#lost(client, error))
    client.on('end', () => this.#lost(client, new Error('the connection for signals has ended')))
    client.on('notification', ({ channel, payload }) => this.#hear(channel, payload ?? ''))
    try {
      for (const channel of [ALL, WORK, channelOf(this.#node)]) await client.query(`listen ${channel}`)
    } catch (error) {
      await client.end().catch(() => {})
      throw explained(error)
    }
    this.#client = client
    this.#askLater(client)
    this.#collect()
  }

  #hear(channel: string, payload: string): void {
    const listener = this.#listener!
    if (channel === WORK) listener.work()
    else if (channel !== ALL) this.#collect()
    else {
      const { from, signal } = parseJson(payload) as { from: string; signal: Signal }
      if (from !== this.#node) listener.signal(signal)
    }
  }

  #askLater(client: pg.Client): void {
    this.#timer = setTimeout(() => {
      this.#clock
        .measure(() => databaseTime(client))
        .then(
          () => this.#client === client && this.#askLater(client),
          (error) => this.#lost(client, error),
        )
    }, ASK_EVERY_MS)
  }

  #lost(client: pg.Client, error: unknown): void {
    if (this.#client !== client) return
    this.#client = null
    if (this.#timer) clearTimeout(this.#timer)
    client.end().catch(() => {})
    this.#listener!.failed(error)
    this.#openLater()
  }

  #openLater(): void {
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.#open().then(
        () => !this.#closed && this.#listener!.resumed(),
        () => this.#openLater(),
      )
    }, CONNECT_AGAIN_MS)
  }

  #collect(): void {
    if (this.#collecting) this.#collectAgain = true
    else void this.#collectAll()
  }

  async #collectAll(): Promise<void> {
    this.#collecting = true
    try {
      do {
        this.#collectAgain = false
        const values = [this.#node]
        const rows = await this.#hot.query<{ id: number; body: Buffer }>({ name: 'collect', text: COLLECT, values })
        rows.sort((a, b) => a.id - b.id)
        for (const { body } of rows) this.#listener!.message(parseJson(body.toString()))
      } while (this.#collectAgain)
    } catch (error) {
      this.#listener!.failed(error)
    } finally {
      this.#collecting = false
    }
  }
}
