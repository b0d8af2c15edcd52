// Walks the way of somebody who has just installed Millrace, and counts the clicks that it takes.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { OWNER, startUi, type Ui } from './harness.ts'

const MOST_CLICKS = 10

let ui: Ui

beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui.stop())

it(`gets from the set-up to the first delivery of a flow that calls an API in ${MOST_CLICKS} clicks`, async () => {
  const called: string[] = []
  const api = createServer((request, reply) => {
    called.push(request.url!)
    reply.setHeader('content-type', 'application/json').end('{"price":12}')
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void api.close())
  const { port } = api.address() as AddressInfo

  const page = await ui.visitor()
  let clicks = 0
  await page.exposeFunction('countClick', () => void clicks++)
  await page.addInitScript("addEventListener('pointerdown', () => countClick(), true)")
  const panel = page.locator('[data-panel]')
  const send = (url: string) =>
    fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"article":"A 7"}' })

  await page.goto(`/setup#code=${ui.setupCode()}`)
  await page.getByLabel('E-mail').fill(OWNER.email)
  await page.getByLabel('Name').fill(OWNER.name)
  await page.getByRole('textbox', { name: 'Password' }).fill(OWNER.password)
  await page.keyboard.press('Enter')
  await page.getByText('No flows yet').waitFor()

  await page.getByText('Blank flow', { exact: true }).click()
  await page.waitForURL('**/flows/flow_*')
  const id = /flow_\w+/.exec(page.url())![0]
  const { webhook } = (await ui.millrace.api('GET', `/flows/${id}`)).body
  await panel.getByText(webhook.testUrl, { exact: false }).first().waitFor()
  expect((await send(webhook.testUrl)).status).toBe(200)

  await page.locator('[data-insert="/steps:0"]').click()
  await page.getByRole('option', { name: /^HTTP request/ }).click()
  const url = panel.getByRole('textbox', { name: 'URL', exact: true })
  await url.click()
  await page.keyboard.insertText(`http://127.0.0.1:${port}/prices/`)
  await panel.getByRole('button', { name: 'Insert data into URL' }).click()
  await page.locator('[data-picker]').locator('[data-path="webhook.body.article"]').click()
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Test step' }).click()
  await panel.getByText('Succeeded').waitFor()

  await page.getByRole('button', { name: 'Publish', exact: true }).click()
  await panel.getByRole('button', { name: /^Publish/ }).click()
  await panel.getByText(/Waiting for the first delivery/).waitFor()
  expect((await send(webhook.url)).status).toBe(200)
  await panel.getByText(/Waiting for the first delivery/).waitFor({ state: 'detached' })

  expect(called).toEqual(['/prices/A%207', '/prices/A%207'])
  console.info(`A newcomer needs ${clicks} clicks.`)
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS)
})
