// Walks the way of somebody who takes the events of a service for the first time: the senders are played by scripts.
import { createHmac } from 'node:crypto'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let clicks = 0

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  await page.exposeFunction('countClick', () => void clicks++)
  await page.addInitScript("addEventListener('pointerdown', () => countClick(), true)")
})
afterAll(() => ui.stop())

const panel = () => page.locator('[data-panel]')
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const hmac = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex')

/** From the list of flows to the question who sends. */
async function newFlow(): Promise<{ id: string; url: string }> {
  clicks = 0
  await page.goto('/flows')
  await page
    .getByRole('button', { name: 'New flow' })
    .or(page.getByRole('link', { name: 'New flow' }))
    .first()
    .click()
  await page.getByText('Blank flow', { exact: true }).click()
  await page.waitForURL('**/flows/flow_*')
  const id = /flow_\w+/.exec(page.url())![0]
  await who().waitFor()
  return { id, url: (await ui.millrace.api('GET', `/flows/${id}`)).body.webhook.url }
}

const who = () => panel().getByRole('combobox', { name: 'Who sends?' })

async function choose(typed: string): Promise<void> {
  await who().click()
  await page.keyboard.type(typed)
  await page.keyboard.press('Enter')
}

/** What is missing is said a moment after the choice, and moves what is below: a person sees it before the next click. */
const asksFor = (label: string) => panel().getByText(`is missing: the ${label} of`).waitFor()

async function fill(label: string, value: string): Promise<void> {
  await panel().getByRole('textbox', { name: label, exact: true }).click()
  await page.keyboard.insertText(value)
}

async function publish(): Promise<void> {
  await saved()
  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await panel()
    .getByRole('button', { name: /^Publish/ })
    .click()
  await panel()
    .getByText(/Waiting for the first delivery/)
    .waitFor()
}

const arrived = () => panel().getByText('Delivery accepted').waitFor()

/** The URL as a person takes it: out of the clipboard. */
async function copiedUrl(): Promise<string> {
  await panel().getByRole('button', { name: 'Copy the webhook URL' }).first().click()
  return page.evaluate('navigator.clipboard.readText()')
}

const post = (url: string, body: string, headers: Record<string, string>) =>
  fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body })

describe('a person who has never read how a signature works', () => {
  it('takes the first event of Stripe', async () => {
    const begun = performance.now()
    const { id } = await newFlow()
    await choose('stripe')
    await asksFor('Signing secret')
    const url = await copiedUrl()
    await fill('Signing secret', 'whsec_of_the_endpoint')
    await publish()

    const event = JSON.stringify({ id: 'evt_1', object: 'event', type: 'invoice.paid', data: { object: {} } })
    const signed = (secret: string) => {
      const time = Math.floor(Date.now() / 1000)
      return { 'stripe-signature': `t=${time},v1=${hmac(secret, `${time}.${event}`)}` }
    }
    expect((await post(url, event, signed('whsec_of_another'))).status).toBe(401)
    expect((await post(url, event, signed('whsec_of_the_endpoint'))).status).toBe(200)
    await arrived()
    console.info(`Stripe: ${clicks} clicks, ${Math.round((performance.now() - begun) / 1000)} s by a machine.`)
    expect(clicks).toBeLessThanOrEqual(7)

    const { items } = (await ui.millrace.api('GET', `/flows/${id}/deliveries`)).body
    expect(items.map(({ outcome, event: type }: { outcome: string; event: string | null }) => [outcome, type])).toEqual(
      [
        ['accepted', 'invoice.paid'],
        ['rejected', null],
      ],
    )
  })

  it('takes the first event of Meta, which checks the URL before', async () => {
    const begun = performance.now()
    await newFlow()
    await choose('whatsapp')
    await asksFor('Verify token')
    const url = await copiedUrl()
    await fill('App secret', 'secret-of-the-app')
    await fill('Verify token', 'chosen-by-me')
    await panel().getByText('is missing').waitFor({ state: 'detached' })
    await publish()

    const check = (token: string) =>
      fetch(`${url}?hub.mode=subscribe&hub.verify_token=${token}&hub.challenge=1158201444`)
    expect((await check('guessed')).ok).toBe(false)
    const answer = await check('chosen-by-me')
    expect([answer.status, await answer.text()]).toEqual([200, '1158201444'])
    const event = JSON.stringify({
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value: { text: 'caf\u00e9' } }] }],
    })
    const headers = { 'x-hub-signature-256': `sha256=${hmac('secret-of-the-app', event)}` }
    expect((await post(url, event, headers)).status).toBe(200)
    await arrived()
    console.info(`Meta: ${clicks} clicks, ${Math.round((performance.now() - begun) / 1000)} s by a machine.`)
    expect(clicks).toBeLessThanOrEqual(8)
  })
})

/** Makes a flow whose sender is known, by the API. */
async function flowOf(
  sender: object,
  steps: object[] = [],
): Promise<{ id: string; webhook: { url: string; testUrl: string } }> {
  return (await ui.millrace.api('POST', '/flows', { name: 'Payments', trigger: { kind: 'webhook', sender }, steps }))
    .body
}

describe('the sender in the editor', () => {
  it('is found by what it is for, chosen and given up by keyboard alone', async () => {
    const { id } = await flowOf({ name: 'stripe' })
    await page.goto(`/flows/${id}?trigger=true`)
    await panel().getByRole('heading', { name: 'In Stripe' }).waitFor()
    await expectAccessible(page)
    await who().focus()
    await page.keyboard.type('instag')
    await page.getByRole('option', { name: /^Me Meta|^Meta/ }).waitFor()
    await expectAccessible(page)
    await page.keyboard.press('Enter')
    await panel().getByRole('heading', { name: 'In Meta' }).waitFor()
    await panel().getByRole('textbox', { name: 'Verify token', exact: true }).waitFor()
    await page.keyboard.type('my own')
    await page.keyboard.press('Enter')
    await panel().getByText('Send a test request', { exact: true }).waitFor()
    await saved()
    expect((await ui.millrace.api('GET', `/flows/${id}`)).body.draft.trigger).toEqual({ kind: 'webhook' })
  })

  it('takes what is typed before a busy page has come to its timers', async () => {
    const { id } = await flowOf({ name: 'stripe' })
    await page.goto(`/flows/${id}?trigger=true`)
    const shown = (title: string) => panel().getByText(title, { exact: true }).waitFor()
    await shown('In Stripe')
    await who().focus()
    for (const [typed, title] of [
      ['instag', 'In Meta'],
      ['shopif', 'In Shopify'],
      ['my own', 'Send a test request'],
      ['g', 'In Gitea'],
    ] as const) {
      // The list opens with the first key, and a timer looks for what is marked then: it comes late.
      await page.evaluate('timer = window.setTimeout; late = []; window.setTimeout = (then) => late.push(then)')
      await page.keyboard.type(typed)
      await page.evaluate('window.setTimeout = timer; for (const then of late) then()')
      await page.keyboard.press('Enter')
      await shown(title)
    }
  })

  it('sends a signed sample of the chosen event, which the data of fields then has', async () => {
    const step = { id: 'note', kind: 'set', vars: { paid: '' } }
    const { id } = await flowOf({ name: 'stripe', secret: 'whsec_sample' }, [step])
    const picker = page.locator('[data-picker]')
    const openData = async () => {
      await page.goto(`/flows/${id}?step=note`)
      await panel()
        .getByRole('button', { name: /^Insert data into/ })
        .last()
        .click()
      await picker.waitFor()
    }
    await openData()
    // Nothing came yet: these are the shapes of the sender's samples.
    await picker.locator('[data-path="webhook.body.type"]').getByText('invoice.paid').waitFor()
    expect((await ui.millrace.api('GET', `/flows/${id}/samples`)).body.items).toEqual([])

    await page.goto(`/flows/${id}?trigger=true`)
    await panel().getByRole('combobox', { name: 'Event of the sample' }).click()
    await page.getByRole('option', { name: 'checkout.session.completed' }).click()
    await panel().getByRole('button', { name: 'Send a sample' }).click()
    await panel().getByText('Test request received').waitFor()
    await openData()
    await picker.locator('[data-path="webhook.body.type"]').getByText('checkout.session.completed').waitFor()
  })

  it('shows that a secret which the sender hands over has arrived', async () => {
    const { id, webhook } = await flowOf({ name: 'stripe' })
    await page.goto(`/flows/${id}?trigger=true`)
    await who().click()
    await page.keyboard.type('asana')
    await page.keyboard.press('Enter')
    await panel().getByText('Waiting for Asana').waitFor()
    await panel().getByRole('button', { name: 'Make the connection' }).click()
    await panel().getByRole('button', { name: 'Make the connection' }).waitFor({ state: 'detached' })
    await saved()
    expect((await ui.millrace.api('POST', `/flows/${id}/publish`)).status).toBe(200)
    const answer = await post(webhook.url, '', { 'x-hook-secret': 'handed-over-by-asana' })
    expect([answer.status, answer.headers.get('x-hook-secret')]).toEqual([200, 'handed-over-by-asana'])
    await panel().getByText('Arrived').waitFor()
    await expectAccessible(page)
  })

  it('says what is wrong with a sample that the webhook refuses', async () => {
    const { id } = await flowOf({ name: 'stripe' })
    await page.goto(`/flows/${id}?trigger=true`)
    await panel().getByRole('button', { name: 'Send a sample' }).click()
    await panel().getByText('The sample was not accepted').waitFor()
  })

  it('fits a phone in the dark', async () => {
    const { id } = await flowOf({ name: 'meta', secret: 's', verifyToken: 't' })
    const phone = await ui.owner({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    await phone.goto(`/flows/${id}?trigger=true`)
    await phone.getByRole('heading', { name: 'In Meta' }).waitFor()
    await expectAccessible(phone)
    expect(await phone.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  })
})

describe('the inbox', () => {
  it('has the type of events as a column and a filter, and handshakes among the outcomes', async () => {
    await page.goto('/inbox')
    await page.getByRole('columnheader', { name: 'Event' }).waitFor()
    await page.getByRole('cell', { name: 'whatsapp_business_account.messages' }).waitFor()
    await page.getByRole('textbox', { name: 'Event' }).fill('invoice.paid')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/inbox?event=invoice.paid')
    await page.getByRole('cell', { name: 'whatsapp_business_account.messages' }).waitFor({ state: 'detached' })
    // Exactly one: a second would be refused.
    await page.getByRole('cell', { name: 'invoice.paid' }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.getByRole('combobox', { name: 'Outcome' }).click()
    await page.getByRole('option', { name: 'Handshake' }).click()
    await page.getByText('The sender checked the URL, and got its answer').first().waitFor()
  })
})
