// Tests the links between a run and the runs that it called.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let parentId: string

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  await ui.millrace.publish({
    name: 'Make an invoice',
    slug: 'make-invoice',
    trigger: { kind: 'call' },
    steps: [{ id: 'answer', kind: 'respond', body: { invoice: '{{ input.order }}-1' } }],
  })
  const { post } = await ui.millrace.publish({
    name: 'Order',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'bill', kind: 'call', flow: 'make-invoice', input: { order: '{{ webhook.body.id }}' } }],
  })
  parentId = (await post({ id: 'A-7' })).body.id
  await ui.millrace.runEnded(parentId)
})
afterAll(() => ui.stop())

describe('the page of a run', () => {
  it('leads to the run that it called, and back', async () => {
    await page.goto(`/runs/${parentId}`)
    const [child] = (await ui.millrace.run(parentId)).children
    const called = page.getByText('Called', { exact: true }).locator('..').getByRole('link')
    await called.waitFor()
    await expectAccessible(page)
    await called.click()
    await page.waitForURL(`**/runs/${child!.run}`)
    const caller = page.getByText('Called by', { exact: true }).locator('..').getByRole('link')
    await caller.waitFor()
    await caller.click()
    await page.waitForURL(`**/runs/${parentId}`)
    expect(page.url()).toContain(parentId)
  })
})
