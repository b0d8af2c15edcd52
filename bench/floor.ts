// The floor: a bare node:http server that does the work of the scenarios and stores nothing.
// Usage: node bench/floor.ts PORT UPSTREAM
import { createHmac } from 'node:crypto'
import { Agent, createServer, request, type ServerResponse } from 'node:http'

const [port, upstream] = process.argv.slice(2)
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

function send(response: ServerResponse, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.end(text)
}

function callUpstream(body: unknown, then: (reply: { rate: number }) => void): void {
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  request(`${upstream}/rate`, { method: 'POST', agent, headers }, (reply) => {
    const chunks: Buffer[] = []
    reply.on('data', (chunk) => chunks.push(chunk))
    reply.on('end', () => then(JSON.parse(Buffer.concat(chunks).toString())))
  }).end(text)
}

const server = createServer((incoming, response) => {
  const chunks: Buffer[] = []
  incoming.on('data', (chunk) => chunks.push(chunk))
  incoming.on('end', () => {
    const raw = Buffer.concat(chunks)
    const order = JSON.parse(raw.toString()) as { id: string; total: number }
    if (incoming.url === '/a') send(response, { status: 'success', id: order.id })
    else if (incoming.url === '/c') {
      const mac = createHmac('sha256', 'whsec_bench').update(raw).digest('hex')
      send(response, { tier: order.total > 100 ? 'high' : 'low', mac })
    } else callUpstream({ id: order.id, total: order.total }, ({ rate }) => send(response, { rate }))
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(port), '127.0.0.1', 4096, () => console.log('is ready'))
