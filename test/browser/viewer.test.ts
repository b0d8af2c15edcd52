// Tests the pages of a viewer, who may look and change nothing.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const VIEWER = { email: 'vera@example.com', name: 'Vera', password: 'heron lamp granite tide' }

let ui: Ui
let page: Page
let flow: string

beforeAll(async () => {
  ui = await startUi()
  await ui.owner()
  const invitation = await ui.millrace.api('POST', '/invitations', { role: 'viewer' })
  page = await ui.visitor()
  const accepted = await page.context().request.post('/api/auth/accept-invitation', {
    headers: { origin: ui.url },
    data: { code: invitation.body.url.split('#code=')[1], ...VIEWER },
  })
  expect(accepted.status()).toBe(200)
  flow = (await ui.millrace.publish({ name: 'Looked at', trigger: { kind: 'webhook' }, steps: [] })).flow.id
})
afterAll(() => ui.stop())

it('is offered the versions of a flow, and not to publish it', async () => {
  await page.goto(`/flows/${flow}`)
  await page.getByText('Read only').waitFor()
  expect(await page.getByRole('button', { name: /^Publish/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Versions' }).click()
  const panel = page.getByRole('complementary')
  await panel.getByRole('heading', { name: 'Versions' }).waitFor()
  expect(await panel.getByRole('button', { name: /^Publish/ }).count()).toBe(0)
  await expectAccessible(page)
})

it.each(['users', 'tokens', 'keys', 'audit'])(
  'is told that %s are for owners, and offered nothing',
  async (section) => {
    await page.goto(`/settings/${section}`)
    await page.getByText(/^Only owners can open/).waitFor()
    expect(await page.getByRole('main').getByRole('textbox').count()).toBe(0)
    expect(await page.getByRole('main').getByRole('button').count()).toBe(0)
  },
)

it('sees what is done when a run fails, and cannot change it', async () => {
  await page.goto('/settings/failures')
  await page.getByText(/^None: nothing is done.*Owners can change it\.$/).waitFor()
  expect(await page.getByRole('main').getByRole('combobox').count()).toBe(0)
  await page.goto(`/flows/${flow}?failure=true`)
  const panel = page.getByRole('complementary', { name: 'When a run fails' })
  await panel.getByText('this instance has no failure flow').waitFor()
  expect(await panel.getByRole('radio', { name: 'Steps' }).isDisabled()).toBe(true)
  await expectAccessible(page)
})

it('is offered no new flow and no other tags', async () => {
  await page.goto('/flows')
  await page.getByRole('button', { name: 'More for Looked at' }).click()
  await page.getByRole('menuitem', { name: 'Export as YAML' }).waitFor()
  expect(await page.getByRole('menuitem').count()).toBe(1)
  expect(await page.getByRole('link', { name: 'New flow' }).count()).toBe(0)
})
