// Signing in by a provider, and with a second factor, in a real browser.
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../harness/free-port.ts'
import { CLIENT, type IdentityProvider, startIdentityProvider } from '../harness/identity-provider.ts'
import { expectAccessible, OWNER, startUi, type Ui } from './harness.ts'

let ui: Ui
let provider: IdentityProvider
let owner: Page

beforeAll(async () => {
  const port = await freePort()
  provider = await startIdentityProvider(`http://localhost:${port}`)
  ui = await startUi(
    {
      MILLRACE_PORT: String(port),
      MILLRACE_OIDC_ISSUER: provider.issuer,
      MILLRACE_OIDC_CLIENT_ID: CLIENT.id,
      MILLRACE_OIDC_CLIENT_SECRET: CLIENT.secret,
      MILLRACE_OIDC_NAME: 'Acme',
      MILLRACE_OIDC_ROLES: 'claim=groups;devs=editor',
    },
    [provider.issuer],
  )
  provider.people.set('grace', { email: 'grace@example.com', name: 'Grace Hopper', groups: ['devs'] })
  provider.people.set('linus', { email: 'linus@example.com', name: 'Linus', groups: [] })
  provider.people.set('ada', { email: 'ada@acme.example', name: 'Ada', groups: [] })
  owner = await ui.owner()
}, 120_000)
afterAll(async () => {
  await ui.stop()
  await provider.close()
})

const see = (page: Page, text: string) => page.getByText(text, { exact: false }).first().waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Goes through the provider's own pages. */
async function atProvider(page: Page, login: string): Promise<void> {
  await page.locator('input[name=login]').fill(login)
  await page.locator('input[name=password]').fill('any')
  await page.locator('button[type=submit]').click()
  await page.locator('button[type=submit]').click()
}

describe('signing in by a provider', () => {
  it('leads there and back to the page that was asked for', async () => {
    const page = await ui.visitor()
    await page.goto('/settings/profile')
    await page.getByRole('link', { name: 'Sign in with Acme' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Sign in with Acme' }).click()
    await atProvider(page, 'grace')
    await page.waitForURL('**/settings/profile')
    await see(page, 'grace@example.com')
    await see(page, 'You sign in by single sign-on')
    expect(await page.getByLabel('Current password').count()).toBe(0)
    await see(page, 'signed in by Acme')
    await expectAccessible(page)
  })

  it('says on a page why somebody is not let in', async () => {
    const page = await ui.visitor()
    await page.goto('/sign-in')
    await page.getByRole('link', { name: 'Sign in with Acme' }).click()
    await atProvider(page, 'linus')
    await see(page, 'Your account at Acme gives you no access to Millrace.')
    await expectAccessible(page)
    await page.getByRole('link', { name: 'Back to sign-in' }).click()
    await page.getByLabel('Password').first().waitFor()
  })

  it('is linked to an account and unlinked on the profile page', async () => {
    await owner.goto('/settings/profile')
    await press(owner, 'Link Acme')
    await atProvider(owner, 'ada')
    await owner.waitForURL('**/settings/profile')
    await see(owner, 'ada@acme.example')
    await press(owner, 'Unlink Acme')
    await see(owner, 'None yet.')
  })
})

describe('a second factor', () => {
  let totp: TOTP
  let recovery: string
  let step = -2
  /** No code is taken twice, so each is of a later step. */
  const nextCode = () => totp.generate({ timestamp: Date.now() + ++step * 30_000 })

  it('is set up with a QR code, and gives recovery codes', async () => {
    await owner.goto('/settings/profile')
    await press(owner, 'Set up two-factor sign-in')
    await owner.getByLabel('Your password').fill(OWNER.password)
    await press(owner, 'Continue')
    await owner.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
    await expectAccessible(owner)
    const secret = (await owner.locator('form code').textContent())!.replaceAll(' ', '')
    totp = new TOTP({ secret })
    await owner.getByLabel('Code of the app').fill(nextCode())
    await press(owner, 'Turn on two-factor sign-in')
    const codes = owner.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem')
    await codes.first().waitFor()
    expect(await codes.count()).toBe(10)
    recovery = (await codes.first().textContent())!
    await expectAccessible(owner)
    await press(owner, 'Done')
    await see(owner, '10 of 10 recovery codes are left')
  })

  it('is asked for at sign-in, where a recovery code works too', async () => {
    const page = await ui.visitor({ viewport: { width: 390, height: 844 } })
    for (const code of [nextCode(), recovery]) {
      await page.goto('/sign-in')
      await page.getByLabel('E-mail').fill(OWNER.email)
      await page.getByLabel('Password').first().fill(OWNER.password)
      await press(page, 'Sign in')
      await page.getByLabel('Code of your authenticator app').fill('000000')
      await press(page, 'Sign in')
      await see(page, 'The code is wrong')
      await expectAccessible(page)
      await page.getByLabel('Code of your authenticator app').fill(code)
      await press(page, 'Sign in')
      await page.waitForURL(/\/(overview|flows)$/)
      await page.context().request.post('/api/auth/sign-out', { headers: { origin: ui.url } })
    }
  })

  it('is needed by a role: whoever has none is led to its set-up, and nowhere else', async () => {
    const { url } = (await ui.millrace.api('POST', '/invitations', { role: 'viewer' })).body
    const page = await ui.visitor()
    const password = 'granite tide heron lamp'
    const data = { code: url.split('#code=')[1], email: 'vera@example.com', name: 'Vera', password }
    await page.context().request.post('/api/auth/accept-invitation', { headers: { origin: ui.url }, data })
    await page.goto('/flows')
    await page.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
    await owner.goto('/settings/users')
    await owner.getByRole('checkbox', { name: 'Viewer' }).check()
    await see(owner, 'The roles that need a second factor are changed.')
    await page.reload()
    await page.waitForURL('**/two-factor')
    await expectAccessible(page)
    await page.getByLabel('Your password').fill(password)
    await press(page, 'Continue')
    const secret = (await page.locator('form code').textContent())!.replaceAll(' ', '')
    await page.getByLabel('Code of the app').fill(new TOTP({ secret }).generate())
    await press(page, 'Turn on two-factor sign-in')
    await press(page, 'Continue')
    await page.getByRole('heading', { name: 'Flows', exact: true }).waitFor()
  })
})

describe('sessions', () => {
  it('are listed, and others end from here', async () => {
    const { request } = (await ui.visitor()).context()
    const provided = { email: 'vera@example.com', password: 'granite tide heron lamp' }
    expect(
      (await request.post('/api/auth/sign-in/email', { headers: { origin: ui.url }, data: provided })).status(),
    ).toBe(401)
    const grace = await ui.visitor()
    for (const page of [await ui.visitor(), grace]) {
      await page.goto('/sign-in?to=/settings/profile')
      await page.getByRole('link', { name: 'Sign in with Acme' }).click()
      await atProvider(page, 'grace')
      await page.waitForURL('**/settings/profile')
    }
    const rows = grace.getByRole('list', { name: 'Your sessions' }).getByRole('listitem')
    await rows.first().waitFor()
    expect(await rows.count()).toBe(3)
    await press(grace, 'Sign out everywhere else')
    await grace.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere else' }).click()
    await see(grace, '2 other sessions have ended.')
    await expect.poll(() => rows.count()).toBe(1)
  })
})
