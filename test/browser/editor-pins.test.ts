// Tests how a person pins a result to a step in the editor, works with it, and lets go of it.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ total: upstream.received.length }))
  })
  ui = await startUi({ MILLRACE_ENV_API_URL: upstream.url })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

const card = (id: string) => page.locator(`[data-card="${id}"]`)
const panel = () => page.locator('[data-panel]')
const button = (name: string) => panel().getByRole('button', { name, exact: true })

it('pins a result, tests the flow without running the step, and unpins it', async () => {
  const { body } = await ui.millrace.api('POST', '/flows', {
    name: 'Pinned',
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'ask', kind: 'http', method: 'GET', url: '{{ env.API_URL }}/x' },
      { id: 'use', kind: 'set', vars: { total: '{{ steps.ask.body.total }}' } },
    ],
  })
  await page.goto(`/flows/${body.id}?step=ask`)
  await button('Test step').click()
  await card('ask').getByText(/^200/).waitFor()
  expect(upstream.received.length).toBe(1)
  await button('Pin').click()
  await panel().getByText('Pinned: tests use this result').waitFor()
  await card('ask').getByText('pinned').waitFor()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Test flow' }).click()
  await page.getByText('Test run succeeded').waitFor()
  expect(upstream.received.length).toBe(1)
  await card('use').click()
  await panel().getByRole('tree').getByText('total').waitFor()

  await page.reload()
  await card('ask').getByText('pinned').waitFor()
  await card('ask').click()
  await button('Unpin').click()
  await card('ask').getByText('pinned').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Test flow' }).click()
  await page.getByText('Test run succeeded').waitFor()
  expect(upstream.received.length).toBe(2)
})
