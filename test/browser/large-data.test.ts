// Tests that data too large to come along with a run is fetched when the user opens it.
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
