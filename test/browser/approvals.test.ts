// Tests the page of an approval in a real browser: on a phone, by keyboard, without JavaScript, and after it was answered.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, OWNER, startUi, type Ui } from './harness.ts'

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const SHOTS = process.env['SHOTS']

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui.stop())

async function asked(more: object = {}) {
  const { post } = await ui.millrace.publish({
    name: 'Refunds',
    trigger: { kind: 'webhook' },
    steps: [
      {
        id: 'approval',
        kind: 'wait',
        approval: {
          title: 'Refund {{ webhook.body.amount }} EUR to Ada Byron?',
          text: 'Order **4711** came back.\n\n- It was *unopened*.\n- See [the shop](https://shop.example.com/4711).',
          fields: [
            { name: 'reason', label: 'Why', required: true },
            { name: 'told', label: 'Ada was told', type: 'boolean' },
          ],
          ...more,
        },
      },
    ],
  })
  const { id } = (await post({ amount: 80 })).body
  await ui.millrace.runEnded(id, ['waiting'])
  const [callback] = (await ui.millrace.api('GET', `/runs/${id}`)).body.callbacks
  return { id: id as string, url: callback.url as string }
}

const shot = async (page: Page, name: string) => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true })
}
const fits = (page: Page) => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth')

describe('the page of an approval', () => {
  it('is answered on a phone, by keyboard, without JavaScript', async () => {
    const { id, url } = await asked()
    const page = await ui.visitor({ ...PHONE, javaScriptEnabled: false })
    await page.goto(url)
    await page.getByRole('heading', { name: 'Refund 80 EUR to Ada Byron?' }).waitFor()
    await shot(page, 'approval-phone')
    // The link, the fields, the first answer.
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.type('as agreed')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Answered: approve').waitFor()
    await shot(page, 'approval-phone-answered')
    expect((await ui.millrace.runEnded(id)).steps[0]!.output).toMatchObject({
      answer: 'approve',
      fields: { reason: 'as agreed', told: true },
      by: 'link',
    })
    await page.goto(url)
    await page.getByText('Answered: approve').waitFor()
    expect(await page.getByRole('button').count()).toBe(0)
  })

  it('is accessible and fits, in light and dark', async () => {
    const { url } = await asked()
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await ui.visitor({ viewport: PHONE.viewport, colorScheme })
      await page.goto(url)
      await page.getByRole('button', { name: 'approve' }).waitFor()
      await expectAccessible(page)
      expect(await fits(page)).toBe(true)
      await shot(page, `approval-${colorScheme}`)
    }
  })

  it('asks others than users to sign in, leads them back, and says to users by whom it was answered', async () => {
    const { id, url } = await asked({ who: 'users', fields: [] })
    const stranger = await ui.visitor()
    await stranger.goto(url)
    await stranger.getByRole('heading', { name: 'Sign in to answer' }).waitFor()
    await expectAccessible(stranger)
    await shot(stranger, 'approval-sign-in')
    await ui.owner()
    await stranger.getByRole('link', { name: 'Sign in' }).click()
    await stranger.getByRole('textbox', { name: 'E-mail' }).fill(OWNER.email)
    await stranger.getByLabel('Password', { exact: false }).first().fill(OWNER.password)
    await stranger.keyboard.press('Enter')
    // It comes back to the question by itself.
    await stranger.getByRole('button', { name: 'reject' }).click()
    await stranger.getByText('by ada@example.com').waitFor()
    await shot(stranger, 'approval-answered')
    expect((await ui.millrace.runEnded(id)).steps[0]!.output).toMatchObject({ answer: 'reject', by: 'ada@example.com' })
  })
})
