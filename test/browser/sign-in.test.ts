// Tests the way in: set-up, sign-in, invitations, sign-out.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, OWNER, startUi, type Ui } from './harness.ts'

let ui: Ui

beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui.stop())

const fillOwner = async (page: Page) => {
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByLabel('Name').fill(OWNER.name)
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
}

describe('before there is an owner', () => {
  it('leads every page to the set-up, which says where its link is', async () => {
    const page = await ui.visitor()
    await page.goto('/runs')
    await page.waitForURL('**/setup')
    await page.getByText('npm start').waitFor()
    await expectAccessible(page)
  })

  it('refuses a wrong code in words, and takes the link from the log instead', async () => {
    const page = await ui.visitor()
    await page.goto('/setup')
    await page.getByLabel('Set-up link or code').fill('not-the-code')
    await page.getByRole('button', { name: 'Continue' }).click()
    await fillOwner(page)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.getByRole('alert').getByText('Millrace could not be set up').waitFor()
    await page.getByRole('button', { name: 'Use another set-up link' }).click()
    await page.getByLabel('Set-up link or code').fill(`${ui.url}/setup#code=${ui.setupCode()}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await expectAccessible(page)
    await fillOwner(page)
    await page.getByRole('button', { name: 'Set up' }).click()
    await page.waitForURL('**/flows')
    await page.getByText('No flows yet').waitFor()
  })

  it('keeps the code out of the address and the history', async () => {
    const page = await ui.visitor()
    await page.goto('/setup#code=some-code')
    await page.getByRole('heading', { name: 'Millrace is set up' }).waitFor()
    expect(page.url()).toBe(`${ui.url}/setup`)
  })
})

describe('sign-in', () => {
  const signIn = async (page: Page, password: string) => {
    await page.getByLabel('E-mail').fill(OWNER.email)
    await page.getByRole('textbox', { name: 'Password' }).fill(password)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  it('says that the password is wrong, and goes on to the page that was asked for', async () => {
    const page = await ui.visitor()
    await page.goto('/settings/tokens')
    await page.waitForURL('**/sign-in?to=*')
    await signIn(page, 'not the password')
    await page.getByText('The e-mail or the password is wrong.').waitFor()
    await signIn(page, OWNER.password)
    await page.waitForURL('**/settings/tokens')
  })

  it('goes nowhere else afterwards than to pages of its own', async () => {
    const page = await ui.visitor()
    await page.goto('/sign-in?to=//evil.example/')
    await signIn(page, OWNER.password)
    await page.waitForURL(`${ui.url}/flows`)
  })

  it('ends with the sign-out, also for what is in the cache', async () => {
    const page = await ui.visitor()
    await page.goto('/sign-in')
    await signIn(page, OWNER.password)
    await page.getByRole('button', { name: `You: ${OWNER.name}` }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.waitForURL('**/sign-in')
    await page.goto('/flows')
    await page.waitForURL('**/sign-in?to=*')
  })

  it('is asked for again when the session ends under an open page', async () => {
    const page = await ui.visitor()
    await page.goto('/sign-in?to=/settings/service')
    await signIn(page, OWNER.password)
    await page.getByText('Largest webhook body').waitFor()
    await page.context().clearCookies()
    await page.getByRole('link', { name: 'Connections' }).click()
    await page.waitForURL('**/sign-in?to=*connections*')
  })
})

describe('an invitation', () => {
  it('is made by an owner, shown once, and lets a viewer in who may not change anything', async () => {
    const owner = await ui.visitor()
    await owner.goto('/sign-in?to=/settings/users')
    await owner.getByLabel('E-mail').fill(OWNER.email)
    await owner.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
    await owner.getByRole('button', { name: 'Sign in' }).click()
    await owner.getByRole('combobox', { name: 'Role', exact: true }).click()
    await owner.getByRole('option', { name: 'Viewer' }).click()
    await owner.getByRole('button', { name: 'Create invitation link' }).click()
    const link = await owner.locator('code', { hasText: '/invite#code=' }).textContent()
    await expectAccessible(owner)

    const guest = await ui.visitor()
    await guest.goto(link!)
    await guest.getByText('As a viewer').waitFor()
    expect(guest.url()).toBe(`${ui.url}/invite`)
    await guest.getByLabel('E-mail').fill('grace@example.com')
    await guest.getByLabel('Name').fill('Grace Hopper')
    await guest.getByRole('textbox', { name: 'Password' }).fill('orchid quay lantern moss')
    await guest.getByRole('button', { name: 'Accept and sign in' }).click()
    await guest.waitForURL('**/flows')
    await guest.getByText('An editor can add one.').waitFor()
    expect(await guest.getByRole('link', { name: 'New flow' }).count()).toBe(0)
    await guest.goto('/settings')
    await guest.getByRole('link', { name: 'Service' }).waitFor()
    expect(await guest.getByRole('link', { name: 'API tokens' }).count()).toBe(0)

    const late = await ui.visitor()
    await late.goto(link!)
    await late.getByText('This invitation does not work').waitFor()
  })
})
