// The API that the flows of the benchmark call: answers at once. Usage: node bench/upstream.ts PORT
import { createServer } from 'node:http'

const ANSWER = Buffer.from('{"ok":true,"rate":1.0842,"ref":"up_1"}')

const server = createServer((incoming, response) => {
  incoming.resume()
  incoming.on('end', () => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': ANSWER.length })
    response.end(ANSWER)
  })
})
server.keepAliveTimeout = 60_000
server.listen(Number(process.argv[2]), '127.0.0.1', 4096, () => console.log('is ready'))
