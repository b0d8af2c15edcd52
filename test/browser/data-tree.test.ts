// Tests the tree of data on the page of a run, by keyboard.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
const lines = Array.from({ length: 250 }, (_, i) => ({ sku: `part-${i}` }))
const order = { 'ship-to': { city: 'Turin' }, note: 'n'.repeat(5000), lines }

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  const { post } = await ui.millrace.publish({ name: 'Tree', trigger: { kind: 'webhook' }, steps: [] })
  const { body } = await post({ order })
  await ui.millrace.runEnded(body.id)
  await page.goto(`/runs/${body.id}`)
})
afterAll(() => ui.stop())

const row = (text: string) =>
  page.getByRole('tree', { name: 'Body', exact: true }).getByRole('treeitem').filter({ hasText: text }).last()
const copied = () => page.evaluate('navigator.clipboard.readText()')

describe('a tree of data', () => {
  it('gives away the path and the value of the row that has the focus', async () => {
    await row('ship-to').focus()
    await page.keyboard.press('p')
    await expect.poll(copied).toBe("webhook.body.order['ship-to']")
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('c')
    await expect.poll(copied).toBe('Turin')
  })

  it('opens and closes by arrows, and goes back to what a row belongs to', async () => {
    await row('city').focus()
    await page.keyboard.press('ArrowLeft')
    expect(await page.evaluate("document.activeElement.getAttribute('data-id')")).toBe('/order/ship-to')
    await page.keyboard.press('ArrowLeft')
    await row('city').waitFor({ state: 'detached' })
  })

  it('cuts long texts with their size, and shows more where it is asked to', async () => {
    await row('note').getByText('cut, 4.9 KB').waitFor()
    await row('note').getByRole('button', { name: 'Show all' }).click()
    await row('note').getByText('cut, 4.9 KB').waitFor({ state: 'detached' })
  })

  it('shows a hundred entries at a time', async () => {
    await row('lines').focus()
    await page.keyboard.press('ArrowRight')
    await page.getByRole('button', { name: 'Show 100 more of 150' }).click()
    await page.getByRole('button', { name: 'Show 50 more of 50' }).waitFor()
  })

  it('is shown as it is on demand', async () => {
    await page.getByRole('radiogroup', { name: 'How to show Body' }).getByText('Raw').click()
    await page.locator('.cm-content').getByText('"ship-to"').waitFor()
  })
})
