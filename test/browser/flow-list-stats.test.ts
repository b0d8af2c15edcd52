// Tests the list of flows where there are more than one page of the API holds.
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

/** More than the largest page of the API holds. */
const FLOWS = 211

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui.stop())

it('shows the last run of every flow, and sorts all of them by it', async () => {
  const documentOf = (name: string) => ({ name, trigger: { kind: 'webhook' }, steps: [] })
  const oldest = await ui.millrace.publish(documentOf('Oldest of all'))
  const others = Array.from({ length: FLOWS - 1 }, (_, i) => documentOf(`Flow ${i}`))
  await Promise.all(others.map((document) => ui.millrace.api('POST', '/flows', document)))
  await ui.millrace.runEnded((await oldest.post({})).body.id)
  const page = await ui.owner()
  await page.goto('/flows?sort=run')
  const first = page.getByRole('row').nth(1)
  await first.getByText('Oldest of all').waitFor()
  await first.getByText('Succeeded').waitFor()
  await first.getByRole('img', { name: '1 run in 24 hours, 0 failed' }).waitFor()
  expect(await page.getByRole('row').filter({ hasText: 'Oldest of all' }).getByText('Never').count()).toBe(0)
})
