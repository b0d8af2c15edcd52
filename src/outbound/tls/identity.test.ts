import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TLSSocket, TlsOptions } from 'node:tls'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TlsIdentity, TlsSettings } from '../../engine/ports/tls.ts'
import { certificateFacts } from '../../operations/connections/tls-fields.ts'
import { client, failure, get, httpServer, text } from '../servers.testkit.ts'
import { makeAuthority } from './certificates.testkit.ts'

const authority = makeAuthority('Servers')
const clients = makeAuthority('Clients')
const server = authority.issue({ name: 'server', hosts: ['localhost', 'api.internal'] })
const ca = authority.certificate

interface DemandingServer {
  origin: string
  /** How many handshakes were full, and how many resumed a session. */
  handshakes: { full: number; resumed: number }
}

/** Starts a server that answers who calls; by default it demands a certificate of the clients' authority. */
async function demanding(options: TlsOptions = {}, redirectTo?: () => string): Promise<DemandingServer> {
  const handshakes = { full: 0, resumed: 0 }
  const made: Server = createServer(
    {
      key: server.key,
      cert: server.certificate,
      ca: clients.certificate,
      requestCert: true,
      rejectUnauthorized: true,
      ...options,
    },
    (request, response) => {
      const { subject } = (request.socket as TLSSocket).getPeerCertificate()
      if (redirectTo && request.url === '/away') response.writeHead(302, { Location: redirectTo() }).end()
      else response.end(String(subject?.CN ?? 'nobody'))
    },
  )
  made.on('secureConnection', (socket: TLSSocket) => {
    if (socket.isSessionReused()) handshakes.resumed++
    else handshakes.full++
  })
  made.on('tlsClientError', () => {})
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  onTestFinished(() => {
    made.close()
    made.closeAllConnections()
  })
  return { origin: `https://localhost:${(made.address() as AddressInfo).port}`, handshakes }
}

const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** Starts a server that, unlike those of Node, tells a client by an alert what is wrong with its certificate. */
async function alerting(version: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'))
  const write = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  const files = [
    ['-cert', write('server.pem', server.certificate)],
    ['-key', write('server.key', server.key)],
    ['-CAfile', write('clients.pem', clients.certificate)],
  ].flat()
  const args = ['s_server', '-accept', '127.0.0.1:0', ...files, '-Verify', '1', '-verify_return_error', '-www', version]
  const child = spawn('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await once(child, 'close')
    rmSync(folder, { recursive: true })
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const port = /^ACCEPT .*:(\d+)$/.exec(line)?.[1]
    if (port) return `https://localhost:${port}`
  }
  throw new Error('openssl s_server did not start')
}

let made = 0
function identity(settings: TlsSettings, mayFollow = false): TlsIdentity {
  return {
    connection: 'bank',
    digest: String(++made),
    settings: { ca, ...settings },
    certificate: certificateFacts(settings.certificate),
    mayFollow: () => mayFollow,
  }
}
const issued = (name: string, expiresAt?: Date) => {
  const { certificate, key } = clients.issue({ name, ...(expiresAt && { expiresAt }) })
  return { certificate, key }
}

describe.each(['TLSv1.2', 'TLSv1.3'] as const)('a server that demands a client certificate, over %s', (version) => {
  const only = { minVersion: version, maxVersion: version }

  it('gets it', async () => {
    const { origin } = await demanding(only)
    expect(text(await get(client(), origin, { tls: identity(issued('first')) }))).toBe('first')
  })

  it('may close the connection without a word: the error names what may be the cause', async () => {
    const { origin } = await demanding(only)
    const old = identity(issued('old', new Date('2026-01-31')))
    const refused = await failure(get(client(), origin, { tls: old }))
    expect(refused.code).toBe('connection_reset')
    expect(refused.hint).toContain(
      'perhaps the client certificate of the connection "bank" (CN=old) expired on 2026-01-31',
    )
  })

  it.skipIf(!hasOpenssl)(
    'may say why it refuses us, in the handshake or after it: the error names the cause',
    async () => {
      const origin = await alerting(version === 'TLSv1.2' ? '-tls1_2' : '-tls1_3')
      const way = client()
      const { certificate, key } = issued('first')
      expect(await get(way, origin, { tls: identity({ certificate, key }) })).toMatchObject({ status: 200 })

      const none = await failure(get(way, origin, { tls: identity({}) }))
      expect(none.code).toBe('client_certificate')
      expect(none.message).toContain('it demands a client certificate, and none was sent')
      expect(none.hint).toContain('Add certificate and key, or pkcs12, to the TLS settings of the connection "bank"')

      const expired = await failure(get(way, origin, { tls: identity(issued('old', new Date('2026-01-31'))) }))
      expect(expired.code).toBe('client_certificate')
      expect(expired.message).toContain(
        'the client certificate of the connection "bank" (CN=old) expired on 2026-01-31',
      )
      expect(expired.hint).toContain('Set a new certificate and key')

      const stranger = makeAuthority('Somebody').issue({ name: 'stranger' })
      const wrong = await failure(
        get(way, origin, { tls: identity({ certificate: stranger.certificate, key: stranger.key }) }),
      )
      expect(wrong.code).toBe('client_certificate')
      expect(wrong.message).toContain(
        'does not accept the client certificate of the connection "bank" (CN=stranger), issued by CN=Somebody',
      )
    },
  )

  it('never gets the request of one connection over a socket, or in a session, of another', async () => {
    const { origin, handshakes } = await demanding({ ...only, rejectUnauthorized: false })
    const way = client()
    const [first, second] = [identity(issued('first')), identity(issued('second'))]
    const trusting = identity({})
    const seen: string[] = []
    for (const tls of [first, second, trusting, first, second, trusting])
      seen.push(text(await get(way, origin, { tls })))
    expect(seen).toEqual(['first', 'second', 'nobody', 'first', 'second', 'nobody'])
    expect(handshakes).toEqual({ full: 3, resumed: 0 })
    // A change of the connection is another identity.
    const changed = { ...first, digest: 'changed', settings: { ca, ...issued('new') } }
    expect(text(await get(way, origin, { tls: changed }))).toBe('new')
    expect(handshakes).toEqual({ full: 4, resumed: 0 })
  })

  it('is not told who calls by a redirect to it, unless the connection names its host', async () => {
    const target = await demanding({ ...only, rejectUnauthorized: false })
    const { origin } = await demanding(only, () => target.origin)
    const way = client({ ca: [ca] })
    expect(text(await get(way, `${origin}/away`, { tls: identity(issued('first')) }))).toBe('nobody')
    expect(text(await get(way, `${origin}/away`, { tls: identity(issued('first'), true) }))).toBe('first')
  })
})

describe('the certificate of a server', () => {
  const open = { requestCert: false, rejectUnauthorized: false }

  it('is checked whatever the environment says', async () => {
    const { origin } = await demanding(open)
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0'
    onTestFinished(() => {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED']
    })
    const refused = await failure(get(client(), origin))
    expect(refused).toMatchObject({ code: 'ssl_certificate' })
    expect(refused.message).toContain('its issuer is not trusted')
    expect(refused.hint).toContain('set that as ca in the TLS settings of a connection')
    expect(refused.hint).toContain('MILLRACE_CA_FILE')
  })

  it('is trusted by the authority of the connection, and by no other then', async () => {
    const { origin } = await demanding(open)
    expect(text(await get(client(), origin, { tls: identity({}) }))).toBe('nobody')
    const other = identity({ ca: clients.certificate })
    const refused = await failure(get(client({ ca: [ca] }), origin, { tls: other }))
    expect(refused.hint).toContain('Only the authorities in ca of the connection "bank" are trusted')
  })

  it('must have the name of the host, or the one that the connection says', async () => {
    const { origin } = await demanding(open)
    const byAddress = origin.replace('localhost', '127.0.0.1')
    const refused = await failure(get(client(), byAddress, { tls: identity({}) }))
    expect(refused.hint).toContain('set that name as serverName in the TLS settings of the connection "bank"')
    expect(text(await get(client(), byAddress, { tls: identity({ serverName: 'api.internal' }) }))).toBe('nobody')
    const wrong = await failure(get(client(), byAddress, { tls: identity({ serverName: 'other.internal' }) }))
    expect(wrong.message).toContain('it was not issued for other.internal')
  })

  it('is not even looked at if the server speaks an older TLS than the connection wants', async () => {
    const { origin } = await demanding({ ...open, maxVersion: 'TLSv1.2' })
    expect(text(await get(client(), origin, { tls: identity({ minVersion: 'TLSv1.2' }) }))).toBe('nobody')
    const refused = await failure(get(client(), origin, { tls: identity({ minVersion: 'TLSv1.3' }) }))
    expect(refused.message).toContain('it does not speak TLSv1.3 or newer')
    expect(refused.hint).toContain('minVersion of the connection "bank"')
  })
})

it('shows the certificate of a PKCS#12 file', async () => {
  const file = (name: string) => readFileSync(new URL(`../certificates.testkit/${name}`, import.meta.url))
  const { origin } = await demanding({ ca: file('client-authority.pem') })
  const tls = identity({ pkcs12: file('client.p12').toString('base64'), passphrase: 'let-me-in' })
  expect(text(await get(client(), origin, { tls }))).toBe('client in a file')
})

it('leaves plain requests as they are', async () => {
  const { origin } = await httpServer((_request, response) => response.end('plain'))
  expect(text(await get(client(), origin, { tls: identity({}) }))).toBe('plain')
})
