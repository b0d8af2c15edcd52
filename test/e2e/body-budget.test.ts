// Tests large bodies at once: those that fit into memory are accepted, the others get 503, small ones are always accepted.
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { connectRaw, type RawConnection, requestBytes, sendRaw } from '../harness/raw-request.ts'
import { scrape } from '../harness/scrape.ts'

const MIB = 1024 * 1024
const document = (bytes: number) => JSON.stringify({ text: 'x'.repeat(bytes - 11) })

let millrace: Millrace
let flow: PublishedFlow
let target: string

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_MAX_BODY: '1mb', MILLRACE_BODY_MEMORY: '2mb' })
  flow = await millrace.publish({ name: 'Large', trigger: { kind: 'webhook' }, steps: [] })
  target = new URL(flow.flow.webhook.url).pathname
})
afterAll(() => millrace.stop())

const held = async () => (await scrape(millrace)).get('millrace_body_bytes')

/** Opens a sender whose body is expected, so that memory is reserved for it. */
async function announce(bytes: number): Promise<RawConnection> {
  const connection = await connectRaw(millrace.port)
  const headers = [`Content-Length: ${bytes}`, 'Expect: 100-continue']
  connection.write(requestBytes({ target, headers, body: '' }))
  expect((await connection.reply()).status).toBe(100)
  return connection
}

function expectNoRoom(answer: Awaited<ReturnType<typeof sendRaw>>): void {
  expectFailure(answer, 503, 'overloaded')
  expect(answer.headers.get('retry-after')).toBe('2')
}

it('refuses a large body at once while others fill the memory for them, and takes small ones on all the same', async () => {
  const first = await announce(MIB)
  const second = await announce(MIB)
  expect(await held()).toBe(2 * MIB)
  // The declared length counts, before any byte has come.
  const headers = [`Content-Length: ${MIB / 2}`]
  expectNoRoom(await sendRaw(millrace.port, requestBytes({ target, headers, body: '' })))
  // The length counts as the body grows.
  const chunk = document(20_000)
  const chunked = `${chunk.length.toString(16)}\r\n${chunk}\r\n0\r\n\r\n`
  expectNoRoom(
    await sendRaw(millrace.port, requestBytes({ target, headers: ['Transfer-Encoding: chunked'], body: chunked })),
  )
  // The decoded length counts.
  const encoded = (bytes: number) =>
    sendRaw(
      millrace.port,
      requestBytes({ target, headers: ['Content-Encoding: gzip'], body: gzipSync(document(bytes)) }),
    )
  expectNoRoom(await encoded(20_000))
  expect((await encoded(1_000)).status).toBe(200)
  expect((await flow.post({ small: true })).status).toBe(200)

  first.write(document(MIB))
  expect((await first.reply()).status).toBe(200)
  expect((await sendRaw(millrace.port, requestBytes({ target, body: document(MIB) }))).status).toBe(200)
  second.write(document(MIB))
  expect((await second.reply()).status).toBe(200)
  first.socket.destroy()
  second.socket.destroy()
  expect(await held()).toBe(0)
})

it('has room again when a sender goes away in the middle of its body', async () => {
  const gone = await announce(MIB)
  gone.write('{"begun":')
  expect(await held()).toBe(MIB)
  gone.socket.destroy()
  await vi.waitFor(async () => expect(await held()).toBe(0), 10_000)
})

it('counts the bodies of management requests too', async () => {
  const first = await announce(MIB)
  const second = await announce(MIB)
  const draft = { name: 'Draft', trigger: { kind: 'webhook' }, steps: [], description: 'x'.repeat(20_000) }
  const refused = await millrace.api('POST', '/flows/validate', draft)
  expectFailure(refused, 503, 'overloaded')
  expect(refused.headers.get('retry-after')).toBe('2')
  expect((await millrace.api('POST', '/flows/validate', { ...draft, description: '' })).status).toBe(200)
  first.socket.destroy()
  second.socket.destroy()
  await vi.waitFor(async () => expect(await held()).toBe(0), 10_000)
  expect((await millrace.api('POST', '/flows/validate', draft)).status).toBe(200)
  expect(await held()).toBe(0)
})
