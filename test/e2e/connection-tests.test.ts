// Tests "Test connection", and how a secret in a flow becomes a connection.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { documentOf } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

const SECRET = 'the-t0ken-of-the-shop'

let upstream: Upstream
let millrace: Millrace
let api: Millrace['api']
beforeAll(async () => {
  upstream = await startUpstream(({ url, headers }, response) => {
    const path = new URL(url, 'http://x').pathname
    const shown = [headers.authorization, headers['x-key'], new URL(url, 'http://x').searchParams.get('key')].join(' ')
    const knows = shown.includes(SECRET) || shown.includes(Buffer.from(`me:${SECRET}`).toString('base64'))
    const status = { '/open': 200, '/gone': 404, '/busy': 429, '/down': 503, '/strange': 400, '/moved': 302 }[path]
    response.writeHead(status ?? (path === '/closed' || !knows ? 401 : path === '/others' ? 403 : 200), {
      ...(path === '/moved' && { location: '/open' }),
    })
    // Echoes what it got: none of it may come back.
    response.end(JSON.stringify(headers))
  })
  millrace = await startMillrace({ MILLRACE_EGRESS_ALLOW: 'loopback' })
  api = millrace.api
  const connections = {
    bearer: { kind: 'bearer', fields: { token: SECRET } },
    basic: { kind: 'basic', fields: { username: 'me', password: SECRET } },
    header: { kind: 'apiKey', fields: { name: 'X-Key', value: SECRET } },
    query: { kind: 'apiKey', fields: { name: 'key', value: SECRET, in: 'query' } },
    limited: { kind: 'bearer', fields: { token: 'another-t0ken' }, hosts: ['api.example.com'] },
    signing: { kind: 'custom', fields: { key: SECRET } },
    unconnected: {
      kind: 'oauth2',
      fields: { authorizationUrl: `${upstream.url}/a`, tokenUrl: `${upstream.url}/t`, clientId: 'x' },
    },
  }
  for (const [name, parts] of Object.entries(connections))
    expect((await api('POST', '/connections', { name, ...parts })).status).toBe(201)
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const test = (name: string, path: string) =>
  api('POST', `/connections/${name}/test`, { url: path.startsWith('/') ? upstream.url + path : path })

describe('the test of a connection', () => {
  it.each(['bearer', 'basic', 'header', 'query'])('shows an API the credentials of %s', async (name) => {
    const { status, body } = await test(name, '/me')
    expect(status).toBe(200)
    expect(body).toMatchObject({ verdict: 'accepted', status: 200, message: 'The API accepts the credentials.' })
  })

  it.each([
    ['/closed', 'refused', 401, /does not accept/],
    ['/others', 'refused', 403, /scopes or permissions/],
    ['/open', 'unproven', 200, /without credentials too/],
    ['/gone', 'unproven', 404, /another one/],
    ['/busy', 'unproven', 429, /later/],
    ['/strange', 'unproven', 400, /does not understand/],
    ['/down', 'unproven', 503, /of its own/],
    ['/moved', 'unproven', 302, /redirects/],
  ])('says of %s: %s (%s)', async (path, verdict, status, message) => {
    const { body } = await test('bearer', path)
    expect(body).toMatchObject({ verdict, status, message: expect.stringMatching(message) })
  })

  it('is kept with its time, until the connection changes', async () => {
    const lastTest = async () => (await api('GET', '/connections/kept')).body.lastTest
    const made = await api('POST', '/connections', { name: 'kept', kind: 'bearer', fields: { token: SECRET } })
    expect(made.body.lastTest).toBeNull()
    await test('kept', '/closed')
    const refused = await lastTest()
    expect(refused).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/), verdict: 'refused' })
    await test('kept', '/me')
    const accepted = await lastTest()
    expect(accepted.verdict).toBe('accepted')
    expect(accepted.at >= refused.at).toBe(true)
    const { body } = await api('GET', '/connections')
    expect(body.items.find(({ name }: { name: string }) => name === 'kept').lastTest).toEqual(accepted)
    await api('PUT', '/connections/kept', { fields: { token: 'another-t0ken-of-the-shop' } })
    expect(await lastTest()).toBeNull()
  })

  it('sends the secret only to hosts that the connection allows', async () => {
    const before = upstream.received.length
    const { body } = await test('limited', '/me')
    expect(body).toMatchObject({ verdict: 'unreachable', status: null, message: expect.stringContaining('limited') })
    expect(upstream.received.length).toBe(before)
  })

  it('follows the egress rules', async () => {
    const { body } = await test('bearer', 'http://169.254.169.254/latest')
    expect(body).toMatchObject({ verdict: 'unreachable', status: null })
    expect(body.message).toContain('169.254.169.254')
  })

  it('says of an OAuth connection that nobody has agreed to it yet', async () => {
    const { body } = await test('unconnected', '/me')
    expect(body).toMatchObject({ verdict: 'unreachable', message: expect.stringContaining('not connected yet') })
  })

  it.each(['ftp://a.example', '/relative', 'https://a.example/{{ env.PATH }}', ''])(
    'refuses the URL %j',
    async (url) => {
      const { status, body } = await api('POST', '/connections/bearer/test', { url })
      expect([status, body.code]).toEqual([400, 'invalid_request'])
    },
  )

  it('cannot be made of fields whose place only a flow knows', async () => {
    expect((await test('signing', '/me')).body.code).toBe('invalid_request')
    expect((await test('nobody', '/me')).status).toBe(404)
  })

  it('is in the audit log with the host, and tells the secret nowhere', async () => {
    const { body } = await api('GET', '/audit?limit=200')
    const entry = body.items.find(({ action }: { action: string }) => action === 'connection.test')
    expect(entry.details).toHaveProperty('host')
    const answers = await Promise.all(['/me', '/closed', '/open'].map((path) => test('bearer', path)))
    expect(JSON.stringify([body, answers])).not.toContain(SECRET)
    expect(millrace.log()).not.toContain(SECRET)
  })
})

describe('a secret typed into a step', () => {
  const call = (auth: object) => ({ id: 'call', kind: 'http', method: 'GET', url: `${upstream.url}/me`, auth })

  it('becomes a connection, which the API then accepts', async () => {
    const flow = (await api('POST', '/flows', documentOf([call({ kind: 'bearer', token: SECRET })]))).body
    expect(flow.draft.steps[0].auth.token).toMatch(/^sealed:/)
    const moved = await api('POST', `/flows/${flow.id}/secrets/move`, {
      path: '/steps/0/auth/token',
      name: 'moved',
      kind: 'bearer',
      field: 'token',
      hosts: [new URL(upstream.url).host],
    })
    expect(moved.status).toBe(201)
    expect(moved.body).toMatchObject({ name: 'moved', kind: 'bearer', secretFields: ['token'], state: 'ready' })
    expect(JSON.stringify(moved.body)).not.toContain(SECRET)
    expect((await test('moved', '/me')).body.verdict).toBe('accepted')
  })

  it('is not found where none is stored', async () => {
    const flow = (await api('POST', '/flows', documentOf([call({ kind: 'bearer', token: '{{ env.TOKEN }}' })]))).body
    for (const path of ['/steps/0/auth/token', '/steps/0/url', '/steps/9/auth/token', 'x']) {
      const { status, body } = await api('POST', `/flows/${flow.id}/secrets/move`, {
        path,
        name: 'none',
        kind: 'bearer',
        field: 'token',
      })
      expect([status, body.code, body.issues[0].path]).toEqual([400, 'invalid_request', '/path'])
    }
  })
})
