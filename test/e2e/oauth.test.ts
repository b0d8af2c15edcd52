// Tests OAuth connections with a real authorization server, and with one that deviates from the standard as some do.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer, Visitor } from '../harness/authorization-server.ts'
import { setUpOwner } from '../harness/browser.ts'
import { leaksInFolder, leaksOf } from '../harness/leaks.ts'
import { documentOf } from '../harness/management.ts'
import { type Answer, type Millrace, startMillrace } from '../harness/millrace.ts'
import { type Habits, ODD_CLIENT, type OddServer, startOddServer } from '../harness/odd-token-server.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let api: Millrace['api']
let odd: OddServer
/** Answers 401 to tokens that `isGood` does not know, and echoes the others. */
let resource: Upstream
let isGood: (token: string) => boolean | Promise<boolean>
beforeAll(async () => {
  millrace = await startMillrace()
  api = millrace.api
  resource = await startUpstream((request, response) => {
    const token = /^Bearer (.+)/.exec(request.headers.authorization ?? '')?.[1] ?? ''
    void Promise.resolve(isGood(token)).then((good) => {
      response.writeHead(good ? 200 : 401, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ token }))
    })
  })
  odd = await startOddServer()
  isGood = odd.accepts
})
/** Seconds: the token expires before it can be used. */
const ENDS_AT_ONCE = 0.001

const defaults = (): Habits => ({
  expiresIn: 3600,
  tokenType: 'Bearer',
  refreshTokens: 'rotating',
  clientAuth: 'basic',
  asForm: false,
  failure: null,
  before: () => {},
})
afterEach(() => {
  odd.habits = defaults()
  isGood = odd.accepts
})
afterAll(async () => {
  await millrace.stop()
  await resource.close()
  await odd.close()
})

const callback = () => `${millrace.url.replace('127.0.0.1', 'localhost')}/api/v1/oauth/callback`
/** The base URL names localhost, which need not lead to 127.0.0.1. */
const here = (url: string) => url.replace('//localhost', '//127.0.0.1')

let count = 0
async function create(fields: object, more: object = {}): Promise<string> {
  const name = `crm_${++count}`
  const { body } = await api('POST', '/connections', { name, kind: 'oauth2', fields, ...more })
  expect(body).toMatchObject({ name, kind: 'oauth2' })
  return name
}
const read = async (name: string) => (await api('GET', `/connections/${name}`)).body

/** Goes where `authorize` says, agrees, and comes back, as a user does. */
async function connect(name: string, browser = new Visitor()): Promise<Response> {
  const { url } = (await api('POST', `/connections/${name}/authorize`)).body
  return browser.open(here(await browser.consent(url, callback())))
}
async function connected(fields: object, more: object = {}): Promise<string> {
  const name = await create(fields, more)
  expect((await connect(name)).status).toBe(200)
  expect(await read(name)).toMatchObject({ state: 'ready', reason: null })
  return name
}

const callWith = (connection: string, more: object = {}) => ({
  id: 'call',
  kind: 'http',
  method: 'GET',
  url: resource.url,
  auth: { kind: 'oauth2', connection },
  ...more,
})

async function flowOf(...steps: object[]) {
  const { flow, post } = await millrace.publish(documentOf(steps))
  return { flow, post, run: async () => millrace.runEnded((await post({})).body.id) }
}

describe('a real authorization server', () => {
  let server: AuthorizationServer
  beforeAll(async () => {
    server = await startAuthorizationServer({ redirectUri: callback(), accessTokenSeconds: 4 })
  })
  afterAll(() => server.close())

  it('gives consent, tokens and refreshed tokens, until the consent is taken back', { timeout: 60_000 }, async () => {
    isGood = server.isGood
    const name = await create(server.fields('authorization_code'), { hosts: [new URL(resource.url).host] })
    expect(await read(name)).toMatchObject({ state: 'unconnected', reason: null, expiresAt: null })
    const { run } = await flowOf(callWith(name))
    expect((await run()).error).toMatchObject({ code: 'connection_unauthorized', step: 'call' })

    const page = await connect(name)
    expect(await page.text()).toContain('Connected')
    expect(page.status).toBe(200)
    const { state, expiresAt } = await read(name)
    expect(state).toBe('ready')
    expect(Date.parse(expiresAt)).toBeGreaterThan(Date.now())

    expect((await run()).status).toBe('succeeded')
    expect(server.granted).toEqual(['authorization_code'])
    const first = resource.received.at(-1)!.headers.authorization
    // Half of the token's life is over: the next one is fetched before it expires.
    while (Date.now() < Date.parse(expiresAt) - 1900) await new Promise((resolve) => setTimeout(resolve, 50))
    const history = await run()
    expect(history.status).toBe('succeeded')
    expect(server.granted).toEqual(['authorization_code', 'refresh_token'])
    const second = resource.received.at(-1)!.headers.authorization!
    expect(second).not.toBe(first)
    for (const token of [first!, second].map((header) => header.replace('Bearer ', ''))) {
      expect(leaksOf(JSON.stringify(history) + millrace.log(), token)).toEqual([])
      expect(leaksInFolder(millrace.dataDir, token)).toEqual([])
    }

    await server.revokeAll()
    const { expiresAt: end } = await read(name)
    while (Date.now() < Date.parse(end)) await new Promise((resolve) => setTimeout(resolve, 50))
    const failed = await run()
    expect(failed.error).toMatchObject({ code: 'connection_unauthorized' })
    expect(failed.error!.hint).toContain(`/api/v1/connections/${name}/authorize`)
    expect(await read(name)).toMatchObject({ state: 'reconnect', reason: expect.stringContaining('invalid_grant') })
    expect((await connect(name)).status).toBe(200)
    expect((await run()).status).toBe('succeeded')
  })

  it('gives a machine its token without a browser', async () => {
    isGood = server.isGood
    const name = await create(server.fields('client_credentials'))
    expect(await read(name)).toMatchObject({ state: 'ready' })
    const { run } = await flowOf(callWith(name))
    expect((await run()).status).toBe('succeeded')
    expect((await run()).status).toBe('succeeded')
    expect(server.granted.filter((grant) => grant === 'client_credentials')).toHaveLength(1)
    const { status, body } = await api('POST', `/connections/${name}/authorize`)
    expect(body).toMatchObject({ code: 'invalid_request' })
    expect(status).toBe(400)
  })
})

describe('the way back from the authorization server', () => {
  const begin = async (name: string): Promise<URL> =>
    new URL((await api('POST', `/connections/${name}/authorize`)).body.url)

  it('asks with PKCE (S256), a state of its own each time, scopes and audience', async () => {
    const name = await create({ ...odd.fields(), scopes: ['read', 'write'], audience: 'https://api.example.com' })
    const [first, second] = [await begin(name), await begin(name)]
    expect(Object.fromEntries(first.searchParams)).toEqual({
      response_type: 'code',
      client_id: ODD_CLIENT.id,
      redirect_uri: callback(),
      scope: 'read write',
      audience: 'https://api.example.com',
      state: expect.stringMatching(/^[\w-]{32}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    for (const parameter of ['state', 'code_challenge'])
      expect(second.searchParams.get(parameter)).not.toBe(first.searchParams.get(parameter))
  })

  async function expectRefused(page: Response, words: string): Promise<void> {
    expect(await page.text()).toContain(words)
    expect(page.status).toBe(400)
    expect(page.headers.get('content-type')).toContain('text/html')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(page.headers.get('cache-control')).toBe('no-store')
  }

  it('refuses a state that is missing, made up, used, or of a connection that was changed', async () => {
    const name = await create(odd.fields())
    const browser = new Visitor()
    await expectRefused(await browser.open(`${here(callback())}?code=x`), 'state is missing')
    await expectRefused(await browser.open(`${here(callback())}?code=x&state=made-up`), 'not known or was used')

    const back = here(await browser.consent((await begin(name)).href, callback()))
    expect((await browser.open(back)).status).toBe(200)
    await expectRefused(await browser.open(back), 'not known or was used')

    const stale = here(await browser.consent((await begin(name)).href, callback()))
    await api('PUT', `/connections/${name}`, { fields: odd.fields() })
    await expectRefused(await browser.open(stale), 'changed or deleted')
  })

  it('asked for by a browser that is signed in, is open to that browser only', async () => {
    const owner = await setUpOwner(millrace)
    const session = owner.cookie()!
    const name = await create(odd.fields())
    const asked = await owner.send('POST', `/api/v1/connections/${name}/authorize`)
    expect(asked.headers.get('set-cookie')).toMatch(
      /^millrace_oauth_[0-9a-f]{16}=[\w-]{32}; Path=\/api\/v1\/oauth\/callback; Max-Age=600; HttpOnly; SameSite=Lax$/,
    )
    const stranger = new Visitor()
    await expectRefused(
      await stranger.open(here(await stranger.consent(asked.body.url, callback()))),
      'begun in another browser',
    )
    expect(await read(name)).toMatchObject({ state: 'unconnected' })

    const again = await owner.send('POST', `/api/v1/connections/${name}/authorize`, undefined, {
      cookie: session,
    })
    const own = new Visitor()
    own.setCookies(again.headers)
    expect((await own.open(here(await own.consent(again.body.url, callback())))).status).toBe(200)
    expect(await read(name)).toMatchObject({ state: 'ready' })
    const { items } = (await api('GET', '/audit?limit=3')).body
    expect(items.map(({ action, actor, details }: Answer['body']) => [action, actor, details.problem])).toEqual([
      ['connection.authorize', 'ada@example.com', undefined],
      ['connection.authorize', 'ada@example.com', expect.stringContaining('another browser')],
      ['connection.create', 'admin token', undefined],
    ])
  })

  it('refuses a state after 10 minutes', async () => {
    const name = await create(odd.fields())
    const browser = new Visitor()
    const back = here(await browser.consent((await begin(name)).href, callback()))
    const db = new DatabaseSync(join(millrace.dataDir, 'millrace.db'), { timeout: 5000 })
    const { expires_at } = db.prepare('SELECT max(expires_at) AS expires_at FROM authorization_request').get()!
    expect(Number(expires_at) - Date.now()).toBeGreaterThan(595_000)
    db.prepare('UPDATE authorization_request SET expires_at = ?').run(Date.now() - 1)
    db.close()
    await expectRefused(await browser.open(back), 'longer than 10 minutes')
    expect(await read(name)).toMatchObject({ state: 'unconnected' })
  })

  it('shows what the authorization server says, and runs nothing of it', async () => {
    const name = await create(odd.fields())
    const state = (await begin(name)).searchParams.get('state')!
    const says = encodeURIComponent('<script>alert(1)</script></script>')
    const page = await new Visitor().open(
      `${here(callback())}?state=${state}&error=access_denied&error_description=${says}`,
    )
    const text = await page.clone().text()
    await expectRefused(page, 'access_denied')
    expect(text).not.toContain('<script>alert')
    expect(text.match(/<\/script>/g)).toHaveLength(1)
  })

  it('says why no token came', async () => {
    const name = await create({ ...odd.fields(), clientSecret: 'a-wrong-secret' })
    await expectRefused(await connect(name), 'invalid_client')
    expect(await read(name)).toMatchObject({ state: 'unconnected' })
  })

  it('keeps its verifier sealed, and nothing but a digest of its state', async () => {
    const name = await create(odd.fields())
    const url = await begin(name)
    expect(leaksInFolder(millrace.dataDir, url.searchParams.get('state')!)).toEqual([])
    odd.asked.length = 0
    const browser = new Visitor()
    await browser.open(here(await browser.consent(url.href, callback())))
    expect(leaksInFolder(millrace.dataDir, odd.asked[0]!.get('code_verifier')!)).toEqual([])
  })
})

describe('odd authorization servers', () => {
  it.each<[string, Partial<Habits>, object]>([
    ['that rotate refresh tokens', { expiresIn: ENDS_AT_ONCE }, {}],
    ['that keep refresh tokens', { expiresIn: ENDS_AT_ONCE, refreshTokens: 'lasting' }, {}],
    ['that leave out token_type', { expiresIn: ENDS_AT_ONCE, tokenType: null }, {}],
    [
      'that want the client secret in the body',
      { expiresIn: ENDS_AT_ONCE, clientAuth: 'body' },
      { clientAuth: 'body' },
    ],
    ['that answer with a form', { expiresIn: ENDS_AT_ONCE, asForm: true }, {}],
  ])('%s', async (_habit, habits, fields) => {
    Object.assign(odd.habits, habits)
    const name = await connected({ ...odd.fields(), ...fields })
    const { run } = await flowOf(callWith(name), callWith(name, { id: 'again' }))
    expect((await run()).status).toBe('succeeded')
  })

  it('that say nothing of an end: the token is used until an API refuses it', async () => {
    Object.assign(odd.habits, { expiresIn: null })
    const name = await connected(odd.fields())
    expect((await read(name)).expiresAt).toBeNull()
    const { run } = await flowOf(callWith(name))
    expect((await run()).status).toBe('succeeded')
    const asked = odd.asked.length
    odd.revokeAccess()
    expect((await run()).status).toBe('succeeded')
    expect(odd.asked).toHaveLength(asked + 1)
  })

  it('that give no refresh token: the connection says that it has to be connected again', async () => {
    Object.assign(odd.habits, { expiresIn: ENDS_AT_ONCE, refreshTokens: 'none' })
    const name = await connected(odd.fields())
    const { run } = await flowOf(callWith(name))
    expect((await run()).error).toMatchObject({ code: 'connection_unauthorized' })
    expect(await read(name)).toMatchObject({ state: 'reconnect', reason: expect.stringContaining('has ended') })
  })

  it('that are down: a few attempts, then none for a while, and everything goes on when they are back', async () => {
    odd.habits.failure = { status: 500 }
    const name = await create(odd.fields('client_credentials'))
    const { run } = await flowOf(callWith(name))
    odd.asked.length = 0
    const results = await Promise.all(Array.from({ length: 20 }, run))
    for (const { error } of results) expect(error).toMatchObject({ code: 'token_unavailable' })
    expect(odd.asked).toHaveLength(3)
    expect((await read(name)).state).toBe('ready')
    odd.habits.failure = null
    const { run: patient } = await flowOf(callWith(name, { retry: { attempts: 5, delay: 1, backoff: 1 } }))
    expect((await patient()).status).toBe('succeeded')
  })

  it('that refuse the client: the reason is shown, nothing is hammered, and new settings are tried at once', async () => {
    const name = await create({ ...odd.fields('client_credentials'), clientSecret: 'a-wrong-secret' })
    const { run } = await flowOf(callWith(name))
    odd.asked.length = 0
    for (const { error } of await Promise.all(Array.from({ length: 20 }, run)))
      expect(error).toMatchObject({ code: 'connection_unauthorized' })
    expect(odd.asked).toHaveLength(1)
    expect(await read(name)).toMatchObject({ state: 'reconnect', reason: expect.stringContaining('invalid_client') })
    await api('PUT', `/connections/${name}`, { fields: odd.fields('client_credentials') })
    expect((await run()).status).toBe('succeeded')
    expect(await read(name)).toMatchObject({ state: 'ready', reason: null })
  })

  it('at addresses that are not public: the egress rules hold for them too', async () => {
    const name = await create({ ...odd.fields('client_credentials'), tokenUrl: 'http://10.1.2.3/token' })
    const { run } = await flowOf(callWith(name))
    expect((await run()).error).toMatchObject({ code: 'connection_unauthorized' })
    expect((await read(name)).reason).toContain('not public')
  })

  it('that echo the refresh token when they refuse it: it is shown nowhere', async () => {
    Object.assign(odd.habits, { expiresIn: ENDS_AT_ONCE })
    const name = await connected(odd.fields())
    odd.revokeGrants()
    const { run } = await flowOf(callWith(name))
    const failed = await run()
    expect(failed.error?.code).toBe('connection_unauthorized')
    const shown = JSON.stringify([failed, await read(name)]) + millrace.log()
    for (const token of odd.issued) {
      expect(leaksOf(shown, token)).toEqual([])
      expect(leaksInFolder(millrace.dataDir, token)).toEqual([])
    }
  })
})

describe('an API that refuses a token', () => {
  it('gets another one, once', async () => {
    const name = await connected(odd.fields())
    const { run } = await flowOf(callWith(name))
    odd.revokeAccess()
    const [asked, received] = [odd.asked.length, resource.received.length]
    expect((await run()).status).toBe('succeeded')
    expect([odd.asked.length - asked, resource.received.length - received]).toEqual([1, 2])

    isGood = () => false
    const runs: Answer['body'][] = []
    for (let i = 0; i < 5; i++) runs.push(await run())
    for (const { error } of runs) expect(error).toMatchObject({ code: 'http_401', status: 401 })
    // The first run asked for another token; since that was refused too, the other runs did not ask.
    expect(odd.asked.length - asked).toBe(2)
  })

  it('after a redirect to another host got none, so that none is renewed', async () => {
    const stranger = await startUpstream((request, response) => {
      expect(request.headers.authorization).toBeUndefined()
      response.writeHead(401)
      response.end()
    })
    const redirecting = await startUpstream((_request, response) => {
      response.writeHead(302, { location: stranger.url })
      response.end()
    })
    const name = await connected(odd.fields())
    const { run } = await flowOf(callWith(name, { url: redirecting.url }))
    const asked = odd.asked.length
    expect((await run()).error?.code).toBe('http_401')
    expect(odd.asked).toHaveLength(asked)
    await stranger.close()
    await redirecting.close()
  })
})

describe('many at once', () => {
  it('50 runs over an expired connection with a rotating refresh token cause one refresh, and all succeed', async () => {
    Object.assign(odd.habits, { expiresIn: ENDS_AT_ONCE })
    const name = await connected(odd.fields())
    Object.assign(odd.habits, { expiresIn: 3600 })
    const { post } = await flowOf(callWith(name))
    const before = resource.received.length
    odd.asked.length = 0
    const begun: ReturnType<typeof post>[] = []
    const { promise: asked, resolve: came } = Promise.withResolvers<void>()
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    odd.habits.before = () => {
      came()
      return held
    }
    for (let i = 0; i < 50; i++) begun.push(post({}))
    await asked
    release()
    // The runs are awaited one by one: there are too many to watch at a time.
    for (const { body } of await Promise.all(begun)) expect((await millrace.runEnded(body.id)).status).toBe('succeeded')
    expect(odd.asked.map((form) => form.get('grant_type'))).toEqual(['refresh_token'])
    expect(resource.received.length - before).toBe(50)
    expect(new Set(resource.received.slice(before).map(({ headers }) => headers.authorization)).size).toBe(1)
  })
})

describe('what was granted', () => {
  it('is given up when it could be sent to more hosts', async () => {
    const name = await connected(odd.fields(), { hosts: ['api.example.com'] })
    expect((await api('PUT', `/connections/${name}`, { hosts: [] })).body.code).toBe('invalid_request')
    expect(await read(name)).toMatchObject({ state: 'ready' })
    await api('PUT', `/connections/${name}`, { hosts: ['api.example.com:443'] })
    expect(await read(name)).toMatchObject({ state: 'ready' })
    await api('PUT', `/connections/${name}`, { fields: odd.fields(), hosts: [] })
    expect(await read(name)).toMatchObject({ state: 'unconnected', hosts: [] })
  })
})

describe('connections.<name>.accessToken', () => {
  it('is the token, fetched and refreshed before the step that reads it', async () => {
    Object.assign(odd.habits, { expiresIn: ENDS_AT_ONCE })
    const name = await create(odd.fields('client_credentials'))
    const { flow, run } = await flowOf(
      { id: 'copy', kind: 'set', vars: { token: `{{ connections.${name}.accessToken }}` } },
      callWith(name, { auth: { kind: 'bearer', token: `{{ connections.${name}.accessToken }}` } }),
    )
    const ended = await run()
    expect(ended.status).toBe('succeeded')
    const tested = await api('POST', `/flows/${flow.id}/steps/call/test`, {})
    expect(tested.body.status).toBe('succeeded')
    for (const token of odd.issued) expect(leaksOf(JSON.stringify([ended, tested.body]), token)).toEqual([])
  })

  it('is kept to the hosts of its connection', async () => {
    const name = await create(odd.fields('client_credentials'), { hosts: ['api.example.com'] })
    const { run } = await flowOf(callWith(name))
    expect((await run()).error?.code).toBe('host_not_allowed')
    const asked = odd.asked.length
    const fields = odd.fields('client_credentials')
    await api('PUT', `/connections/${name}`, { fields, hosts: [new URL(resource.url).host] })
    expect((await run()).status).toBe('succeeded')
    expect(odd.asked).toHaveLength(asked + 1)
  })
})
