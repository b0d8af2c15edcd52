// Tests that data too large to come along with a run or a sample is fetched and shown.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

let ui: Ui

beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui.stop())

it('shows a large body and a large result when they are asked for, and offers them as files', async () => {
  const rows = Array.from({ length: 6000 }, (_, i) => ({ id: i, name: `Order number ${i}`, price: i * 3 }))
  const { post } = await ui.millrace.publish({
    name: 'Large orders',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'keep', kind: 'set', vars: { all: '{{ webhook.body }}' } }],
  })
  const { id } = (await post({ rows })).body
  await ui.millrace.runEnded(id)
  const page = await ui.owner()
  await page.goto(`/runs/${id}?step=keep`)
  const file = page.getByRole('link', { name: 'Download it' })
  expect(await file.getAttribute('href')).toBe(`/api/v1/runs/${id}/steps/part?path=keep&part=output`)
  await page.getByRole('button', { name: 'Show it' }).click()
  await page.getByRole('treeitem', { name: /rows/ }).first().waitFor()
  expect(await page.getByRole('button', { name: 'Show it' }).count()).toBe(0)
})

it('shows a sample of 5 MB in the editor, and offers its data to fields', async () => {
  const note = 'A customer who orders every week, and pays by invoice.'
  const rows = Array.from({ length: 36_000 }, (_, i) => ({ id: i, name: `Order number ${i}`, price: i * 3, note }))
  const body = JSON.stringify({ orders: rows })
  expect(body.length).toBeGreaterThan(4_000_000)
  const { body: flow } = await ui.millrace.api('POST', '/flows', {
    name: 'Large sample',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'keep', kind: 'set', vars: { name: '{{ webhook.body.orders[35999].name }}' } }],
  })
  const sent = await fetch(`${ui.url}/api/v1/webhooks/${flow.webhook.id}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  expect(sent.status).toBe(200)
  const page = await ui.owner()
  await page.goto(`/flows/${flow.id}?trigger=true`)
  const orders = page.getByRole('treeitem', { name: /orders/ }).first()
  await orders.waitFor()
  await orders.getByText('36,000', { exact: false }).waitFor()
  await page.goto(`/flows/${flow.id}?step=keep`)
  await page.locator('[data-panel]').getByText('Order number 35999').waitFor()
  await page.getByRole('textbox', { name: 'Value of name' }).click()
  await page.getByRole('textbox', { name: /^Search the data/ }).fill('orders[0].note')
  await page.getByText(note, { exact: false }).first().waitFor()
})
