// Tests connections whose secrets are kept outside of Millrace: in files, and in Vault.

import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { leaksInFolder } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const IN_FILE = 's3cret-of-a-file'
const ROBOT = generateKeyPairSync('ed25519')
const IN_VAULT = 's3cret-of-the-vault'

let folder: string
let vault: Server
let upstream: Upstream
let millrace: Millrace
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-secrets-'))
  writeFileSync(join(folder, 'shop-token'), `${IN_FILE}\n`)
  writeFileSync(join(folder, 'robot.pem'), ROBOT.privateKey.export({ type: 'pkcs8', format: 'pem' }))
  writeFileSync(join(folder, 'no-key.pem'), 'not a key')
  symlinkSync('/proc/self/environ', join(folder, 'environment'))
  vault = createServer((request, response) => {
    const isKnown = request.headers['x-vault-token'] === 'vault-token' && request.url === '/v1/secret/data/shop'
    response.writeHead(isKnown ? 200 : 403).end(JSON.stringify({ data: { data: { token: IN_VAULT } } }))
  })
  await new Promise<void>((resolve) => vault.listen(0, '127.0.0.1', resolve))
  upstream = await startUpstream()
  millrace = await startMillrace({
    MILLRACE_SECRETS_DIR: folder,
    MILLRACE_VAULT_ADDR: `http://127.0.0.1:${(vault.address() as AddressInfo).port}`,
    MILLRACE_VAULT_TOKEN: 'vault-token',
  })
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
  vault.close()
  rmSync(folder, { recursive: true })
})

const connect = (name: string, token: string) =>
  millrace.api('POST', '/connections', { name, kind: 'bearer', fields: { token } })

async function runWith(name: string, auth: object = { kind: 'bearer', token: `{{ connections.${name}.token }}` }) {
  const step = { id: 'call', kind: 'http', method: 'GET', url: `${upstream.url}/${name}`, auth }
  const { post } = await millrace.publish(documentOf([step]))
  return millrace.runEnded((await post({})).body.id)
}
const sentBy = (name: string) => upstream.received.find(({ url }) => url === `/${name}`)?.headers['authorization']

describe('a secret outside of Millrace', () => {
  it.each([
    ['in_file', 'file:shop-token', IN_FILE],
    ['in_vault', 'vault:secret/shop#token', IN_VAULT],
  ])('%s is read when it is used, and neither stored nor shown', async (name, reference, secret) => {
    const created = await connect(name, reference)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({ fields: {}, secretFields: ['token'], outside: { token: reference } })
    const run = await runWith(name)
    expect(run.status).toBe('succeeded')
    expect(sentBy(name)).toBe(`Bearer ${secret}`)
    expect(JSON.stringify(run)).not.toContain(secret)
    expect(leaksInFolder(millrace.dataDir, secret)).toEqual([])
  })

  it('is read for a connection that is sent as a whole, also if it is a key that signs', async () => {
    await connect('whole', 'file:shop-token')
    await runWith('whole', { kind: 'connection', connection: 'whole' })
    expect(sentBy('whole')).toBe(`Bearer ${IN_FILE}`)
    const sign = async (name: string, privateKey: string) => {
      const fields = { privateKey, algorithm: 'EdDSA', claims: { iss: 'robot' } }
      expect((await millrace.api('POST', '/connections', { name, kind: 'jwt', fields })).status).toBe(201)
      return runWith(name, { kind: 'connection', connection: name })
    }
    await sign('robot', 'file:robot.pem')
    const { payload } = await jwtVerify(sentBy('robot')!.replace('Bearer ', ''), ROBOT.publicKey)
    expect(payload.iss).toBe('robot')
    const { error } = await sign('no_robot', 'file:no-key.pem')
    expect(error).toMatchObject({ code: 'connection_unauthorized' })
    expect(error!.message).toContain('privateKey is no private key in PEM')
  })

  it('that is not there fails the step, and says what is missing', async () => {
    await connect('missing', 'file:none')
    const { error } = await runWith('missing')
    expect(error).toMatchObject({ code: 'secret_unavailable', step: 'call' })
    expect(error!.message).toBe(
      'The field token of the connection "missing" could not be read: there is no file none in the folder of secrets',
    )
    expect(sentBy('missing')).toBeUndefined()
  })

  it('is never a link to elsewhere', async () => {
    await connect('linked', 'file:environment')
    expect((await runWith('linked')).error!.message).toContain('is a link, which is not followed')
  })

  it.each(['file:../secret.key', 'file:/proc/self/environ', 'vault:shop#token'])(
    'has a place that is checked: %s',
    async (token) => {
      const refused = await connect('bad', token)
      expect(refused.status).toBe(400)
      expect(refused.body.issues).toMatchObject([{ path: '/fields/token', code: 'invalid_format' }])
    },
  )

  it('stays where it is when other settings change, and can be replaced by a secret', async () => {
    await connect('moving', 'file:shop-token')
    const narrowed = await millrace.api('PUT', '/connections/moving', { fields: {}, hosts: ['api.example.com'] })
    expect(narrowed.body).toMatchObject({ outside: { token: 'file:shop-token' }, hosts: ['api.example.com'] })
    const replaced = await millrace.api('PUT', '/connections/moving', { fields: { token: 'typed in' } })
    expect(replaced.body).toMatchObject({ outside: {}, secretFields: ['token'] })
  })

  it('lets senders in, and asks them to come back while it cannot be read', async () => {
    await millrace.api('POST', '/connections', { name: 'hook', kind: 'custom', fields: { key: 'file:hook-key' } })
    const auth = { kind: 'header', name: 'x-key', value: '{{ connections.hook.key }}' }
    const { flow } = await millrace.publish({ name: 'Hook', trigger: { kind: 'webhook', auth }, steps: [] })
    const send = (key: string) =>
      fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}`, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': 'application/json', 'x-key': key },
      })
    const early = await send('the key')
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '5'])
    writeFileSync(join(folder, 'hook-key'), 'the key')
    expect((await send('the key')).status).toBe(200)
    expect((await send('another')).status).toBe(401)
  })
})
