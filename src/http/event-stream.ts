// Server-sent events: what happens to a run or a flow, as it happens.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { actorTopic, type Events, type FlowEvent } from '../operations/events/events.ts'
import { RateLimited } from '../operations/operation-error.ts'
import type { Authenticate } from './access/authenticate.ts'
import { eventFor } from './access/hide-data.ts'

const HEARTBEAT_MS = 15_000
const MAX_UNREAD_BYTES = 4 * 1024 * 1024
/** Each stream costs a socket, and the memory of the events that its reader leaves unread. */
const MOST_PER_CALLER = 20
const MOST_IN_ALL = 500
const TRY_AGAIN_S = 5

/** What becomes of events that a reader leaves unread: it is sent away, or they are left out and counted. */
type Unread = 'end' | 'drop'

export class EventStreams {
  readonly #open = new Set<() => void>()
  readonly #byCaller = new Map<string, number>()
  #count = 0
  readonly #authenticate: Authenticate

  constructor(authenticate: Authenticate) {
    this.#authenticate = authenticate
  }

  /** `first` is sent at the start, so that the reader misses nothing; its changes follow. */
  async stream(
    request: FastifyRequest,
    reply: FastifyReply,
    events: Pick<Events, 'subscribe' | 'relay'>,
    topic: string,
    first: () => Promise<FlowEvent | null>,
    unread: Unread = 'end',
  ): Promise<void> {
    // The admin token has no id.
    const caller = request.actor?.id ?? ''
    this.#admit(caller)
    const pending: FlowEvent[] = []
    let send = (event: FlowEvent) => void pending.push(event)
    // Subscribes before it reads the first state, so that nothing between the two is lost.
    const unsubscribe = events.subscribe(topic, (event) => send(event))
    // A caller who signed out, or whose token or user was deleted, may not continue to watch.
    const actorId = request.actor?.id
    const revoked = new AbortController()
    const release = actorId ? events.subscribe(actorTopic(actorId), () => revoked.abort()) : () => {}
    let opening: FlowEvent | null
    try {
      await events.relay?.opened(topic)
      opening = await first()
    } catch (error) {
      this.#leave(caller)
      unsubscribe()
      release()
      throw error
    }
    reply.hijack()
    const { raw } = reply
    raw.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'x-request-id': request.id,
      'x-content-type-options': 'nosniff',
    })
    // The reader learns immediately that it is connected, not with the first event.
    raw.flushHeaders()
    const write = (event: FlowEvent) => {
      const shown = eventFor(request.actor!, event)
      if (shown) raw.write(`event: ${shown.type}\ndata: ${JSON.stringify(shown.data)}\n\n`)
    }
    // A reader that does not read must not fill the memory.
    const isFull = () => raw.writableLength > MAX_UNREAD_BYTES
    let dropped = 0
    const sayDropped = () => {
      if (dropped > 0) write({ type: 'dropped', data: { count: dropped } })
      dropped = 0
    }
    if (unread === 'drop') raw.on('drain', sayDropped)
    send = (event) => {
      if (unread === 'drop' && isFull()) {
        dropped++
        return
      }
      sayDropped()
      write(event)
      // A browser connects again by itself.
      if (unread === 'end' && isFull()) raw.destroy()
    }
    if (opening) send(opening)
    for (const event of pending) send(event)
    const heartbeat = setInterval(() => void beat(), HEARTBEAT_MS)
    const beat = async () => {
      // Sessions also expire, and other processes end them.
      if (await this.#authenticate(request.raw).catch(() => true)) raw.write(': still here\n\n')
      else end()
    }
    const end = () => {
      clearInterval(heartbeat)
      unsubscribe()
      release()
      if (this.#open.delete(end)) this.#leave(caller)
      raw.end()
    }
    this.#open.add(end)
    raw.on('close', end)
    revoked.signal.addEventListener('abort', end)
    if (revoked.signal.aborted) end()
  }

  #admit(caller: string): void {
    const open = this.#byCaller.get(caller) ?? 0
    if (open >= MOST_PER_CALLER)
      throw new RateLimited(`You already have ${open} event streams open; close one first.`, TRY_AGAIN_S)
    if (this.#count >= MOST_IN_ALL)
      throw new RateLimited('Too many event streams are open; try again later.', TRY_AGAIN_S)
    this.#byCaller.set(caller, open + 1)
    this.#count++
  }

  #leave(caller: string): void {
    const open = this.#byCaller.get(caller)! - 1
    if (open === 0) this.#byCaller.delete(caller)
    else this.#byCaller.set(caller, open)
    this.#count--
  }

  endAll(): void {
    for (const end of this.#open) end()
  }
}
