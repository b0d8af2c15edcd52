// Tests connections whose credentials are made for each request: AWS Signature Version 4 and signed JWTs. The servers check them by
// the standards, with other code than Millrace's.
import { createHash, createHmac, generateKeyPairSync } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { jwtVerify } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { callWith, connectionsOf, echo } from '../harness/made-connections.ts'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { type Received, startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let api: Millrace['api']
let create: ReturnType<typeof connectionsOf>['create']
let runOf: ReturnType<typeof connectionsOf>['runOf']
beforeAll(async () => {
  millrace = await startMillrace()
  api = millrace.api
  ;({ create, runOf } = connectionsOf(millrace))
})
afterAll(() => millrace.stop())

describe('a service of AWS', () => {
  const KEY = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY'
  let service: Upstream
  let faults: string[]
  beforeAll(async () => {
    service = await startUpstream((request, response) => {
      const fault = faultOf(request)
      if (fault) faults.push(fault)
      response.statusCode = fault ? 403 : 200
      const to = new URL(request.url, 'http://x').searchParams.get('to')
      if (to && !fault) response.writeHead(302, { location: to }).end()
      else echo(request, response)
    })
  })
  afterEach(() => {
    service.received.length = 0
  })
  afterAll(() => service.close())

  /** Checks the signature by the description of AWS, from what arrived. */
  function faultOf({ method, url, headers, body }: Received): string | null {
    const given =
      /^AWS4-HMAC-SHA256 Credential=AKID\/(\d{8})\/eu-west-1\/(\w+)\/aws4_request, SignedHeaders=([\w;-]+), Signature=(\w{64})$/
    const [, day, name, names, signature] = given.exec(headers.authorization ?? '') ?? []
    if (!signature) return 'no signature'
    const date = headers['x-amz-date'] as string
    if (Math.abs(Date.now() - Date.parse(date.replace(/(....)(..)(..T..)(..)/, '$1-$2-$3:$4:'))) > 300_000) return 'old'
    for (const header of ['host', ...Object.keys(headers).filter((one) => one.startsWith('x-amz-'))])
      if (!names!.split(';').includes(header)) return `${header} is not signed`
    const [path = '', query = ''] = url.split('?', 2)
    const strict = (text: string) =>
      [...Buffer.from(text)]
        .map((byte) =>
          /[\w.~-]/.test(String.fromCharCode(byte))
            ? String.fromCharCode(byte)
            : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
        )
        .join('')
    const pairs =
      query === ''
        ? []
        : query.split('&').map((pair) => pair.split('=', 2).map((part) => strict(decodeURIComponent(part))))
    const escaped = path.split('/').map((part) => strict(name === 's3' ? decodeURIComponent(part) : part))
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    const payload = name === 's3' ? (headers['x-amz-content-sha256'] as string) : hash(body)
    if (payload !== hash(body) && payload !== 'UNSIGNED-PAYLOAD') return 'wrong hash'
    const canonical = [
      method,
      escaped.join('/'),
      pairs
        .map(([key = '', value = '']) => `${key}=${value}`)
        .toSorted()
        .join('&'),
      ...names!.split(';').map((one) => `${one}:${String(headers[one]).replaceAll(/ +/g, ' ')}`),
      '',
      names,
      payload,
    ].join('\n')
    let key: Buffer | string = `AWS4${KEY}`
    for (const part of [day!, 'eu-west-1', name!, 'aws4_request']) key = createHmac('sha256', key).update(part).digest()
    const scope = `${day}/eu-west-1/${name}/aws4_request`
    const text = ['AWS4-HMAC-SHA256', date, scope, hash(canonical)].join('\n')
    return createHmac('sha256', key).update(text).digest('hex') === signature ? null : 'wrong signature'
  }

  const aws = (name: string, more: object = {}, hosts: string[] = []) => {
    faults = []
    const fields = { accessKeyId: 'AKID', secretAccessKey: KEY, region: 'eu-west-1', service: name, ...more }
    return create('aws', fields, hosts)
  }

  it.each(['execute', 's3'])('%s accepts each kind of request', async (name) => {
    const connection = await aws(name, { sessionToken: 'AQoDYXdzEPT//////////wEXAMPLE==' })
    const query = [
      { name: 'b', value: "a b+c/d*'" },
      { name: 'a', value: '' },
    ]
    const form = { kind: 'form', fields: [{ name: 'Action', value: 'ä' }] }
    const headers = [{ name: 'X-Amz-Target', value: 'a   b ' }]
    const run = await runOf(
      callWith(connection, `${service.url}/a%20b/c:d/(x)/f%C3%BC?z=1&Z=2&z=0`, { query }),
      callWith(connection, service.url, { id: 'form', method: 'POST', body: form, headers }),
    )
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(faults).toEqual([])
    expect(service.received.every(({ headers: sent }) => sent['x-amz-security-token'] !== undefined)).toBe(true)
  })

  it('gets the hash of a body as it is sent', async () => {
    const body = { kind: 'text', value: 'hello' }
    const more = { method: 'PUT', body, compress: 'gzip', failOnError: false }
    await runOf(callWith(await aws('s3'), service.url, more))
    const hash = createHash('sha256').update(gzipSync('hello')).digest('hex')
    expect(service.received.at(-1)!.headers['x-amz-content-sha256']).toBe(hash)
  })

  it('gets each redirect within it signed anew, and one elsewhere without a signature', async () => {
    const connection = await aws('execute')
    expect(await runOf(callWith(connection, `${service.url}/from?to=/there`))).toMatchObject({ status: 'succeeded' })
    expect(faults).toEqual([])
    const elsewhere = service.url.replace('127.0.0.1', 'localhost')
    await runOf(
      callWith(connection, `${service.url}/from?to=${encodeURIComponent(elsewhere)}`, { onError: 'continue' }),
    )
    const last = service.received.at(-1)!
    expect([last.headers.authorization, last.headers['x-amz-date']]).toEqual([undefined, undefined])
  })

  it('gets files: without their hash where it is S3, with it elsewhere', async () => {
    const text = {
      id: 'made',
      kind: 'http',
      method: 'GET',
      url: `${service.url}/file`,
      response: { as: 'file' },
      failOnError: false,
    }
    const send = (connection: string) => [
      { ...text, auth: { kind: 'connection', connection } },
      callWith(connection, `${service.url}/put`, {
        method: 'PUT',
        body: { kind: 'file', value: '{{ steps.made.body }}' },
      }),
    ]
    expect(await runOf(...send(await aws('s3')))).toMatchObject({ status: 'succeeded' })
    expect(service.received.at(-1)!.headers['x-amz-content-sha256']).toBe('UNSIGNED-PAYLOAD')
    expect(await runOf(...send(await aws('execute')))).toMatchObject({ status: 'succeeded' })
    expect(faults).toEqual([])
  })

  it('sends the signature back, which no one sees in the run', async () => {
    const run = await runOf(callWith(await aws('execute'), service.url))
    const signature = /Signature=(\w+)/.exec(service.received.at(-1)!.headers.authorization!)![1]!
    const shown = JSON.stringify((await api('GET', `/runs/${run.id}`)).body)
    expect(shown).toContain('AWS4-HMAC-SHA256 ***')
    for (const secret of [signature, KEY]) expect(leaksOf(shown + millrace.log(), secret)).toEqual([])
  })

  it('gets nothing where the connection does not allow its host, and proves a test of it', async () => {
    const run = await runOf(callWith(await aws('execute', {}, ['*.amazonaws.com']), service.url))
    expect(run).toMatchObject({ status: 'failed', error: { code: 'host_not_allowed' } })
    expect(service.received).toEqual([])
    const { body } = await api('POST', `/connections/${await aws('execute')}/test`, { url: service.url })
    expect(body).toMatchObject({ verdict: 'accepted', status: 200 })
  })
})

describe('a signed JWT', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const pem = (key: typeof rsa.privateKey, type: 'pkcs8' | 'pkcs1' | 'sec1' = 'pkcs8') =>
    String(key.export({ type: type as 'pkcs8', format: 'pem' }))
  const KEY = pem(rsa.privateKey)
  const claims = { iss: 'robot@project.example', scope: 'sheets', sub: 'ada@example.com' }
  let server: Upstream
  /** The access tokens that the token endpoint gave. */
  let given: string[]
  let refuses: boolean
  beforeAll(async () => {
    server = await startUpstream((request, response) => void answer(request, response))
  })
  afterEach(() => {
    server.received.length = 0
  })
  afterAll(() => server.close())

  async function answer(request: Received, response: ServerResponse): Promise<void> {
    response.setHeader('content-type', 'application/json')
    if (request.url !== '/token') {
      const accepted = given.some((token) => request.headers.authorization === `Bearer ${token}`)
      response.statusCode = accepted ? 200 : 401
      echo(request, response)
      return
    }
    const form = new URLSearchParams(request.body)
    const assertion = form.get('assertion') ?? ''
    const { payload, protectedHeader } = await jwtVerify(assertion, rsa.publicKey, { audience: `${server.url}/token` })
    expect([...form.keys()].toSorted()).toEqual(['assertion', 'grant_type'])
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    expect(payload).toMatchObject(claims)
    expect(payload.exp! - payload.iat!).toBeLessThanOrEqual(3600)
    expect(payload.jti).toMatch(/^[\w-]{36}$/)
    if (refuses) {
      response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', error_description: `no: ${assertion}` }))
      return
    }
    given.push(`access-t0ken-${given.length}`)
    response.end(JSON.stringify({ access_token: given.at(-1), expires_in: 3599, token_type: 'Bearer' }))
  }
  const exchanging = () => {
    given = []
    refuses = false
    return create('jwt', { privateKey: KEY, keyId: 'key-1', claims, tokenUrl: `${server.url}/token` })
  }

  it('is exchanged for an access token once, which a refused one is replaced by', async () => {
    const name = await exchanging()
    const run = await runOf(callWith(name, `${server.url}/a`), callWith(name, `${server.url}/b`, { id: 'two' }))
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(given).toEqual(['access-t0ken-0'])
    given.splice(0, 1, 'gone')
    expect(await runOf(callWith(name, `${server.url}/c`))).toMatchObject({ status: 'succeeded' })
    expect(given).toEqual(['gone', 'access-t0ken-1'])
    const shown = JSON.stringify((await api('GET', `/runs/${run.id}`)).body)
    for (const secret of ['access-t0ken-0', KEY]) expect(leaksOf(shown + millrace.log(), secret)).toEqual([])
    expect(leaksInFolder(millrace.dataDir, 'access-t0ken-1')).toEqual([])
  })

  it('that is refused fails the step, and the reason shows nothing of it', async () => {
    const name = await exchanging()
    refuses = true
    const run = await runOf(callWith(name, `${server.url}/a`))
    // Nobody can agree to it anew: what helps are its settings.
    const error = { code: 'connection_unauthorized', hint: expect.stringContaining('Correct its settings') }
    expect(run).toMatchObject({ status: 'failed', error })
    const { body } = await api('GET', `/connections/${name}`)
    expect(body).toMatchObject({ state: 'reconnect' })
    const assertion = new URLSearchParams(server.received[0]!.body).get('assertion')!
    expect(JSON.stringify([run, body]) + millrace.log()).not.toContain(assertion.slice(0, 60))
    expect(body.reason).toContain('no: ***')
  })

  const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ed = generateKeyPairSync('ed25519')
  it.each([
    ['RS256', rsa, pem(rsa.privateKey, 'pkcs1')],
    ['PS256', rsa, KEY],
    ['ES256', ec, pem(ec.privateKey, 'sec1')],
    ['EdDSA', ed, pem(ed.privateKey)],
  ])(
    'by %s is sent itself where there is no token URL, and used again',
    async (algorithm, { publicKey }, privateKey) => {
      given = []
      const name = await create('jwt', { privateKey, algorithm, claims: JSON.stringify({ ...claims, aud: 'api' }) })
      const call = callWith(name, `${server.url}/x`, { failOnError: false })
      const run = await runOf(call, {
        ...call,
        id: 'again',
        headers: [{ name: 'X-Copy', value: `{{ connections.${name}.accessToken }}` }],
      })
      const tokens = server.received.map(({ headers }) => headers.authorization!.replace('Bearer ', ''))
      const { payload } = await jwtVerify(tokens[0]!, publicKey, { audience: 'api', algorithms: [algorithm] })
      expect(payload).toMatchObject(claims)
      expect((await api('GET', `/connections/${name}`)).body.fields.claims).toEqual({ ...claims, aud: 'api' })
      const shown = JSON.stringify((await api('GET', `/runs/${run.id}`)).body)
      for (const token of tokens) expect(leaksOf(shown + millrace.log(), token)).toEqual([])
    },
  )

  it.each([
    [{ privateKey: 'no key', claims }, 'privateKey', /no private key in PEM/],
    [{ privateKey: pem(ec.privateKey), claims }, 'privateKey', /does not fit RS256, which needs an RSA key/],
    [{ privateKey: KEY, algorithm: 'ES256', claims }, 'privateKey', /does not fit ES256/],
    [{ privateKey: KEY, algorithm: 'HS256', claims }, 'algorithm', /must be one of RS256/],
    [{ privateKey: KEY, algorithm: 'none', claims }, 'algorithm', /must be one of RS256/],
    [
      { privateKey: pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey), claims },
      'privateKey',
      /1024 bits/,
    ],
    [
      { privateKey: String(rsa.publicKey.export({ type: 'spki', format: 'pem' })), claims },
      'privateKey',
      /no private key/,
    ],
    [{ privateKey: KEY, claims: { exp: 1 } }, 'claims', /leave out exp/],
    [{ privateKey: KEY, claims: '[1]' }, 'claims', /must be an object/],
    [{ privateKey: KEY, claims: `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}` }, 'claims', /must be an object/],
    [{ privateKey: KEY }, 'claims', /is missing/],
    [{ privateKey: KEY, claims, tokenUrl: 'file:///etc/passwd' }, 'tokenUrl', /protocol/],
  ])('that could not be made is refused when it is saved (%#)', async (fields, field, message) => {
    const { status, body } = await api('POST', '/connections', { name: 'refused', kind: 'jwt', fields })
    expect(status).toBe(400)
    expect(body.issues).toEqual([
      expect.objectContaining({ path: `/fields/${field}`, message: expect.stringMatching(message) }),
    ])
    expect(leaksOf(JSON.stringify(body), KEY)).toEqual([])
  })
})

describe('a connection as a whole', () => {
  let upstream: Upstream
  beforeAll(async () => {
    upstream = await startUpstream(echo)
  })
  afterAll(() => upstream.close())

  it.each([
    [
      'basic',
      { username: 'ada', password: 's3cret-pass' },
      { authorization: `Basic ${btoa('ada:s3cret-pass')}` },
      '/?a=1',
    ],
    ['bearer', { token: 's3cret-token' }, { authorization: 'Bearer s3cret-token' }, '/?a=1'],
    ['apiKey', { name: 'X-Key', value: 's3cret-key' }, { 'x-key': 's3cret-key' }, '/?a=1'],
    ['apiKey', { name: 'key', value: 's3 key', in: 'query' }, {}, '/?a=1&key=s3%20key'],
  ])('sends %s as its kind says, and only to its hosts', async (kind, fields, headers, path) => {
    const run = await runOf(callWith(await create(kind, fields, [new URL(upstream.url).host]), `${upstream.url}/?a=1`))
    expect(run).toMatchObject({ status: 'succeeded' })
    expect(upstream.received.at(-1)).toMatchObject({ headers, url: path })
    expect(JSON.stringify((await api('GET', `/runs/${run.id}`)).body)).not.toMatch(/s3cret|s3 key|s3%20key/)
    const before = upstream.received.length
    const refused = await runOf(callWith(await create(kind, fields, ['api.example.com']), `${upstream.url}/?a=1`))
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'host_not_allowed' } })
    expect(upstream.received).toHaveLength(before)
  })

  it('is none where it has no credentials of a known form, or is not there', async () => {
    const name = await create('custom', { key: 's3cret-value' })
    const flow = async (connection: string) =>
      (await api('POST', '/flows', documentOf([callWith(connection, upstream.url)]))).body.id
    const published = async (connection: string) => api('POST', `/flows/${await flow(connection)}/publish`)
    const wrong = await published(name)
    expect(wrong.status).toBe(422)
    expect(wrong.body.issues).toEqual([
      expect.objectContaining({
        path: '/steps/0/auth/connection',
        code: 'wrong_connection',
        message: `The connection "${name}" is of the kind custom; this needs one of basic, bearer, apiKey, digest, oauth2, jwt, aws, tls.`,
      }),
    ])
    expect((await published('nowhere')).body.issues[0]).toMatchObject({ code: 'unknown_connection' })
  })

  it('cannot be deleted, nor lose its kind, while a published flow sends it', async () => {
    const name = await create('bearer', { token: 's3cret-token' })
    await millrace.publish(documentOf([callWith(name, upstream.url)]))
    expect((await api('DELETE', `/connections/${name}`)).status).toBe(409)
    expect((await api('PUT', `/connections/${name}`, { kind: 'custom', fields: { a: 'b' } })).status).toBe(409)
    const other = { kind: 'basic', fields: { username: 'ada', password: 'pw' } }
    expect((await api('PUT', `/connections/${name}`, other)).status).toBe(200)
  })
})
