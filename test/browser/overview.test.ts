// Tests the overview: what it counts, what it links to, and that everybody can read it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, OWNER, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const total = (name: string) => page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) })
const card = (name: string) => page.getByRole('region', { name, exact: true })

describe('the overview', () => {
  it('is not the first page before there is a flow', async () => {
    await page.goto('/')
    await page.getByText('No flows yet').waitFor()
  })

  it('is the first page after signing in once there is one', async () => {
    const documentOf = (name: string, steps: object[]) => ({ name, trigger: { kind: 'webhook' }, steps })
    const orders = await ui.millrace.publish(documentOf('Orders', []))
    const broken = await ui.millrace.publish(documentOf('Broken', [{ id: 'no', kind: 'fail', message: 'no' }]))
    for (const { post } of [orders, orders, broken]) await ui.millrace.runEnded((await post({})).body.id)
    const visitor = await ui.visitor()
    await visitor.goto('/sign-in')
    await visitor.getByRole('textbox', { name: 'E-mail' }).fill(OWNER.email)
    await visitor.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
    await visitor.getByRole('button', { name: 'Sign in' }).click()
    await visitor.waitForURL('**/overview')
    await visitor.getByRole('heading', { name: 'Overview' }).waitFor()
  })

  it('counts deliveries, runs and failures, and draws them', async () => {
    await page.goto('/overview')
    await total('Deliveries').getByText('3', { exact: true }).waitFor()
    await total('Runs').getByText('3', { exact: true }).waitFor()
    await total('Success rate').getByText('66.6%').waitFor()
    await page.getByRole('img', { name: /^Runs of the last 24 hours: 2 succeeded and 1 failed/ }).waitFor()
    await card('Runs').locator('canvas').waitFor()
    await card('Busiest flows').getByRole('link', { name: 'Orders', exact: true }).waitFor()
    await card('Service').getByText('Working').waitFor()
  })

  it('has the numbers of a chart as a table, by keyboard', async () => {
    await page.getByRole('button', { name: 'Runs as a table' }).focus()
    await page.keyboard.press('Enter')
    const rows = card('Runs').getByRole('row')
    await rows.nth(1).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await card('Runs').locator('canvas').waitFor()
  })

  it('leads from an error to the runs that failed with it', async () => {
    await card('Most frequent errors').getByRole('link', { name: 'failed in Broken' }).click()
    await page.waitForURL('**/runs?*')
    const { searchParams } = new URL(page.url())
    expect([searchParams.get('status'), searchParams.get('range')]).toEqual(['failed', '24h'])
    await card('Most frequent errors').waitFor({ state: 'detached' })
    await page.getByRole('row').filter({ hasText: 'Broken' }).waitFor()
  })

  it('leads to the same for one flow', async () => {
    await page.goto('/overview')
    await card('Slowest flows').getByRole('link', { name: 'Orders' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    await total('Runs').getByText('2', { exact: true }).waitFor()
    await page.getByText('7 days', { exact: true }).click()
    await page.getByRole('img', { name: /^Deliveries of the last 7 days: 2 accepted and 0 rejected/ }).waitFor()
    await page.getByRole('link', { name: 'Build' }).click()
    await page.waitForURL(/\/flows\/flow_\w+$/)
  })

  it('keeps its range in the address', async () => {
    await page.goto('/overview')
    await page.getByText('30 days', { exact: true }).click()
    await page.waitForURL('**/overview?range=30d')
    await page.getByRole('img', { name: /^Runs of the last 30 days: 2 succeeded/ }).waitFor()
    await page.reload()
    await page.getByRole('img', { name: /^Runs of the last 30 days: 2 succeeded/ }).waitFor()
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['dark', 390],
  ] as const)('is accessible in %s at %i pixels, and no wider than the window', async (colorScheme, width) => {
    const visitor = await ui.owner({ colorScheme, viewport: { width, height: 844 } })
    await visitor.goto('/overview')
    await visitor.getByRole('region', { name: 'Deliveries', exact: true }).locator('canvas').waitFor()
    await expectAccessible(visitor)
    const overflow = await visitor.getByRole('region', { name: 'Deliveries', exact: true }).evaluate((card) => {
      let widest = 0
      for (let around = card.parentElement; around; around = around.parentElement)
        widest = Math.max(widest, around.scrollWidth - around.clientWidth)
      return widest
    })
    expect(overflow).toBeLessThanOrEqual(0)
  })
})
