// Tests the pages of an owner: flows, connections, settings; and what all pages have in common.
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page

const call = (url: string) => ({ id: 'call', kind: 'http', method: 'GET', url })
const documentOf = (name: string, steps: object[] = [], trigger: object = {}) => ({
  name,
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const row = (name: string) => page.getByRole('row').filter({ hasText: name })

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner()
})
afterAll(() => ui.stop())

describe('flows', () => {
  it('start from a template where there are none', async () => {
    await page.goto('/flows')
    await page.getByRole('button', { name: /Order alert/ }).click()
    await page.waitForURL('**/flows/flow_*')
    await page.getByRole('heading', { name: 'Order alert' }).waitFor()
  })

  it('are imported from text, with its faults named', async () => {
    await page.goto('/flows/import')
    const editor = page.getByRole('textbox', { name: 'YAML or JSON of the flow' })
    await editor.fill('name: [')
    await page.getByText('The text has a fault').waitFor()
    await editor.fill('{"name": "Imported", "trigger": {"kind": "webhook"}, "steps": [{"id": "a", "kind": "htp"}]}')
    await page.getByRole('button', { name: 'Import as a draft' }).click()
    await page.getByRole('alert').getByText('/steps/0/kind', { exact: true }).waitFor()
    await editor.fill('{"name": "Imported", "trigger": {"kind": "webhook"}, "steps": []}')
    await page.getByRole('button', { name: 'Import as a draft' }).click()
    await page.waitForURL('**/flows/flow_*')
    await page.getByRole('heading', { name: 'Imported' }).waitFor()
  })

  it('are published and unpublished by a switch', async () => {
    await page.goto('/flows')
    const published = row('Imported').getByRole('switch')
    await published.click({ force: true })
    await row('Imported').getByText('Version 1').waitFor()
    await published.click({ force: true })
    await page.getByRole('button', { name: 'Unpublish' }).click()
    await row('Imported').getByText('Draft').waitFor()
    const { body } = await ui.millrace.api('GET', '/flows')
    expect(body.items.find(({ name }: { name: string }) => name === 'Imported').status).toBe('draft')
  })

  it('say in their row why they cannot be published', async () => {
    await ui.millrace.api('POST', '/flows', documentOf('Unfinished', [call('')]))
    await page.goto('/flows')
    await row('Unfinished').getByRole('switch').click({ force: true })
    const note = page.getByRole('alert')
    await note.getByText('"Unfinished" was not published').waitFor()
    await note.getByText('/steps/0/url', { exact: true }).waitFor()
  })

  it('show their last run and the runs of 24 hours, as they come', async () => {
    const { post } = await ui.millrace.publish(documentOf('Counted'))
    await page.goto('/flows')
    await row('Counted').getByText('Never').waitFor()
    await ui.millrace.runEnded((await post({})).body.id)
    await row('Counted').getByText('Succeeded').waitFor()
    await row('Counted').getByRole('img', { name: '1 run in 24 hours, 0 failed' }).waitFor()
  })

  it('are found by name, with the search in the address', async () => {
    await page.goto('/flows')
    await row('Counted').waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('unfin')
    await row('Counted').waitFor({ state: 'detached' })
    await row('Unfinished').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('unfin')
  })

  it('are duplicated and exported without their sealed secrets', async () => {
    const auth = { kind: 'header', name: 'X-Key', value: 'a-literal-secret' }
    await ui.millrace.api('POST', '/flows', documentOf('Guarded', [], { auth }))
    await page.goto('/flows')
    await page.getByRole('button', { name: 'More for Guarded' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: 'Export as YAML' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('guarded.yaml')
    const text = (await (await download.createReadStream()).toArray()).join('')
    expect(text).toContain('1 secret left out')
    expect(text).not.toContain('sealed:')
    await page.getByRole('button', { name: 'More for Guarded' }).click()
    await page.getByRole('menuitem', { name: 'Duplicate' }).click()
    await page.getByRole('heading', { name: 'Guarded (copy)' }).waitFor()
    await page.getByText('1 secret stayed behind').waitFor()
  })

  it('are deleted after a question that says what goes along', async () => {
    await page.goto('/flows')
    await page.getByRole('button', { name: 'More for Guarded (copy)' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByText('Its webhook replies 404 from now on').waitFor()
    await page.getByRole('button', { name: 'Delete flow' }).click()
    await row('Guarded (copy)').waitFor({ state: 'detached' })
  })
})

describe('connections', () => {
  it('are made, and never give their secret back', async () => {
    await page.goto('/connections')
    await page.getByRole('link', { name: 'New connection' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Shop API')
    await page.getByRole('textbox', { name: 'Token' }).fill('a-secret-token')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.waitForURL('**/connections/shop_api')
    await page.getByRole('button', { name: 'Replace Token' }).waitFor()
    expect((await page.content()).includes('a-secret-token')).toBe(false)
  })

  it('name what is wrong at the field where it is wrong', async () => {
    await page.goto('/connections/-new')
    await page.getByRole('textbox', { name: 'Name' }).fill('shop')
    await page.getByRole('textbox', { name: 'Token' }).fill('another-secret')
    const hosts = page.getByRole('combobox', { name: 'Hosts' })
    await hosts.fill('https://api.example.com/')
    await hosts.press('Enter')
    await page.getByRole('button', { name: 'Create connection' }).click()
    await page.getByText('hosts[0] is no host').waitFor()
  })

  it('have their secret replaced, and are deleted only when no published flow needs them', async () => {
    const bearer = { kind: 'bearer', token: '{{ connections.shop_api.token }}' }
    const { flow } = await ui.millrace.publish(
      documentOf('User', [{ ...call('https://api.example.com'), auth: bearer }]),
    )
    await page.goto('/connections/shop_api')
    await page.getByRole('link', { name: 'User' }).waitFor()
    await page.getByRole('button', { name: 'Replace Token' }).click()
    await page.getByRole('textbox', { name: 'Token' }).fill('a-new-secret')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('"shop_api" is saved').waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete connection' }).click()
    await page.getByRole('alert').getByText('Take it out of these flows').waitFor()
    await ui.millrace.api('DELETE', `/flows/${flow.id}`)
    await page.getByRole('button', { name: 'Delete connection' }).click()
    await page.waitForURL('**/connections')
    await page.getByText('No connections yet').waitFor()
  })
})

describe('settings', () => {
  it('make a token that is shown once and works', async () => {
    await page.goto('/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('from a test')
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.getByRole('status').locator('code').textContent()
    const answer = await fetch(`${ui.url}/api/v1/flows`, { headers: { authorization: `Bearer ${token}` } })
    expect(answer.status).toBe(200)
    await page.reload()
    await row('from a test').waitFor()
    expect((await page.content()).includes(token!)).toBe(false)
    await page.getByRole('button', { name: 'Revoke from a test' }).click()
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await row('from a test').waitFor({ state: 'detached' })
  })

  it('make a token that is limited to one flow, and that sees nothing of another', async () => {
    const flow = async (name: string): Promise<string> =>
      (await ui.millrace.api('POST', '/flows', { name, trigger: { kind: 'webhook' }, steps: [] })).body.id
    const [mine, other] = [await flow('Limit mine'), await flow('Limit other')]
    await page.goto('/settings/tokens')
    await page.getByRole('button', { name: 'New token' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('one flow')
    await page.getByLabel('Only these flows').first().click()
    await page.getByRole('option', { name: 'Limit mine' }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    const token = await page.getByRole('status').locator('code').textContent()
    // The browser itself asks, with the token in place of its session.
    const seen = await page.evaluate(
      async ([secret, ids]) => {
        const ask = (path: string) =>
          fetch(`/api/v1${path}`, { credentials: 'omit', headers: { authorization: `Bearer ${secret}` } })
        const list = (await (await ask('/flows')).json()) as { items: { id: string }[] }
        const statuses = await Promise.all(ids.map(async (id) => (await ask(`/flows/${id}`)).status))
        return { listed: list.items.map(({ id }) => id), statuses }
      },
      [token!, [mine, other]] as const,
    )
    expect(seen).toEqual({ listed: [mine], statuses: [200, 404] })
    await page.reload()
    await row('one flow').getByText('only Limit mine').waitFor()
    await row('one flow')
      .getByText(/^from (127\.0\.0\.1|::1)$/)
      .waitFor()
  })

  it('make a role, and give its scopes', async () => {
    await page.goto('/settings/users')
    await page.getByRole('button', { name: 'New role' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('support')
    await page.getByRole('checkbox', { name: 'runs:read' }).check()
    await page.getByRole('button', { name: 'Save role' }).click()
    await page.getByRole('cell', { name: 'runs:read', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Change the scopes of support' }).click()
    await page.getByRole('checkbox', { name: 'approvals' }).check()
    await page.getByRole('button', { name: 'Save role' }).click()
    await page.getByRole('cell', { name: 'runs:read, approvals' }).waitFor()
  })

  it('tell in the audit log who did what', async () => {
    await page.goto('/settings/audit')
    await row('revoked a token').getByText('from a test').waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Download' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('millrace-audit.jsonl')
    expect(readFileSync(await download.path(), 'utf8')).toMatch(/"action":"token.revoke"[\s\S]*"action":"audit.export"/)
  })

  it('show the version and the limits in force', async () => {
    await page.goto('/settings/service')
    await page.getByText('10 MB').waitFor()
  })
})

describe('every page', () => {
  it('is reached by the keyboard: commands, help of keys, skip link', async () => {
    await page.goto('/flows')
    await page.getByRole('heading', { name: 'Flows' }).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.id')).toBe('work')
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Search and commands').waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.press('Control+k')
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('audit of nothing')
    await page.getByText('Nothing found.').waitFor()
    await page.getByRole('textbox', { name: 'Search', exact: true }).fill('Connections')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/connections')
  })

  it('keeps the chosen theme, from before the first paint', async () => {
    await page.goto('/flows')
    const scheme = () => page.evaluate("document.documentElement.getAttribute('data-mantine-color-scheme')")
    expect(await scheme()).toBe('light')
    await page.getByRole('button', { name: 'Dark theme' }).click()
    await page.goto('/flows', { waitUntil: 'commit' })
    await page.locator('body').waitFor({ state: 'attached' })
    expect(await scheme()).toBe('dark')
    await page.getByRole('button', { name: 'Light theme' }).click()
  })

  it('says in words what is not there', async () => {
    await page.goto('/nowhere/at-all')
    await page.getByText('No page has the address /nowhere/at-all').waitFor()
    await page.goto('/flows/flow_gone')
    await page.getByRole('alert').getByText('The flow could not be loaded').waitFor()
  })

  it('says when the service is away, and goes on when it is back', async () => {
    await page.goto('/flows')
    await page.getByRole('heading', { name: 'Flows' }).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'Runs' }).click()
    const away = page.getByText('Millrace is not responding; trying again')
    await away.waitFor()
    await page.context().setOffline(false)
    // The page tries again by itself too, and may be first: then there is nothing left to press.
    const pressed = page.getByRole('button', { name: 'Try now' }).click()
    await Promise.race([pressed.catch(() => {}), away.waitFor({ state: 'detached' })])
    await away.waitFor({ state: 'detached' })
  })
})
