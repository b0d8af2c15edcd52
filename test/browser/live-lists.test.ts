// Tests the lists of runs and deliveries while much happens: they hold still for their reader, and draw only what is seen.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let post: (body: unknown) => Promise<{ body: { id: string } }>

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  ;({ post } = await ui.millrace.publish({ name: 'Busy', trigger: { kind: 'webhook' }, steps: [] }))
})
afterAll(() => ui.stop())

/** Sends so many deliveries that they fill more than a page of the list. */
async function deliver(count: number): Promise<string[]> {
  const ids: string[] = []
  for (let sent = 0; sent < count; sent += 20) {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post({})))
    ids.push(...answers.map(({ body }) => body.id))
  }
  for (const id of ids.slice(-20)) await ui.millrace.runEnded(id)
  return ids
}

const hide = (hidden: boolean) =>
  page.evaluate(
    `Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))`,
  )

for (const [path, rows, words] of [
  ['/runs', 'tr[data-run]', 'No runs yet'],
  ['/inbox', 'tr[data-delivery]', 'No deliveries yet'],
] as const)
  it(`keeps the rows of ${path} for somebody who has paused it, whatever comes meanwhile`, async () => {
    await deliver(20)
    await page.goto(path)
    await page.locator(rows).nth(5).waitFor()
    await page.getByRole('button', { name: 'Live', exact: true }).click()
    const newest = page.locator(rows).first()
    const idOf = async () => (await newest.getAttribute('data-run')) ?? (await newest.getAttribute('data-delivery'))
    const first = await idOf()
    // The stream is away while more comes than a page holds: the list is read again afterwards.
    await hide(true)
    await deliver(120)
    await hide(false)
    await page.getByRole('button', { name: /new (runs|deliveries)/ }).waitFor()
    expect(await page.getByText(words).count()).toBe(0)
    expect(await idOf()).toBe(first)
    await page.getByRole('button', { name: /new (runs|deliveries)/ }).click()
    await page.getByRole('button', { name: 'Live', exact: true }).waitFor()
    await expect.poll(idOf).not.toBe(first)
  })

it('draws only the rows that can be seen, and moves through all of them by keys', async () => {
  await page.goto('/runs')
  await page.locator('tr[data-run]').nth(5).waitFor()
  const ids = await deliver(200)
  await page.locator(`tr[data-run="${ids.at(-1)}"]`).waitFor()
  expect(await page.locator('tr[data-run]').count()).toBeLessThan(60)
  await page.locator('tr[data-run] a[data-row]').first().focus()
  const start = await page.evaluate('document.activeElement.closest("tr").dataset.run')
  for (let i = 0; i < 60; i++) await page.keyboard.press('ArrowDown')
  const reached = await page.evaluate('document.activeElement.closest("tr")?.dataset.run')
  expect(reached).toMatch(/^run_/)
  expect(reached).not.toBe(start)
})
