// A local server for flows to call: remembers what it received, and answers as the test says.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  rawHeaders: string[]
  body: string
}

export interface Upstream {
  url: string
  received: Received[]
  /** Resolves when `n` requests have come. */
  count(n: number): Promise<void>
  close(): Promise<void>
}

type Respond = (request: Received, response: ServerResponse) => void

const ok: Respond = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end('{"ok":true}')
}

export async function startUpstream(respond: Respond = ok, port = 0): Promise<Upstream> {
  const received: Received[] = []
  let wake = () => {}
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const entry = {
        method: request.method!,
        url: request.url!,
        headers: request.headers,
        rawHeaders: request.rawHeaders,
        body: Buffer.concat(chunks).toString(),
      }
      received.push(entry)
      wake()
      respond(entry, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as { port: number }).port}`,
    received,
    async count(n) {
      while (received.length < n)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
