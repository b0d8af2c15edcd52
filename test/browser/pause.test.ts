// Tests pausing and resuming a flow in the browser, and where it says how many runs wait.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

it('pauses a flow, says how many runs wait in the list, the inbox and the flow, and resumes it', async () => {
  const { flow, post } = await ui.millrace.publish({ name: 'Orders', trigger: { kind: 'webhook' }, steps: [] })
  await page.goto('/flows')
  await page.getByRole('button', { name: 'More for Orders' }).click()
  await page.getByRole('menuitem', { name: 'Pause' }).click()
  await page.getByText('paused, 0 waiting').waitFor()
  const runs = [(await post({ n: 1 })).body.id, (await post({ n: 2 })).body.id]
  await page.goto('/flows')
  await page.getByText('paused, 2 waiting').waitFor()
  await expectAccessible(page)
  await page.goto('/inbox')
  await page.getByRole('note', { name: 'Paused flows' }).getByText('paused, 2 waiting').waitFor()
  await expectAccessible(page)
  await page.goto(`/flows/${flow.id}`)
  await page.getByText('paused, 2 waiting').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Resume' }).click()
  for (const id of runs) expect((await ui.millrace.runEnded(id)).status).toBe('succeeded')
  await page.getByText('paused, 2 waiting').waitFor({ state: 'hidden' })
})

it('says so on a narrow screen too', async () => {
  const { flow } = await ui.millrace.publish({ name: 'Invoices', trigger: { kind: 'webhook' }, steps: [] })
  await ui.millrace.api('POST', `/flows/${flow.id}/pause`)
  await page.setViewportSize({ width: 390, height: 800 })
  await page.goto('/inbox')
  await page.getByRole('note', { name: 'Paused flows' }).getByText('paused, 0 waiting').waitFor()
})
