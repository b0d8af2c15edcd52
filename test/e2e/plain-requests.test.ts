// Tests connections on which deliveries are served without node:http, and how they become node:http's.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Gate, startGate } from '../harness/gate.ts'
import { expectFailure, runsOf } from '../harness/inbox.ts'
import { type Answer, type Millrace, type PublishedFlow, startMillrace } from '../harness/millrace.ts'
import { connectRaw, type RawConnection, requestBytes, sendRaw } from '../harness/raw-request.ts'

let millrace: Millrace
let gate: Gate
let open: PublishedFlow

beforeAll(async () => {
  gate = await startGate()
  millrace = await startMillrace({ MILLRACE_ENV_GATE: gate.url })
  open = await flowWith({})
})
afterAll(async () => {
  gate.open()
  await millrace.stop()
  await gate.close()
})

const flowWith = (trigger: object, steps: object[] = []): Promise<PublishedFlow> =>
  millrace.publish({ name: 'Plain', trigger: { kind: 'webhook', ...trigger }, steps })

const finished = { response: { mode: 'finished', body: { n: '{{ webhook.body.n }}' } } }
const held = { id: 'held', kind: 'http', method: 'GET', url: '{{ env.GATE }}/' }

const isHeld = () => vi.waitFor(() => expect(gate.held()).toBe(1), { timeout: 30_000 })

const bytesFor = ({ flow }: PublishedFlow, body: unknown = {}, headers: string[] = []): Buffer =>
  requestBytes({ target: `/api/v1/webhooks/${flow.webhook.id}`, body: JSON.stringify(body), headers })

/** node:http reads what has this header. */
const BY_NODE = ['TE: trailers']

const connected = async (use: (connection: RawConnection) => Promise<void>): Promise<void> => {
  const connection = await connectRaw(millrace.port)
  try {
    await use(connection)
  } finally {
    connection.socket.destroy()
  }
}

describe('a reply', () => {
  const comparable = ({ status, headers, body }: Answer) => {
    const { date, 'x-request-id': requestId, ...others } = Object.fromEntries(headers)
    expect(new Date(date!).getTime()).toBeGreaterThan(Date.now() - 10_000)
    expect(requestId).toMatch(/^req_/)
    return { status, others, body: JSON.stringify(body).replaceAll(/(run|req)_\w+/g, 'id') }
  }
  const reply = async (published: PublishedFlow, headers: string[], body: unknown) => {
    let answer!: Answer
    await connected(async (connection) => {
      connection.write(bytesFor(published, body, headers))
      answer = await connection.reply()
    })
    return comparable(answer)
  }
  const respond = (settings: object) => flowWith(finished, [{ id: 'answer', kind: 'respond', ...settings }])

  it.each<[what: string, make: () => Promise<PublishedFlow>]>([
    ['that says that it was received', () => flowWith({})],
    ['with a body of its own', () => respond({ body: { a: [1, null], text: 'plain' } })],
    ['with characters above ASCII', () => respond({ body: { text: 'żółw 🐢' } })],
    ['with a long body', () => respond({ body: '{{ webhook.body.long }}' })],
    ['without a body', () => respond({ status: 204 })],
    ['with an unusual status', () => respond({ status: 299, body: 'x' })],
    [
      'with headers, repeated ones and such with bytes above ASCII',
      () =>
        respond({
          headers: [
            { name: 'X-A', value: 'caf\u00e9' },
            { name: 'X-B', value: '1' },
            { name: 'X-B', value: '2' },
            { name: 'Content-Type', value: 'text/plain; charset=iso-8859-1' },
          ],
          body: 'caf\u00e9',
        }),
    ],
    [
      'to a sender that is refused',
      () => flowWith({ auth: { kind: 'header', name: 'X-Key', value: 'a-value-of-some-length' } }),
    ],
  ])('%s is the same as by node:http', async (_what, make) => {
    const published = await make()
    const body = { long: 'long ż '.repeat(10_000).slice(0, 2_000) }
    expect(await reply(published, [], body)).toEqual(await reply(published, BY_NODE, body))
  })
})

describe('a connection', () => {
  it('serves deliveries, and everything else after them', async () => {
    await connected(async (connection) => {
      for (const bytes of [
        bytesFor(open),
        bytesFor(open),
        'GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n',
        bytesFor(open),
        bytesFor(open, {}, ['Connection: close']),
      ]) {
        connection.write(bytes)
        expect((await connection.reply()).status).toBe(200)
      }
      await connection.ended
      expect(connection.rest()).toBe('')
    })
  })

  it('takes a delivery that comes in two parts, wherever it is cut, once', async () => {
    const published = await flowWith({})
    const bytes = bytesFor(published, { n: 1 })
    const headEnd = bytes.indexOf('\r\n\r\n')
    for (const at of [1, 10, 60, headEnd, headEnd + 2, headEnd + 4, bytes.length - 1])
      await connected(async (connection) => {
        connection.socket.setNoDelay(true)
        connection.write(bytesFor(open))
        await connection.reply()
        connection.write(bytes.subarray(0, at))
        await new Promise((resolve) => setImmediate(resolve))
        connection.write(bytes.subarray(at))
        const answer = await connection.reply()
        expect((await millrace.runEnded(answer.body.id)).webhook.body).toEqual({ n: 1 })
      })
    expect(await runsOf(millrace, published.flow.id)).toHaveLength(7)
  })

  it('answers in order a sender that does not wait for replies', async () => {
    const published = await flowWith(finished, [held])
    await connected(async (connection) => {
      connection.write(bytesFor(published, { n: 1 }))
      await isHeld()
      connection.write(Buffer.concat([bytesFor(published, { n: 2 }), bytesFor(published, { n: 3 })]))
      await gate.letOne()
      expect((await connection.reply()).body).toEqual({ n: 1 })
      await gate.letOne()
      await gate.letOne()
      expect((await connection.reply()).body).toEqual({ n: 2 })
      expect((await connection.reply()).body).toEqual({ n: 3 })
    })
  })

  it('answers a sender that has closed its side, and closes too', async () => {
    await connected(async (connection) => {
      connection.socket.end(bytesFor(open))
      expect((await connection.reply()).status).toBe(200)
      await connection.ended
    })
    await connected(async (connection) => {
      connection.write(bytesFor(open))
      await connection.reply()
      connection.socket.end()
      await connection.ended
    })
  })

  it('does a delivery whose sender leaves before the reply', async () => {
    const published = await flowWith(finished, [held])
    await connected(async (connection) => {
      connection.write(bytesFor(published))
      await isHeld()
    })
    await gate.letOne()
    const [run] = await runsOf(millrace, published.flow.id)
    expect((await millrace.runEnded(run!.id)).status).toBe('succeeded')
  })

  it('keeps large replies for a sender that reads them late', async () => {
    const answer = { id: 'answer', kind: 'respond', body: { n: '{{ webhook.body.n }}', x: 'x'.repeat(200_000) } }
    const published = await flowWith(finished, [answer])
    await connected(async (connection) => {
      connection.socket.pause()
      for (let n = 0; n < 40; n++) connection.write(bytesFor(published, { n }))
      await vi.waitFor(async () => expect((await runsOf(millrace, published.flow.id)).length).toBeGreaterThan(3), {
        timeout: 30_000,
      })
      connection.socket.resume()
      for (let n = 0; n < 40; n++) expect((await connection.reply()).body.n).toBe(n)
    })
  })

  it('sends a file, and takes the next delivery after it', async () => {
    const url = `${gate.url}/file`
    const published = await flowWith({ response: { mode: 'finished' } }, [
      { id: 'get', kind: 'http', method: 'GET', url, response: { as: 'file' } },
      { id: 'answer', kind: 'respond', file: '{{ steps.get.body }}' },
    ])
    await connected(async (connection) => {
      connection.write(bytesFor(published))
      await gate.letOne({ big: 'x'.repeat(300_000) })
      expect((await connection.reply()).body.big).toHaveLength(300_000)
      connection.write(bytesFor(open))
      expect((await connection.reply()).status).toBe(200)
    })
  })
})

it('ends connections when the service stops: idle ones at once, one that waits after its reply', async () => {
  const stopping = await startMillrace({ MILLRACE_ENV_GATE: gate.url })
  const trigger = { kind: 'webhook', ...finished }
  const published = await stopping.publish({ name: 'Held', trigger, steps: [held] })
  const [idle, silent, waiting] = await Promise.all([1, 2, 3].map(() => connectRaw(stopping.port)))
  idle!.write(bytesFor(published, { n: 1 }))
  await gate.letOne()
  await idle!.reply()
  waiting!.write(bytesFor(published, { n: 2 }))
  await isHeld()
  const stopped = stopping.stop()
  await Promise.all([idle!.ended, silent!.ended])
  await gate.letOne()
  const { headers, body } = await waiting!.reply()
  expect(body).toEqual({ n: 2 })
  expect(headers.get('connection')).toBe('close')
  await waiting!.ended
  await stopped
})

it('keeps to the limit of bodies, also where a handshake may come', async () => {
  const narrow = await startMillrace({ MILLRACE_MAX_BODY: '1kb' })
  const handshake = [{ method: 'POST', when: '{{ webhook.body.challenge == 1 }}', body: 'yes' }]
  try {
    for (const trigger of [{ kind: 'webhook' }, { kind: 'webhook', handshake }]) {
      const published = await narrow.publish({ name: 'Narrow', trigger, steps: [] })
      for (const headers of [[], BY_NODE]) {
        const send = (body: unknown) => sendRaw(narrow.port, bytesFor(published, body, headers))
        expectFailure(await send({ challenge: 1, long: 'x'.repeat(2_000) }), 413, 'payload_too_large')
        expect((await send({ long: 'x'.repeat(900) })).status).toBe(200)
      }
    }
  } finally {
    await narrow.stop()
  }
})
