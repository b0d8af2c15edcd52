// The API that the flows of the benchmark call: answers at once, or later. Usage: node bench/upstream.ts PORT [DELAY_MS]
import { createServer } from 'node:http'

const ANSWER = Buffer.from('{"ok":true,"rate":1.0842,"ref":"up_1"}')

const delayMs = Number(process.argv[3] ?? 0)

const server = createServer((incoming, response) => {
  incoming.resume()
  const answer = () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length })
    response.end(ANSWER)
  }
  incoming.on('end', () => (delayMs ? setTimeout(answer, delayMs) : answer()))
})
// It closes no socket: one that idles between two rounds may be in use again at that moment, and the floor does not send again.
server.keepAliveTimeout = 0
server.listen(Number(process.argv[2]), '127.0.0.1', 4096, () => console.log('is ready'))
