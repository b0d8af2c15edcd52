// Tests what is done when a run fails: chosen in the editor, shown on the page of the run, and set for the whole instance.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handledRun } from '../harness/handled-run.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

/** What is edited is saved a moment later. */
const PATIENTLY = { timeout: 20_000 }

let ui: Ui
let page: Page
let teller: string

const oops = { id: 'oops', kind: 'fail', message: 'no such order' }
const orders = (more: object = {}) => ({ name: 'Orders', trigger: { kind: 'webhook' }, steps: [oops], ...more })
const card = (key: string, on = page) => on.locator(`[data-card="${key}"]`)
const panel = (on = page) => on.getByRole('complementary', { name: 'When a run fails' })
const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft

async function openFlow(document: object, on = page, at = ''): Promise<string> {
  const { body } = await ui.millrace.api('POST', '/flows', document)
  await on.goto(`/flows/${body.id}${at}`)
  await card('failure', on).waitFor()
  return body.id as string
}

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
  const steps = [{ id: 'got', kind: 'set', vars: { told: '{{ input.error.message }}' } }]
  teller = (await ui.millrace.publish({ name: 'Tell the team', slug: 'tell', trigger: { kind: 'call' }, steps })).flow
    .id
})
afterAll(() => ui.stop())

describe('the editor', () => {
  it('adds steps by the keyboard alone, which read why the run failed, and takes them back', async () => {
    const id = await openFlow(orders())
    await card('trigger').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await panel().waitFor()
    await expect.poll(() => page.evaluate('document.activeElement.dataset.card')).toBe('failure')
    await expectAccessible(page)
    await page.keyboard.press('a')
    await page.getByRole('combobox', { name: 'Which step?' }).waitFor()
    await page.keyboard.type('variables')
    await page.keyboard.press('Enter')
    await card('vars').waitFor()
    expect(await card('vars').textContent()).toContain('when a run fails')
    await page.getByRole('button', { name: 'Add variable' }).click()
    const value = page.getByRole('textbox', { name: 'Value of name_1' })
    await value.fill('{{ error.message }} at {{ failed.step }}')
    await page.getByText('The API replied 500 at oops').waitFor()
    await page.getByRole('button', { name: 'Test step' }).click()
    await page.getByText('Succeeded', { exact: false }).first().waitFor()
    await expect
      .poll(async () => (await draftOf(id)).onFailure, PATIENTLY)
      .toMatchObject([{ kind: 'set', vars: { name_1: '{{ error.message }} at {{ failed.step }}' } }])
    await card('vars').focus()
    await page.keyboard.press('Delete')
    await card('vars').waitFor({ state: 'detached' })
    await panel().waitFor()
    await expect.poll(async () => 'onFailure' in (await draftOf(id)), PATIENTLY).toBe(false)
    await page.keyboard.press('Control+z')
    await card('vars').waitFor()
    await page.keyboard.press('Control+Shift+Z')
    await card('vars').waitFor({ state: 'detached' })
  })

  it('calls a flow, shows it by its name, and shows where it is missing', async () => {
    const id = await openFlow(orders(), page, '?failure=true')
    await panel().getByText('Nothing is done: this instance has no failure flow.').waitFor()
    await panel().getByText('Another flow').click()
    await card('failure').getByText('no flow yet').waitFor()
    await page.locator('[data-card="failure"][data-problems]').waitFor()
    await page.getByRole('button', { name: 'Publish' }).first().click()
    await page.getByRole('button', { name: 'when a run fails Enter a flow' }).click()
    await panel().getByRole('combobox', { name: 'Flow' }).click()
    await page.getByRole('option', { name: 'Tell the team (tell)' }).click()
    await card('failure').getByText('calls Tell the team').waitFor()
    await expectAccessible(page)
    await expect.poll(async () => (await draftOf(id)).onFailure, PATIENTLY).toEqual({ flow: 'tell' })
    // What was chosen before comes back.
    await panel().getByText('Steps', { exact: true }).click()
    await panel().getByText('While there is none, nothing is done').waitFor()
    await panel().getByText('Another flow').click()
    await card('failure').getByText('calls Tell the team').waitFor()
  })

  it('is the same in YAML, both ways', async () => {
    const id = await openFlow(orders({ onFailure: { flow: 'tell' } }), page, '?failure=true')
    await page.getByText('YAML', { exact: true }).click()
    const yaml = page.getByRole('textbox', { name: 'The flow as YAML' })
    await yaml.getByText('onFailure').waitFor()
    const text = [
      'name: Orders',
      'trigger: { kind: webhook }',
      'steps: []',
      'onFailure:',
      '  - id: note',
      '    kind: set',
      '    vars: { why: "{{ error.code }}" }',
    ].join('\n')
    await yaml.fill(text)
    await expect
      .poll(async () => (await draftOf(id)).onFailure, PATIENTLY)
      .toEqual([{ id: 'note', kind: 'set', vars: { why: '{{ error.code }}' } }])
    await yaml.fill(`${text}\n  - 7`)
    await page.getByText('onFailure is neither a list of steps nor a flow').waitFor()
    await yaml.fill(text)
    await page.getByText('Canvas', { exact: true }).click()
    await card('note').waitFor()
    await card('failure').getByText('1 step').waitFor()
  })

  it('works on a phone and in the dark', async () => {
    const phone = await ui.owner({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
    await openFlow(orders({ onFailure: [{ id: 'note', kind: 'set', vars: { a: 1 } }] }), phone, '?failure=true')
    await panel(phone).waitFor()
    await expectAccessible(phone)
    await panel(phone).getByRole('button', { name: 'Add a step' }).click()
    await phone.getByRole('option', { name: 'Wait' }).first().click()
    await phone.getByRole('complementary', { name: 'Step wait' }).waitFor()
  })
})

describe('the page of a run', () => {
  it('shows what was done because it failed, with its steps and its error', async () => {
    const onFailure = [
      { id: 'note', kind: 'set', vars: { why: '{{ error.message }}' } },
      { id: 'broken', kind: 'fail', message: 'nobody is there' },
    ]
    const { post } = await ui.millrace.publish(orders({ onFailure }))
    const { id } = await handledRun(ui.millrace, (await post({})).body.id)
    await page.goto(`/runs/${id}`)
    await page.getByText('When it failed', { exact: true }).first().waitFor()
    // What failed the run comes first; what was done about it is a row further down.
    await page.getByRole('alert').getByText('no such order').waitFor()
    const timeline = page.getByRole('tree', { name: 'Timeline' })
    await timeline.focus()
    await page.keyboard.press('End')
    await page.waitForURL(/step=onFailure%2Fbroken/)
    await page.getByRole('alert').getByText('nobody is there').waitFor()
    await timeline.getByText('When it failed').click()
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByRole('heading', { name: 'When it failed' }).waitFor()
    await details.getByText('nobody is there').waitFor()
    await expectAccessible(page)
    await details.getByRole('button', { name: 'note' }).click()
    await details.getByText('no such order').waitFor()
    expect(await card('failure').getAttribute('data-outcome')).toBe('failed')
    expect(await card('note').getAttribute('data-outcome')).toBe('succeeded')
  })

  it('leads to the run of the flow that was called, and follows it while it waits', async () => {
    const { post, flow } = await ui.millrace.publish(orders({ onFailure: { flow: 'tell' } }))
    const { id, children } = await handledRun(ui.millrace, (await post({})).body.id)
    // The version calls the flow by its id, the draft by its slug: that is no change.
    await page.goto(`/flows/${flow.id}`)
    await page.getByText('Published v1').waitFor()
    await page.goto(`/runs/${id}?step=onFailure`)
    await page.getByRole('region', { name: 'Details' }).getByRole('link').click()
    await page.waitForURL(`**/runs/${children[0]!.run}`)
    const slow = await ui.millrace.publish(orders({ onFailure: [{ id: 'pause', kind: 'wait', seconds: 1 }] }))
    const waiting = (await slow.post({})).body.id
    await page.goto(`/runs/${waiting}?step=onFailure`)
    const details = page.getByRole('region', { name: 'Details' })
    await details.getByText('Succeeded').first().waitFor()
  })
})

it('narrows the list of failures by a label, and the replay of all of them', async () => {
  const trigger = { kind: 'webhook', labels: { order: '{{ webhook.body.id }}' } }
  const { post } = await ui.millrace.publish(orders({ name: 'Labelled', trigger }))
  for (const id of ['A-7', 'A-8']) await ui.millrace.runEnded((await post({ id })).body.id)
  await page.goto('/failures')
  await page
    .getByRole('link', { name: /no such order/ })
    .nth(1)
    .waitFor()
  await page.getByRole('textbox', { name: 'Label' }).fill('order=A-7')
  await page.keyboard.press('Enter')
  await page
    .getByRole('link', { name: /no such order/ })
    .nth(1)
    .waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Replay all' }).click()
  await page.getByText('1 run will be replayed.').waitFor()
  await page.keyboard.press('Escape')
  await page.goto('/failures?label=order%3DA-9')
  await page.getByText('No such failures').waitFor()
  await expectAccessible(page)
})

it('is chosen for all flows in the settings, by owners', async () => {
  await page.goto('/settings/failures')
  await page.getByRole('combobox').click()
  await page.getByRole('option', { name: 'Tell the team' }).click()
  await page.getByText('Tell the team is the failure flow').waitFor()
  await expectAccessible(page)
  expect((await ui.millrace.api('GET', '/settings/failure-flow')).body.flow).toMatchObject({ id: teller })
  await openFlow(orders(), page, '?failure=true')
  await panel().getByText('The failure flow of this instance is called').waitFor()
  await card('failure').getByText('calls Tell the team, as the settings say').waitFor()
  await page.goto('/settings/failures')
  await page.getByRole('combobox').click()
  await page.getByRole('option', { name: 'None' }).click()
  await page.getByText('There is no failure flow now').waitFor()
  expect((await ui.millrace.api('GET', '/settings/failure-flow')).body).toEqual({ flow: null })
})
