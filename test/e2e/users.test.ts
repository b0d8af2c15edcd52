// Tests users: invitations, roles, and the last owner.
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addUser, type Browser, codeOf, openBrowser, PASSWORD, setUpOwner } from '../harness/browser.ts'
import { expectFailure } from '../harness/inbox.ts'
import { ISO } from '../harness/management.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let owner: Browser
beforeAll(async () => {
  millrace = await startMillrace()
  owner = await setUpOwner(millrace)
})
afterAll(() => millrace.stop())

const accept = (code: string, email: string) =>
  openBrowser(millrace).send('POST', '/api/auth/accept-invitation', { code, email, name: 'Guest', password: PASSWORD })

const offer = (code: string) => openBrowser(millrace).send('POST', '/api/auth/invitation', { code })

describe('an invitation', () => {
  it('is a link that lets one user in, with the role that it carries', async () => {
    const made = await owner.send('POST', '/api/v1/invitations', { role: 'editor' })
    const { url, ...invitation } = made.body
    expect(made.status).toBe(201)
    expect(url).toMatch(new RegExp(`^http://localhost:${millrace.port}/invite#code=[\\w-]{43}$`))
    expect(invitation).toEqual({
      id: expect.stringMatching(/^inv_/),
      email: null,
      role: 'editor',
      createdAt: expect.stringMatching(ISO),
      expiresAt: expect.stringMatching(ISO),
    })
    expect(Date.parse(invitation.expiresAt) - Date.parse(invitation.createdAt)).toBe(7 * 86_400_000)
    expect((await owner.send('GET', '/api/v1/invitations')).body).toEqual({ items: [invitation], nextCursor: null })
    const code = codeOf(url)
    const { role, email, expiresAt } = invitation
    expect((await offer(code)).body).toEqual({ role, email, expiresAt })

    const accepted = await Promise.all(['one@example.com', 'two@example.com'].map((address) => accept(code, address)))
    expect(accepted.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404])
    const { user } = accepted.find(({ status }) => status === 200)!.body
    expect(user.role).toBe('editor')
    expectFailure(await offer(code), 404, 'not_found')
    expect((await owner.send('GET', '/api/v1/invitations')).body.items).toEqual([])
    const { items } = (await owner.send('GET', '/api/v1/users')).body
    expect(items.at(-1)).toMatchObject(user)
    const entries = (await owner.send('GET', '/api/v1/audit?limit=2')).body.items
    expect(entries).toMatchObject([
      { action: 'invitation.accept', actor: user.email, actorId: user.id, target: { id: invitation.id } },
      { action: 'invitation.create', actor: 'ada@example.com', target: { id: invitation.id }, details: { role } },
    ])
  })

  it('is looked up without its code in a URL', async () => {
    const { url } = (await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })).body
    const byUrl = await openBrowser(millrace).send('GET', `/api/auth/invitation?code=${codeOf(url)}`)
    expectFailure(byUrl, 404, 'not_found')
    const withoutBody = await openBrowser(millrace).send('POST', `/api/auth/invitation?code=${codeOf(url)}`, {})
    expect(withoutBody.status).toBe(400)
    expect((await offer(codeOf(url))).status).toBe(200)
    expect((await accept(codeOf(url), 'looked-up@example.com')).status).toBe(200)
  })

  it('for an address lets only that one in', async () => {
    const { url } = (await owner.send('POST', '/api/v1/invitations', { role: 'viewer', email: 'Carl@example.com' }))
      .body
    expect((await offer(codeOf(url))).body.email).toBe('carl@example.com')
    expect((await accept(codeOf(url), 'eve@example.com')).status).toBe(400)
    expect((await accept(codeOf(url), 'CARL@example.com')).body.user.email).toBe('carl@example.com')
  })

  it('does not let in a second user with the same address, and stays', async () => {
    const { url } = (await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })).body
    expectFailure(await accept(codeOf(url), 'ADA@example.com'), 409, 'conflict')
    expect((await accept(codeOf(url), 'dora@example.com')).status).toBe(200)
  })

  it('opens nothing once it was taken back, or is past its time', async () => {
    const [revoked, expired] = [
      (await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })).body,
      (await owner.send('POST', '/api/v1/invitations', { role: 'viewer' })).body,
    ]
    expect((await owner.send('DELETE', `/api/v1/invitations/${revoked.id}`)).status).toBe(204)
    expectFailure(await owner.send('DELETE', `/api/v1/invitations/${revoked.id}`), 404, 'not_found')
    const db = new DatabaseSync(join(millrace.dataDir, 'millrace.db'), { timeout: 5000 })
    db.prepare('update invitation set expires_at = ? where id = ?').run(Date.now() - 1, expired.id)
    db.close()
    for (const { url } of [revoked, expired]) {
      expectFailure(await offer(codeOf(url)), 404, 'not_found')
      expectFailure(await accept(codeOf(url), 'late@example.com'), 404, 'not_found')
    }
    expect((await owner.send('GET', '/api/v1/invitations')).body.items).toEqual([])
  })

  it.each([{}, { role: 'admin' }, { role: 'viewer', email: 'nobody' }])('is not made of %j', async (body) => {
    expect((await owner.send('POST', '/api/v1/invitations', body)).status).toBe(400)
  })
})

describe('a role', () => {
  it('counts at once, also for sessions that are open', async () => {
    const user = await addUser(millrace, 'viewer', 'rising@example.com')
    const create = () => user.send('POST', '/api/v1/flows', { name: 'x', trigger: { kind: 'webhook' }, steps: [] })
    expectFailure(await create(), 403, 'forbidden')
    const raised = await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'editor' })
    expect(raised).toMatchObject({ status: 200, body: { id: user.id, role: 'editor' } })
    expect((await create()).status).toBe(201)
    expect((await user.send('GET', '/api/v1/me')).body).toMatchObject({ scope: 'write', user: { role: 'editor' } })
    await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'viewer' })
    expectFailure(await create(), 401, 'unauthorized')
    expect((await owner.send('GET', '/api/v1/audit?limit=1')).body.items).toMatchObject([
      { action: 'user.role_change', target: { id: user.id, name: 'rising@example.com' }, details: { role: 'viewer' } },
    ])
  })

  it('is one that there is, of a user that there is', async () => {
    expect((await owner.send('PUT', '/api/v1/users/usr_none', { role: 'king' })).status).toBe(400)
    expectFailure(await owner.send('PUT', '/api/v1/users/usr_none', { role: 'owner' }), 404, 'not_found')
    expectFailure(await owner.send('DELETE', '/api/v1/users/usr_none'), 404, 'not_found')
  })
})

describe('deleting a user', () => {
  it('ends sessions, tokens and what watches through them, at once', async () => {
    const user = await addUser(millrace, 'owner', 'leaving@example.com')
    const { token } = (await user.send('POST', '/api/v1/tokens', { name: 'mine', scope: 'read' })).body
    const withToken = { authorization: `Bearer ${token}` }
    const streams = await Promise.all(
      [{ cookie: user.cookie()! }, withToken].map((headers) => fetch(`${millrace.url}/api/v1/events`, { headers })),
    )
    expect((await owner.send('DELETE', `/api/v1/users/${user.id}`)).status).toBe(204)
    expect((await user.send('GET', '/api/v1/me')).status).toBe(401)
    expect((await fetch(`${millrace.url}/api/v1/me`, { headers: withToken })).status).toBe(401)
    for (const stream of streams) await stream.text()
    const again = { email: 'leaving@example.com', password: PASSWORD }
    expect((await openBrowser(millrace).send('POST', '/api/auth/sign-in/email', again)).status).toBe(401)
    const { items } = (await owner.send('GET', '/api/v1/audit?limit=5')).body
    expect(items.find(({ action }: { action: string }) => action === 'user.delete')).toMatchObject({
      actor: 'ada@example.com',
      target: { kind: 'user', id: user.id, name: 'leaving@example.com' },
    })
  })
})

describe('what an owner made that lets somebody in', () => {
  const invitations = async (user: Browser) => {
    const made = [(await user.send('POST', '/api/v1/invitations', { role: 'owner' })).body]
    const { token } = (await user.send('POST', '/api/v1/tokens', { name: 'mine', scope: 'admin' })).body
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const body = JSON.stringify({ role: 'owner' })
    const response = await fetch(`${millrace.url}/api/v1/invitations`, { method: 'POST', headers, body })
    made.push(await response.json())
    return made.map(({ url }) => codeOf(url))
  }

  it.each([
    ['the user', (id: string) => owner.send('DELETE', `/api/v1/users/${id}`)],
    ['the role', (id: string) => owner.send('PUT', `/api/v1/users/${id}`, { role: 'editor' })],
  ])('ends with %s', async (what, end) => {
    const user = await addUser(millrace, 'owner', `${what.replace(' ', '-')}@example.com`)
    const codes = await invitations(user)
    for (const code of codes) expect((await offer(code)).status).toBe(200)
    expect((await end(user.id)).status).toBeLessThan(300)
    for (const code of codes) {
      expectFailure(await offer(code), 404, 'not_found')
      expectFailure(await accept(code, `back-${code.slice(0, 5)}@example.com`.toLowerCase()), 404, 'not_found')
    }
    expect((await owner.send('GET', '/api/v1/invitations')).body.items).toEqual([])
  })

  it('is a consent that was asked for: nobody connects with it afterwards', async () => {
    const fields = {
      grant: 'authorization_code',
      authorizationUrl: 'https://accounts.example.com/authorize',
      tokenUrl: 'https://accounts.example.com/token',
      clientId: 'millrace',
      clientSecret: 'a-client-secret',
    }
    expect(
      (await millrace.api('POST', '/connections', { name: 'consent', kind: 'oauth2', fields })).body,
    ).toMatchObject({ name: 'consent' })
    const user = await addUser(millrace, 'editor', 'consenting@example.com')
    let session = user.cookie()
    // Each request has its own browser, which keeps the cookie that it needs when it comes back.
    const begin = async () => {
      const browser = openBrowser(millrace, session)
      const { url } = (await browser.send('POST', '/api/v1/connections/consent/authorize')).body
      const state = new URL(url).searchParams.get('state')
      return async () => (await browser.send('GET', `/api/v1/oauth/callback?state=${state}&error=access_denied`)).body
    }
    expect(await (await begin())()).toContain('The authorization server says access_denied')
    const comeBack = [await begin()]
    await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'viewer' })
    await owner.send('PUT', `/api/v1/users/${user.id}`, { role: 'editor' })
    await user.send('POST', '/api/auth/sign-in/email', { email: 'consenting@example.com', password: PASSWORD })
    session = user.cookie()
    comeBack.push(await begin())
    await owner.send('DELETE', `/api/v1/users/${user.id}`)
    for (const back of comeBack) expect(await back()).toContain('The state is not known')
  })
})

describe('the last owner', () => {
  it('can neither go nor be degraded, not even when the last two turn on one another', async () => {
    const alone = await startMillrace()
    onTestFinished(() => alone.stop())
    const first = await setUpOwner(alone)
    const { id } = (await first.send('GET', '/api/v1/me')).body.user
    expectFailure(await first.send('DELETE', `/api/v1/users/${id}`), 409, 'conflict')
    expectFailure(await first.send('PUT', `/api/v1/users/${id}`, { role: 'editor' }), 409, 'conflict')
    expect((await first.send('PUT', `/api/v1/users/${id}`, { role: 'owner' })).status).toBe(200)

    const second = await addUser(alone, 'owner', 'bob@example.com')
    const answers = await Promise.all([
      first.send('DELETE', `/api/v1/users/${second.id}`),
      second.send('PUT', `/api/v1/users/${id}`, { role: 'viewer' }),
    ])
    expect(answers.filter(({ status }) => status < 300)).toHaveLength(1)
    const owners = (await alone.api('GET', '/users')).body.items.filter(
      ({ role }: { role: string }) => role === 'owner',
    )
    expect(owners).toHaveLength(1)
  })
})
