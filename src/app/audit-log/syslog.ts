// Sends entries of the audit log to a syslog server, by UDP, TCP or TLS.
import { createSocket } from 'node:dgram'
import { connect, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { StoredEntry } from '../../operations/ports/audit-log/chain.ts'
import type { AuditDestination } from '../../operations/upkeep/audit-log/deliver-audit.ts'
import { syslogMessage } from './syslog-message.ts'

export interface SyslogServer {
  protocol: 'udp' | 'tcp' | 'tls'
  host: string
  port: number
}

const WITHIN_MS = 15_000
/** A server that has everything closes its side. One that does not is believed after this time. */
const CLOSE_WITHIN_MS = 3_000
const MOST_BYTES = { udp: 8_192, tcp: 65_536, tls: 65_536 } as const

export function createSyslog(server: SyslogServer): AuditDestination {
  const stopped = new AbortController()
  const host = hostname()
  const messagesOf = (entries: readonly StoredEntry[]) =>
    entries.map((entry) => syslogMessage(entry, host, process.pid, MOST_BYTES[server.protocol]))
  return {
    name: 'syslog',
    send: (entries) =>
      server.protocol === 'udp'
        ? sendPackets(server, messagesOf(entries))
        : sendStream(server, messagesOf(entries), stopped.signal),
    close: () => stopped.abort(),
  }
}

async function sendPackets({ host, port }: SyslogServer, messages: readonly Buffer[]): Promise<void> {
  const socket = createSocket({ type: host.includes(':') ? 'udp6' : 'udp4' })
  try {
    for (const message of messages)
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.send(message, port, host, (error) => {
          socket.off('error', reject)
          if (error) reject(error)
          else resolve()
        })
      })
  } finally {
    socket.close()
  }
}

/**
 * Syslog has no acknowledgement. So each batch has a connection of its own: the server has read it to its end when it
 * closes its side, and a connection that breaks before is an error, after which the batch is sent again.
 */
function sendStream(server: SyslogServer, messages: readonly Buffer[], stopped: AbortSignal): Promise<void> {
  const { host, port, protocol } = server
  const where = { host, port, signal: stopped, timeout: WITHIN_MS }
  return new Promise((resolve, reject) => {
    const socket: Socket = protocol === 'tls' ? connectTls(where) : connect(where)
    let closing: NodeJS.Timeout | undefined
    const end = (error: Error | null) => {
      clearTimeout(closing)
      stopped.removeEventListener('abort', giveUp)
      socket.destroy()
      if (error) reject(error)
      else resolve()
    }
    const giveUp = () => end(new Error('The service stops.'))
    stopped.addEventListener('abort', giveUp, { once: true })
    socket.on('error', end)
    socket.on('timeout', () => end(new Error(`The syslog server did not answer within ${WITHIN_MS / 1000} seconds.`)))
    socket.on('close', () =>
      end(socket.writableFinished ? null : new Error('The syslog server closed the connection.')),
    )
    // What the server says is nothing that is waited for.
    socket.resume()
    socket.once(protocol === 'tls' ? 'secureConnect' : 'connect', () => {
      // Octet counting, as RFC 6587 and RFC 5425 have it.
      for (const message of messages) socket.write(Buffer.concat([Buffer.from(`${message.length} `), message]))
      socket.end(() => {
        closing = setTimeout(() => end(null), CLOSE_WITHIN_MS)
      })
    })
  })
}
