// Tests the list of many flows: tags, filters, order, and what the pages fetch of it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let flow: string

const documentOf = (name: string, more: object = {}) => ({ name, trigger: { kind: 'webhook' }, steps: [], ...more })
const row = (name: string) => page.getByRole('row').filter({ hasText: name })

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  for (let i = 0; i < 90; i++) await ui.millrace.api('POST', '/flows', documentOf(`Plain ${i}`))
  flow = (await ui.millrace.api('POST', '/flows', documentOf('Invoices', { tags: ['billing'] }))).body.id
  const busy = await ui.millrace.publish(documentOf('Busy', { tags: ['billing', 'north'] }))
  const failing = await ui.millrace.publish(
    documentOf('Failing', { steps: [{ id: 'no', kind: 'fail', message: 'no' }] }),
  )
  const runs = [await failing.post({}), await busy.post({}), await busy.post({})]
  for (const { body } of runs) await ui.millrace.runEnded(body.id)
})
afterAll(() => ui.stop())

describe('the list of flows', () => {
  it('is narrowed by a tag, with the tag in the address', async () => {
    await page.goto('/flows')
    await page.getByRole('button', { name: 'Show flows tagged billing' }).first().click()
    await page.waitForURL(/tag=billing/)
    await row('Failing').waitFor({ state: 'detached' })
    await row('Invoices').waitFor()
    await row('Busy').waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    await row('Failing').waitFor()
  })

  it('is sorted by runs and by failures', async () => {
    await page.goto('/flows?sort=traffic')
    await page.getByRole('row').nth(1).getByText('Busy').waitFor()
    await page.getByRole('combobox', { name: 'Sort by' }).click()
    await page.getByRole('option', { name: 'Most failures' }).click()
    await page.getByRole('row').nth(1).getByText('Failing').waitFor()
  })

  it('gives a flow other tags', async () => {
    await page.goto('/flows?q=invoices')
    await page.getByRole('button', { name: 'More for Invoices' }).click()
    await page.getByRole('menuitem', { name: 'Tags…' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Tags').fill('south')
    await page.keyboard.press('Enter')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Save tags' }).click()
    await page.getByRole('button', { name: 'Show flows tagged south' }).waitFor()
    expect((await ui.millrace.api('GET', `/flows/${flow}`)).body.draft.tags).toEqual(['billing', 'south'])
  })

  it('grows as it is scrolled', async () => {
    await page.goto('/flows?sort=name')
    await row('Busy').waitFor()
    expect(await row('Plain 89').count()).toBe(0)
    // Each page comes by a scroll after the one before it was drawn, so that a number of scrolls would not be enough.
    const lastAfterScroll = async () => {
      await page.evaluate(`document.querySelector('tbody tr:last-child').scrollIntoView()`)
      return row('Plain 89').count()
    }
    await expect.poll(lastAfterScroll, { timeout: 40_000 }).toBe(1)
  })

  it('asks in the row before it unpublishes, and leads back to the switch', async () => {
    await page.goto('/flows?q=busy')
    const published = row('Busy').getByRole('switch', { name: 'Busy: published' })
    for (const attempt of ['first', 'second']) {
      await published.focus()
      await page.keyboard.press('Space')
      await page.getByRole('dialog', { name: 'Unpublish "Busy"?' }).waitFor()
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      const focused = await page.evaluate('document.activeElement?.getAttribute("aria-label")')
      expect(focused, attempt).toBe('Busy: published')
    }
    expect(await published.isChecked()).toBe(true)
  })

  it('comes with little code, and no list draws all flows as choices while they are closed', async () => {
    await page.goto('/flows')
    await row('Busy').waitFor()
    const scripts: number[] = await page.evaluate(
      `performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map((one) => one.decodedBodySize)`,
    )
    expect(scripts.length).toBeLessThan(24)
    expect(scripts.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(850_000)
    for (const list of ['/inbox', '/runs']) {
      await page.goto(list)
      await page.getByRole('combobox', { name: 'Flow' }).waitFor()
      expect(await page.locator('[role="option"]').filter({ hasText: 'Busy' }).count()).toBe(0)
    }
    await page.goto('/flows')
    await page.getByRole('combobox', { name: 'Sort by' }).click()
    await page.getByRole('option', { name: 'Name' }).waitFor()
    expect(await page.getByRole('option', { name: 'Latest change' }).getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(/sort=name/)
  })

  it('comes compressed and without drafts', async () => {
    const [reply] = await Promise.all([
      page.waitForResponse((response) => new URL(response.url()).pathname === '/api/v1/flows'),
      page.goto('/flows'),
    ])
    expect(await reply.headerValue('content-encoding')).toMatch(/^(br|gzip)$/)
    const { items } = (await reply.json()) as { items: object[] }
    expect(items[0]).not.toHaveProperty('draft')
  })
})

it('the editor does not fetch the flows until the palette is opened', async () => {
  const asked: string[] = []
  page.on('request', (request) => void asked.push(new URL(request.url()).pathname))
  await page.goto(`/flows/${flow}`)
  await page.getByRole('heading', { name: 'Invoices' }).waitFor()
  await page.waitForLoadState('load')
  await page.getByText('Saved', { exact: true }).waitFor()
  expect(asked).not.toContain('/api/v1/flows')
  await page.keyboard.press('Escape')
  await page.keyboard.press('Control+k')
  await page.locator('.mantine-Spotlight-action').filter({ hasText: 'Busy' }).waitFor()
  expect(asked).toContain('/api/v1/flows')
})
