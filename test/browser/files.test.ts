// Tests files in the web UI: shown where data is, to be saved, and set in the editor.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { PublishedFlow } from '../harness/millrace.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let flow: PublishedFlow
let runId: string

/** A picture of one dot. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  flow = await ui.millrace.publish({
    name: 'Invoices',
    trigger: { kind: 'webhook', accept: ['multipart/form-data'] },
    steps: [
      { id: 'keep', kind: 'set', vars: { scan: '{{ webhook.files.scan }}' } },
      {
        id: 'send',
        kind: 'http',
        method: 'POST',
        url: 'http://127.0.0.1:9/',
        onError: 'continue',
        body: { kind: 'form', multipart: true, fields: [{ name: 'doc', file: '{{ webhook.files.scan }}' }] },
      },
    ],
  })
  const form = new FormData()
  form.append('note', 'second copy')
  form.append('scan', new Blob([new Uint8Array(PNG)], { type: 'image/png' }), 'a scan of an invoice.png')
  form.append('page', new Blob(['<svg onload=alert(1)>'], { type: 'image/svg+xml' }), 'drawing.svg')
  const reply = await fetch(flow.flow.webhook.url, { method: 'POST', body: form })
  runId = ((await reply.json()) as { id: string }).id
  await ui.millrace.runEnded(runId)
})
afterAll(() => ui.stop())

it('shows a file with its name and size, a picture of it if it is one, and saves it', async () => {
  await page.goto(`/runs/${runId}`)
  await page.getByRole('tab', { name: 'Files 2' }).click()
  const tree = page.getByRole('tree', { name: 'Files' })
  await tree.getByText('a scan of an invoice.png').waitFor()
  await tree.getByText('drawing.svg').waitFor()
  // The drawing is never drawn: it could hold a script.
  await tree.locator('img[src^="blob:"]').waitFor()
  expect(await tree.locator('img').count()).toBe(1)
  await expectAccessible(page)
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    tree.getByRole('link', { name: 'Download drawing.svg' }).click(),
  ])
  expect(saved.suggestedFilename()).toBe('drawing.svg')
  const [byKey] = await Promise.all([
    page.waitForEvent('download'),
    (async () => {
      await tree.getByRole('treeitem').nth(1).focus()
      await page.keyboard.press('d')
    })(),
  ])
  expect(byKey.suggestedFilename()).toBe('a scan of an invoice.png')
})

const textbox = (name: string) => page.getByRole('textbox', { name, exact: true })

it('has a place in the editor: types, bodies, fields, replies', async () => {
  await page.goto(`/flows/${flow.flow.id}?step=send`)
  await page.getByRole('tab', { name: 'Body' }).click()
  await textbox('File of field 1').waitFor()
  await page.getByRole('button', { name: 'Add file' }).click()
  await textbox('File of field 2').waitFor()
  await page.getByRole('radiogroup', { name: 'Body' }).getByText('File', { exact: true }).click()
  await textbox('File').waitFor()
  await expectAccessible(page)
})
