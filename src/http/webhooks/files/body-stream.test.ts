// Tests how long a body that brings files may take, on real requests whose clock is the test's.
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { answerMalformed } from '../../malformed-request.ts'
import { openBody } from './body-stream.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Declares so many bytes, sends one of them, and reads them as the service does. */
async function upload(declared: number, maxBytes = 1_000_000_000) {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sender = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const length = Number.isNaN(declared) ? 'Transfer-Encoding: chunked' : `Content-Length: ${declared}`
  sender.write(`POST / HTTP/1.1\r\nHost: x\r\n${length}\r\n\r\n${Number.isNaN(declared) ? '1\r\nx\r\n' : 'x'}`)
  const [request] = (await once(server, 'request')) as [IncomingMessage, ServerResponse]
  const body = openBody(request, undefined, maxBytes)
  let came = 0
  const first = Promise.withResolvers<void>()
  const outcome = (async () => {
    for await (const chunk of body.bytes) {
      came += chunk.length
      first.resolve()
    }
  })().then(
    () => `${came} bytes`,
    (error: Error) => error.message,
  )
  await first.promise
  return {
    request,
    sender,
    body,
    outcome,
    async close() {
      sender.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

const TOO_SLOW = 'The request took too long to arrive: files have to come at 64 kB/s at least.'

it.each([
  ['a small file has two minutes', 1_000, 120_000],
  ['a large one as long as it takes at 64 kB/s', 100_000_000, 1_562_500],
  ['one of unknown size as long as the largest', Number.NaN, 15_625_000],
])('%s', async (_what, declared, timeMs) => {
  const sent = await upload(declared)
  vi.advanceTimersByTime(timeMs - 1)
  // Still within its time: what comes now is taken.
  sent.sender.write(Number.isNaN(declared) ? '1\r\ny\r\n' : 'y')
  await once(sent.request, 'readable')
  vi.advanceTimersByTime(1)
  expect(await sent.outcome).toBe(TOO_SLOW)
  await sent.close()
})

it('the usual limit passes over a request with files, and holds again after it', async () => {
  const sent = await upload(100_000_000)
  const late = Object.assign(new Error('late'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  answerMalformed(late, sent.request.socket, 'req_1')
  expect(sent.request.socket.writableLength + sent.request.socket.bytesWritten).toBe(0)
  sent.body.end()
  const answer = once(sent.sender, 'data')
  answerMalformed(late, sent.request.socket, 'req_1')
  expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 408 /)
  await sent.close()
})

it('a body that ends in time leaves no limit behind', async () => {
  const sent = await upload(3)
  sent.sender.write('yz')
  expect(await sent.outcome).toBe('3 bytes')
  sent.body.end()
  expect(vi.getTimerCount()).toBe(0)
  await sent.close()
})
