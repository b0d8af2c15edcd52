// A proxy to a server that can cut the socket, or stand still, at the worst moment: after the server has done its work,
// before its reply arrives.
import { connect, createServer, type Socket } from 'node:net'

export interface CuttingProxy {
  port: number
  /** Loses the reply to the next message that fits, and the socket with it; resolves when that has happened. */
  loseReplyTo(fits: (message: Buffer) => boolean): Promise<void>
  /** Holds back the reply to the next message that fits, and whatever follows it; resolves when that has happened. */
  keepReplyTo(fits: (message: Buffer) => boolean): Promise<void>
  close(): Promise<void>
}

export async function startCuttingProxy(target: { host: string; port: number }): Promise<CuttingProxy> {
  let cut: { fits: (message: Buffer) => boolean; done: () => void; keep: boolean } | null = null
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target)
    let hit: typeof cut = null
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        client.destroy()
        upstream.destroy()
      })
    }
    client.on('data', (chunk) => {
      if (cut?.fits(chunk)) {
        hit = cut
        cut = null
      }
      upstream.write(chunk)
    })
    upstream.on('data', (chunk) => {
      if (!hit) return client.write(chunk)
      if (!hit.keep) {
        client.destroy()
        upstream.destroy()
      }
      hit.done()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as { port: number }).port,
    loseReplyTo: (fits) =>
      new Promise((done) => {
        cut = { fits, done, keep: false }
      }),
    keepReplyTo: (fits) =>
      new Promise((done) => {
        cut = { fits, done, keep: true }
      }),
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => resolve())
      }),
  }
}
