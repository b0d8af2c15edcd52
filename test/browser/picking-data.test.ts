// Tests the ways to refer to data without writing expressions: the picker beside a field, and conditions as rows.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

const ORDER = {
  id: 7,
  customer: { name: 'Ada' },
  lines: [
    { sku: 'A1', price: 2 },
    { sku: 'B2', price: 3 },
  ],
}

async function openFlow(steps: object[], search: string, samples: object[] = [ORDER]): Promise<string> {
  const { body } = await ui.millrace.api('POST', '/flows', { name: 'Data', trigger: { kind: 'webhook' }, steps })
  for (const sample of samples)
    await fetch(`${ui.url}/api/v1/webhooks/${body.webhook.id}/test`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(sample),
    })
  await page.goto(`/flows/${body.id}${search}`)
  await page.locator('[data-panel]').waitFor()
  return body.id as string
}

const textbox = (name: string) => page.locator('[data-panel]').getByRole('textbox', { name, exact: true })
const picker = () => page.locator('[data-picker]')
const row = (path: string) => picker().locator(`[data-path="${path}"]`)
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const stepsOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft.steps
const ask = { id: 'ask', kind: 'http', method: 'GET', url: 'https://api.example.com/' }

describe('the data picker', () => {
  it('opens with the field, and a click anywhere on a row inserts it', async () => {
    const id = await openFlow([ask], '?step=ask')
    await textbox('URL').click()
    await page.keyboard.press('End')
    await row('webhook.body.customer.name').waitFor({ state: 'hidden' })
    await row('webhook.body.id').getByText('7', { exact: true }).click()
    await picker().waitFor({ state: 'detached' })
    await saved()
    expect((await stepsOf(id))[0].url).toBe('https://api.example.com/{{ webhook.body.id }}')
  })

  it('shows values, keeps headers folded, and offers the first and each item of a list', async () => {
    const id = await openFlow([ask], '?step=ask')
    await textbox('URL').click()
    await page.keyboard.press('End')
    expect(await row('webhook.headers').getAttribute('aria-expanded')).toBe('false')
    expect(await row('webhook.body.lines').textContent()).toContain('2 items')
    await expectAccessible(page)
    await textbox('URL').focus()
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.press('ArrowDown')
    await row('webhook.body.lines').focus()
    await page.keyboard.press('ArrowRight')
    await picker().getByRole('treeitem', { name: /^each/ }).focus()
    await page.keyboard.press('ArrowRight')
    await row('webhook.body.lines.map((item) => item.sku)').focus()
    await page.keyboard.press('Enter')
    await saved()
    expect((await stepsOf(id))[0].url).toContain('{{ webhook.body.lines.map((item) => item.sku) }}')
  })

  it('is searched by name and by value', async () => {
    const id = await openFlow([ask], '?step=ask')
    await textbox('URL').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('Alt+ArrowDown')
    await page.keyboard.type('ada')
    await row('webhook.body.customer.name').waitFor()
    await page.keyboard.press('Enter')
    await saved()
    expect((await stepsOf(id))[0].url).toBe('{{ webhook.body.customer.name }}')
  })

  it('stays while one writes, and narrows to what a reference may become', async () => {
    const id = await openFlow([ask], '?step=ask')
    await textbox('URL').click()
    await page.keyboard.press('End')
    await page.keyboard.type('x/')
    await row('webhook.headers').waitFor()
    await page.keyboard.type('{{webhook.body.cu')
    await row('webhook.body.customer.name').waitFor()
    expect(await row('webhook.body.id').count()).toBe(0)
    await row('webhook.body.customer.name').click()
    await picker().waitFor({ state: 'detached' })
    await saved()
    await expect
      .poll(async () => (await stepsOf(id))[0].url)
      .toBe('https://api.example.com/x/{{ webhook.body.customer.name }}')
  })

  it('goes away when one presses Escape or leaves, and stays away where there is no data', async () => {
    await openFlow([ask], '?step=ask')
    await textbox('URL').click()
    await picker().waitFor()
    await page.keyboard.press('Escape')
    await picker().waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('?step=ask')
    await page.getByRole('textbox', { name: 'Id of the step' }).focus()
    await textbox('URL').click()
    await picker().waitFor()
    await page.keyboard.type('{{')
    await page.locator('.cm-tooltip-autocomplete').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('.cm-tooltip-autocomplete').waitFor({ state: 'detached' })
    await picker().waitFor()
    await page.getByRole('textbox', { name: 'Id of the step' }).focus()
    await picker().waitFor({ state: 'detached' })
    await openFlow([ask], '?step=ask', [])
    await textbox('URL').click()
    await page.keyboard.type('x')
    expect(await picker().count()).toBe(0)
  })
})

describe('a condition', () => {
  const branch = (when: string) => ({ id: 'check', kind: 'branch', cases: [{ when, steps: [] }] })
  const part = (name: string) => page.getByLabel(`${name} of Condition of case 1`, { exact: true }).first()

  it('is made of rows, joined by and or by or, and stands below as an expression', async () => {
    const id = await openFlow([branch('')], '?step=check')
    await part('Field in row 1').fill('webhook.body.id')
    await page.keyboard.press('Escape')
    await part('Value in row 1').fill("Ada's")
    await saved()
    await expect.poll(async () => (await stepsOf(id))[0].cases[0].when).toBe("{{ webhook.body.id == 'Ada\\'s' }}")

    await page.getByRole('button', { name: 'Add row' }).click()
    await page.getByText('Not part of the condition until').waitFor()
    await part('Field in row 2').fill('webhook.body.lines')
    await page.keyboard.press('Escape')
    await choose('Operator in row 2 of Condition of case 1', 'exists')
    await choose('How the rows of Condition of case 1 are joined', 'or')
    await expect
      .poll(async () => (await stepsOf(id))[0].cases[0].when)
      .toBe("{{ webhook.body.id == 'Ada\\'s' || webhook.body.lines != null }}")
    await expectAccessible(page)
  })

  it('is read from an expression of that form, and says why another is not', async () => {
    await openFlow([branch('{{ webhook.body.id >= -5 && !webhook.body.name }}')], '?step=check')
    expect(await part('Value in row 1').inputValue()).toBe('-5')
    expect(await part('Operator in row 2').inputValue()).toBe('is not true')
    await textbox('Condition of case 1').click()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('{{ webhook.body.id > 1 && webhook.body.a || webhook.body.b }}')
    await page.getByText('It mixes and with or, so it is edited as an expression.').waitFor()
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.insertText('{{ webhook.body.id < 9 }}')
    await expect.poll(() => part('Value in row 1').inputValue()).toBe('9')
  })

  async function choose(select: string, option: string): Promise<void> {
    await page.getByLabel(select, { exact: true }).first().click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
})

describe('a result', () => {
  it('is shown as a table and as a schema', async () => {
    await openFlow([], '?trigger=true')
    await page.getByText('Table', { exact: true }).click()
    await page.getByRole('columnheader', { name: 'sku' }).waitFor()
    await page.getByRole('cell', { name: 'B2' }).waitFor()
    await expectAccessible(page)
    await page.getByText('Schema', { exact: true }).click()
    await page.getByRole('cell', { name: 'each item' }).waitFor()
  })
})
