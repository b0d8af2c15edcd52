// Tests the pages of one flow: its tabs, its description, and what is seen right after publishing.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const set = { id: 'greet', kind: 'set', vars: { greeting: 'Hello {{ webhook.body.name }}' } }
const create = async (name: string, more: object = {}) =>
  (await ui.millrace.api('POST', '/flows', { name, trigger: { kind: 'webhook' }, steps: [set], ...more })).body
const send = (url: string, body: object = { name: 'Ada' }) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const tab = (name: string) => page.getByRole('navigation', { name: 'Parts of the flow' }).getByRole('link', { name })

describe('a flow', () => {
  it('has its runs, deliveries and versions beside its steps, each at an address of its own', async () => {
    const flow = await create('Home')
    const other = await create('Other')
    for (const { id } of [flow, other]) await ui.millrace.api('POST', `/flows/${id}/publish`)
    await send(other.webhook.url)
    await page.goto(`/flows/${flow.id}`)
    expect(await tab('Build').getAttribute('aria-current')).toBe('page')
    await tab('Runs').click()
    await page.getByText('No runs yet').waitFor()
    await page.getByText(flow.webhook.url, { exact: false }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/flows/${flow.id}/runs`)
    await send(flow.webhook.url)
    await page.locator('[data-row]').waitFor()
    expect(await page.locator('[data-row]').count()).toBe(1)
    // The flow's name stands over the list.
    expect(await page.locator('[data-row]').textContent()).toMatch(/^…\w{8}$/)
    expect(await page.getByRole('columnheader', { name: 'Flow', exact: true }).count()).toBe(0)

    await tab('Inbox').click()
    await page.locator('[data-delivery]').first().waitFor()
    expect(await page.locator('[data-delivery]').count()).toBe(1)
    expect(await page.locator('[data-row]').textContent()).toMatch(/^…\w{8}$/)
    await page.locator('[data-row]').click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    expect(new URL(page.url()).pathname).toBe(`/flows/${flow.id}/inbox`)
    expect(new URL(page.url()).searchParams.has('delivery')).toBe(true)

    await tab('Versions').click()
    await page.getByText('v1', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Nothing has changed.').waitFor()
    await expectAccessible(page)
  })

  it('has settings and versions that fit a phone', async () => {
    const flow = await create('Small')
    const phone = await ui.owner({ viewport: { width: 390, height: 800 } })
    for (const part of ['versions', 'settings']) {
      await phone.goto(`/flows/${flow.id}/${part}`)
      await phone.getByRole('heading', { level: 1, name: 'Small' }).waitFor()
      await phone.getByRole('navigation', { name: 'Parts of the flow' }).waitFor()
      expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    }
  })

  it('restores a version from its tab', async () => {
    const flow = await create('Restored')
    await ui.millrace.api('POST', `/flows/${flow.id}/publish`)
    await ui.millrace.api('PUT', `/flows/${flow.id}`, { ...flow.draft, name: 'Changed' }, { 'if-match': '*' })
    await page.goto(`/flows/${flow.id}/versions`)
    await page.getByRole('button', { name: 'Restore' }).click()
    await page.getByText('The draft is version 1 now.').waitFor()
    expect((await ui.millrace.api('GET', `/flows/${flow.id}`)).body.draft.name).toBe('Restored')
  })
})

describe('a description', () => {
  it('is written in the settings, and shown without anything that could do harm', async () => {
    const flow = await create('Described')
    await page.goto(`/flows/${flow.id}/settings`)
    const hostile = [
      '# Orders',
      '**Bold** and [the shop](https://shop.example.com) and [bad](javascript:window.hacked=1)',
      '<img src=x onerror="window.hacked=1"> <script>window.hacked=1</script>',
      '![picture](https://shop.example.com/p.png) [data](data:text/html,x) [mail](mailto:ada@example.com)',
    ].join('\n\n')
    await page.getByRole('textbox', { name: 'Description' }).fill(hostile)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
    const { draft } = (await ui.millrace.api('GET', `/flows/${flow.id}`)).body
    expect(draft.description).toBe(hostile)
    expect(Object.keys(draft)).toEqual(['name', 'description', 'trigger', 'steps'])
    const links = await page
      .locator('main a[target="_blank"], a[rel~="noopener"]')
      .evaluateAll((all: { href: string; rel: string }[]) => all.map(({ href, rel }) => [href, rel]))
    expect(links).toEqual([
      ['https://shop.example.com/', 'noopener noreferrer'],
      ['mailto:ada@example.com', 'noopener noreferrer'],
    ])
    expect(await page.locator('img[src*="shop.example"], img[src="x"]').count()).toBe(0)
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    await expectAccessible(page)
    await page.goto(`/flows/${flow.id}?trigger=true`)
    await page.getByRole('heading', { name: 'Orders' }).waitFor()
  })
})

describe('after publishing', () => {
  it('the line to send is there, and the first delivery appears when it comes', async () => {
    const flow = await create('Live', { trigger: { kind: 'webhook', auth: { kind: 'none' } } })
    await page.goto(`/flows/${flow.id}?publish=true`)
    await page.getByRole('button', { name: 'Publish', exact: true }).last().click()
    const first = page.getByRole('region', { name: 'First delivery' })
    await first.getByText('Waiting for the first delivery…').waitFor()
    expect(await first.locator('code').textContent()).toContain(flow.webhook.url)
    expect((await send(flow.webhook.url)).status).toBe(200)
    await first.getByText('Delivery accepted').waitFor()
    await expectAccessible(page)
    await first.getByRole('link', { name: 'See its run' }).click()
    await page.waitForURL(/\/runs\/run_/)
  })
})
