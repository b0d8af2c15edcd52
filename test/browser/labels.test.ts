// Tests labels, attempts and rejected deliveries in the browser: runs are found by what operators know, and put right.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream
let flow: string
let run: string
let send: (id: string, customer?: string) => Promise<string>

beforeAll(async () => {
  let down = 2
  upstream = await startUpstream((_request, response) => {
    response.writeHead(down-- > 0 ? 503 : 200, { 'content-type': 'application/json' })
    response.end('{}')
  })
  ui = await startUi({ MILLRACE_ENV_UP: upstream.url, MILLRACE_ENV_KEY: 'right' })
  page = await ui.owner()
  const published = await ui.millrace.publish({
    name: 'Orders',
    trigger: {
      kind: 'webhook',
      auth: { kind: 'header', name: 'x-key', value: '{{ env.KEY }}' },
      inbox: { keepRejected: true },
      labels: { order: '{{ webhook.body.id }}', customer: '{{ webhook.body.customer }}' },
    },
    steps: [{ id: 'ship', kind: 'http', method: 'POST', url: '{{ env.UP }}', retry: { attempts: 3, delay: 0.01 } }],
  })
  flow = published.flow.id
  send = async (id, customer = 'ada@example.com') =>
    (await published.post({ id, customer }, { 'x-key': 'right' })).body.id
  run = await send('A-1001')
  await ui.millrace.runEnded(run)
  await ui.millrace.runEnded(await send('A-1002'))
  await published.post({ id: 'A-1003', customer: 'bob@example.com' }, { 'x-key': 'wrong' })
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

it('finds the runs of a label by the keyboard alone, and the attempts of its step', async () => {
  await page.goto('/runs')
  await page.getByText('order=A-1002').waitFor()
  await page.getByRole('textbox', { name: 'Label' }).focus()
  await page.keyboard.type('order=A-1001')
  await page.keyboard.press('Enter')
  await page.waitForURL(/label=order%3DA-1001/)
  await page.getByText('order=A-1002').waitFor({ state: 'detached' })
  await page.locator('[data-run]').getByText('order=A-1001').waitFor()
  await expectAccessible(page)
  await page.goto(`/runs/${run}?step=ship`)
  const attempts = page.getByRole('region', { name: 'Attempts' })
  await attempts.waitFor()
  expect(await attempts.getByRole('listitem').count()).toBe(3)
  expect(await attempts.textContent()).toMatch(/503[\s\S]*503[\s\S]*200/)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'ada@example.com' }).click()
  await page.waitForURL(/label=customer%3Dada/)
  await page.getByText('order=A-1002').waitFor()
})

it('narrows the runs by several labels, one after the other, and widens them again', async () => {
  await page.goto('/runs')
  await page.getByText('order=A-1002').waitFor()
  await page.getByRole('textbox', { name: 'Label' }).focus()
  await page.keyboard.type('customer=ada@example.com')
  await page.keyboard.press('Enter')
  await page.waitForURL(/label=customer/)
  await page.getByRole('button', { name: 'Remove the label customer=ada@example.com' }).waitFor()
  // The focus stays: the next label can be written at once.
  await page.keyboard.type('order=A-1001')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Remove the label order=A-1001' }).waitFor()
  await page.getByText('order=A-1002').waitFor({ state: 'detached' })
  expect(await page.locator('[data-run]').getByText('order=A-1001').count()).toBe(1)
  await expectAccessible(page)
  await page.reload()
  await page.getByRole('button', { name: 'Remove the label order=A-1001' }).click()
  await page.getByText('order=A-1002').waitFor()
})

it('shows the deliveries of a label, and new ones as they come', async () => {
  await page.goto('/inbox?label=customer%3Dada%40example.com')
  const rows = page.locator('[data-delivery]')
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2)
  await send('A-1004', 'ada@example.com')
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(3)
  await send('A-1005', 'eve@example.com')
  await send('A-1006', 'ada@example.com')
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(4)
  await expectAccessible(page)
})

it('are set in the form of the trigger, as is what becomes of rejected bodies', async () => {
  const { body } = await ui.millrace.api('POST', '/flows', { name: 'New', trigger: { kind: 'webhook' }, steps: [] })
  const headers = { 'content-type': 'application/json' }
  await fetch(body.webhook.testUrl, { method: 'POST', headers, body: '{"order":{"id":"B-7"}}' })
  const draft = async () => (await ui.millrace.api('GET', `/flows/${body.id}`)).body.draft.trigger
  await page.goto(`/flows/${body.id}?trigger=true`)
  await page.getByRole('button', { name: 'Labels none' }).press('Enter')
  await page.getByRole('button', { name: 'Add label' }).press('Enter')
  await page.getByRole('textbox', { name: 'Name of label label_1' }).fill('order')
  await page.keyboard.press('Enter')
  await page.getByRole('textbox', { name: 'Value of order', exact: true }).fill('{{ env.KEY }}')
  await page.getByText('A label is shown and searched, so it may hold no secret').waitFor()
  await page.getByRole('textbox', { name: 'Value of order', exact: true }).fill('{{ webhook.body.order.id }}')
  await page.getByText('B-7', { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Rejected deliveries without their bodies' }).press('Enter')
  await page.getByRole('switch', { name: 'Keep rejected bodies' }).press('Space')
  await expectAccessible(page)
  await expect
    .poll(draft, { timeout: 20_000 })
    .toEqual({ kind: 'webhook', labels: { order: '{{ webhook.body.order.id }}' }, inbox: { keepRejected: true } })
  await page.getByRole('switch', { name: 'Keep rejected bodies' }).press('Space')
  await page.getByRole('button', { name: 'Remove order' }).click()
  await expect.poll(draft, { timeout: 20_000 }).toEqual({ kind: 'webhook' })
  // Triggers of other kinds take labels too.
  for (const kind of ['Schedule', 'Call']) {
    await page.getByText(kind, { exact: true }).click()
    await page.getByRole('button', { name: 'Labels none' }).waitFor()
  }
})

it('finds labels in the palette', async () => {
  await page.keyboard.press('Control+k')
  await page.getByRole('textbox', { name: 'Search', exact: true }).fill('A-100')
  const option = page.locator('.mantine-Spotlight-action').filter({ hasText: 'order=A-1002' })
  await option.waitFor()
  await option.click()
  await page.waitForURL(/label=order%3DA-1002/)
})

it('admits a rejected delivery, on a phone and in the dark too', async () => {
  const phone = await ui.owner({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  await phone.goto(`/runs?flow=${flow}`)
  await phone.getByText('order=A-1002').waitFor()
  await expectAccessible(phone)
  await phone.goto(`/inbox?flow=${flow}&outcome=rejected`)
  await phone
    .getByRole('row', { name: /Orders/ })
    .getByRole('link')
    .click()
  await phone.getByRole('button', { name: 'Admit' }).waitFor()
  await expectAccessible(phone)
  await page.goto(`/inbox?flow=${flow}&outcome=rejected`)
  await page
    .getByRole('row', { name: /Orders/ })
    .getByRole('link')
    .click()
  await page.getByRole('tab', { name: 'Body' }).click()
  await page.getByText('A-1003').waitFor()
  await page.getByRole('button', { name: 'Admit' }).focus()
  await page.keyboard.press('Enter')
  const question = page.getByRole('dialog', { name: 'Admit this delivery?' })
  await question.waitFor()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Admit' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'Open the run' }).waitFor()
  await page.getByRole('link', { name: 'Open the run' }).click()
  await page.getByText('Admitted by').waitFor()
  await page.getByText('ada@example.com').first().waitFor()
})
