// Tests the editor and the page of a run with branches that run side by side.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    // The slow one is never answered.
    if (url !== '/slow') response.writeHead(200, { 'content-type': 'application/json' }).end('{"n":1}')
  })
  ui = await startUi({ MILLRACE_ENV_API_URL: upstream.url })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

const card = (id: string) => page.locator(`[data-card="${id}"]`)
const get = (id: string) => ({ id, kind: 'http', method: 'GET', url: `{{ env.API_URL }}/${id}` })
const documentOf = (name: string, steps: object[]) => ({ name, trigger: { kind: 'webhook' }, steps })

it('builds a parallel step: adds it, names its branches, and puts a step into one', async () => {
  const { body } = await ui.millrace.api('POST', '/flows', documentOf('Lookups', []))
  await page.goto(`/flows/${body.id}`)
  await page.locator('[data-insert="/steps:0"]').click()
  await page.getByRole('option', { name: /^Parallel/ }).click()
  await card('parallel').waitFor()
  const panel = page.locator('[data-panel]')
  await panel.getByRole('textbox', { name: 'Name of branch 1', exact: true }).fill('stock')
  await panel.getByRole('button', { name: 'Add branch' }).click()
  await panel.getByRole('textbox', { name: 'Name of branch 3', exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Delete branch 2 and its steps' }).click()
  await panel.getByText('the first has succeeded').click()
  await page.getByRole('button', { name: 'stock', exact: true }).waitFor()
  await expectAccessible(page)
  await page.locator('[data-insert="/steps/0/branches/0/steps:0"]').click()
  await page.getByRole('option', { name: /^Wait/ }).click()
  await card('wait').waitFor()
  await page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
  expect((await ui.millrace.api('GET', `/flows/${body.id}`)).body.draft.steps).toEqual([
    {
      id: 'parallel',
      kind: 'parallel',
      branches: [
        { name: 'stock', steps: [{ id: 'wait', kind: 'wait', seconds: 5 }] },
        { name: 'branch 3', steps: [] },
      ],
      finish: 'first',
    },
  ])
})

it('shows in a run which branch decided, and what was cancelled', async () => {
  const parallel = {
    id: 'ask',
    kind: 'parallel',
    finish: 'first',
    branches: [
      { name: 'mirror one', steps: [get('slow')] },
      { name: 'mirror two', steps: [get('fast'), { id: 'note', kind: 'set', vars: { from: 'two' } }] },
    ],
  }
  const { post } = await ui.millrace.publish(documentOf('Mirrors', [parallel, get('after')]))
  const { id } = (await post({})).body
  expect((await ui.millrace.runEnded(id)).status).toBe('succeeded')
  await page.goto(`/runs/${id}`)
  await card('slow').click()
  await page.getByText('Cancelled', { exact: true }).last().waitFor()
  await page.getByText('mirror two').first().waitFor()
  await expectAccessible(page)
})
