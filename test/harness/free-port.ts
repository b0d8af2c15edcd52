import { createServer } from 'node:net'

/** A port that refuses every socket. A port that was free a moment ago may be taken by a test that runs beside this one. */
export const NOBODY_LISTENS = 1

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.on('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
