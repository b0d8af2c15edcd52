// A server of syslog for tests: takes messages by UDP, TCP or TLS, and gives them to whoever waits for them.
import { createSocket } from 'node:dgram'
import { readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'

export interface SyslogReceiver {
  port: number
  /** Resolves with the messages once there are so many. */
  received(count: number): Promise<string[]>
  close(): Promise<void>
}

const certificate = (name: string) =>
  readFileSync(new URL(`../../src/outbound/certificates.testkit/${name}.pem`, import.meta.url))

/** The authority of the certificate that the server has. */
export const AUTHORITY = new URL('../../src/outbound/certificates.testkit/authority.pem', import.meta.url).pathname

class Messages {
  readonly #all: string[] = []
  #waiting: { count: number; resolve(all: string[]): void }[] = []

  add(message: string): void {
    this.#all.push(message)
    for (const { count, resolve } of this.#waiting) if (this.#all.length >= count) resolve([...this.#all])
    this.#waiting = this.#waiting.filter(({ count }) => count > this.#all.length)
  }

  received(count: number): Promise<string[]> {
    if (this.#all.length >= count) return Promise.resolve([...this.#all])
    return new Promise((resolve) => this.#waiting.push({ count, resolve }))
  }
}

export async function startSyslog(protocol: 'udp' | 'tcp' | 'tls', port = 0): Promise<SyslogReceiver> {
  const messages = new Messages()
  const received = (count: number) => messages.received(count)
  if (protocol === 'udp') {
    const socket = createSocket('udp4', (packet) => messages.add(packet.toString()))
    await new Promise<void>((resolve) => socket.bind(port, '127.0.0.1', resolve))
    return {
      port: socket.address().port,
      received,
      close: () => new Promise((resolve) => socket.close(() => resolve())),
    }
  }
  const take = (socket: Socket) => {
    let rest = Buffer.alloc(0)
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      for (;;) {
        const space = rest.indexOf(' ')
        const length = Number(rest.subarray(0, Math.max(0, space)).toString())
        if (space === -1 || rest.length < space + 1 + length) return
        messages.add(rest.subarray(space + 1, space + 1 + length).toString())
        rest = rest.subarray(space + 1 + length)
      }
    })
  }
  const server: Server =
    protocol === 'tls'
      ? createTlsServer({ cert: certificate('localhost'), key: certificate('key') }, take)
      : createServer(take)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    received,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
