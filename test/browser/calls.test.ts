// Tests the pages of flows that are called, and the links between a run and the runs that it called.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let parentId: string

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  await ui.millrace.publish({
    name: 'Make an invoice',
    slug: 'make-invoice',
    trigger: { kind: 'call' },
    steps: [{ id: 'answer', kind: 'respond', body: { invoice: '{{ input.order }}-1' } }],
  })
  const { post } = await ui.millrace.publish({
    name: 'Order',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'bill', kind: 'call', flow: 'make-invoice', input: { order: '{{ webhook.body.id }}' } }],
  })
  parentId = (await post({ id: 'A-7' })).body.id
  await ui.millrace.runEnded(parentId)
})
afterAll(() => ui.stop())

describe('the page of a run', () => {
  it('leads to the run that it called, and back', async () => {
    await page.goto(`/runs/${parentId}`)
    const [child] = (await ui.millrace.run(parentId)).children
    const called = page.getByText('Called', { exact: true }).locator('..').getByRole('link')
    await called.waitFor()
    await expectAccessible(page)
    await called.click()
    await page.waitForURL(`**/runs/${child!.run}`)
    const caller = page.getByText('Called by', { exact: true }).locator('..').getByRole('link')
    await caller.waitFor()
    await caller.click()
    await page.waitForURL(`**/runs/${parentId}`)
    expect(page.url()).toContain(parentId)
  })
})

describe('a flow that is called', () => {
  const properties = {
    order: { type: 'string', title: 'Order number' },
    count: { type: 'integer', default: 1 },
    express: { type: 'boolean' },
    size: { enum: ['small', 'large'] },
    address: { type: 'object' },
  }
  const trigger = { kind: 'call', input: { type: 'object', required: ['order', 'size'], properties } }
  let shipId: string

  beforeAll(async () => {
    const steps = [{ id: 'keep', kind: 'set', vars: { label: '{{ input.order }}' } }]
    shipId = (await ui.millrace.publish({ name: 'Ship an order', slug: 'ship', trigger, steps })).flow.id
  })

  it('is run with a form that its schema makes, which shows what does not fit', async () => {
    await page.goto(`/flows/${shipId}/runs`)
    await page.getByRole('button', { name: 'Run now' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Order number').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await dialog.getByText('This is missing').first().waitFor()
    await dialog.getByLabel('Order number').fill('A-7')
    await dialog.getByLabel('count').fill('3')
    await dialog.getByRole('switch', { name: 'express' }).press('Space')
    await dialog.getByRole('combobox', { name: 'size' }).click()
    await page.getByRole('option', { name: 'large' }).click()
    await dialog.getByRole('textbox', { name: 'address' }).fill('{"city": "Ulm"}')
    await dialog.getByRole('button', { name: 'Run', exact: true }).click()
    await page.waitForURL('**/runs/run_*')
    const run = await ui.millrace.runEnded(page.url().split('/').at(-1)!)
    expect(run).toMatchObject({
      status: 'succeeded',
      input: { order: 'A-7', count: 3, express: true, size: 'large', address: { city: 'Ulm' } },
    })
  })

  it('has its schema, its tools and the input of its tests in the editor', async () => {
    await page.goto(`/flows/${shipId}?trigger=true`)
    await page.getByRole('heading', { name: 'Trigger' }).waitFor()
    const input = page.getByRole('textbox', { name: 'Input of tests' })
    await input.waitFor()
    await expectAccessible(page)
    await input.fill('{"order": "B-1", "size": "small"}')
    await page.getByRole('button', { name: 'Who may call it' }).click()
    await page.getByRole('switch', { name: 'Offer it to assistants' }).press('Space')
    await page.getByRole('button', { name: 'Test flow' }).click()
    await expect
      .poll(async () => (await ui.millrace.api('GET', `/runs?flow=${shipId}`)).body.items[0])
      .toMatchObject({ test: true, status: 'succeeded' })
    const { body: flow } = await ui.millrace.api('GET', `/flows/${shipId}`)
    expect(flow.draft.trigger).toMatchObject({ kind: 'call', mcp: true })
  })

  it('is picked in the call step of another', async () => {
    const steps = [{ id: 'bill', kind: 'call', flow: '' }]
    const { body: flow } = await ui.millrace.api('POST', '/flows', {
      name: 'Caller',
      trigger: { kind: 'webhook' },
      steps,
    })
    await page.goto(`/flows/${flow.id}?step=bill`)
    await page.getByRole('combobox', { name: 'Flow' }).click()
    await page.getByRole('option', { name: 'Ship an order (ship)' }).click()
    await page.getByText('the flow wants order, size').waitFor()
    await expectAccessible(page)
    await page.getByRole('switch', { name: 'Wait for its result' }).press('Space')
    await expect
      .poll(async () => (await ui.millrace.api('GET', `/flows/${flow.id}`)).body.draft.steps[0])
      .toMatchObject({ flow: 'ship', wait: false })
  })

  it('gets its slug in its settings, which no other flow has', async () => {
    await page.goto(`/flows/${shipId}/settings`)
    await page.getByLabel('Slug').fill('Not one')
    await page.getByText('Small letters, digits and -').waitFor()
    await page.getByLabel('Slug').fill('make-invoice')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Another flow has the slug').waitFor()
    await page.getByLabel('Slug').fill('ship-it')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect.poll(async () => (await ui.millrace.api('GET', '/flows/ship-it')).body.id).toBe(shipId)
    await expectAccessible(page)
  })
})
