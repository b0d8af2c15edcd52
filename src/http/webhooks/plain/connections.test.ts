// Tests how long connections may be quiet, with a clock of the test's; test/e2e/plain-requests.test.ts has the rest.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { PlainExchange } from '../exchange.ts'
import { PlainConnections } from './connections.ts'

let server: Server
let sender: Socket
let accepted: Socket
let plain: PlainConnections
const late = vi.fn<(socket: Socket) => void>((socket) => socket.destroy())
const taken: PlainExchange[] = []

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  late.mockClear()
  taken.length = 0
  plain = new PlainConnections({
    take: (exchange) => taken.push(exchange),
    leave: (socket) => socket.destroy(),
    late,
    firstWithinMs: 15_000,
  })
  server = createServer({ allowHalfOpen: true })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  sender.on('error', () => {})
  ;[accepted] = (await once(server, 'connection')) as [Socket]
  plain.accept(accepted)
})
afterEach(() => {
  vi.useRealTimers()
  plain.close()
  plain.destroyAll()
  sender.destroy()
  server.close()
})

const REQUEST =
  'POST /api/v1/webhooks/a HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

const send = async (): Promise<PlainExchange> => {
  sender.write(REQUEST)
  await vi.waitFor(() => expect(taken).not.toHaveLength(0), { timeout: 30_000 })
  return taken.shift()!
}

it('ends where nothing comes within 15 seconds', () => {
  vi.advanceTimersByTime(15_000)
  expect(late).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(late).toHaveBeenCalledExactlyOnceWith(accepted)
})

it('stays for 65 seconds after a reply, and as long as its sender waits for one', async () => {
  const { response } = await send()
  vi.advanceTimersByTime(600_000)
  expect(accepted.destroyed).toBe(false)
  response.writeHead(200, ['content-length', '0'])
  response.end()
  await once(sender, 'data')
  vi.advanceTimersByTime(65_000)
  expect(accepted.destroyed).toBe(false)
  vi.advanceTimersByTime(1_000)
  expect(accepted.destroyed).toBe(true)
  expect(late).not.toHaveBeenCalled()
})

it('stays as long as its sender is reading a reply', async () => {
  const { response } = await send()
  const body = 'x'.repeat(20_000_000)
  response.writeHead(200, ['content-length', String(body.length)])
  response.end(body)
  vi.advanceTimersByTime(600_000)
  expect(accepted.destroyed).toBe(false)
  let bytes = 0
  sender.on('data', (chunk: Buffer) => {
    bytes += chunk.length
  })
  await vi.waitFor(() => expect(bytes).toBeGreaterThan(body.length), { timeout: 30_000 })
})
