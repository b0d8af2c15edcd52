// Tests OAuth connections with a real authorization server in a separate window.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AuthorizationServer, startAuthorizationServer } from '../harness/authorization-server.ts'
import { startUi, type Ui } from './harness.ts'

let ui: Ui
let provider: AuthorizationServer
let page: Page

beforeAll(async () => {
  ui = await startUi()
  provider = await startAuthorizationServer({
    redirectUri: `${ui.url}/api/v1/oauth/callback`,
    accessTokenSeconds: 3600,
  })
  page = await ui.owner()
  await ui.millrace.api('POST', '/connections', {
    name: 'crm',
    kind: 'oauth2',
    fields: provider.fields('authorization_code'),
  })
})
afterAll(async () => {
  await provider.close()
  await ui.stop()
})

const connect = async (): Promise<Page> => {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const popup = await opening
  await popup.locator('form').waitFor()
  return popup
}

describe('an OAuth connection', () => {
  it('says why it is not connected when the person refuses', async () => {
    await page.goto('/connections/crm')
    await page.getByText('Not connected', { exact: true }).waitFor()
    const popup = await connect()
    await page.getByText("Waiting for the provider's page").waitFor()
    await popup.getByRole('link', { name: /cancel/i }).click()
    await page.getByRole('alert').getByText('The connection failed').waitFor()
    await popup.close()
  })

  it('is ready as soon as the person has agreed', async () => {
    const popup = await connect()
    await popup.locator('[name=login]').fill('ada')
    await popup.locator('[name=password]').fill('any')
    await popup.locator('[type=submit]').click()
    const closing = popup.waitForEvent('close')
    await popup.locator('form [type=submit]').click()
    await closing
    await page.getByText('Ready', { exact: true }).waitFor()
    await page.getByText('Millrace refreshes it in time').waitFor()
    expect(provider.granted).toEqual(['authorization_code'])
  })
})
