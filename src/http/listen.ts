// Node accepts one socket per listening socket in each turn of the event loop. While a turn is busy with deliveries, new senders
// would wait in the kernel without an answer. So several sockets listen on one port, and the kernel distributes senders among them.
import { existsSync, readFileSync } from 'node:fs'
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { TooFewFiles } from '../base/refusals.ts'

/** A thousand senders at once are accepted within a few turns. Only the kernel of Linux distributes them. */
const MOST_SOCKETS = process.platform === 'linux' ? 128 : 1
const BACKLOG = 4096
/** The database, its threads and their event loops, the standard streams: 45 after the start, and more with code steps. */
const OWN_FILES = 64
/** With fewer files hardly any sender could connect. */
const LEAST_FILES = 128

export interface Sockets {
  count: number
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
  return { count, limitedBy: count < MOST_SOCKETS ? limit : null }
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
  fastify: FastifyInstance,
  host: string,
  port: number,
  sockets: number,
): Promise<Listening> {
  const shared = sockets > 1
  // Sockets that share a port would also share it with another program: this checks whether there is one.
  if (shared && port !== 0) await tryPort(host, port)
  await fastify.listen({ host, port, backlog: BACKLOG, ...(shared && { reusePort: true }) })
  const http = fastify.server as HttpServer
  const address = http.address() as AddressInfo
  const others = await Promise.all(
    Array.from({ length: sockets - 1 }, () => {
      // As an HTTP server sets up its sockets.
      const other = createTcpServer({ allowHalfOpen: true, noDelay: true }, (socket) => http.emit('connection', socket))
      return listening(other, { host: address.address, port: address.port, backlog: BACKLOG, reusePort: true })
    }),
  )
  return {
    address,
    async close() {
      const ends = others.map((other) => new Promise((resolve) => other.close(resolve)))
      await fastify.close()
      await Promise.all(ends)
    },
  }
}

async function tryPort(host: string, port: number): Promise<void> {
  const server = await listening(createTcpServer(), { host, port })
  await new Promise((resolve) => server.close(resolve))
}

function listening(server: TcpServer, options: object): Promise<TcpServer> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(options, () => resolve(server.off('error', reject)))
  })
}
