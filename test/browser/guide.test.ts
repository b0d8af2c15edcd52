// Tests the guide at /docs: its pages, its search, and the ways there from the app.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.visitor()
})
afterAll(() => ui.stop())

const search = () => page.getByRole('combobox', { name: 'Search the guide' })

describe('the guide', () => {
  it('is read without signing in, and its links lead to pages and headings', async () => {
    await page.goto('/docs')
    await page.getByRole('heading', { name: 'The Millrace guide' }).waitFor()
    const hrefs = await page
      .locator('a[href^="/docs/"]')
      .evaluateAll((links) =>
        links.map((link) => (link as unknown as { getAttribute(name: string): string }).getAttribute('href')),
      )
    const names = [...new Set(hrefs)]
    expect(names.length).toBeGreaterThan(20)
    const texts = new Map<string, string>()
    for (const name of names) {
      const reply = await page.request.get(name)
      expect([name, reply.status()]).toEqual([name, 200])
      texts.set(name, await reply.text())
    }
    const broken: string[] = []
    for (const [name, text] of texts)
      for (const [, target] of text.matchAll(/href="(\/docs\/[^"]*|#[^"]*)"/g)) {
        const [path, anchor] = (target!.startsWith('#') ? `${name}${target}` : target!).split('#')
        const reply = texts.has(path!) ? null : await page.request.get(path!)
        const isThere = reply === null || reply.status() === 200
        const html = texts.get(path!) ?? (await reply!.text())
        if (!isThere || (anchor && !html.includes(`id="${anchor}"`))) broken.push(`${name} -> ${target}`)
      }
    expect(broken).toEqual([])
  })

  it('finds a heading by words, with the keyboard alone', async () => {
    await page.goto('/docs/flows')
    await page.keyboard.press('/')
    await search().pressSequentially('dedupe key')
    await page.getByRole('option').first().waitFor()
    await search().fill('duplicates')
    await page
      .getByRole('option', { name: /Duplicates/ })
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/docs/webhooks#duplicates')
    await page.getByRole('heading', { name: 'Duplicates' }).waitFor()
  })

  it('takes what is typed as text', async () => {
    await page.goto('/docs')
    await search().fill('<img src=x onerror=alert(1)>')
    await page.getByRole('option', { name: 'Nothing found.' }).waitFor()
    expect(await page.locator('#found img').count()).toBe(0)
  })

  it('says that a page is missing', async () => {
    const reply = await page.goto('/docs/nothing')
    expect(reply!.status()).toBe(404)
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  })

  it.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 390],
  ] as const)('is accessible: %s, %s pixels', async (colorScheme, width) => {
    const reader = await ui.visitor({ colorScheme, viewport: { width, height: 800 } })
    for (const path of ['/docs', '/docs/connections', '/docs/api']) {
      await reader.goto(path)
      await expectAccessible(reader)
      const wide = await reader.evaluate('document.documentElement.scrollWidth - innerWidth')
      expect([path, wide]).toEqual([path, 0])
    }
    expect(
      await reader.evaluate('document.fonts.ready.then(() => document.fonts.check(\'15px "Inter Variable"\'))'),
    ).toBe(true)
    expect(await reader.evaluate('[...document.fonts].length')).toBeGreaterThan(0)
    const wanted = colorScheme === 'dark' ? 'rgb(22, 29, 32)' : 'rgb(255, 255, 255)'
    expect(await reader.evaluate('getComputedStyle(document.body).backgroundColor')).toBe(wanted)
  })

  it('can be read without JavaScript', async () => {
    const reader = await ui.visitor({ javaScriptEnabled: false })
    await reader.goto('/docs/flows#wait')
    await reader.getByRole('navigation', { name: 'Guide' }).getByRole('link', { name: 'Webhooks', exact: true }).click()
    await reader.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor()
    expect(await reader.getByRole('searchbox').count()).toBe(0)
  })

  it('is linked from the menu of the app', async () => {
    const owner = await ui.owner()
    await owner.goto('/flows')
    await owner.getByRole('button', { name: /^You:/ }).click()
    const [opened] = await Promise.all([
      owner.context().waitForEvent('page'),
      owner.getByRole('menuitem', { name: 'Guide' }).click(),
    ])
    await opened.getByRole('heading', { name: 'The Millrace guide' }).waitFor()
  })
})

describe('the typefaces', () => {
  it('come from Millrace itself, and are used', async () => {
    const owner = await ui.owner()
    await owner.goto('/flows')
    await owner.getByText('No flows yet').waitFor()
    const used = await owner.evaluate(
      "document.fonts.ready.then(() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family))",
    )
    expect(String(used)).toContain('Inter Variable')
    expect(await owner.evaluate('getComputedStyle(document.body).fontFamily')).toMatch(/^"Inter Variable"/)
  })

  it('come with no motion for those who want none', async () => {
    const calm = await ui.owner({ reducedMotion: 'reduce' })
    await calm.goto('/flows/new')
    await calm.getByText('Blank flow').click()
    const cards = calm.locator('.react-flow__node')
    await cards.first().waitFor()
    const durations = await cards.evaluateAll((nodes) =>
      nodes.map(
        (node) =>
          (globalThis as unknown as { getComputedStyle(of: unknown): { transitionDuration: string } }).getComputedStyle(
            node,
          ).transitionDuration,
      ),
    )
    expect(durations.every((duration) => Number.parseFloat(duration) < 0.001)).toBe(true)
  })
})
