// Tests TLS per connection against a real nginx that demands client certificates.
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeAuthority } from '../../src/outbound/tls/certificates.testkit.ts'
import { type DemandingNginx, startDemandingNginx } from '../harness/demanding-nginx.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'
import { findProxy } from '../harness/proxy.ts'

const servers = makeAuthority('Servers')
const clients = makeAuthority('Clients')
const ca = servers.certificate
const fixture = (name: string) =>
  readFileSync(new URL(`../../src/outbound/certificates.testkit/${name}`, import.meta.url))
const pkcs12 = fixture('client.p12').toString('base64')
const passphrase = 'let-me-in'
const issued = (name: string, expiresAt?: Date) => {
  const { certificate, key } = clients.issue({ name, ...(expiresAt && { expiresAt }) })
  return { certificate, key }
}

const isThere = findProxy('nginx') !== null
if (!isThere) it.skip('nothing is tested: nginx is not installed here')

describe.skipIf(!isThere)('an nginx that demands client certificates', () => {
  const secretsDir = temporaryFolder()
  let nginx: DemandingNginx
  let millrace: Millrace
  let api: Millrace['api']
  beforeAll(async () => {
    const server = servers.issue({ name: 'server', hosts: ['localhost', 'bank.internal'] })
    nginx = await startDemandingNginx(server, clients.certificate + fixture('client-authority.pem').toString())
    millrace = await startMillrace({ MILLRACE_SECRETS_DIR: secretsDir })
    api = millrace.api
  })
  afterAll(async () => {
    await millrace?.stop()
    await nginx?.stop()
    rmSync(secretsDir, { recursive: true })
  })

  let count = 0
  async function connect(fields: object, more: object = {}): Promise<string> {
    const name = `bank_${++count}`
    const created = await api('POST', '/connections', { name, kind: 'tls', fields, ...more })
    expect(created.body).toMatchObject({ name })
    return name
  }
  const call = (connection: string | null, version: 'TLSv1.2' | 'TLSv1.3' = 'TLSv1.3', more: object = {}) => ({
    id: 'call',
    kind: 'http',
    method: 'GET',
    url: nginx.url(version),
    ...(connection && { tls: { connection } }),
    ...more,
  })
  async function run(...steps: object[]) {
    const { post } = await millrace.publish(documentOf(steps))
    return millrace.runEnded((await post({})).body.id)
  }
  const replyOf = async (step: object) => (await run(step)).steps[0]!.output as { status: number; body: string }
  const errorOf = async (step: object) => (await run(step)).error!

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('answers the one that is right, over %s', async (version) => {
    expect((await replyOf(call(await connect({ ca, ...issued('right') }), version))).body).toMatch(/^CN=right /)
    expect((await replyOf(call(await connect({ ca, pkcs12, passphrase }), version))).body).toMatch(
      /^CN=client in a file /,
    )
    // A field of another kind comes with the connection that auth names.
    const shop = await connect({ token: 'of-the-shop', tls: { ca, ...issued('shop') } }, { kind: 'bearer' })
    const auth = { kind: 'bearer', token: `{{ connections.${shop}.token }}` }
    expect((await replyOf(call(null, version, { auth }))).body).toMatch(/^CN=shop /)
    expect((await replyOf(call(await connect({ ca, ...issued('named') }), version, { auth }))).body).toMatch(
      /^CN=named /,
    )
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'refuses the others, and the error names the cause, over %s',
    async (version) => {
      const none = await errorOf(call(await connect({ ca }), version))
      expect(none).toMatchObject({ code: 'http_400' })
      expect(none.hint).toContain('it demands a client certificate, and none was sent. Add certificate and key')
      const expired = await errorOf(call(await connect({ ca, ...issued('old', new Date('2026-01-31')) }), version))
      expect(expired.hint).toMatch(
        /the client certificate of the connection "bank_\d+" \(CN=old\) expired on 2026-01-31\. Set a new/,
      )
      const { certificate, key } = makeAuthority('Somebody').issue({ name: 'stranger' })
      const wrong = await errorOf(call(await connect({ ca, certificate, key }), version))
      expect(wrong.hint).toMatch(/it does not accept the client certificate .* \(CN=stranger\), issued by CN=Somebody/)
    },
  )

  it('is called only if its own certificate is right', async () => {
    const untrusted = await errorOf(call(null))
    expect(untrusted).toMatchObject({ code: 'ssl_certificate' })
    expect(untrusted.hint).toMatch(/set that as ca in the TLS settings of a connection.*MILLRACE_CA_FILE/)
    const byAddress = nginx.url('TLSv1.3').replace('localhost', '127.0.0.1')
    const misnamed = await errorOf(call(await connect({ ca, ...issued('a') }), 'TLSv1.3', { url: byAddress }))
    expect(misnamed.hint).toMatch(/set that name as serverName in the TLS settings of the connection "bank_/)
    const named = await connect({ ca, ...issued('named'), serverName: 'bank.internal' })
    expect((await replyOf(call(named, 'TLSv1.3', { url: byAddress }))).body).toMatch(/^CN=named /)
    const newer = await connect({ ca, ...issued('newer'), minVersion: 'TLSv1.3' })
    expect((await replyOf(call(newer, 'TLSv1.3'))).body).toMatch(/^CN=newer /)
    expect((await errorOf(call(newer, 'TLSv1.2'))).hint).toMatch(/minVersion of the connection/)
  })

  it('sees each connection on sockets of its own, and a changed one on a new one', async () => {
    const names = [await connect({ ca, ...issued('a') }), await connect({ ca, ...issued('b') })]
    const steps = [0, 1, 0, 1].map((i, at) => ({ ...call(names[i]!), id: `s${at}` }))
    const { post } = await millrace.publish(documentOf(steps))
    const seen = async () => {
      const { steps: done } = await millrace.runEnded((await post({})).body.id)
      return done.map(({ output }) => (output as { body: string }).body.split(' '))
    }
    const first = await seen()
    expect(first.map(([subject, resumed]) => [subject, resumed])).toEqual([
      ['CN=a', '.'],
      ['CN=b', '.'],
      ['CN=a', '.'],
      ['CN=b', '.'],
    ])
    // Two sockets, each for its own connection.
    expect(first.map(([, , socket]) => socket)).toEqual([first[0]![2], first[1]![2], first[0]![2], first[1]![2]])
    await api('PUT', `/connections/${names[0]}`, { fields: { ca, ...issued('c') } })
    expect((await seen()).map(([subject]) => subject)).toEqual(['CN=c', 'CN=b', 'CN=c', 'CN=b'])
  })

  it('gets nothing from a connection that is for other hosts', async () => {
    const elsewhere = await connect({ ca, ...issued('secret') }, { hosts: ['api.example.com'] })
    expect(await errorOf(call(elsewhere))).toMatchObject({ code: 'host_not_allowed' })
  })

  it('is reached with a key and a file that are kept elsewhere', async () => {
    const { certificate, key } = issued('outside')
    writeFileSync(join(secretsDir, 'bank.key'), key)
    writeFileSync(join(secretsDir, 'bank.p12'), pkcs12)
    writeFileSync(join(secretsDir, 'wrong.key'), issued('x').key)
    const pair = await connect({ ca, certificate, key: 'file:bank.key' })
    expect((await replyOf(call(pair))).body).toMatch(/^CN=outside /)
    const file = await connect({ ca, pkcs12: 'file:bank.p12', passphrase })
    expect((await api('GET', `/connections/${file}`)).body.certificate).toBeNull()
    expect((await replyOf(call(file))).body).toMatch(/^CN=client in a file /)
    expect((await api('GET', `/connections/${file}`)).body).toMatchObject({
      outside: { pkcs12: 'file:bank.p12' },
      certificate: { subject: 'CN=client in a file' },
    })
    const wrong = await connect({ ca, certificate, key: 'file:wrong.key' })
    expect(await errorOf(call(wrong))).toMatchObject({
      code: 'secret_unavailable',
      message: expect.stringContaining('does not belong to the certificate'),
    })
  })

  it('tells what a test of the connection finds', async () => {
    const test = async (name: string) =>
      (await api('POST', `/connections/${name}/test`, { url: nginx.url('TLSv1.3') })).body
    expect(await test(await connect({ ca, ...issued('right') }))).toMatchObject({ verdict: 'accepted', status: 200 })
    expect(await test(await connect({ ca, ...issued('old', new Date('2026-01-31')) }))).toMatchObject({
      verdict: 'refused',
      message: expect.stringContaining('expired on 2026-01-31'),
    })
  })

  it('never sees what is secret anywhere else', async () => {
    const { certificate, key } = issued('canary')
    const body = key.split('\n').slice(1, -2).join('')
    const name = await connect({ token: 'x', tls: { ca, certificate, key } }, { kind: 'bearer' })
    await run(call(name), { id: 'bad', kind: 'http', method: 'GET', url: 'http://127.0.0.1:1/' })
    const shown = JSON.stringify([
      (await api('GET', '/connections')).body,
      (await api('GET', '/audit')).body,
      (await api('GET', '/runs')).body,
      millrace.log(),
    ])
    expect(leaksOf(shown, body)).toEqual([])
    expect(shown).not.toContain(pkcs12.slice(100, 200))
    expect(leaksInFolder(millrace.dataDir, body)).toEqual([])
  })
})

describe('TLS settings of a connection', () => {
  let millrace: Millrace
  let api: Millrace['api']
  beforeAll(async () => {
    millrace = await startMillrace()
    api = millrace.api
  })
  afterAll(() => millrace.stop())

  it('come back without what is secret in them, and with the certificate', async () => {
    const { certificate, key } = issued('shown')
    const created = await api('POST', '/connections', { name: 'pair', kind: 'tls', fields: { certificate, key, ca } })
    expect(created.body).toMatchObject({
      fields: { certificate, ca },
      secretFields: ['key'],
      certificate: { subject: 'CN=shown', expiresAt: expect.stringMatching(/^\d{4}-/) },
    })
    const file = await api('POST', '/connections', {
      name: 'file',
      kind: 'basic',
      fields: { username: 'me', tls: { pkcs12, passphrase, minVersion: 'TLSv1.3' } },
    })
    expect(file.body).toMatchObject({
      fields: { username: 'me', tls: { minVersion: 'TLSv1.3', certificate: expect.stringContaining('BEGIN') } },
      secretFields: ['password', 'tls.pkcs12', 'tls.passphrase'],
      certificate: { subject: 'CN=client in a file' },
    })
    // What is left out stays, with its secrets; null removes it.
    const kept = await api('PUT', '/connections/file', { fields: { username: 'you' } })
    expect(kept.body).toMatchObject({ fields: { username: 'you', tls: { minVersion: 'TLSv1.3' } } })
    const same = await api('PUT', '/connections/file', { fields: kept.body.fields })
    expect(same.body).toMatchObject({ certificate: { subject: 'CN=client in a file' } })
    const gone = await api('PUT', '/connections/file', { fields: { username: 'you', tls: null } })
    expect(gone.body).toMatchObject({ fields: { username: 'you' }, secretFields: ['password'], certificate: null })
  })

  it('are checked when they are saved, each fault at its place', async () => {
    const refused = async (fields: object, kind = 'tls') => {
      const { status, body } = await api('POST', '/connections', { name: 'wrong', kind, fields })
      expect(status).toBe(400)
      return body.issues[0]
    }
    const { certificate } = issued('x')
    expect(await refused({})).toMatchObject({ path: '/fields', code: 'missing' })
    expect(await refused({ certificate, key: issued('y').key })).toMatchObject({ path: '/fields/key' })
    expect(await refused({ token: 'x', tls: { pkcs12, passphrase: 'wrong' } }, 'bearer')).toMatchObject({
      path: '/fields/tls/passphrase',
      message: 'tls.passphrase does not open pkcs12',
    })
    expect(await refused({ serverName: '127.0.0.1' })).toMatchObject({ path: '/fields/serverName' })
    expect(await refused({ minVersion: 'TLSv1' })).toMatchObject({ path: '/fields/minVersion' })
    expect(await refused({ token: 'x', tls: { keys: 'x' } }, 'bearer')).toMatchObject({
      path: '/fields/tls/keys',
      code: 'unknown_key',
    })
    expect(await refused({ token: 'x', tls: 'x' }, 'bearer')).toMatchObject({ path: '/fields/tls' })
  })

  it('are named whole: a flow that names a connection without them cannot be published', async () => {
    await api('POST', '/connections', { name: 'plain', kind: 'bearer', fields: { token: 'x' } })
    await api('POST', '/connections', { name: 'trusting', kind: 'tls', fields: { ca } })
    const publishing = async (step: object) => {
      const { body: flow } = await api(
        'POST',
        '/flows',
        documentOf([{ id: 'a', kind: 'http', method: 'GET', ...step }]),
      )
      return api('POST', `/flows/${flow.id}/publish`)
    }
    const url = 'https://api.example.com'
    expect((await publishing({ url, tls: { connection: 'trusting' } })).status).toBe(200)
    const wrong = await publishing({ url, tls: { connection: 'plain' } })
    expect(wrong.body.issues[0]).toMatchObject({ path: '/steps/0/tls/connection', code: 'wrong_connection' })
    const plain = await publishing({ url: 'http://api.example.com', tls: { connection: 'trusting' } })
    expect(plain.body.issues[0]).toMatchObject({ path: '/steps/0/tls', code: 'conflicting' })
    expect((await api('DELETE', '/connections/trusting')).status).toBe(409)
  })
})
