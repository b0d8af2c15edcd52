// Node accepts one connection per listening socket in each turn of the event loop. While a turn is busy with deliveries, new senders
// would wait in the kernel, unseen and unanswered: several sockets listen on the one port, and the kernel deals out to them.
import type { Server as HttpServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** A thousand senders at once are let in within a few turns. Elsewhere the kernel does not deal out connections. */
const SOCKETS = process.platform === 'linux' ? 512 : 1
const BACKLOG = 4096

export interface Listening {
  address: AddressInfo
  /** Accepts nothing more; resolves when the last connection has ended. */
  close(): Promise<void>
}

export async function listen(fastify: FastifyInstance, host: string, port: number): Promise<Listening> {
  const shared = SOCKETS > 1
  // Sockets that share a port would share it with another program, too: find out whether there is one.
  if (shared && port !== 0) await tryPort(host, port)
  await fastify.listen({ host, port, backlog: BACKLOG, ...(shared && { reusePort: true }) })
  const http = fastify.server as HttpServer
  const address = http.address() as AddressInfo
  const others = await Promise.all(
    Array.from({ length: SOCKETS - 1 }, () => {
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
