// Second factors, the list of sessions, and passwords that everybody would guess.
import { TOTP } from 'otpauth'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, type Browser, codeOf, openBrowser, PASSWORD, setUpCode, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let owner: Browser

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_TRUST_PROXY: '127.0.0.1' })
  owner = await setUpOwner(millrace)
})
afterAll(() => millrace.stop())

const STEP_MS = 30_000

/** An authenticator app: each code is that of a later step, since none is taken twice. */
function app(secret: string) {
  const totp = new TOTP({ secret })
  let used = -2
  return {
    at: (steps: number) => totp.generate({ timestamp: Date.now() + steps * STEP_MS }),
    next: () => totp.generate({ timestamp: Date.now() + ++used * STEP_MS }),
  }
}

let networks = 0
/** Each from an address of its own: wrong attempts are limited by address. */
const signIn = (email: string, code?: string, browser = openBrowser(millrace), password = PASSWORD) =>
  browser.send(
    'POST',
    '/api/auth/sign-in/email',
    { email, password, ...(code !== undefined && { code }) },
    { 'x-forwarded-for': `203.0.113.${++networks % 250}` },
  )

async function setUp(browser: Browser) {
  const { secret } = (await browser.send('POST', '/api/auth/two-factor/begin', { password: PASSWORD })).body
  const codes = app(secret)
  const confirmed = await browser.send('POST', '/api/auth/two-factor/confirm', { code: codes.next() })
  expect(confirmed.status).toBe(200)
  return { secret, codes, recoveryCodes: confirmed.body.recoveryCodes as string[] }
}

describe('a second factor', () => {
  it('is set up with the password, and counts once a code of it was shown', async () => {
    const browser = await addUser(millrace, 'editor', 'app@example.com')
    expectFailure(
      await browser.send('POST', '/api/auth/two-factor/begin', { password: 'wrong' }),
      400,
      'invalid_request',
    )
    const begun = await browser.send('POST', '/api/auth/two-factor/begin', { password: PASSWORD })
    expect(begun.body.url).toBe(
      `otpauth://totp/Millrace:app%40example.com?issuer=Millrace&secret=${begun.body.secret}&algorithm=SHA1&digits=6&period=30`,
    )
    expect((await signIn('app@example.com')).status).toBe(200)
    const wrong = await browser.send('POST', '/api/auth/two-factor/confirm', { code: '000000' })
    expectFailure(wrong, 400, 'invalid_request')
    const { codes, recoveryCodes } = await setUp(browser)
    expect(new Set(recoveryCodes).size).toBe(10)
    expect((await browser.send('GET', '/api/auth/two-factor')).body).toMatchObject({ recoveryCodesLeft: 10 })
    expectFailure(await signIn('app@example.com'), 401, 'second_factor_required')
    expect((await signIn('app@example.com', codes.next())).status).toBe(200)
    expectFailure(await browser.send('POST', '/api/auth/two-factor/begin', { password: PASSWORD }), 409, 'conflict')
  })

  it('takes each code once, a step beside its time, and no other', async () => {
    const email = 'once@example.com'
    const { codes } = await setUp(await addUser(millrace, 'viewer', email))
    const code = codes.next()
    expect((await signIn(email, code)).status).toBe(200)
    expectFailure(await signIn(email, code), 401, 'second_factor_required')
    // The code before it, which was not used, is too late now.
    expectFailure(await signIn(email, codes.at(-1)), 401, 'second_factor_required')
    expectFailure(await signIn(email, codes.at(9)), 401, 'second_factor_required')
    // A wrong password is never told apart by its code.
    expectFailure(await signIn(email, codes.next(), openBrowser(millrace), 'not the password'), 401, 'unauthorized')
  })

  it('slows down whoever has the password and guesses codes', async () => {
    const email = 'guessed@example.com'
    const { codes } = await setUp(await addUser(millrace, 'viewer', email))
    const statuses: number[] = []
    for (let guess = 0; guess < 11; guess++) statuses.push((await signIn(email, String(100_000 + guess))).status)
    expect(statuses).toEqual([...Array(10).fill(401), 429])
    expect((await signIn(email, codes.next())).status).toBe(429)
  })

  it('has recovery codes, each of which works once, however it is written', async () => {
    const email = 'lost@example.com'
    const browser = await addUser(millrace, 'viewer', email)
    const { recoveryCodes } = await setUp(browser)
    const [first, second] = recoveryCodes as [string, string]
    expect((await signIn(email, ` ${first.toUpperCase().replaceAll('-', ' ')} `)).status).toBe(200)
    expectFailure(await signIn(email, first), 401, 'second_factor_required')
    expect((await browser.send('GET', '/api/auth/two-factor')).body.recoveryCodesLeft).toBe(9)
    const renew = (password: string) => browser.send('POST', '/api/auth/two-factor/recovery-codes', { password })
    expect((await renew('wrong')).status).toBe(400)
    const renewed = (await renew(PASSWORD)).body.recoveryCodes as string[]
    expectFailure(await signIn(email, second), 401, 'second_factor_required')
    expect((await signIn(email, renewed[0])).status).toBe(200)
    const { items } = (await millrace.api('GET', '/audit?limit=1')).body
    expect(items[0]).toMatchObject({ action: 'user.sign_in', details: { secondFactor: 'recovery code' } })
  })

  it('goes with the password, or by an owner, which ends the sessions', async () => {
    const email = 'off@example.com'
    const browser = await addUser(millrace, 'viewer', email)
    await setUp(browser)
    const off = (password: string) => browser.send('POST', '/api/auth/two-factor/off', { password })
    expect((await off('wrong')).status).toBe(400)
    expect((await off(PASSWORD)).status).toBe(204)
    expect((await signIn(email)).status).toBe(200)
    await setUp(browser)
    expect((await owner.send('DELETE', `/api/v1/users/${browser.id}/second-factor`)).status).toBe(204)
    expect((await browser.send('GET', '/api/v1/me')).status).toBe(401)
    expect((await signIn(email)).status).toBe(200)
    expectFailure(await owner.send('DELETE', `/api/v1/users/${browser.id}/second-factor`), 409, 'conflict')
  })
})

describe('a role that needs a second factor', () => {
  const rule = (roles: string[], by: Browser = owner) => by.send('PUT', '/api/v1/settings/two-factor', { roles })

  it('is not set by an owner who would lock themselves out', async () => {
    expectFailure(await rule(['owner']), 409, 'conflict')
    expect((await owner.send('GET', '/api/v1/settings/two-factor')).body).toEqual({ roles: [] })
  })

  it('lets its users do nothing but set one up, in sessions that are open too; tokens go on', async () => {
    const browser = await addUser(millrace, 'editor', 'needs@example.com')
    expect((await rule(['editor'])).body).toEqual({ roles: ['editor'] })
    for (const one of [browser, openBrowser(millrace)]) {
      if (one !== browser) expect((await signIn('needs@example.com', undefined, one)).status).toBe(200)
      expectFailure(await one.send('GET', '/api/v1/flows'), 403, 'two_factor_setup_required')
      expectFailure(await one.send('GET', '/api/auth/sessions'), 403, 'two_factor_setup_required')
      expect((await one.send('GET', '/api/auth/state')).body).toMatchObject({ twoFactorSetup: true })
    }
    const events = await fetch(`${millrace.url}/api/v1/events`, { headers: { cookie: browser.cookie()! } })
    expect(events.status).toBe(403)
    const { token } = (await millrace.api('POST', '/tokens', { name: 'script', scope: 'write' })).body
    const asToken = await fetch(`${millrace.url}/api/v1/flows`, { headers: { authorization: `Bearer ${token}` } })
    expect(asToken.status).toBe(200)
    await setUp(browser)
    expect((await browser.send('GET', '/api/v1/flows')).status).toBe(200)
    expect((await browser.send('GET', '/api/auth/state')).body).toMatchObject({ twoFactorSetup: false })
    const off = await browser.send('POST', '/api/auth/two-factor/off', { password: PASSWORD })
    expectFailure(off, 409, 'conflict')
    await rule([])
  })
})

describe('sessions', () => {
  it('are listed with their device, and end one by one, or all others at once', async () => {
    const email = 'devices@example.com'
    const first = await addUser(millrace, 'viewer', email)
    const [second, third] = [openBrowser(millrace), openBrowser(millrace)]
    const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0'
    await second.send(
      'POST',
      '/api/auth/sign-in/email',
      { email, password: PASSWORD },
      { 'user-agent': agent, 'x-forwarded-for': '198.51.100.9' },
    )
    await signIn(email, undefined, third)
    const list = async (browser: Browser) => (await browser.send('GET', '/api/auth/sessions')).body.items
    const items = await list(second)
    expect(items).toHaveLength(3)
    expect(items.filter(({ current }: { current: boolean }) => current)).toMatchObject([
      { device: 'Firefox on Linux', address: '198.51.100.9', provider: null },
    ])
    const own = items.find(({ current }: { current: boolean }) => current)
    const events = await fetch(`${millrace.url}/api/v1/events`, { headers: { cookie: second.cookie()! } })
    expect((await first.send('DELETE', `/api/auth/sessions/${own.id}`)).status).toBe(204)
    await events.text()
    expect((await second.send('GET', '/api/v1/me')).status).toBe(401)
    expect((await third.send('POST', '/api/auth/sessions/end-others')).body).toEqual({ ended: 1 })
    expect((await first.send('GET', '/api/v1/me')).status).toBe(401)
    expect(await list(third)).toHaveLength(1)
  })

  it('of others cannot be ended, but by an owner', async () => {
    const [mine, other] = [
      await addUser(millrace, 'editor', 'mine@example.com'),
      await addUser(millrace, 'editor', 'theirs@example.com'),
    ]
    const [{ id }] = (await other.send('GET', '/api/auth/sessions')).body.items
    expectFailure(await mine.send('DELETE', `/api/auth/sessions/${id}`), 404, 'not_found')
    expect((await owner.send('DELETE', `/api/v1/users/${other.id}/sessions`)).body).toEqual({ ended: 1 })
    expect((await other.send('GET', '/api/v1/me')).status).toBe(401)
    expect((await mine.send('GET', '/api/v1/me')).status).toBe(200)
  })
})

describe('a common password', () => {
  it('is refused wherever a password is chosen', async () => {
    const password = 'Password123'
    const fresh = await startMillrace()
    const who = { email: 'ada@example.com', name: 'Ada', password }
    const code = setUpCode(fresh.log())
    expectFailure(await openBrowser(fresh).send('POST', '/api/auth/setup', { code, ...who }), 400, 'common_password')
    await fresh.stop()
    const { url } = (await millrace.api('POST', '/invitations', { role: 'viewer' })).body
    const accept = { ...who, code: codeOf(url), email: 'common@example.com' }
    const accepted = await openBrowser(millrace).send('POST', '/api/auth/accept-invitation', accept)
    expectFailure(accepted, 400, 'common_password')
    const change = { currentPassword: PASSWORD, newPassword: password }
    expectFailure(await owner.send('POST', '/api/auth/change-password', change), 400, 'common_password')
  })
})
