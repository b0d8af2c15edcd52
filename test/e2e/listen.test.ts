// Deliveries as they come, for programs that listen to a flow: the stream of the API, and `millrace listen`.
import { type ChildProcess, spawn } from 'node:child_process'
import { request as requestOf } from 'node:http'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ENTRY } from '../harness/entry.ts'
import { childEnvironment } from '../harness/environment.ts'
import { type EventStream, openEvents } from '../harness/event-stream.ts'
import { expectFailure } from '../harness/inbox.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, type PublishedFlow, startMillrace, TOKEN } from '../harness/millrace.ts'

const SECRET = 'the-token-of-the-sender'
const AUTH = { auth: { kind: 'header', name: 'X-Token', value: '{{ env.SENDER }}' } }
const PROVEN = { 'X-Token': SECRET }
/** Not as a program would write it. */
const ODD_JSON = '{ "b" : 1.50,\n "a":"\\u00e9 🐤" }'

let millrace: Millrace
let orders: PublishedFlow
beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_SENDER: SECRET })
  orders = await millrace.publish(documentOf([], { ...AUTH, when: '{{ webhook.body.b != 0 }}' }, 'Orders'))
})
afterAll(() => millrace.stop())

const raw = (body: string, headers: Record<string, string> = PROVEN, path = '') =>
  fetch(`${orders.flow.webhook.url}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body,
  })

/** Returns the run that a delivery started. */
const runOf = async (sent: Promise<Response>): Promise<string> => ((await (await sent).json()) as { id: string }).id

describe('the stream of deliveries', () => {
  let stream: EventStream
  afterEach(() => stream.close())
  const urlOf = ({ flow }: PublishedFlow) => `${millrace.url}/api/v1/flows/${flow.id}/deliveries/listen`
  const streamAs = async (scope: string) => {
    const { token } = (await millrace.api('POST', '/tokens', { name: `Listener ${scope}`, scope })).body
    return fetch(urlOf(orders), { headers: { authorization: `Bearer ${token}` } })
  }
  const header = (headers: [string, string][], name: string) => headers.find(([one]) => one.toLowerCase() === name)?.[1]

  it('has what the flow takes on, as it came: live, filtered and test, but nothing that was refused', async () => {
    stream = await openEvents(urlOf(orders))
    expect((await stream.next()).data).toMatchObject({ flowId: orders.flow.id, masked: false })
    expect((await raw('{}', { 'X-Token': 'wrong' })).status).toBe(401)
    const id = await runOf(raw(ODD_JSON, { ...PROVEN, Cookie: 'a=1; millrace_device=x' }, '?n=1&n=2'))
    const { type, data } = await stream.next()
    expect(type).toBe('delivery')
    expect(data).toMatchObject({ outcome: 'accepted', runId: id, method: 'POST', query: 'n=1&n=2', masked: false })
    expect(data.body).toBe(ODD_JSON)
    expect(header(data.headers, 'x-token')).toBe(SECRET)
    expect(header(data.headers, 'cookie')).toBe('a=1')
    expect((await millrace.api('GET', `/deliveries/${data.id}`)).body.webhook.headers['x-token']).toBe('[masked]')

    await raw('{"b":0}')
    expect((await stream.next()).data).toMatchObject({ outcome: 'filtered', runId: null, body: '{"b":0}' })
    await raw('{"b":2}', PROVEN, '/test')
    expect((await stream.next()).data).toMatchObject({ outcome: 'sample', body: '{"b":2}' })
  })

  it('masks what authenticates the sender for whoever is no owner, and is not for viewers', async () => {
    expect((await streamAs('read')).status).toBe(403)
    const response = await streamAs('write')
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    stream = { headers: response.headers, next: () => Promise.reject(new Error()), close: () => reader.cancel() }
    await raw(JSON.stringify({ b: 1, copy: SECRET }))
    let text = ''
    while (!text.includes('event: delivery')) text += (await reader.read()).value
    expect(text).toContain('["X-Token","[masked]"]')
    expect(text).not.toContain(SECRET)
  })

  it('counts what a slow reader has no room for', async () => {
    stream = await openEvents(`${millrace.url}/api/v1/flows/${orders.flow.id}/events`)
    const slow = requestOf(urlOf(orders), { headers: { authorization: `Bearer ${TOKEN}` } }).end()
    const response = await new Promise<import('node:http').IncomingMessage>((done) => slow.on('response', done))
    const body = JSON.stringify({ b: 'x'.repeat(1024 * 1024) })
    const sent = 24
    for (let i = 0; i < sent; i++) expect((await raw(body)).status).toBe(200)
    let [text, whole, dropped] = ['', 0, 0]
    for await (const chunk of response.setEncoding('utf8')) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop()!
      for (const block of blocks) {
        if (block.startsWith('event: delivery')) whole++
        dropped += Number(/^event: dropped\ndata: \{"count":(\d+)\}/.exec(block)?.[1] ?? 0)
      }
      if (whole + dropped === sent) break
    }
    expect(dropped).toBeGreaterThan(0)
    expect(whole).toBeGreaterThan(3)
  })

  it('is of a flow that exists', async () => {
    stream = { close: async () => {} } as EventStream
    expectFailure(await millrace.api('GET', '/flows/none/deliveries/listen'), 404, 'not_found')
  })
})

describe('millrace listen', () => {
  let proxy: Proxy
  let program: Server
  let cli: ChildProcess
  const received: string[] = []
  let answer = 'HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n'
  let output = ''
  beforeAll(async () => {
    proxy = await startProxy(millrace.port)
    // Bytes, so that nothing of what is forwarded is made better by a parser.
    program = createServer((socket) => {
      let text = ''
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
        const [head, body] = text.split('\r\n\r\n') as [string, string | undefined]
        if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1])) return
        received.push(text)
        socket.end(answer)
      })
    })
    await new Promise<void>((done) => program.listen(0, '127.0.0.1', done))
    const { port } = program.address() as { port: number }
    const args = [
      'listen',
      'Orders',
      '--server',
      `http://127.0.0.1:${proxy.port}`,
      '--forward',
      `http://127.0.0.1:${port}/hook?mine=1`,
    ]
    cli = spawn(process.execPath, [ENTRY, ...args], { env: childEnvironment({ MILLRACE_ADMIN_TOKEN: TOKEN }) })
    for (const from of [cli.stdout!, cli.stderr!]) from.on('data', (chunk: Buffer) => (output += chunk.toString()))
    await said(/Listening to Orders/)
  })
  afterAll(async () => {
    cli.kill('SIGKILL')
    program.close()
    await proxy.close()
  })

  const said = (what: RegExp): Promise<void> =>
    new Promise((resolve) => {
      const look = () => {
        if (!what.test(output)) return
        cli.stdout!.off('data', look)
        cli.stderr!.off('data', look)
        resolve()
      }
      cli.stdout!.on('data', look)
      cli.stderr!.on('data', look)
      look()
    })

  it('sends each on as it came, and says what the program answered', async () => {
    const id = await runOf(raw(ODD_JSON, { ...PROVEN, 'X-Event': 'paid' }, '?n=1'))
    await said(new RegExp(`accepted +${id.replace('run_', 'dlv_')} +204`))
    const [text] = received
    const [head, body] = text!.split('\r\n\r\n')
    expect(Buffer.from(body!, 'latin1').toString()).toBe(ODD_JSON)
    expect(head).toMatch(/^POST \/hook\?mine=1&n=1 HTTP\/1\.1\r\n/)
    expect(head).toContain(`\r\nX-Token: ${SECRET}\r\n`)
    expect(head!.match(/^host: /gim)).toHaveLength(1)
    answer = 'HTTP/1.1 500 Broken\r\nConnection: close\r\n\r\nno such order'
    await raw('{"b":3}', PROVEN, '/test')
    await said(/sample +smp_\w+ +500 no such order/)
  })

  it('connects again, and sends on what came meanwhile, each once', async () => {
    const before = received.length
    const first = await runOf(raw('{"b":7}'))
    await said(new RegExp(`accepted +${first.replace('run_', 'dlv_')}`))
    await proxy.cut()
    const ids: string[] = []
    for (const n of [4, 5]) ids.push(await runOf(raw(`{"b":${n}}`)))
    proxy.mend()
    await said(new RegExp(`accepted +${ids[1]!.replace('run_', 'dlv_')}`))
    const last = await runOf(raw('{"b":6}'))
    await said(new RegExp(`accepted +${last.replace('run_', 'dlv_')}`))
    expect(received.slice(before).map((text) => text.split('\r\n\r\n')[1])).toEqual([
      '{"b":7}',
      '{"b":4}',
      '{"b":5}',
      '{"b":6}',
    ])
    expect(output).toContain('with secrets masked')
  })

  it('ends with Ctrl+C', async () => {
    const ended = new Promise((done) => cli.on('exit', done))
    cli.kill('SIGINT')
    expect(await ended).toBe(0)
  })
})

interface Proxy {
  port: number
  /** Ends all sockets and takes no more until it is mended. */
  cut(): Promise<void>
  mend(): void
  close(): Promise<void>
}

async function startProxy(port: number): Promise<Proxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
    if (isCut) {
      client.destroy()
      return
    }
    const upstream = connect(port, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => other.destroy())
      one.pipe(other)
    }
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as { port: number }).port,
    async cut() {
      isCut = true
      const closed = [...sockets].map(
        (socket) => new Promise((done) => (socket.closed ? done(null) : socket.once('close', done))),
      )
      for (const socket of sockets) socket.destroy()
      await Promise.all(closed)
      sockets.clear()
    },
    mend() {
      isCut = false
    },
    close: () =>
      new Promise((done) => {
        for (const socket of sockets) socket.destroy()
        server.close(() => done())
      }),
  }
}
