// Tests how people find things: the palette, links with faults in them, and words that say who and why.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { OWNER, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let flow: string
let run: string
let webhook: string

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  for (let i = 0; i < 45; i++)
    await ui.millrace.api('POST', '/flows', { name: `Many ${i}`, trigger: { kind: 'webhook' }, steps: [] })
  const published = await ui.millrace.publish({
    name: 'Searched',
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'fetch_order', kind: 'set', name: 'Read the order', vars: { n: 1 } },
      { id: 'later', kind: 'set', vars: { n: 2 } },
    ],
  })
  flow = published.flow.id
  webhook = published.flow.webhook.url
  run = (await published.post({})).body.id
  await ui.millrace.runEnded(run)
})
afterAll(() => ui.stop())

describe('the palette', () => {
  const search = async (text: string) => {
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill(text)
  }
  const options = () => page.locator('.mantine-Spotlight-action')

  it('shows what can be done before the many flows', async () => {
    await page.goto('/flows')
    await page.getByRole('row', { name: /Searched/ }).waitFor()
    await search('')
    await options().filter({ hasText: 'New blank flow' }).waitFor()
    await options().filter({ hasText: 'Many' }).first().waitFor()
    const labels = await options().allInnerTexts()
    const firstFlow = labels.findIndex((label) => label.startsWith('Many'))
    for (const action of ['New blank flow', 'Runs', 'Sign out'])
      expect(labels.findIndex((label) => label.startsWith(action))).toBeLessThan(firstFlow)
    expect(labels.filter((label) => label.startsWith('Many')).length).toBeLessThan(10)
    await page.keyboard.press('Escape')
  })

  it('finds the steps of the flow, its test and its YAML', async () => {
    await page.goto(`/flows/${flow}`)
    await page.locator('[data-canvas]').first().waitFor()
    await search('order')
    await options().filter({ hasText: 'fetch_order' }).click()
    await page.waitForURL(/step=fetch_order/)
    await search('yaml')
    await options().filter({ hasText: 'Show as YAML' }).click()
    await page.waitForURL(/view=yaml/)
    await search('test')
    await options().filter({ hasText: 'Test flow' }).waitFor()
    await page.keyboard.press('Escape')
  })

  it('leads to a run by its id', async () => {
    await page.goto('/connections')
    await page.getByRole('heading', { name: 'Connections', exact: true }).waitFor()
    await search(run)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/runs/${run}`)
  })
})

describe('details', () => {
  it('a status that does not exist is ignored', async () => {
    await page.goto('/runs?status=banana')
    await page.locator(`tr[data-run="${run}"]`).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.goto('/inbox?outcome=banana')
    await page.locator('tr[data-delivery]').first().waitFor()
  })

  it('a version has the name of who published it', async () => {
    await page.goto(`/flows/${flow}?publish=true`)
    await page.request.post(`/api/v1/flows/${flow}/unpublish`, { headers: { origin: ui.url } })
    const draft = { name: 'Searched', trigger: { kind: 'webhook' }, steps: [{ id: 'only', kind: 'stop' }] }
    await page.request.put(`/api/v1/flows/${flow}`, { headers: { origin: ui.url }, data: draft })
    const answer = await page.request.post(`/api/v1/flows/${flow}/publish`, { headers: { origin: ui.url } })
    expect(answer.status()).toBe(200)
    await page.reload()
    await page.getByRole('button', { name: /^Versions/ }).click()
    await page.getByText(`by ${OWNER.name}`).waitFor()
    expect(await page.getByText(`by ${OWNER.email}`).count()).toBe(0)
  })

  it('a delivery with an invalid body opens on its body, and says why it makes no sample', async () => {
    await fetch(webhook, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":' })
    await page.goto('/inbox?outcome=rejected')
    await page.locator('tr[data-delivery] a[data-row]').first().click()
    await page.getByRole('tab', { name: 'Body', selected: true }).waitFor()
    await page.getByText('The body of a rejected delivery is not kept, so it makes no sample.').waitFor()
  })
})
