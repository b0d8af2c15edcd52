// Tests TLS settings in the UI: a connection with a client certificate, when it expires, and a step that names it.
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeAuthority } from '../../src/outbound/tls/certificates.testkit.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const PHONE = { viewport: { width: 390, height: 844 }, colorScheme: 'dark' as const }
const FILE = fileURLToPath(new URL('../../src/outbound/certificates.testkit/client.p12', import.meta.url))
/** Nine days and a half. */
const SOON = new Date(Date.now() + 9.5 * 86_400_000)
const client = makeAuthority('Clients').issue({ name: 'millrace.example.com', expiresAt: SOON })

let ui: Ui
let page: Page
beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const field = (name: string) => page.getByRole('textbox', { name, exact: true })

it('a connection takes a certificate and its key, says what is wrong with them, and when they expire', async () => {
  await page.goto('/connections/-new')
  await page.getByRole('radio', { name: /Client certificate/ }).click()
  await field('Name').fill('bank')
  await page.getByText('PEM', { exact: true }).click()
  await field('Certificate').fill(client.certificate)
  await field('Private key').fill('not a key')
  await page.getByRole('button', { name: 'Create connection' }).click()
  await page.getByText(/^This is no private key in PEM/).waitFor()
  await expectAccessible(page)
  await field('Private key').fill(client.key)
  await page.getByRole('button', { name: 'Create connection' }).click()
  await page.waitForURL('**/connections/bank')
  await page.getByText('Expires in 9 days', { exact: true }).waitFor()
  await page.getByText(/^The client certificate CN=millrace.example.com expires/).waitFor()
  await expectAccessible(page)
  await page.goto('/connections')
  await page.getByRole('row', { name: /bank/ }).getByText('Expires in 9 days', { exact: true }).waitFor()
  await expectAccessible(page)
})

it('a connection of another kind takes a PKCS#12 file beside its own fields, on a phone and in the dark', async () => {
  const phone = await ui.owner(PHONE)
  await phone.goto('/connections/-new')
  await phone.getByRole('radio', { name: /Bearer token/ }).click()
  await phone.getByRole('textbox', { name: 'Name', exact: true }).fill('shop')
  await phone.getByRole('textbox', { name: 'Token' }).fill('the-token')
  await phone.getByRole('button', { name: 'TLS settings' }).click()
  await phone.getByText('PKCS#12 file', { exact: true }).click()
  const choosing = phone.waitForEvent('filechooser')
  await phone.getByRole('button', { name: 'Choose a file' }).click()
  await (await choosing).setFiles(FILE)
  await phone.getByRole('textbox', { name: 'Passphrase' }).fill('let-me-in')
  await expectAccessible(phone)
  expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await phone.getByRole('button', { name: 'Create connection' }).click()
  await phone.waitForURL('**/connections/shop')
  const shop = async () => (await ui.millrace.api('GET', '/connections/shop')).body
  expect(await shop()).toMatchObject({
    secretFields: ['token', 'tls.pkcs12', 'tls.passphrase'],
    certificate: { subject: 'CN=client in a file' },
  })
  // Taken away again, as a whole.
  await phone.getByText('None', { exact: true }).click()
  await phone.getByRole('button', { name: 'Save' }).click()
  await phone.getByText('"shop" is saved.', { exact: false }).waitFor()
  expect(await shop()).toMatchObject({ fields: {}, secretFields: ['token'], certificate: null })
})

it('a step names the connection, by keyboard', async () => {
  const steps = [{ id: 'pay', kind: 'http', method: 'GET', url: 'https://bank.example.com/' }]
  const { body: flow } = await ui.millrace.api('POST', '/flows', { name: 'Pay', trigger: { kind: 'webhook' }, steps })
  await page.goto(`/flows/${flow.id}?step=pay`)
  const panel = page.locator('[data-panel]')
  await panel.getByRole('tab', { name: 'Auth' }).focus()
  await page.keyboard.press('Enter')
  await panel.getByRole('combobox', { name: 'Client certificate' }).focus()
  await page.keyboard.press('ArrowDown')
  await page.getByRole('option', { name: 'bank' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  const draft = async () => (await ui.millrace.api('GET', `/flows/${flow.id}`)).body.draft.steps[0]
  await expect.poll(async () => (await draft()).tls).toEqual({ connection: 'bank' })
  await expectAccessible(page)
})
