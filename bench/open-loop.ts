// Senders that do not wait for one another: requests leave at a fixed rate, whatever the answers do. A worker thread of its own.
// Each sender has one request under way; where all are busy another connection is opened. Times count from when a request
// was due, so that a generator or a service that falls behind shows.
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface Offer {
  port: number
  path: string
  perSecond: number
  seconds: number
  /** Of the first request; each body has another, as its `id`. */
  firstNumber: number
  /** So many connections at most; a request that would need one more is not sent, and counted. */
  mostSockets: number
  /** Whoever has no answer by then goes away. */
  patienceMs: number
}

export interface Offered {
  sent: number
  /** Due, but every connection that may be opened was busy. */
  notSent: number
  statuses: Record<string, number>
  /** 429 and 503 without Retry-After. */
  withoutRetryAfter: number
  unanswered: number
  /** Connections that ended without an answer. */
  broken: number
  /** From when a request was due to its 2xx, in milliseconds, in order. */
  acceptedMs: Float64Array
  /** The same of all other answers. */
  refusedMs: Float64Array
  /** Of each 2xx: the number in its body, and the id of the run that it names. */
  accepted: [number: number, runId: string][]
  sockets: number
  /** How late the latest request left. */
  latestMs: number
}

export function offer(terms: Offer): Promise<Offered> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: terms })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

export const numbered = (number: number): string => `ord_${String(number).padStart(12, '0')}`

const EVERY_MS = 1
const HEAD_END = '\r\n\r\n'

interface Sender {
  socket: Socket
  /** 0: none is under way. */
  number: number
  dueAt: number
  received: string
}

function run({ port, path, perSecond, seconds, firstNumber, mostSockets, patienceMs }: Offer): void {
  const [before, after] = readFileSync(join(import.meta.dirname, 'order.json'), 'utf8').split('ord_000000000001')
  const length = Buffer.byteLength(before! + after!) + numbered(0).length
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Type: application/json\r\nContent-Length: ${length}${HEAD_END}${before}`
  const idle: Sender[] = []
  const busy = new Set<Sender>()
  const acceptedMs: number[] = []
  const refusedMs: number[] = []
  const result: Omit<Offered, 'acceptedMs' | 'refusedMs'> = {
    sent: 0,
    notSent: 0,
    statuses: {},
    withoutRetryAfter: 0,
    unanswered: 0,
    broken: 0,
    accepted: [],
    sockets: 0,
    latestMs: 0,
  }
  let open = 0

  const dial = (): Sender => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const sender: Sender = { socket, number: 0, dueAt: 0, received: '' }
    open++
    result.sockets = Math.max(result.sockets, open)
    socket.setEncoding('latin1')
    socket.on('data', (text: string) => {
      sender.received = sender.received === '' ? text : sender.received + text
      take(sender)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      open--
      if (busy.delete(sender)) result.broken++
      else if (idle.includes(sender)) idle.splice(idle.indexOf(sender), 1)
    })
    return sender
  }

  const take = (sender: Sender): void => {
    const { received } = sender
    const headEnd = received.indexOf(HEAD_END)
    if (headEnd === -1) return
    const headers = received.slice(0, headEnd).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(headers)?.[1] ?? 0)
    if (received.length < headEnd + HEAD_END.length + length) return
    const status = received.slice(9, 12)
    const tookMs = performance.now() - sender.dueAt
    result.statuses[status] = (result.statuses[status] ?? 0) + 1
    if (status.startsWith('2')) {
      acceptedMs.push(tookMs)
      result.accepted.push([sender.number, /"id":"([^"]+)"/.exec(received)?.[1] ?? ''])
    } else {
      refusedMs.push(tookMs)
      if ((status === '429' || status === '503') && !headers.includes('\r\nretry-after: ')) result.withoutRetryAfter++
    }
    sender.received = ''
    busy.delete(sender)
    if (headers.includes('\r\nconnection: close')) sender.socket.destroy()
    else idle.push(sender)
  }

  const start = performance.now()
  const total = Math.round(perSecond * seconds)
  let next = 0
  const timer = setInterval(() => {
    const now = performance.now()
    for (; next < total && start + (next * 1000) / perSecond <= now; next++) {
      const sender = idle.pop() ?? (open < mostSockets ? dial() : null)
      if (!sender) {
        result.notSent++
        continue
      }
      sender.dueAt = start + (next * 1000) / perSecond
      sender.number = firstNumber + next
      result.latestMs = Math.max(result.latestMs, performance.now() - sender.dueAt)
      busy.add(sender)
      sender.socket.write(head + numbered(sender.number) + after)
      result.sent++
    }
    // In the order in which they were sent.
    for (const sender of busy) {
      if (now - sender.dueAt < patienceMs) break
      busy.delete(sender)
      result.unanswered++
      sender.socket.destroy()
    }
    if (next < total || busy.size) return
    clearInterval(timer)
    for (const { socket } of idle) socket.destroy()
    const sorted = (times: number[]) => Float64Array.from(times).sort()
    parentPort!.postMessage({ ...result, acceptedMs: sorted(acceptedMs), refusedMs: sorted(refusedMs) })
  }, EVERY_MS)
}

if (!isMainThread) run(workerData as Offer)
