// Tests the page of alerts, and the way from the link of an alert to all runs replayed, by keyboard alone.
import type { Page } from 'playwright-core'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { PublishedFlow } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

const FAILED = 20
let ui: Ui
let page: Page
let receiver: Upstream
let shop: Upstream
let flow: PublishedFlow
let isUp = false
let answer = 204

beforeAll(async () => {
  receiver = await startUpstream((_request, response) => response.writeHead(answer).end())
  shop = await startUpstream((_request, response) => response.writeHead(isUp ? 200 : 503).end('{}'))
  ui = await startUi({ MILLRACE_ENV_SHOP: shop.url, MILLRACE_ALERT_WINDOW: '3600' })
  page = await ui.owner()
  flow = await ui.millrace.publish({
    name: 'Order to the shop',
    tags: ['orders'],
    trigger: { kind: 'webhook' },
    steps: [{ id: 'send', kind: 'http', method: 'POST', url: '{{ env.SHOP }}/{{ webhook.body.order }}' }],
  })
})
afterAll(async () => {
  await ui.stop()
  await receiver.close()
  await shop.close()
})

const pictures = process.env['TEST_PICTURES']
const picture = async (name: string) => {
  if (pictures) await page.screenshot({ path: `${pictures}/${name}.png` })
}

let presses = 0
const press = async (key: string) => {
  presses++
  await page.keyboard.press(key)
}

/** Presses Tab until the element has the focus, as somebody without a mouse does. */
async function tabTo(target: ReturnType<Page['getByRole']>): Promise<void> {
  await target.waitFor({ state: 'attached' })
  for (let i = 0; i < 60; i++) {
    if (await target.and(page.locator(':focus')).count()) return
    await press('Tab')
  }
  throw new Error('The keyboard does not get there.')
}

describe('the page of alerts', () => {
  it('makes an alert by keyboard, and shows its secret once', async () => {
    await page.goto('/settings/profile')
    await page.getByRole('link', { name: 'Alerts' }).click()
    await page.getByText('No alerts yet').waitFor()
    await picture('alerts-none')
    await expectAccessible(page)
    await tabTo(page.getByRole('button', { name: 'New alert' }))
    await press('Enter')
    const dialog = page.getByRole('dialog', { name: 'New alert' })
    const rule = dialog.getByRole('combobox', { name: 'Tell when' })
    await rule.and(page.locator(':focus')).waitFor()
    await press('ArrowDown')
    await page.getByRole('option', { name: 'Many failures' }).waitFor()
    await press('ArrowDown')
    await press('Enter')
    await dialog.getByRole('textbox', { name: 'Count' }).fill('2')
    await tabTo(dialog.getByRole('radio', { name: 'All flows' }))
    await press('ArrowRight')
    await tabTo(dialog.getByRole('combobox', { name: 'Tag' }))
    await page.keyboard.type('ord')
    await page.getByRole('option', { name: 'orders' }).waitFor()
    await press('ArrowDown')
    await press('Enter')
    await dialog.getByRole('textbox', { name: 'URL' }).fill(`${receiver.url}/alerts`)
    await picture('alert-dialog')
    await expectAccessible(page)
    await dialog.getByRole('textbox', { name: 'URL' }).press('Enter')
    await page.getByText('2 failures within 5 minutes').waitFor()
    await page.getByText('Flows with the tag orders').waitFor()
    const secret = await page.getByText(/^whsec_/).textContent()
    await picture('alerts-secret')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test was sent.').waitFor()
    const [{ body, headers }] = receiver.received as [Upstream['received'][number]]
    expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toMatchObject({ rule: 'failures' })
    await page.getByRole('button', { name: 'Done' }).click()
    await page.reload()
    await page.getByText('2 failures within 5 minutes').waitFor()
    expect(await page.getByText(/whsec_/).count()).toBe(0)
  })

  it('changes an alert, and says why a test was not sent', async () => {
    await page.getByRole('button', { name: /^Change/ }).click()
    const dialog = page.getByRole('dialog', { name: 'Change alert' })
    await dialog.getByRole('textbox', { name: 'Count' }).fill('3')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('3 failures within 5 minutes').waitFor()
    answer = 500
    await page.getByRole('button', { name: 'Send a test' }).click()
    await page.getByText('The test was not sent. The webhook answered with status 500.').waitFor()
    await picture('alerts-refused')
    await expectAccessible(page)
    answer = 204
  })

  it('is read by editors, who change nothing, and not by viewers', async () => {
    for (const [role, sees] of [
      ['editor', '3 failures within 5 minutes'],
      ['viewer', 'Only editors and owners can open'],
    ] as const) {
      const { url } = (await ui.millrace.api('POST', '/invitations', { role })).body
      const guest = await ui.visitor()
      const person = { email: `${role}@example.com`, name: role, password: 'heron lamp granite tide' }
      const accepted = await guest.context().request.post('/api/auth/accept-invitation', {
        headers: { origin: ui.url },
        data: { code: url.split('#code=')[1], ...person },
      })
      expect(accepted.status()).toBe(200)
      await guest.goto('/settings/alerts')
      await guest.getByText(sees).first().waitFor()
      expect(await guest.getByRole('button', { name: /Send a test|New alert|^Change|^Delete/ }).count()).toBe(0)
    }
  })

  it('deletes an alert', async () => {
    const target = { kind: 'webhook', url: `${receiver.url}/other` }
    await ui.millrace.api('POST', '/alerts', { rule: 'storage', target })
    await page.getByRole('button', { name: 'Delete: Disk or database trouble' }).click()
    await page.getByRole('button', { name: 'Delete alert' }).click()
    await page.getByText('The alert is deleted.').waitFor()
    await expect.poll(() => page.getByText('Disk or database trouble').count()).toBe(0)
  })

  it('fits a phone and the dark', async () => {
    await page.setViewportSize({ width: 390, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await picture('alerts-phone')
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Change/ }).press('Enter')
    await page.getByRole('dialog', { name: 'Change alert' }).waitFor()
    await picture('alert-dialog-phone')
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
  })
})

it('leads from the link of an alert to all runs replayed, by keyboard alone', async () => {
  const before = receiver.received.length
  const runs: string[] = []
  for (let order = 0; order < FAILED; order++) runs.push((await flow.post({ order })).body.id)
  for (const id of runs) expect((await ui.millrace.runEnded(id)).status).toBe('failed')
  await receiver.count(before + 1)
  const { link } = JSON.parse(receiver.received.at(-1)!.body)
  isUp = true
  presses = 0
  const began = performance.now()
  await page.goto(link)
  await page.locator('tbody tr').first().waitFor()
  expect(await page.locator('tbody tr').count()).toBe(1)
  await expectAccessible(page)
  await picture('alert-link')
  await tabTo(page.getByRole('link', { name: 'Skip to the content' }))
  await press('Enter')
  await tabTo(page.getByRole('button', { name: 'Replay all' }))
  await press('Enter')
  // The dialog puts the focus on what most people want.
  const start = page.getByRole('button', { name: `Replay ${FAILED} runs` })
  await start.waitFor()
  await expectAccessible(page)
  await tabTo(start)
  await press('Enter')
  await page.waitForURL('**/replays/rpl_*')
  await page.getByText(`${FAILED} succeeded, 0 failed`).waitFor()
  await page.getByText('Done', { exact: true }).waitFor()
  if (pictures) console.log({ presses, seconds: (performance.now() - began) / 1000 })
  await expectAccessible(page)
  for (const id of runs) expect((await ui.millrace.run(id)).replayedAs?.status).toBe('succeeded')
})
