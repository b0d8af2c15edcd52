// Tests that nothing typed into the editor is lost: with the service away, with the session ended, with somebody else at work.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, OWNER, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

const PATIENTLY = { timeout: 40_000 }

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const waitStep = (id: string, seconds = 1) => ({ id, kind: 'wait', seconds })
const documentOf = (...steps: object[]) => ({ name: 'Kept', trigger: { kind: 'webhook' }, steps })

async function openFlow(document: object, search: string): Promise<string> {
  const { body } = await ui.millrace.api('POST', '/flows', document)
  await page.goto(`/flows/${body.id}${search}`)
  await page.getByRole('textbox', { name: 'Name of the flow' }).waitFor()
  return body.id
}

const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()

async function writeSeconds(text: string): Promise<void> {
  await page.locator('[data-panel]').getByRole('textbox', { name: 'Time', exact: true }).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

describe('when the service comes back', () => {
  it('the draft is saved by itself, and the page says so', async () => {
    const flow = await openFlow(documentOf(waitStep('a')), '?step=a')
    await page.route(/\/(api|healthz)/, (route) => route.abort())
    await writeSeconds('7')
    await page.getByText('The draft could not be saved').waitFor()
    await page.getByText('Your changes are on this page, and are saved then.').waitFor()
    await page.unrouteAll()
    await page.getByText('The draft is saved.').waitFor()
    await saved()
    expect((await draftOf(flow)).steps[0].seconds).toBe(7)
  })

  it('also from a fault that passes', async () => {
    const flow = await openFlow(documentOf(waitStep('a')), '?step=a')
    let refusals = 0
    await page.route(`**/api/v1/flows/${flow}`, (route) => {
      if (route.request().method() !== 'PUT' || refusals++ > 0) return route.continue()
      return route.fulfill({ status: 503, json: { status: 'error', code: 'unavailable', message: 'Try again.' } })
    })
    await writeSeconds('8')
    await page.getByText('The draft could not be saved').waitFor()
    await page.getByText('The draft is saved.').first().waitFor()
    await page.unrouteAll()
    expect((await draftOf(flow)).steps[0].seconds).toBe(8)
  })
})

describe('when the session ends', () => {
  it('one signs in over the page, and the edits are saved', async () => {
    const flow = await openFlow(documentOf(waitStep('a')), '?step=a')
    // The edit is made before anything tells the page that its session is over.
    const ended = Promise.withResolvers<void>()
    await page.route(`**/api/v1/flows/${flow}`, async (route) => {
      if (route.request().method() === 'PUT') await ended.promise
      await route.continue()
    })
    await writeSeconds('9')
    await page.context().request.post('/api/auth/sign-out', { headers: { origin: ui.url }, data: {} })
    ended.resolve()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    expect(await page.getByText('Bearer').count()).toBe(0)
    expect(await dialog.getByLabel('E-mail').inputValue()).toBe(OWNER.email)
    await expectAccessible(page)
    const password = dialog.getByRole('textbox', { name: 'Password' })
    await password.fill('wrong wrong wrong')
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.getByText('The e-mail or the password is wrong.').waitFor()
    await password.fill(OWNER.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'detached' })
    await saved()
    await page.unrouteAll()
    expect((await draftOf(flow)).steps[0].seconds).toBe(9)
    expect(page.url()).toContain(`/flows/${flow}`)
    await writeSeconds('10')
    await expect.poll(async () => (await draftOf(flow)).steps[0].seconds, PATIENTLY).toBe(10)
  })
})

describe('when somebody else has saved', () => {
  it('another step, one can keep both', async () => {
    const flow = await openFlow(documentOf(waitStep('a'), waitStep('b')), '?step=a')
    await ui.millrace.api('PUT', `/flows/${flow}`, documentOf(waitStep('a'), waitStep('b', 5), waitStep('c')))
    await writeSeconds('11')
    await page.getByRole('button', { name: 'Keep both' }).click()
    await saved()
    await expect
      .poll(() => draftOf(flow), PATIENTLY)
      .toEqual(documentOf(waitStep('a', 11), waitStep('b', 5), waitStep('c')))
  })

  it('the same step, one has to choose', async () => {
    const flow = await openFlow(documentOf(waitStep('a')), '?step=a')
    await ui.millrace.api('PUT', `/flows/${flow}`, documentOf(waitStep('a', 5)))
    await writeSeconds('12')
    await page.getByRole('button', { name: 'Keep mine' }).waitFor()
    expect(await page.getByRole('button', { name: 'Keep both' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await expect.poll(async () => (await draftOf(flow)).steps[0].seconds, PATIENTLY).toBe(12)
  })
})
