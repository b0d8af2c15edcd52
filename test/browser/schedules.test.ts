// Tests the form of a schedule in the editor: choosing the kind, building the times, seeing them, testing at one.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner({ timezoneId: 'America/New_York' })
})
afterAll(() => ui.stop())

const panel = () => page.locator('[data-panel]')
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const flowId = () => /\/flows\/([^/?]+)/.exec(page.url())![1]!
const triggerOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft.trigger
const choose = async (label: string, option: string) => {
  await panel().getByRole('combobox', { name: label, exact: true }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

it('begins a flow on a schedule, builds its times, and shows the next five in both zones', async () => {
  await page.goto('/flows/new')
  await page.getByRole('button', { name: /^On a schedule/ }).click()
  await panel().getByText('Next times, America/New_York').waitFor()
  expect(await triggerOf(flowId())).toEqual({ kind: 'schedule', cron: '0 7 * * 1-5', timezone: 'America/New_York' })
  const zone = panel().getByRole('combobox', { name: 'Time zone', exact: true })
  await zone.fill('berlin')
  await page.getByRole('option', { name: 'Europe/Berlin' }).click()
  await panel().getByText('Here, America/New_York').waitFor()
  expect(await panel().locator('tbody tr').count()).toBe(5)
  await choose('When it runs', 'On days of the week')
  await panel().getByText('Wed', { exact: true }).click()
  await panel().getByLabel('Time of day').fill('18:30')
  await panel()
    .locator('tbody tr')
    .first()
    .getByText('18:30')
    .or(panel().getByText('06:30 PM').first())
    .first()
    .waitFor()
  await expectAccessible(page)
  await panel().getByRole('button', { name: 'Missed times' }).click()
  await panel().getByText('One run each').click()
  await panel().getByRole('button', { name: 'Jitter' }).click()
  await panel().getByRole('textbox', { name: 'Late by up to' }).fill('30')
  await panel().getByRole('button', { name: 'Input' }).click()
  await panel().locator('.cm-content').fill('{"report":"weekly"}')
  await saved()
  expect(await triggerOf(flowId())).toEqual({
    kind: 'schedule',
    cron: '30 18 * * 1,3',
    timezone: 'Europe/Berlin',
    missed: 'all',
    jitter: 30,
    input: { report: 'weekly' },
  })
  await expectAccessible(page)
})

it('takes cron patterns and says what is wrong with one', async () => {
  await choose('When it runs', 'Cron patterns')
  const patterns = panel().getByRole('combobox', { name: 'Cron patterns' }).or(panel().getByLabel('Cron patterns'))
  await patterns.first().fill('0 99 * * *')
  await patterns.first().press('Enter')
  await panel()
    .getByText(/the hour is a number from 0 to 23/)
    .waitFor()
  await panel().getByText('No times yet').waitFor()
  await expectAccessible(page)
  await patterns.first().press('Backspace')
  await panel().getByText('Next times, Europe/Berlin').waitFor()
  await saved()
})

it('tests the flow as if a chosen time had come, by the clock of the schedule', async () => {
  const { body } = await ui.millrace.api('POST', '/flows', {
    name: 'Report',
    trigger: { kind: 'schedule', cron: '30 2 * * *', timezone: 'Europe/Berlin', input: { report: 'daily' } },
    steps: [{ id: 'note', kind: 'set', vars: { at: '{{ schedule.at }}', since: '{{ schedule.previous }}' } }],
  })
  await page.goto(`/flows/${body.id}?trigger=true`)
  await panel().getByLabel('Planned time in tests').fill('2027-03-28T02:30')
  await page.getByRole('button', { name: 'Test flow' }).click()
  await page.getByRole('link', { name: 'See the run' }).click()
  await page.waitForURL(/\/runs\//)
  const run = await ui.millrace.runEnded(/\/runs\/([^/?]+)/.exec(page.url())![1]!)
  expect(run).toMatchObject({
    status: 'succeeded',
    trigger: { kind: 'schedule', at: '2027-03-28T01:00:00.000Z', manual: true },
    vars: { at: '2027-03-28T01:00:00.000Z', since: '2027-03-27T01:30:00.000Z' },
  })
})

it('makes a webhook flow one on a schedule and back, without losing the settings of either', async () => {
  const trigger = { kind: 'webhook', concurrency: 3 }
  const { flow } = await ui.millrace.publish({ name: 'Orders', trigger, steps: [] })
  await page.goto(`/flows/${flow.id}?trigger=true`)
  await panel().getByText('Webhook URL').waitFor()
  await panel().getByText('Schedule', { exact: true }).click()
  await panel().getByText('Next times, America/New_York').waitFor()
  await saved()
  expect((await triggerOf(flow.id)).kind).toBe('schedule')
  await panel().getByText('Webhook', { exact: true }).last().click()
  await panel().getByText('Webhook URL').waitFor()
  await saved()
  expect(await triggerOf(flow.id)).toEqual(trigger)
})

it('fits on a narrow screen, in the dark', async () => {
  const { body } = await ui.millrace.api('POST', '/flows', {
    name: 'Narrow',
    trigger: { kind: 'schedule', every: 3600, timezone: 'Asia/Kolkata' },
    steps: [],
  })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await page.goto(`/flows/${body.id}?trigger=true`)
  await panel().getByText('Next times, Asia/Kolkata').waitFor()
  expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
  await expectAccessible(page)
})
