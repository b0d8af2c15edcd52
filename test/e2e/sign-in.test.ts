// Tests signing in and out, sessions and their cookie, and changing the password.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addUser, type Browser, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { ISO } from '../harness/management.ts'
import { type Millrace, startMillrace, temporaryFolder } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
  await setUpOwner(millrace)
})
afterAll(() => millrace.stop())

/** Starts a separate service for guesses, because a service remembers the addresses that guessed. */
async function another(environment: Record<string, string> = {}): Promise<Millrace> {
  const started = await startMillrace(environment)
  onTestFinished(() => started.stop())
  return started
}

const signIn = (email: string, password = PASSWORD, browser: Browser = openBrowser(millrace)) =>
  browser.send('POST', '/api/auth/sign-in/email', { email, password })

const isIn = async (browser: Browser): Promise<boolean> => (await browser.send('GET', '/api/v1/me')).status === 200

describe('signing in', () => {
  it('opens a session by a cookie that no script can read', async () => {
    const browser = openBrowser(millrace)
    const answer = await signIn('ADA@example.com', PASSWORD, browser)
    expect(answer).toMatchObject({ status: 200, body: { user: { email: 'ada@example.com', role: 'owner' } } })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^millrace_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Expires=[^;]+ GMT$/),
      expect.stringMatching(/^millrace_device=[\w-]{43}\.[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=\d+$/),
    ])
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const { user } = answer.body
    const me = await browser.send('GET', '/api/v1/me')
    expect(me.body).toEqual({ name: 'ada@example.com', scope: 'admin', scopes: user.scopes, user })
    const session = await browser.send('GET', '/api/auth/get-session')
    expect(session.body).toEqual({ session: { expiresAt: expect.stringMatching(ISO) }, user })
    expect((await openBrowser(millrace).send('GET', '/api/auth/get-session')).body).toBeNull()
    const users = (await browser.send('GET', '/api/v1/users')).body.items
    expect(users[0]).toMatchObject({ ...user, createdAt: expect.stringMatching(ISO) })
    expect(users[0].lastSignInAt > users[0].createdAt).toBe(true)
  })

  it('has a cookie for HTTPS only, where Millrace is reached that way', async () => {
    const secure = await another({ MILLRACE_BASE_URL: 'https://flows.example.com' })
    const code = /https:\/\/flows\.example\.com\/setup#code=([\w-]+)/.exec(secure.log())![1]
    const browser = openBrowser(secure)
    const body = { code, email: 'ada@example.com', name: 'Ada', password: PASSWORD }
    const answer = await browser.send('POST', '/api/auth/setup', body, { origin: 'https://flows.example.com' })
    expect(answer.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^__Host-millrace_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Expires=/),
      expect.stringMatching(/^__Host-millrace_device=[^;]+; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=/),
    ])
    expect(await isIn(browser)).toBe(true)
    const plain = openBrowser(secure, browser.cookie()!.replace('__Host-', ''))
    expect(await isIn(plain)).toBe(false)
  })

  it('answers the same to a wrong password and to an address that is nobody’s', async () => {
    const [wrong, unknown] = [await signIn('ada@example.com', 'wrong password'), await signIn('eve@example.com')]
    for (const answer of [wrong, unknown]) {
      expectFailure(answer, 401, 'unauthorized')
      expect(answer.headers.getSetCookie()).toEqual([])
    }
    expect(unknown.body.message).toBe(wrong.body.message)
  })

  it('is in the audit log, as are failures, without what was typed where nobody has that address', async () => {
    await signIn('ada@example.com')
    await signIn('ada@example.com', 'wrong password')
    await signIn('a password typed into the wrong field')
    const { items } = (await millrace.api('GET', '/audit?limit=3')).body
    expect(items).toMatchObject([
      { action: 'user.sign_in_failed', actor: 'nobody', target: null, details: { from: '127.0.0.1' } },
      { action: 'user.sign_in_failed', actor: 'nobody', target: { kind: 'user', name: 'ada@example.com' } },
      { action: 'user.sign_in', actor: 'ada@example.com', target: { kind: 'user', name: 'ada@example.com' } },
    ])
  })

  it.each(['', 'millrace_session=', 'millrace_session=x; millrace_session=y', 'millrace_session=../../x'])(
    'takes no cookie like "%s"',
    async (cookie) => {
      expect(await isIn(openBrowser(millrace, cookie))).toBe(false)
    },
  )
})

describe('guessing', () => {
  it('from one address is stopped for an account, known or not, also for many guesses at once; others still come in', {
    timeout: 180_000,
  }, async () => {
    const guessed = await another()
    await setUpOwner(guessed)
    await addUser(guessed, 'viewer', 'guessed@example.com')
    const guess = (email: string, password = PASSWORD) => signIn(email, password, openBrowser(guessed))
    for (const email of ['guessed@example.com', 'unknown@example.com']) {
      const guesses = await Promise.all(Array.from({ length: 11 }, (_, i) => guess(email, `guess number ${i}`)))
      expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(10).fill(401), 429])
      const late = await guess(email)
      expectFailure(late, 429, 'rate_limited')
      expect(Number(late.headers.get('retry-after'))).toBeGreaterThan(0)
    }
    expect((await guess('ada@example.com')).status).toBe(200)
  })

  it('is stopped for the address that it comes from, as a trusted proxy tells it', async () => {
    const behind = await another({ MILLRACE_TRUST_PROXY: '127.0.0.1' })
    const owner = await setUpOwner(behind)
    const from = (address: string) => ({ 'x-forwarded-for': address })
    // Codes are guessed faster than passwords, and count alike. The addresses of one IPv6 network count as one.
    const guesses = await Promise.all(
      Array.from({ length: 31 }, (_, i) =>
        openBrowser(behind).send('POST', '/api/auth/invitation', { code: 'guess' }, from(`2001:db8::${i}`)),
      ),
    )
    expect(guesses.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([...Array(30).fill(404), 429])
    const signInFrom = (address: string) =>
      openBrowser(behind).send(
        'POST',
        '/api/auth/sign-in/email',
        { email: 'ada@example.com', password: PASSWORD },
        from(address),
      )
    expectFailure(await signInFrom('2001:db8::ffff'), 429, 'rate_limited')
    expect((await signInFrom('2001:db8:0:1::1')).status).toBe(200)
    expect((await signInFrom('203.0.113.7')).status).toBe(200)
    expect(await isIn(owner)).toBe(true)
  })
})

describe('guessing does not keep out', { timeout: 180_000 }, () => {
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const tryFrom = (millrace: Millrace, address: string, password: string, browser = openBrowser(millrace)) =>
    browser.send('POST', '/api/auth/sign-in/email', { email: 'ada@example.com', password }, from(address))

  it('the user, who comes from another address', async () => {
    const behind = await another({ MILLRACE_TRUST_PROXY: '127.0.0.1' })
    await setUpOwner(behind)
    for (let guess = 0; guess < 12; guess++) await tryFrom(behind, '203.0.113.7', `guess number ${guess}`)
    expectFailure(await tryFrom(behind, '203.0.113.7', PASSWORD), 429, 'rate_limited')
    expect((await tryFrom(behind, '198.51.100.4', PASSWORD)).status).toBe(200)
  })

  it('a browser that the user has signed in with before, also before a restart', async () => {
    const dataDir = temporaryFolder()
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    const settings = { MILLRACE_TRUST_PROXY: '127.0.0.1', MILLRACE_DATA_DIR: dataDir }
    const before = await startMillrace(settings)
    const owner = await setUpOwner(before)
    await owner.send('POST', '/api/auth/sign-out')
    await before.stop()
    const port = String(before.port)
    const after = await another({ ...settings, MILLRACE_PORT: port })
    const guesses = Array.from({ length: 12 }, (_, i) => tryFrom(after, '203.0.113.1', `guess number ${i}`))
    expect((await Promise.all(guesses)).map(({ status }) => status)).toContain(429)
    expectFailure(await tryFrom(after, '203.0.113.1', PASSWORD), 429, 'rate_limited')
    expect((await tryFrom(after, '203.0.113.1', PASSWORD, owner)).status).toBe(200)
  })

  it('others by a browser that is known for one user: it is no way around for another account', async () => {
    const behind = await another()
    await setUpOwner(behind)
    const other = await addUser(behind, 'viewer', 'other@example.com')
    const statuses: number[] = []
    for (let guess = 0; guess < 12; guess++)
      statuses.push((await signIn('ada@example.com', `guess number ${guess}`, other)).status)
    expect(statuses.filter((status) => status === 401)).toHaveLength(10)
    const forged = openBrowser(behind, `millrace_device=${'a'.repeat(43)}.${'b'.repeat(43)}`)
    expectFailure(await signIn('ada@example.com', PASSWORD, forged), 429, 'rate_limited')
  })
})

describe('a session', () => {
  /** Changes the database as if time had passed. */
  const sql = (text: string, ...values: (string | number)[]) => {
    const db = new DatabaseSync(join(millrace.dataDir, 'millrace.db'), { timeout: 5000 })
    db.prepare(text).run(...values)
    db.close()
  }
  const DAY = 86_400_000

  it('ends with signing out, and what watches through it ends too', async () => {
    const browser = await addUser(millrace, 'viewer', 'leaving@example.com')
    const other = openBrowser(millrace)
    await signIn('leaving@example.com', PASSWORD, other)
    const cookie = browser.cookie()!
    const events = await fetch(`${millrace.url}/api/v1/events`, { headers: { cookie } })
    const answer = await browser.send('POST', '/api/auth/sign-out')
    expect(answer.status).toBe(204)
    expect(answer.headers.get('set-cookie')).toMatch(/^millrace_session=; .*Max-Age=0$/)
    await events.text()
    expect(await isIn(openBrowser(millrace, cookie))).toBe(false)
    expect(await isIn(other)).toBe(true)
    expect((await browser.send('POST', '/api/auth/sign-out')).status).toBe(204)
  })

  it('lasts a week from its last use, and 90 days at most', async () => {
    const { id, ...browser } = await addUser(millrace, 'viewer', 'busy@example.com')
    const now = Date.now()
    expect((await browser.send('GET', '/api/v1/me')).headers.getSetCookie()).toEqual([])
    for (const path of ['/api/v1/me', '/api/auth/state', '/api/auth/get-session']) {
      sql('update user_session set expires_at = ? where user_id = ?', now + 5 * DAY, id)
      const renewed = (await browser.send('GET', path)).headers.get('set-cookie')
      const expires = Date.parse(/Expires=([^;]+)/.exec(renewed!)![1]!)
      expect(expires).toBeGreaterThan(now + 7 * DAY - 60_000)
      expect(await isIn(browser)).toBe(true)
    }
    sql('update user_session set created_at = ?, expires_at = ? where user_id = ?', now - 89 * DAY, now + DAY / 2, id)
    expect((await browser.send('GET', '/api/v1/me')).headers.getSetCookie()).toEqual([])
    sql('update user_session set expires_at = ? where user_id = ?', now - 1, id)
    expectFailure(await browser.send('GET', '/api/v1/me'), 401, 'unauthorized')
    expect((await browser.send('GET', '/api/auth/state')).body.user).toBeNull()
  })
})

describe('changing the password', () => {
  const change = (browser: Browser, currentPassword: string, newPassword: string) =>
    browser.send('POST', '/api/auth/change-password', { currentPassword, newPassword })

  it('takes the current one, ends the other sessions, and keeps this one', async () => {
    const email = 'changing@example.com'
    const browser = await addUser(millrace, 'editor', email)
    const other = openBrowser(millrace)
    await signIn(email, PASSWORD, other)
    const before = browser.cookie()!
    const wrong = await change(browser, 'not the password', 'another password')
    expect(wrong).toMatchObject({ status: 400, body: { message: 'The current password is wrong.' } })
    expect((await change(browser, PASSWORD, 'short')).status).toBe(400)
    expect(await isIn(other)).toBe(true)

    expect((await change(browser, PASSWORD, 'another password')).status).toBe(200)
    expect(await isIn(browser)).toBe(true)
    expect(await isIn(other)).toBe(false)
    expect(await isIn(openBrowser(millrace, before))).toBe(false)
    expect((await signIn(email)).status).toBe(401)
    expect((await signIn(email, 'another password')).status).toBe(200)
  })

  it('leaves no session that was opened meanwhile with the old one', { timeout: 180_000 }, async () => {
    const raced = await another()
    for (let round = 0; round < 5; round++) {
      const email = `racing${round}@example.com`
      const browser = await addUser(raced, 'editor', email)
      const others = Array.from({ length: 4 }, () => openBrowser(raced))
      const [changed] = await Promise.all([
        change(browser, PASSWORD, 'another password'),
        ...others.map((other) => signIn(email, PASSWORD, other)),
      ])
      expect(changed.status).toBe(200)
      for (const other of others) expect(await isIn(other)).toBe(false)
    }
  })
})
