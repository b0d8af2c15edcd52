import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createHttpClient, type OutboundClient } from '../../outbound/http-client.ts'
import { HashicorpVault } from './hashicorp-vault.ts'

/** Answers as the HTTP API of Vault documents it: KV version 2, and the Kubernetes auth method. */
let server: Server
let http: OutboundClient
let address: string
let folder: string
let logins: number
let valid: string
const asked: string[] = []

const SECRETS: Record<string, object> = {
  '/v1/secret/data/shop': { data: { data: { token: 's3cret', number: 7, empty: '' }, metadata: { version: 3 } } },
  '/v1/team/kv/data/shop': { data: { data: { token: 'of the team' } } },
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-vault-'))
  writeFileSync(join(folder, 'token'), 'the.service.account\n')
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      const answer = (status: number, body: object) => response.writeHead(status).end(JSON.stringify(body))
      asked.push(`${request.method} ${request.url}`)
      if (request.url === '/v1/auth/kubernetes/login') {
        const { role, jwt } = JSON.parse(Buffer.concat(chunks).toString())
        if (role !== 'millrace' || jwt !== 'the.service.account') return answer(403, { errors: ['permission denied'] })
        valid = `session-${++logins}`
        return answer(200, { auth: { client_token: valid, lease_duration: 100 } })
      }
      if (request.headers['x-vault-token'] !== valid) return answer(403, { errors: ['permission denied'] })
      if (request.url === '/v1/secret/data/broken') return response.end('no JSON')
      const found = SECRETS[request.url!]
      return answer(found ? 200 : 404, found ?? { errors: [] })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const own = {
    origin: 'http://localhost:1',
    webhookOrigin: 'http://localhost:1',
    webhookPrefix: '/',
    hopHeader: 'X-Hops',
  }
  http = createHttpClient({ allow: ['loopback'], own: { ...own, endpoints: [] }, concurrency: 4, perHost: 4 })
})
afterAll(async () => {
  await http.close()
  server.close()
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  logins = 0
  valid = 'the token'
  asked.length = 0
})

const withToken = (token = 'the token') => new HashicorpVault({ address, access: { token } }, http)
const withRole = (now = () => 0, role = 'millrace') =>
  new HashicorpVault({ address, access: { role } }, http, now, join(folder, 'token'))

describe('Vault', () => {
  it('is asked for a field of the latest version', async () => {
    expect(await withToken().read('secret/shop', 'token')).toBe('s3cret')
    expect(asked).toEqual(['GET /v1/secret/data/shop'])
  })

  it('is asked at a path that is written as the API has it, for mounts of several names', async () => {
    expect(await withToken().read('team/kv/data/shop', 'token')).toBe('of the team')
  })

  it.each([
    ['secret/shop', 'password', 'has no text password'],
    ['secret/shop', 'number', 'has no text number'],
    ['secret/shop', 'empty', 'has no text empty'],
    ['secret/shop', '__proto__', 'has no text __proto__'],
    ['secret/none', 'token', 'has no secret at secret/none'],
    ['secret/broken', 'token', 'is no JSON'],
  ])('has nothing at %s#%s', async (path, field, reason) => {
    await expect(withToken().read(path, field)).rejects.toThrow(reason)
  })

  it('says that it refuses a token, which is not quoted', async () => {
    const error = await withToken('wrong-t0ken')
      .read('secret/shop', 'token')
      .catch((refused: Error) => refused)
    expect((error as Error).message).toBe('Vault does not let Millrace read secret/shop')
  })

  it('that is away is said to be', async () => {
    const away = new HashicorpVault({ address: 'http://127.0.0.1:1', access: { token: 'x' } }, http)
    await expect(away.read('secret/shop', 'token')).rejects.toThrow('Vault could not be asked')
  })
})

describe('signing in with a service account of Kubernetes', () => {
  it('happens once for half of the lease', async () => {
    let now = 0
    const vault = withRole(() => now)
    await vault.read('secret/shop', 'token')
    await vault.read('secret/shop', 'token')
    expect(logins).toBe(1)
    now = 50_000
    expect(await vault.read('secret/shop', 'token')).toBe('s3cret')
    expect(logins).toBe(2)
  })

  it('happens again when the session was revoked', async () => {
    const vault = withRole()
    await vault.read('secret/shop', 'token')
    valid = 'another'
    expect(await vault.read('secret/shop', 'token')).toBe('s3cret')
    expect(logins).toBe(2)
  })

  it('that is refused names the role', async () => {
    await expect(withRole(() => 0, 'other').read('secret/shop', 'token')).rejects.toThrow('with the role other (403)')
  })

  it('needs a service account', async () => {
    const vault = new HashicorpVault({ address, access: { role: 'millrace' } }, http, () => 0, join(folder, 'none'))
    await expect(vault.read('secret/shop', 'token')).rejects.toThrow('no token of a Kubernetes service account')
  })
})
