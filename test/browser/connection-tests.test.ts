// Tests what makes connections easy: presets, the test of a connection, and moving a secret out of a step. Also the units of waits.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream(({ headers }, response) => {
    response.writeHead(headers.authorization === 'Bearer the-right-token' ? 200 : 401)
    response.end('{}')
  })
  ui = await startUi({ MILLRACE_EGRESS_ALLOW: 'loopback' })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

it('a preset fills in the endpoints of a service', async () => {
  await page.goto('/connections/-new')
  await page.getByRole('radio', { name: /OAuth 2.0/ }).click()
  await page.getByRole('combobox', { name: 'Service' }).click()
  await page.getByRole('option', { name: 'Shopify' }).click()
  await page.getByRole('textbox', { name: 'Shop', exact: true }).fill('water-mill')
  expect(await page.getByRole('textbox', { name: 'Token URL' }).inputValue()).toBe(
    'https://water-mill.myshopify.com/admin/oauth/access_token',
  )
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Client ID' }).fill('an-id')
  await page.getByRole('button', { name: 'Create connection' }).click()
  await page.waitForURL('**/connections/shopify')
  const { body } = await ui.millrace.api('GET', '/connections/shopify')
  expect(body).toMatchObject({
    kind: 'oauth2',
    hosts: ['water-mill.myshopify.com'],
    fields: { clientAuth: 'body', scopes: 'read_orders,read_products' },
  })
})

it('a connection is ready only when a test has shown that it works', async () => {
  await ui.millrace.api('POST', '/connections', { name: 'shop', kind: 'bearer', fields: { token: 'a-wrong-token' } })
  await page.goto('/connections/shop')
  await page.getByText('Not tested', { exact: true }).waitFor()
  const url = page.getByRole('textbox', { name: 'URL' })
  await url.fill(`${upstream.url}/me`)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/^Refused · 401/).waitFor()
  await page.getByText('The API does not accept the credentials', { exact: false }).waitFor()
  await page.getByText('Failed', { exact: true }).waitFor()
  await page.getByText(/^tested /).waitFor()
  expect(await page.getByText('Ready', { exact: true }).count()).toBe(0)

  await page.getByRole('button', { name: 'Replace Token' }).click()
  await page.getByRole('textbox', { name: 'Token' }).fill('the-right-token')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Replace Token' }).waitFor()
  await page.getByText('Not tested', { exact: true }).waitFor()
  await url.fill(`${upstream.url}/me`)
  await page.getByRole('button', { name: 'Test connection' }).click()
  await page.getByText(/^Accepted · 200/).waitFor()
  await page.getByText('Ready', { exact: true }).waitFor()
  await page.goto('/connections')
  await page.getByRole('row', { name: /^shop/ }).getByText('Ready', { exact: true }).waitFor()
})

it('a secret in a step moves to a connection with one click, and the step still works', async () => {
  const step = {
    id: 'call',
    kind: 'http',
    method: 'GET',
    url: `${upstream.url}/me`,
    auth: { kind: 'bearer', token: 'the-right-token' },
  }
  const document = { name: 'Secret', trigger: { kind: 'webhook' }, steps: [step] }
  const { body: flow } = await ui.millrace.api('POST', '/flows', document)
  await page.goto(`/flows/${flow.id}?step=call`)
  await page.getByRole('tab', { name: 'Auth' }).click()
  await page.getByRole('button', { name: 'Move this secret to a connection' }).click()
  await page.getByRole('textbox', { name: 'Name', exact: true }).fill('moved')
  await page.getByRole('button', { name: 'Move', exact: true }).click()
  await expect
    .poll(async () => (await ui.millrace.api('GET', `/flows/${flow.id}`)).body.draft.steps[0].auth, { timeout: 20_000 })
    .toEqual({ kind: 'bearer', token: '{{ connections.moved.token }}' })
  const { body: connection } = await ui.millrace.api('GET', '/connections/moved')
  expect(connection.hosts).toEqual([new URL(upstream.url).host])
  const tested = await ui.millrace.api('POST', `/flows/${flow.id}/steps/call/test`, {})
  expect(tested.body).toMatchObject({ status: 'succeeded', output: { status: 200 } })
})

it('a wait is entered in the unit that one thinks in', async () => {
  const document = { name: 'Wait', trigger: { kind: 'webhook' }, steps: [{ id: 'pause', kind: 'wait', seconds: 7200 }] }
  const { body: flow } = await ui.millrace.api('POST', '/flows', document)
  const seconds = async () => (await ui.millrace.api('GET', `/flows/${flow.id}`)).body.draft.steps[0].seconds
  await page.goto(`/flows/${flow.id}?step=pause`)
  const time = page.getByRole('textbox', { name: 'Time', exact: true })
  const unit = page.getByRole('combobox', { name: 'Unit' })
  await time.waitFor()
  expect([await time.textContent(), await unit.inputValue()]).toEqual(['2', 'hours'])
  await unit.click()
  await page.getByRole('option', { name: 'days' }).click()
  await expect.poll(seconds, { timeout: 20_000 }).toBe(172_800)
  await time.fill('1.5')
  await expect.poll(seconds, { timeout: 20_000 }).toBe(129_600)
  await time.fill('{{ webhook.body.pause }}')
  await expect.poll(seconds, { timeout: 20_000 }).toBe('{{ webhook.body.pause }}')
  expect(await unit.isDisabled()).toBe(true)
})
