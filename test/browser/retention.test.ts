// Flows that do not keep the data of their runs, and plain variables, in the web UI.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream
let flowId: string

beforeAll(async () => {
  upstream = await startUpstream()
  ui = await startUi({ MILLRACE_VAR_SHOP_URL: upstream.url, MILLRACE_ENV_SHOP_TOKEN: 'shop-token-0123' })
  page = await ui.owner()
  const steps = [{ id: 'order', kind: 'http', method: 'GET', url: '{{ config.SHOP_URL }}/orders/7' }]
  const document = { name: 'Payslips', trigger: { kind: 'webhook' }, steps }
  flowId = (await ui.millrace.api('POST', '/flows', document)).body.id
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

describe('retention', () => {
  it('is set where the flow is named', async () => {
    await page.goto(`/flows/${flowId}/settings`)
    await page.getByLabel('Runs are kept for').fill('7')
    await page.getByLabel('Failed runs for').fill('90')
    await page.getByRole('combobox', { name: 'Runs keep' }).click()
    await page.getByRole('option', { name: 'No data' }).click()
    await page.getByText('It cannot be replayed.').waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(async () => (await ui.millrace.api('GET', `/flows/${flowId}`)).body.draft.retention)
      .toEqual({ days: 7, failedDays: 90, keepBodies: false })
  })

  it('shows a run whose data is deleted, and says so', async () => {
    await ui.millrace.api('POST', `/flows/${flowId}/publish`)
    const { webhook } = (await ui.millrace.api('GET', `/flows/${flowId}`)).body
    const { id } = (await (await fetch(webhook.url, json({ mail: 'ada@example.org' }))).json()) as { id: string }
    await ui.millrace.runEnded(id)
    await page.goto(`/runs/${id}?step=order`)
    const deleted = page.getByText('Data was deleted with the end of the run, as the flow says.')
    await deleted.waitFor()
    await page.getByText('deleted with its end').waitFor()
    await page.getByRole('tab', { name: 'Input' }).click()
    await deleted.waitFor()
    expect(await page.getByRole('link', { name: 'Download HAR' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'Replay' }).getAttribute('aria-disabled')).toBe('true')
    await expectAccessible(page)
    await page.goto(`/runs/${id}?trigger=true`)
    await deleted.waitFor()
    await page.goto('/inbox')
    await page
      .getByRole('link', { name: /Payslips/ })
      .or(page.getByText('Payslips'))
      .first()
      .click()
    await page.getByText('The data of this delivery was deleted, as the flow says.').waitFor()
    expect(await page.getByRole('button', { name: 'Use as sample' }).getAttribute('aria-disabled')).toBe('true')
  })
})

describe('plain variables', () => {
  it('are shown with their values, secrets by their names', async () => {
    await page.goto('/settings/service')
    await page.getByText(`SHOP_URL=${upstream.url}`).waitFor()
    expect(await page.getByText('SHOP_TOKEN', { exact: true }).count()).toBe(1)
    await page.goto(`/flows/${flowId}?step=order`)
    await page.getByText(`${upstream.url}/orders/7`).first().waitFor()
  })
})

const json = (body: unknown) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
