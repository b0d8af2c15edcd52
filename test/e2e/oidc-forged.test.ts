// Forged answers of a provider: none of them opens a session.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Visitor } from '../harness/authorization-server.ts'
import { setUpOwner } from '../harness/browser.ts'
import { freePort } from '../harness/free-port.ts'
import { CLIENT, type Forgery, type ForgingProvider, startForgingProvider } from '../harness/identity-provider.ts'
import { answerOf, type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let provider: ForgingProvider
let second: ForgingProvider
let baseUrl: string

beforeAll(async () => {
  const port = await freePort()
  baseUrl = `http://localhost:${port}`
  provider = await startForgingProvider()
  second = await startForgingProvider()
  millrace = await startMillrace({
    MILLRACE_PORT: String(port),
    MILLRACE_TRUST_PROXY: '127.0.0.1',
    MILLRACE_OIDC_ISSUER: provider.issuer,
    MILLRACE_OIDC_CLIENT_ID: CLIENT.id,
    MILLRACE_OIDC_DEFAULT_ROLE: 'viewer',
    MILLRACE_OIDC_2_ISSUER: second.issuer,
    MILLRACE_OIDC_2_CLIENT_ID: CLIENT.id,
    MILLRACE_OIDC_2_DEFAULT_ROLE: 'owner',
  })
  await setUpOwner(millrace)
})
afterAll(async () => {
  await millrace.stop()
  await provider.close()
  await second.close()
})

let address = 0

/** Begins a sign-in at the first provider, which answers with the forgery. */
async function signIn(
  forgery: Forgery,
  path = '/api/auth/oidc/1/callback',
): Promise<{ back: Response; user: unknown }> {
  // Each comes from an address of its own: failed attempts are limited.
  const visitor = new Visitor({ 'x-forwarded-for': `203.0.113.${++address}` })
  const begun = await visitor.open(`${baseUrl}/api/auth/oidc/1`)
  provider.forge(forgery)
  const back = await visitor.open(`${baseUrl}${path}?${provider.answer(begun.headers.get('location')!)}`)
  const { user } = (await answerOf(await visitor.open(`${baseUrl}/api/auth/state`))).body
  return { back, user }
}

const now = () => Math.floor(Date.now() / 1000)

it('opens a session where nothing is forged', async () => {
  const { back, user } = await signIn({})
  expect(back.status).toBe(303)
  expect(user).toMatchObject({ email: 'mallory@example.com', role: 'viewer' })
})

describe('is refused:', () => {
  it.each<[string, () => Forgery]>([
    ['another state', () => ({ callback: { state: 'another' } })],
    ['no state', () => ({ withoutCallback: ['state'] })],
    ['another issuer in the callback', () => ({ callback: { iss: 'https://evil.example' } })],
    ['no issuer in the callback of a provider that sends it', () => ({ withoutCallback: ['iss'] })],
    ['no code', () => ({ withoutCallback: ['code'] })],
    ['another nonce', () => ({ claims: { nonce: 'another' } })],
    ['no nonce', () => ({ without: ['nonce'] })],
    ['another issuer', () => ({ claims: { iss: 'https://evil.example' } })],
    ['another audience', () => ({ claims: { aud: 'another-client' } })],
    ['further audiences without the party it is for', () => ({ claims: { aud: [CLIENT.id, 'another-client'] } })],
    ['another party it is for', () => ({ claims: { aud: [CLIENT.id, 'another'], azp: 'another' } })],
    ['an expired token', () => ({ claims: { iat: now() - 600, exp: now() - 300 } })],
    ['a token of the future', () => ({ claims: { nbf: now() + 600 } })],
    ['no expiry', () => ({ without: ['exp'] })],
    ['no time of issue', () => ({ without: ['iat'] })],
    ['no subject', () => ({ without: ['sub'] })],
    ['a subject without end', () => ({ claims: { sub: 'x'.repeat(256) } })],
    ['an unsigned token', () => ({ signature: 'none' })],
    ['a token signed by another key', () => ({ signature: 'other key' })],
    ["a token signed by the client's secret", () => ({ signature: 'secret' })],
  ])('%s', async (_name, forgery) => {
    const { back, user } = await signIn(forgery())
    expect(back.status).toBe(403)
    expect(user).toBeNull()
    expect(await back.text()).toMatch(/<h1>Not signed in<\/h1>/)
  })

  it('the answer of one provider at the callback of another (mix-up)', async () => {
    const { back, user } = await signIn({ callback: { iss: second.issuer } }, '/api/auth/oidc/2/callback')
    expect(back.status).toBe(403)
    expect(await back.text()).toContain('begun with another provider')
    expect(user).toBeNull()
    expect((await signIn({ callback: { iss: second.issuer } })).user).toBeNull()
  })

  it('an error of the provider, whose words are shown as text', async () => {
    const { back } = await signIn({
      withoutCallback: ['code'],
      callback: { error: 'access_denied', error_description: '<script>alert(1)</script>' },
    })
    const page = await back.text()
    expect(page).toContain('access_denied (&lt;script&gt;')
    expect(page).not.toContain('<script>')
    expect(back.headers.get('content-security-policy')).toContain("default-src 'none'")
  })
})

describe('a logout token', () => {
  const EVENT = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  let ids = 0
  const claims = (change: Record<string, unknown> = {}) => ({
    iss: provider.issuer,
    aud: CLIENT.id,
    iat: now(),
    exp: now() + 60,
    jti: `token ${++ids}`,
    events: EVENT,
    sub: 'mallory',
    ...change,
  })
  const logOut = async (token: string, id = '1') =>
    (
      await fetch(`${baseUrl}/api/auth/oidc/${id}/backchannel-logout`, {
        method: 'POST',
        headers: { 'x-forwarded-for': `198.51.100.${ids}` },
        body: new URLSearchParams({ logout_token: token }),
      })
    ).status
  const session = async (sid: string) => {
    const visitor = new Visitor()
    const begun = await visitor.open(`${baseUrl}/api/auth/oidc/1`)
    provider.forge({ claims: { sid } })
    await visitor.open(`${baseUrl}/api/auth/oidc/1/callback?${provider.answer(begun.headers.get('location')!)}`)
    return {
      isIn: async () => (await answerOf(await visitor.open(`${baseUrl}/api/auth/state`))).body.user !== null,
      watch: () => visitor.open(`${baseUrl}/api/v1/events`),
    }
  }

  it('ends the session that it names, with what watches through it, and is taken once', async () => {
    const [one, two] = [await session('s1'), await session('s2')]
    const events = await one.watch()
    const token = await provider.sign(claims({ sid: 's1' }))
    expect(await logOut(token)).toBe(204)
    await events.text()
    expect([await one.isIn(), await two.isIn()]).toEqual([false, true])
    expect(await logOut(token)).toBe(400)
  })

  it('ends all sessions of the person that it names', async () => {
    const sessions = [await session('s3'), await session('s4')]
    expect(await logOut(await provider.sign(claims()))).toBe(204)
    for (const { isIn } of sessions) expect(await isIn()).toBe(false)
  })

  it('is refused if anything about it is wrong', async () => {
    const { isIn } = await session('s5')
    const tokens = [
      await provider.sign(claims({ iss: 'https://evil.example' })),
      await provider.sign(claims({ aud: 'another' })),
      await provider.sign(claims({ exp: now() - 300 })),
      await provider.sign(claims({ iat: now() - 3600 })),
      await provider.sign(claims({ iat: undefined })),
      await provider.sign(claims({ jti: undefined })),
      await provider.sign(claims({ events: {} })),
      await provider.sign(claims({ events: undefined })),
      await provider.sign(claims({ nonce: 'a nonce' })),
      await provider.sign(claims({ sub: undefined })),
      await provider.sign(claims({ sub: 7 })),
      await provider.sign(claims(), { typ: 'at+jwt' }),
      await second.sign(claims()),
      `${await provider.sign(claims())}x`,
      'not a token',
    ]
    const statuses: number[] = []
    for (const token of tokens) statuses.push(await logOut(token))
    expect(statuses).toEqual(tokens.map(() => 400))
    expect(await logOut(await provider.sign(claims()), '2')).toBe(400)
    expect(await isIn()).toBe(true)
  })
})
