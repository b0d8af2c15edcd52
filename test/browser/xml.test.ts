// XML in the editor: a body written as data, a reply that is read, and a trigger that parses.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let flowId: string

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  const steps = [{ id: 'place', kind: 'http', method: 'POST', url: 'https://shop.example.com/orders' }]
  const created = await ui.millrace.api('POST', '/flows', { name: 'Orders', trigger: { kind: 'webhook' }, steps })
  flowId = created.body.id
})
afterAll(() => ui.stop())

const panel = () => page.locator('[data-panel]')
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const draft = async () => (await ui.millrace.api('GET', `/flows/${flowId}`)).body.draft

describe('the editor', () => {
  it('writes an XML body as data, compressed, and reads the reply as XML', async () => {
    await page.goto(`/flows/${flowId}?step=place`)
    await panel().getByRole('tab', { name: /^Body/ }).click()
    await panel().getByText('XML', { exact: true }).click()
    const body = panel().getByRole('textbox', { name: 'XML body, as data' })
    await body.click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('{ "order": { "@id": "{{ webhook.body.id }}" } }')
    await panel().getByText('gzip', { exact: true }).click()
    await expectAccessible(page)
    await panel().getByRole('tab', { name: 'More' }).click()
    await panel().getByText('As XML', { exact: true }).click()
    await panel().getByLabel('Always lists').fill('rates.rate')
    await page.keyboard.press('Enter')
    await saved()
    await expectAccessible(page)
    expect((await draft()).steps[0]).toMatchObject({
      body: { kind: 'xml', value: { order: { '@id': '{{ webhook.body.id }}' } } },
      compress: 'gzip',
      response: { as: 'xml', lists: ['rates.rate'] },
    })
  })

  it('has a trigger parse XML, and says what is missing for it', async () => {
    await page.goto(`/flows/${flowId}?trigger=true`)
    await panel()
      .getByRole('button', { name: /^Limits/ })
      .click()
    await panel().getByText('Are parsed', { exact: true }).click()
    await panel().getByText('No XML is accepted.').waitFor()
    await panel().getByLabel('Content types').fill('application/xml')
    await page.keyboard.press('Enter')
    await panel().getByLabel('Always lists').fill('order.item')
    await page.keyboard.press('Enter')
    await panel().getByText('No XML is accepted.').waitFor({ state: 'detached' })
    await saved()
    await expectAccessible(page)
    expect((await draft()).trigger).toMatchObject({ accept: ['application/xml'], parse: 'xml', lists: ['order.item'] })
  })

  it('sends a sample of XML, and shows its data', async () => {
    await page.goto(`/flows/${flowId}?trigger=true`)
    await panel().getByText('Content-Type: application/xml').waitFor()
    await panel().getByRole('button', { name: 'Send a sample' }).click()
    await panel().getByRole('textbox', { name: 'Body of the sample' }).click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('<order id="007"><item>Nuts &amp; bolts</item></order>')
    await panel().getByRole('button', { name: 'Send', exact: true }).click()
    await panel().getByRole('tree', { name: "The request's body" }).getByText('007').waitFor()
    const [sample] = (await ui.millrace.api('GET', `/flows/${flowId}/samples`)).body.items
    expect(sample.webhook.body).toEqual({ order: { '@id': '007', item: ['Nuts & bolts'] } })
  })
})
