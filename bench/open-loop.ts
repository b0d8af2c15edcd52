// Senders that do not wait for one another: requests leave at a fixed rate, whatever the answers do. Runs in a worker
// thread. Each sender has one request under way; if all are busy, another socket is opened. Times count from when a request
// was due, so that a generator or a service that falls behind shows. All records are allocated at the start: a generator
// that collects garbage is late, and the delay would count as the service's.
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'

export interface Offer {
  port: number
  path: string
  perSecond: number
  seconds: number
  /** The number of the first request; the body of each has its own number as `id`. */
  firstNumber: number
  /** The maximum of sockets; a request that would need one more is not sent, and counted. */
  mostSockets: number
  /** A sender that has no answer by then closes its socket. */
  patienceMs: number
}

export interface Offered {
  sent: number
  /** Requests that were due while every allowed socket was busy. */
  notSent: number
  statuses: Record<string, number>
  /** Answers 429 and 503 without Retry-After. */
  withoutRetryAfter: number
  unanswered: number
  /** Sockets that ended without an answer. */
  broken: number
  /** The times from when a request was due to its 2xx, in milliseconds, sorted. */
  acceptedMs: Float64Array
  /** Their 99th percentile in each second: an outlier shows that something happened in that second. */
  acceptedP99Ms: number[]
  /** The times as in `acceptedMs` of all other answers. */
  refusedMs: Float64Array
  /** For each 2xx, the number in its body, and the id of the run that it names. */
  accepted: [number: number, runId: string][]
  sockets: number
  /** How late the latest request left. */
  latestMs: number
}

/** Threads whose code has run before, and so is compiled. */
const idleThreads: Worker[] = []

export async function offer(terms: Offer): Promise<Offered> {
  const thread = idleThreads.pop() ?? new Worker(new URL(import.meta.url))
  thread.ref()
  thread.postMessage(terms)
  // Rejects with an error of the thread.
  const [offered] = (await once(thread, 'message')) as [Offered]
  thread.unref()
  idleThreads.push(thread)
  return offered
}

/** Expects sorted times. */
export const percentile = (times: ArrayLike<number>, share: number): number =>
  times[Math.min(times.length - 1, Math.floor(times.length * share))]!

export const numbered = (number: number): string => `ord_${String(number).padStart(12, '0')}`

const EVERY_MS = 1
const HEAD_END = '\r\n\r\n'

interface Sender {
  socket: Socket
  /** The index of the request under way, from 0; -1: none is. */
  index: number
  received: string
}

/** Longer than any id of a run. */
const ID_LENGTH = 40
/** The states of a request that has no status. */
const WAITING = 0
const BROKEN = 1
const UNANSWERED = 2
const NOT_SENT = 3

function run({ port, path, perSecond, seconds, firstNumber, mostSockets, patienceMs }: Offer): void {
  const [before, after] = readFileSync(join(import.meta.dirname, 'order.json'), 'utf8').split('ord_000000000001')
  const length = Buffer.byteLength(before! + after!) + numbered(0).length
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}${HEAD_END}${before}`
  const total = Math.round(perSecond * seconds)
  const became = new Uint16Array(total)
  const tookMs = new Float64Array(total)
  const runIds = Buffer.alloc(total * ID_LENGTH)
  const idle: Sender[] = []
  let open = 0
  let sockets = 0
  let withoutRetryAfter = 0
  let latestMs = 0
  let underWay = 0

  const start = performance.now()
  const dueAt = (index: number): number => start + (index * 1000) / perSecond

  const dial = (): Sender => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const sender: Sender = { socket, index: -1, received: '' }
    open++
    sockets = Math.max(sockets, open)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      sender.received = sender.received === '' ? text : sender.received + text
      take(sender)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      open--
      if (sender.index >= 0) end(sender, BROKEN)
      else if (idle.includes(sender)) idle.splice(idle.indexOf(sender), 1)
    })
    return sender
  }

  const end = (sender: Sender, outcome: number): void => {
    became[sender.index] = outcome
    sender.index = -1
    underWay--
  }

  const take = (sender: Sender): void => {
    const { received, index } = sender
    const headEnd = received.indexOf(HEAD_END)
    if (headEnd === -1 || index < 0) return
    const headers = received.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(headers)?.[1] ?? 0)
    if (received.length < headEnd + HEAD_END.length + length) return
    const status = Number(received.slice(9, 12))
    tookMs[index] = performance.now() - dueAt(index)
    if (status < 300) runIds.write(/"id":"([^"]+)"/.exec(received)?.[1] ?? '', index * ID_LENGTH, 'latin1')
    else if ((status === 429 || status === 503) && !headers.includes('\r\nretry-after: ')) withoutRetryAfter++
    sender.received = ''
    end(sender, status)
    if (headers.includes('\r\nconnection: close')) sender.socket.destroy()
    else idle.push(sender)
  }

  /** Maps a request to its sender. */
  const senders: (Sender | null)[] = Array.from({ length: total }, () => null)
  let next = 0
  /** The index of the oldest request under way, or a later one. */
  let oldest = 0
  const timer = setInterval(() => {
    const now = performance.now()
    for (; next < total && dueAt(next) <= now; next++) {
      const sender = idle.pop() ?? (open < mostSockets ? dial() : null)
      if (!sender) {
        became[next] = NOT_SENT
        continue
      }
      sender.index = next
      senders[next] = sender
      underWay++
      latestMs = Math.max(latestMs, performance.now() - dueAt(next))
      sender.socket.write(head + numbered(firstNumber + next) + after)
    }
    for (; oldest < next; oldest++) {
      const sender = senders[oldest]!
      if (became[oldest] === WAITING) {
        if (now - dueAt(oldest) < patienceMs) break
        end(sender, UNANSWERED)
        sender.socket.destroy()
      }
      senders[oldest] = null
    }
    if (next < total || underWay) return
    clearInterval(timer)
    for (const { socket } of idle) socket.destroy()
    parentPort!.postMessage(summary())
  }, EVERY_MS)

  const summary = (): Offered => {
    const all = [...became.keys()]
    const count = (outcome: number) => became.reduce((sum, other) => sum + Number(other === outcome), 0)
    const statuses: Record<string, number> = {}
    for (const status of new Set(became)) if (status > NOT_SENT) statuses[status] = count(status)
    const isAccepted = (index: number) => became[index]! > NOT_SENT && became[index]! < 300
    const timesOf = (indexes: number[]) => Float64Array.from(indexes, (index) => tookMs[index]!).sort()
    const accepted = all.filter(isAccepted)
    const bySecond = Map.groupBy(accepted, (index) => Math.floor(index / perSecond))
    return {
      sent: total - count(NOT_SENT),
      notSent: count(NOT_SENT),
      statuses,
      withoutRetryAfter,
      unanswered: count(UNANSWERED),
      broken: count(BROKEN),
      acceptedMs: timesOf(accepted),
      acceptedP99Ms: [...bySecond.values()].map((indexes) => percentile(timesOf(indexes), 0.99)),
      refusedMs: timesOf(all.filter((index) => became[index]! >= 300)),
      accepted: accepted.map((index) => [firstNumber + index, idAt(runIds, index)]),
      sockets,
      latestMs,
    }
  }
}

function idAt(runIds: Buffer, index: number): string {
  const id = runIds.subarray(index * ID_LENGTH, (index + 1) * ID_LENGTH)
  return id.toString('latin1', 0, id.indexOf(0))
}

if (!isMainThread) parentPort!.on('message', (terms: Offer) => run(terms))
