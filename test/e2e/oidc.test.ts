// Single sign-on against a real provider, oidc-provider.
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { Visitor } from '../harness/authorization-server.ts'
import { openBrowser, setUpOwner } from '../harness/browser.ts'
import { freePort } from '../harness/free-port.ts'
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../harness/identity-provider.ts'
import { expectFailure } from '../harness/inbox.ts'
import { answerOf, type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let provider: IdentityProvider
let baseUrl: string
let environment: Record<string, string>

beforeAll(async () => {
  const port = await freePort()
  baseUrl = `http://localhost:${port}`
  provider = await startIdentityProvider(baseUrl)
  environment = {
    MILLRACE_PORT: String(port),
    // Flows must not reach the provider; sign-in does all the same.
    MILLRACE_EGRESS_ALLOW: '',
    MILLRACE_OIDC_ISSUER: provider.issuer,
    MILLRACE_OIDC_CLIENT_ID: CLIENT.id,
    MILLRACE_OIDC_CLIENT_SECRET: CLIENT.secret,
    MILLRACE_OIDC_NAME: 'Acme',
    MILLRACE_OIDC_ROLES: 'claim=groups;admins=owner;devs=editor;staff=viewer',
  }
  millrace = await startMillrace(environment)
  for (const [name, groups] of Object.entries({ grace: ['devs', 'staff'], linus: ['others'], root: ['admins'] }))
    provider.people.set(name, { email: `${name}@example.com`, email_verified: true, name, groups })
})
afterAll(async () => {
  await millrace.stop()
  await provider.close()
})

/** Goes to the provider, signs in there as `login`, and comes back. */
async function signIn(login: string, visitor = new Visitor(), to = ''): Promise<{ visitor: Visitor; back: Response }> {
  const begun = await visitor.open(`${baseUrl}/api/auth/oidc/1${to}`)
  expect(begun.status).toBe(303)
  const callback = await visitor.consent(begun.headers.get('location')!, `${baseUrl}/api/auth/`, login)
  return { visitor, back: await visitor.open(callback) }
}

const userOf = async (visitor: Visitor) => (await answerOf(await visitor.open(`${baseUrl}/api/auth/state`))).body.user

const auditActions = async () =>
  (await millrace.api('GET', '/audit?limit=50')).body.items.map(
    ({ action, actor, details }: { action: string; actor: string; details: object }) => ({ action, actor, details }),
  )

describe('single sign-on', () => {
  it('lets nobody in before there is an owner', async () => {
    const { back } = await signIn('grace')
    expect(back.status).toBe(403)
    expect(await back.text()).toContain('Millrace has no owner yet')
    await setUpOwner(millrace)
  })

  it('makes an account with the highest role of the groups, and opens a session', async () => {
    const { visitor, back } = await signIn('grace', undefined, '?to=/flows')
    expect(back.status).toBe(303)
    expect(back.headers.get('location')).toBe('/flows')
    expect(await userOf(visitor)).toMatchObject({ email: 'grace@example.com', name: 'grace', role: 'editor' })
    const actions = await auditActions()
    expect(actions[0]).toMatchObject({ action: 'user.sign_in', actor: 'grace@example.com', details: { by: 'Acme' } })
    expect(actions[1]).toMatchObject({ action: 'user.join', details: { role: 'editor', by: 'Acme' } })
  })

  it('goes nowhere but to its own pages afterwards', async () => {
    for (const to of ['//evil.example', 'https://evil.example', '/\\evil.example']) {
      const { back } = await signIn('grace', undefined, `?to=${encodeURIComponent(to)}`)
      expect(back.headers.get('location')).toBe('/')
    }
  })

  it('refuses somebody without a group that has a role, and says so on a page', async () => {
    const { visitor, back } = await signIn('linus')
    expect(back.status).toBe(403)
    expect(await back.text()).toContain('Your account at Acme gives you no access to Millrace.')
    expect(await userOf(visitor)).toBeNull()
    expect((await auditActions())[0]).toMatchObject({ action: 'user.sign_in_failed', actor: 'nobody' })
  })

  it('takes a role away with the group, and what the role allowed', async () => {
    const first = await signIn('grace')
    expect((await userOf(first.visitor)).role).toBe('editor')
    provider.people.get('grace')!.groups = ['staff']
    const { visitor } = await signIn('grace')
    expect((await userOf(visitor)).role).toBe('viewer')
    // The session that had more has ended.
    expect(await userOf(first.visitor)).toBeNull()
    provider.people.get('grace')!.groups = []
    const refused = await signIn('grace')
    expect(refused.back.status).toBe(403)
    expect(await userOf(visitor)).toBeNull()
    provider.people.get('grace')!.groups = ['devs']
    expect((await userOf((await signIn('grace')).visitor)).role).toBe('editor')
  })

  it('never takes over an account by its address', async () => {
    provider.people.set('imposter', { email: 'ADA@example.com', name: 'Ada', groups: ['admins'] })
    const { visitor, back } = await signIn('imposter')
    expect(back.status).toBe(403)
    expect(await back.text()).toContain('Sign in with your password, and link Acme in Settings, Profile.')
    expect(await userOf(visitor)).toBeNull()
  })

  it('needs an address that the provider does not doubt', async () => {
    provider.people.set('unsure', { email: 'unsure@example.com', email_verified: false, groups: ['staff'] })
    provider.people.set('nameless', { groups: ['staff'] })
    expect(await (await signIn('unsure')).back.text()).toContain('was not verified')
    expect(await (await signIn('nameless')).back.text()).toContain('sends no e-mail address')
  })

  it('does not go on in another browser, and not twice', async () => {
    const visitor = new Visitor()
    const begun = await visitor.open(`${baseUrl}/api/auth/oidc/1`)
    const callback = await visitor.consent(begun.headers.get('location')!, `${baseUrl}/api/auth/`, 'grace')
    const elsewhere = await new Visitor().open(callback)
    expect(elsewhere.status).toBe(403)
    expect(await elsewhere.text()).toContain('not begun in this browser')
    expect((await visitor.open(callback)).status).toBe(303)
    expect((await visitor.open(callback)).status).toBe(403)
  })
})

describe('the provider', () => {
  it('ends the session here when somebody signs out there', async () => {
    const { visitor } = await signIn('grace')
    const other = await signIn('grace')
    expect(await userOf(visitor)).toMatchObject({ email: 'grace@example.com' })
    const page = await (await visitor.open(`${provider.issuer}/session/end`)).text()
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!
    await visitor.open(`${provider.issuer}/session/end/confirm`, { xsrf, logout: 'yes' })
    expect(await userOf(visitor)).toBeNull()
    // A session of another browser at the provider is another one here.
    expect(await userOf(other.visitor)).toMatchObject({ email: 'grace@example.com' })
    expect((await auditActions())[0]).toMatchObject({ action: 'user.sessions_end', actor: 'Acme' })
  })

  it('may sign with another key, without a restart', async () => {
    await signIn('grace')
    provider.changeKey()
    // The keys were fetched a moment ago: half a minute later they are fetched again.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 })
    onTestFinished(() => void vi.useRealTimers())
    const { visitor, back } = await signIn('grace')
    expect(back.status).toBe(303)
    expect(await userOf(visitor)).toMatchObject({ email: 'grace@example.com' })
  })
})

describe('linking', () => {
  const ada = async () => {
    const browser = openBrowser(millrace)
    await browser.send('POST', '/api/auth/sign-in/email', {
      email: 'ada@example.com',
      password: 'correct horse battery',
    })
    const visitor = new Visitor()
    visitor.setCookies(new Headers([['set-cookie', browser.cookie()!]]))
    return { browser, visitor }
  }
  const link = async (visitor: Visitor, cookie: string, login: string) => {
    const response = await fetch(`${baseUrl}/api/auth/oidc/1/link`, {
      method: 'POST',
      headers: { cookie, origin: baseUrl },
    })
    visitor.setCookies(response.headers)
    const { url } = (await response.json()) as { url: string }
    return visitor.open(await visitor.consent(url, `${baseUrl}/api/auth/`, login))
  }

  it('is begun by whoever is signed in, and lets the account in from then on, with the role that an owner gave', async () => {
    const { browser, visitor } = await ada()
    provider.people.set('ada-at-acme', { email: 'other@example.com', groups: ['staff'] })
    const back = await link(visitor, browser.cookie()!, 'ada-at-acme')
    expect(back.headers.get('location')).toBe('/settings/profile')
    const { items } = (await browser.send('GET', '/api/auth/identities')).body
    expect(items).toMatchObject([{ provider: 'Acme', email: 'other@example.com' }])
    const later = await signIn('ada-at-acme')
    expect(await userOf(later.visitor)).toMatchObject({ email: 'ada@example.com', role: 'owner' })

    expect((await browser.send('DELETE', `/api/auth/identities/${items[0].id}`)).status).toBe(204)
    expect(await userOf(later.visitor)).toBeNull()
    expect((await signIn('ada-at-acme')).back.status).toBe(303)
  })

  it('refuses an account that belongs to another user, and one whose user has left the browser', async () => {
    const { browser, visitor } = await ada()
    const taken = await link(visitor, browser.cookie()!, 'grace')
    expect(taken.status).toBe(403)
    expect(await taken.text()).toContain('belongs to another user')
    const left = new Visitor()
    const refused = await link(left, browser.cookie()!, 'root')
    expect(await refused.text()).toContain('no longer signed in')
  })

  it('does not unlink the only way in', async () => {
    const { visitor } = await signIn('grace')
    const { items } = (await answerOf(await visitor.open(`${baseUrl}/api/auth/identities`))).body
    const cookie = /millrace_session=[^;]+/.exec(visitor.cookies())![0]
    const answer = await openBrowser(millrace, cookie).send('DELETE', `/api/auth/identities/${items[0].id}`)
    expectFailure(answer, 409, 'conflict')
  })
})
