// Tests a Millrace behind real proxies: steps, OAuth, alerts, the bucket, Vault and single sign-on all go through them.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type BucketServer, startBucketServer } from '../harness/bucket-server.ts'
import { callCli } from '../harness/cli.ts'
import { type ForwardProxy, PASSWORD, squidMissing, startProxyChain, startSquid } from '../harness/forward-proxies.ts'
import { freePort, NOBODY_LISTENS } from '../harness/free-port.ts'
import { leaksInFolder } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type MillraceProcess, spawnMillrace, startMillrace, TOKEN, temporaryFolder } from '../harness/millrace.ts'
import { type OddServer, startOddServer } from '../harness/odd-token-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const CERTIFICATES = resolve(import.meta.dirname, '../../src/outbound/certificates.testkit')
const pem = (name: string) => readFileSync(`${CERTIFICATES}/${name}.pem`)
const noSquid = squidMissing()

const WAYS = [
  [
    'MILLRACE_PROXY and squid',
    () => startSquid({ signedIn: true }),
    (url: string): Record<string, string> => ({ MILLRACE_PROXY: url }),
  ],
  [
    'MILLRACE_PROXY=env and proxy-chain over https',
    () => startProxyChain({ signedIn: true, secure: true }),
    (url: string): Record<string, string> => ({
      MILLRACE_PROXY: 'env',
      HTTP_PROXY: url,
      HTTPS_PROXY: url,
      NO_PROXY: 'direct.example.com',
    }),
  ],
] as const

describe.each(WAYS)('with %s', (name, start, settingsOf) => {
  if (noSquid && name.includes('squid')) {
    it.skip(noSquid, () => {})
    return
  }
  const folder = temporaryFolder()
  let proxy: ForwardProxy
  let upstream: Upstream
  let odd: OddServer
  let bucket: BucketServer
  let millrace: MillraceProcess
  let environment: Record<string, string>
  const secure = createTlsServer({ key: pem('key'), cert: pem('other-host') }, (_request, reply) => reply.end('"safe"'))
  const outside = (path: string, host = 'api.example.com') => `http://${host}:${new URL(upstream.url).port}${path}`

  beforeAll(async () => {
    proxy = await start()
    upstream = await startUpstream((request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(request.url.startsWith('/v1/secret') ? '{"data":{"data":{"token":"in-the-vault"}}}' : '{"ok":true}')
    })
    odd = await startOddServer()
    bucket = await startBucketServer()
    secure.listen(0, '127.0.0.1')
    await once(secure, 'listening')
    environment = {
      ...settingsOf(proxy.url),
      MILLRACE_EGRESS_ALLOW: '',
      NODE_EXTRA_CA_CERTS: `${CERTIFICATES}/authority.pem`,
      MILLRACE_FILES_URL: bucket.urlOf('kept/of').replace('127.0.0.1', 'bucket.example.com'),
      MILLRACE_VAULT_ADDR: outside('', 'vault.example.com'),
      MILLRACE_VAULT_TOKEN: 'vault-token',
    }
    millrace = await spawnMillrace(folder, await freePort(), environment)
  }, 120_000)
  afterAll(async () => {
    millrace.child.kill('SIGTERM')
    expect(await millrace.exited).toBe(0)
    secure.close()
    secure.closeAllConnections()
    await upstream.close()
    await odd.close()
    await bucket.stop()
    await proxy.stop()
    rmSync(folder, { recursive: true })
  })

  const call = (url: string, more: object = {}) =>
    documentOf([{ id: 'call', kind: 'http', method: 'GET', url, ...more }])
  async function runOf(document: object) {
    const { post } = await millrace.publish(document)
    return millrace.runEnded((await post({})).body.id)
  }
  const isAsked = (line: string) => expect.poll(() => proxy.asked()).toContain(line)

  it('steps call http and https, and no run shows how', async () => {
    const port = (secure.address() as AddressInfo).port
    const plain = await runOf(call(outside('/step?a=b')))
    const safe = await runOf(call(`https://other.example:${port}/step`))
    expect([plain.status, safe.status]).toEqual(['succeeded', 'succeeded'])
    await isAsked(`GET ${outside('/step?a=b')}`)
    // Squid logs a tunnel when it ends; without it nobody resolves the name.
    if (!name.includes('squid')) await isAsked(`CONNECT other.example:${port}`)
    const got = upstream.received.find(({ url }) => url === '/step?a=b')!
    expect(JSON.stringify([got.rawHeaders, plain, safe])).not.toMatch(/proxy-auth|pr0xy/i)
  })

  it('own webhooks are called direct, and the proxy is no target', async () => {
    const { flow } = await millrace.publish(documentOf([{ id: 'stop', kind: 'stop' }]))
    const chained = await runOf(call(flow.webhook.url, { method: 'POST', body: { kind: 'json', value: {} } }))
    expect(chained).toMatchObject({ status: 'succeeded' })
    for (const url of [`http://127.0.0.1:${proxy.port}/`, 'http://169.254.169.254/', 'https://10.0.0.1/']) {
      const { error } = await runOf(call(url))
      expect(error).toMatchObject({ code: 'blocked_address' })
    }
    expect(proxy.asked().filter((line) => /webhooks|127\.0\.0\.1|169\.254|10\.0/.test(line))).toEqual([])
  })

  it('OAuth, alerts and Vault take the same way', async () => {
    const oauth = JSON.parse(
      JSON.stringify(odd.fields('client_credentials')).replaceAll('127.0.0.1', 'auth.example.com'),
    )
    await millrace.api('POST', '/connections', { name: 'crm', kind: 'oauth2', fields: oauth })
    const crm = { kind: 'bearer', token: '{{ connections.crm.accessToken }}' }
    expect(await runOf(call(outside('/oauth'), { auth: crm }))).toMatchObject({ status: 'succeeded' })
    await isAsked(`POST ${oauth.tokenUrl}`)

    const fields = { token: 'vault:secret/shop#token' }
    await millrace.api('POST', '/connections', { name: 'shop', kind: 'bearer', fields })
    const shop = { kind: 'bearer', token: '{{ connections.shop.token }}' }
    expect(await runOf(call(outside('/vault'), { auth: shop }))).toMatchObject({ status: 'succeeded' })
    expect(upstream.received.find(({ url }) => url === '/vault')!.headers.authorization).toBe('Bearer in-the-vault')
    await isAsked(`GET ${outside('/v1/secret/data/shop', 'vault.example.com')}`)

    const target = { kind: 'webhook', url: outside('/alert') }
    const { body } = await millrace.api('POST', '/alerts', { rule: 'first_failure', target })
    expect((await millrace.api('POST', `/alerts/${body.id}/test`)).status).toBe(200)
    await isAsked(`POST ${outside('/alert')}`)
  })

  it('files are kept in a bucket beyond it, and come back whole', async () => {
    const bytes = randomBytes(5_000_000)
    const { flow } = await millrace.publish({
      name: 'Kept',
      trigger: { kind: 'webhook', accept: ['application/pdf'] },
      steps: [],
    })
    const sent = await fetch(`${millrace.url}/api/v1/webhooks/${flow.webhook.id}`, {
      method: 'POST',
      headers: { 'content-type': 'application/pdf' },
      body: bytes,
    })
    const run = await millrace.runEnded(((await sent.json()) as { id: string }).id)
    expect(bucket.objects()).toHaveLength(1)
    const file = run.webhook.file!.file as string
    const reply = await fetch(`${millrace.url}/api/v1/files/${file}`, { headers: { authorization: `Bearer ${TOKEN}` } })
    expect(Buffer.from(await reply.arrayBuffer()).equals(bytes)).toBe(true)
    // One object, read in three parts; what fails on the way is sent again.
    const passed = () => proxy.asked().filter((line) => /^(PUT|GET) http:\/\/bucket/.test(line))
    await expect.poll(() => passed().length).toBeGreaterThanOrEqual(4)
  })

  it('the settings and the doctor name the proxy, and nothing shows its password', async () => {
    const { body } = await millrace.api('GET', '/settings')
    const shown = `${new URL(proxy.url).protocol}//127.0.0.1:${proxy.port}`
    expect(body.proxy).toEqual([shown])
    const env = { ...environment, MILLRACE_DATA_DIR: folder, MILLRACE_ADMIN_TOKEN: TOKEN, NODE_EXTRA_CA_CERTS: '' }
    const provider = { MILLRACE_OIDC_ISSUER: outside('/issuer'), MILLRACE_OIDC_CLIENT_ID: 'millrace' }
    const { stdout } = await callCli(['doctor', '--egress', outside('/doctor')], { env: { ...env, ...provider } })
    if (new URL(proxy.url).protocol === 'http:') {
      expect(stdout).toContain(`${shown} can be reached`)
      expect(stdout).toContain(`${outside('/doctor')} answers 200`)
      await isAsked(`GET ${outside('/issuer/.well-known/openid-configuration')}`)
    }
    // This process does not trust the authority of the test.
    else
      expect(stdout).toMatch(
        /failed +proxy +The proxy 127\.0\.0\.1:\d+ \(HTTPS_PROXY\) cannot be used: The certificate/,
      )
    expect(stdout).toContain(`Flows call others through ${shown}`)
    expect(stdout + JSON.stringify(body) + millrace.output()).not.toContain(PASSWORD)
    expect(leaksInFolder(folder, PASSWORD)).toEqual([])
  })
})

describe('a proxy that is down', () => {
  it('fails steps with an error that says where to look, and may be tried again', async () => {
    const millrace = await startMillrace({ MILLRACE_PROXY: `http://millrace:s3cr3t-w0rd@127.0.0.1:${NOBODY_LISTENS}` })
    const step = { id: 'call', kind: 'http', method: 'GET', url: 'https://api.example.com/' }
    const { post } = await millrace.publish(documentOf([{ ...step, retry: { attempts: 2, delay: 0.01 } }]))
    const run = await millrace.runEnded((await post({})).body.id)
    expect(run.error).toMatchObject({ code: 'proxy_failed' })
    expect(run.error!.message).toContain(`The proxy 127.0.0.1:${NOBODY_LISTENS} (MILLRACE_PROXY)`)
    expect(run.steps).toMatchObject([{ attempt: 2 }])
    expect(JSON.stringify(run) + millrace.log()).not.toContain('s3cr3t-w0rd')
    await millrace.stop()
  })
})
