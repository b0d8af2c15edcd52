// Node accepts one socket per listening socket in each turn of the event loop. While a turn is busy with deliveries, new senders
// would wait in the kernel without an answer. So several sockets listen on one port, and the kernel distributes senders among them.
import { lookup } from 'node:dns/promises'
import { existsSync, readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { TooFewFiles } from '../base/refusals.ts'

/** Thousands of senders at once are accepted within a few turns. Only the kernel of Linux distributes them. */
const MOST_SOCKETS = process.platform === 'linux' ? 1_024 : 1
/** With fewer a burst of senders waits noticeably. */
const ENOUGH_SOCKETS = 128
const BACKLOG = 4096
/** The database, its threads and their event loops, the standard streams: 45 after the start, and more with code steps. */
const OWN_FILES = 64
/** With fewer files hardly any sender could connect. */
const LEAST_FILES = 128

export interface Sockets {
  count: number
  /** How many senders may be connected at once: the files of the service itself must be left, some of which it opens late. */
  most: number
  /** The limit on open files, if it is the reason for fewer sockets. */
  limitedBy: number | null
}

/** A quarter of the remaining files; the rest is for accepted sockets. */
export function socketsWithin(limit: number): Sockets {
  if (limit < LEAST_FILES)
    throw new TooFewFiles(
      `this process may have ${limit} files open at once, and needs at least ${LEAST_FILES}. ` +
        'Raise the limit: "ulimit -n 65536" in the shell that starts it, or LimitNOFILE=65536 in a unit of systemd.',
    )
  const count = Math.min(MOST_SOCKETS, Math.floor((limit - OWN_FILES) / 4))
  return {
    count,
    most: limit - OWN_FILES - count,
    limitedBy: count < Math.min(ENOUGH_SOCKETS, MOST_SOCKETS) ? limit : null,
  }
}

/** Node has raised the soft limit to the hard one. Where it is not known, on other systems than Linux, it does not matter here. */
export function openFilesLimit(): number {
  const file = '/proc/self/limits'
  const soft = existsSync(file) && /^Max open files +(\d+)/m.exec(readFileSync(file, 'utf8'))
  return soft ? Number(soft[1]) : Number.POSITIVE_INFINITY
}

export interface Listening {
  address: AddressInfo
  /** Accepts no more sockets; resolves when the last one has ended. */
  close(): Promise<void>
}

export async function listen(
  http: HttpServer,
  host: string,
  port: number,
  { count, most }: Pick<Sockets, 'count' | 'most'>,
): Promise<Listening> {
  const shared = count > 1
  const [first, ...more] = await addressesOf(host)
  // Sockets that share a port would also share it with another program: this checks whether there is one.
  if (shared && port !== 0) await tryPort(first!, port)
  await listening(http, { host: first, port, backlog: BACKLOG, reusePort: shared })
  limitConnections(http, most)
  const address = http.address() as AddressInfo
  const others = new OtherSockets(http, address, shared)
  await Promise.allSettled(more.map((other) => others.add(other)))
  // After the start, which does not wait for them.
  const opened = others.open(count - 1)
  return {
    address,
    async close() {
      others.isClosed = true
      const closed = new Promise((resolve) => http.close(resolve))
      await opened
      await Promise.all(others.servers.map((other) => new Promise((resolve) => other.close(resolve))))
      await closed
    },
  }
}

/** Closes what comes beyond the limit at once, so that a flood of senders does not take the files that the database needs. */
function limitConnections(http: HttpServer, most: number): void {
  let open = 0
  http.on('connection', (socket) => {
    open++
    socket.once('close', () => open--)
    if (open > most) socket.destroy()
  })
}

/** The name of this machine to itself is an address of each version of IP. */
const addressesOf = async (host: string): Promise<string[]> =>
  host === 'localhost' ? (await lookup(host, { all: true })).map(({ address }) => address) : [host]

/** Opening one takes a tenth of a millisecond: so many are opened per turn of the event loop, so that the first requests need not wait. */
const OPENED_AT_ONCE = 8

class OtherSockets {
  readonly servers: TcpServer[] = []
  isClosed = false
  readonly #http: HttpServer
  readonly #address: AddressInfo
  readonly #shared: boolean

  constructor(http: HttpServer, address: AddressInfo, shared: boolean) {
    this.#http = http
    this.#address = address
    this.#shared = shared
  }

  /** Ends early where the process cannot open so many: those that are open take all senders. */
  async open(count: number): Promise<void> {
    while (this.servers.length < count && !this.isClosed) {
      const more = Math.min(OPENED_AT_ONCE, count - this.servers.length)
      const opened = await Promise.allSettled(Array.from({ length: more }, () => this.add(this.#address.address)))
      if (opened.some(({ status }) => status === 'rejected')) return
      await nextTurn()
    }
  }

  async add(host: string): Promise<void> {
    // As an HTTP server sets up its sockets.
    const other = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#http.emit('connection', socket),
    )
    const { port } = this.#address
    this.servers.push(await listening(other, { host, port, backlog: BACKLOG, reusePort: this.#shared }))
  }
}

async function tryPort(host: string, port: number): Promise<void> {
  const server = await listening(createTcpServer(), { host, port })
  await new Promise((resolve) => server.close(resolve))
}

function listening<Listens extends TcpServer>(server: Listens, options: object): Promise<Listens> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => resolve(server.off('error', reject)))
  })
}
