import { lookup } from 'node:dns/promises'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, expect, it, vi } from 'vitest'
import { connectRaw, requestBytes } from '../../test/harness/raw-request.ts'
import { type Listening, listen } from './listen.ts'

const HOST = '127.0.0.1'
const open: Listening[] = []

async function listeningOn(
  port: number,
  answer: RequestListener = (_request, response) => response.end(),
  { host = HOST, sockets = 128, most = Number.POSITIVE_INFINITY } = {},
): Promise<Listening> {
  const listening = await listen(createServer(answer), host, port, { count: sockets, most })
  open.push(listening)
  return listening
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((listening) => listening.close()))
})

const request = requestBytes({ target: '/', body: '{}' })

it('refuses a port on which another service listens in the same way', async () => {
  const { address } = await listeningOn(0)
  await expect(listeningOn(address.port)).rejects.toMatchObject({ code: 'EADDRINUSE' })
})

it('answers on many connections, and takes none when it is closed', async () => {
  const { address, close } = await listeningOn(0)
  const connections = await Promise.all(Array.from({ length: 200 }, () => connectRaw(address.port)))
  for (const { write } of connections) write(request)
  const answers = await Promise.all(connections.map(({ reply }) => reply()))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  await close()
  await expect(fetch(`http://${HOST}:${address.port}/`)).rejects.toThrow()
  for (const { socket } of connections) socket.destroy()
})

it('waits with its end for a request under way, whichever socket accepted it', async () => {
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  const { address, close } = await listeningOn(0, async (_request, response) => {
    begin()
    await held
    response.end()
  })
  const connection = await connectRaw(address.port)
  connection.write(request)
  await begun
  const events: string[] = []
  const closed = close().then(() => events.push('closed'))
  await expect(fetch(`http://${HOST}:${address.port}/`)).rejects.toThrow()
  events.push('released')
  release()
  expect((await connection.reply()).status).toBe(200)
  connection.socket.destroy()
  await closed
  expect(events).toEqual(['released', 'closed'])
})

it.each([1, 128])('listens on every address of localhost, with %i sockets', async (sockets) => {
  const { address, close } = await listeningOn(0, undefined, { host: 'localhost', sockets })
  for (const { address: host, family } of await lookup('localhost', { all: true })) {
    const url = `http://${family === 6 ? `[${host}]` : host}:${address.port}/`
    expect((await fetch(url)).status).toBe(200)
  }
  await close()
})

it('closes connections beyond the most that it may have, and takes others when some have ended', async () => {
  const { address } = await listeningOn(0, undefined, { sockets: 8, most: 2 })
  const kept = [await connectRaw(address.port), await connectRaw(address.port)]
  for (const { write, reply } of kept) {
    write(request)
    expect((await reply()).status).toBe(200)
  }
  const third = await connectRaw(address.port)
  await expect(third.reply()).rejects.toThrow('ended')
  const answers = () =>
    fetch(`http://${HOST}:${address.port}/`).then(
      ({ status }) => status,
      () => null,
    )
  expect(await answers()).toBeNull()
  for (const { socket } of kept) socket.destroy()
  await vi.waitFor(async () => expect(await answers()).toBe(200), 10_000)
})
