// Tests the editor as users work with it: building flows by clicking and typing, testing, publishing, and what goes wrong.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseFlowText } from '../../src/flow/flow-text.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream

/** The test types several hundred keys, one by one. */
const BUILDING_MS = 240_000

const PATIENTLY = { timeout: 40_000 }

const HOSTILE = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
const example = (name: string) =>
  parseFlowText(readFileSync(resolve(import.meta.dirname, `../../examples/${name}.yaml`), 'utf8')) as {
    name: string
    trigger: object
    steps: object[]
  }

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    response.writeHead(url.includes('/missing') ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ path: url, price: 9.5, has_more: false, items: [{ id: 1, title: HOSTILE }] }))
  })
  ui = await startUi({ MILLRACE_VAR_API_URL: upstream.url, MILLRACE_VAR_REPORT_URL: `${upstream.url}/reports` })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

const documentOf = (name: string, steps: object[] = []) => ({ name, trigger: { kind: 'webhook' }, steps })
const ask = { id: 'ask', kind: 'http', method: 'GET', url: '{{ config.API_URL }}/prices/{{ webhook.body.article }}' }

interface Opened {
  id: string
  webhook: { id: string }
}

const sendSample = ({ webhook }: Opened, body: object) =>
  fetch(`${ui.url}/api/v1/webhooks/${webhook.id}/test`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

/** `samples`: test requests that came before. */
async function openFlow(document: object, search = '', on = page, samples: object[] = []): Promise<Opened> {
  const { body } = await ui.millrace.api('POST', '/flows', document)
  for (const sample of samples) expect((await sendSample(body, sample)).status).toBe(200)
  await on.goto(`/flows/${body.id}${search}`)
  await on.getByRole('textbox', { name: 'Name of the flow' }).waitFor()
  return body
}

const card = (id: string, on = page) => on.locator(`[data-card="${id}"]`)
const panel = (on = page) => on.locator('[data-panel]')
const textbox = (name: string, on = page) => panel(on).getByRole('textbox', { name, exact: true })
const saved = (on = page) => on.getByRole('status').getByText('Saved', { exact: true }).waitFor()
const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft

/** Leaves the field that one wrote in: the data beside it may lie over the canvas. */
async function leaveField(): Promise<void> {
  await page.evaluate('document.activeElement?.blur()')
  await page.locator('[data-picker]').waitFor({ state: 'detached' })
}

/** Adds a step at its insert point, and sets its id. */
async function add(list: string, index: number, kind: string, id: string): Promise<void> {
  await leaveField()
  await page.locator(`[data-insert="${list}:${index}"]`).click()
  await page.getByRole('combobox', { name: 'Which step?' }).waitFor()
  await page.getByRole('option', { name: new RegExp(`^${kind}`) }).click()
  const name = page.getByRole('textbox', { name: 'Id of the step' })
  await name.fill(id)
  await name.press('Enter')
  await card(id).waitFor()
}

/** Types into a field key by key, over its content. */
async function type(name: string, text: string): Promise<void> {
  await textbox(name).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.type(text)
}

/** Fills a field at once, like a paste. */
async function write(name: string, text: string): Promise<void> {
  await textbox(name).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

const focused = (attribute: string) => page.evaluate(`document.activeElement?.getAttribute('${attribute}')`)

const tab = (name: string | RegExp) => panel().getByRole('tab', { name })

describe('building a flow by clicking and typing', () => {
  it(
    'makes the example "retry"',
    async () => {
      const flow = await openFlow(documentOf('Retry'))
      await add('/steps', 0, 'HTTP request', 'ask')
      await type('URL', '{{ config.API_URL }}/prices/{{ webhook.body.article }}')
      await tab('More').click()
      await panel().getByRole('switch', { name: 'Fail on 4xx and 5xx' }).press('Space')

      await add('/steps', 1, 'Branch', 'check')
      await write('Condition of case 1', '{{ steps.ask.status >= 500 }}')
      await textbox('Label of case 1').fill('Trouble at the API')
      await panel().getByRole('button', { name: 'Add case' }).click()
      await type('Condition of case 2', 'steps.ask.status >= 400')
      await textbox('Label of case 2').fill('Asking again would not help')

      await add('/steps/1/cases/0/steps', 0, 'Wait', 'pause')
      await add('/steps/1/cases/0/steps', 1, 'HTTP request', 'again')
      await write('URL', '{{ config.API_URL }}/prices/{{ webhook.body.article }}')
      await add('/steps/1/cases/1/steps', 0, 'Fail', 'refused')
      await write('Message', 'The API replied {{ steps.ask.status }}')

      await add('/steps', 2, 'Set variables', 'result')
      await panel().getByRole('button', { name: 'Add variable' }).click()
      const name = page.getByRole('textbox', { name: 'Name of variable name_1' })
      await name.fill('price')
      await name.press('Enter')
      await write('Value of price', '{{ steps.again?.body.price ?? steps.ask.body.price }}')
      await saved()
      expect(await draftOf(flow.id)).toEqual(example('retry'))
    },
    BUILDING_MS,
  )

  it(
    'makes the example "pagination"',
    async () => {
      const flow = await openFlow(documentOf('Pagination'))
      await add('/steps', 0, 'Loop', 'pages')
      await panel().getByText('While', { exact: true }).click()
      await write('While', '{{ loop.index == 0 || steps.page.body.has_more }}')
      await panel().getByRole('textbox', { name: 'At most' }).fill('100')

      await add('/steps/0/steps', 0, 'HTTP request', 'page')
      await write('URL', '{{ config.API_URL }}/articles')
      await panel().getByRole('button', { name: 'Add parameter' }).click()
      await write('Name of parameter 1', 'category')
      await write('Value of parameter 1', '{{ webhook.body.category }}')
      await panel().getByRole('button', { name: 'Add parameter' }).click()
      await write('Name of parameter 2', 'page')
      await type('Value of parameter 2', '{{ loop.index + 1 }}')
      await panel()
        .getByRole('button', { name: /^If it fails/ })
        .click()
      await panel().getByRole('switch', { name: 'Try again' }).press('Space')

      await card('pages').click()
      await write('Collect', '{{ steps.page.body.items }}')

      await add('/steps', 1, 'HTTP request', 'report')
      await panel().getByRole('combobox', { name: 'Method' }).click()
      await page.getByRole('option', { name: 'POST' }).click()
      await write('URL', '{{ config.REPORT_URL }}')
      await tab(/^Body/).click()
      await panel().getByText('JSON', { exact: true }).click()
      await type(
        'JSON body',
        '{"category": "{{ webhook.body.category }}", "pages": "{{ steps.pages.count }}", "items": "{{ steps.pages.results.flat() }}"}',
      )
      await saved()
      expect(await draftOf(flow.id)).toEqual(example('pagination'))
    },
    BUILDING_MS,
  )

  it('has switches for header names in any letter case, and for the cookies of redirects', async () => {
    const document = documentOf('Switched', [ask])
    const auth = { kind: 'header', name: 'X-API-Key', value: '{{ env.API_KEY }}' }
    const flow = await openFlow({ ...document, trigger: { kind: 'webhook', auth } }, '?trigger=true')
    const exactly = panel().getByText('compared letter by letter')
    await exactly.waitFor()
    await panel().getByRole('switch', { name: 'Name in any letter case' }).press('Space')
    await exactly.waitFor({ state: 'detached' })
    await card('ask').click()
    await tab('More').click()
    await panel().getByRole('switch', { name: 'Keep cookies along redirects' }).press('Space')
    await expect
      .poll(() => draftOf(flow.id), PATIENTLY)
      .toMatchObject({ trigger: { auth: { ...auth, anyCase: true } }, steps: [{ ...ask, cookies: true }] })
  })

  it('completes templates with the values of the sample beside the names', async () => {
    const sample = { order: { id: 'A 7', 'odd-name': 1 } }
    await openFlow(documentOf('Completed', [{ ...ask, url: 'https://x.example/' }]), '?step=ask', page, [sample])
    await page.getByText('no test request yet').waitFor({ state: 'detached' })
    await textbox('URL').click()
    await page.keyboard.press('End')
    await page.keyboard.type('{{')
    const offers = page.locator('.cm-tooltip-autocomplete')
    await offers.getByText('webhook').waitFor()
    await page.keyboard.type('webhook.body.order.')
    await offers.getByText('"A 7"').waitFor()
    await offers.getByText('id', { exact: true }).click()
    await panel().getByText('https://x.example/A%207').waitFor()
    expect(await textbox('URL').textContent()).toBe('https://x.example/{{ webhook.body.order.id }}')
    await write('URL', 'https://x.example/{{ webhook.body.us }}')
    await panel().getByText('webhook.body.us is not in the one sample').first().waitFor()
    // What the service says takes the place of what the editor says at once: the reply waits until that was seen.
    const seen = Promise.withResolvers<void>()
    await page.route('**/flows/validate?*', (route) => seen.promise.then(() => route.continue()))
    try {
      await write('URL', 'https://x.example/{{ webhook.body.usr }}')
      await panel().getByText('webhook.body.usr is missing').first().waitFor()
      expect(await panel().getByText('webhook.body.us is not in the one sample').count()).toBe(0)
      seen.resolve()
      await panel().getByText('webhook.body.usr is not in the one sample').first().waitFor()
    } finally {
      seen.resolve()
      await page.unrouteAll({ behavior: 'ignoreErrors' })
    }
  })

  it('moves a card by dragging it onto an insert point', async () => {
    const wait = (id: string) => ({ id, kind: 'wait', seconds: 1 })
    const flow = await openFlow(documentOf('Dragged', [wait('a'), wait('b'), wait('c')]), '?step=a')
    const target = (await page.locator('[data-insert="/steps:3"]').boundingBox())!
    const from = (await card('a').boundingBox())!
    await page.mouse.move(from.x + from.width / 2, from.y + from.height / 2)
    await page.mouse.down()
    await page.mouse.move(target.x + 10, target.y + 10, { steps: 12 })
    await page.mouse.up()
    await saved()
    await expect
      .poll(async () => (await draftOf(flow.id)).steps.map(({ id }: { id: string }) => id), PATIENTLY)
      .toEqual(['b', 'c', 'a'])
  })

  it('takes a curl command, and says what it could not take over', async () => {
    const flow = await openFlow(documentOf('Curl', [ask]), '?step=ask')
    await panel().getByRole('button', { name: 'More for this step' }).click()
    await page.getByRole('menuitem', { name: 'Import from curl' }).click()
    await panel()
      .getByRole('textbox', { name: 'curl command' })
      .fill(`curl -k -X PUT "https://x.example/$ID" -H 'X-A: 1' --json '{"a":1}'`)
    await panel().getByText('Certificates are always verified').waitFor()
    await panel().getByRole('button', { name: 'Replace the settings' }).click()
    await panel().getByText('Imported, except for').waitFor()
    await saved()
    expect((await draftOf(flow.id)).steps[0]).toEqual({
      id: 'ask',
      kind: 'http',
      method: 'PUT',
      url: 'https://x.example/{{ env.ID }}',
      headers: [
        { name: 'X-A', value: '1' },
        { name: 'Accept', value: 'application/json' },
      ],
      body: { kind: 'json', value: { a: 1 } },
    })
    await panel().getByRole('button', { name: 'More for this step' }).click()
    await page.getByRole('menuitem', { name: 'Copy as curl' }).click()
    await page.getByText('Copied as curl').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toContain("'https://x.example/{{ env.ID }}'")
  })

  it('takes an operation of an OpenAPI description, and completes and warns by what any sample had', async () => {
    const samples = [{ article: 'a', coupon: 'X' }, { article: 'b' }]
    const flow = await openFlow(documentOf('Described', [ask]), '?step=ask', page, samples)
    await page.getByText('no test request yet').waitFor({ state: 'detached' })
    await panel().getByRole('button', { name: 'More for this step' }).click()
    await page.getByRole('menuitem', { name: 'Import from OpenAPI' }).click()
    const described = page.getByRole('textbox', { name: 'OpenAPI description' })
    await described.fill('swagger: "2.0"')
    await panel().getByText('Convert it to OpenAPI 3 first').waitFor()
    await described.fill(`openapi: 3.1.0
servers: [{ url: https://shop.example.com }]
paths:
  /orders/{id}:
    put:
      summary: Change an order
      parameters: [{ name: id, in: path, required: true }, { name: dry, in: query }]
      requestBody: { content: { application/json: { example: { total: 1 } } } }
    get: {}
`)
    await expectAccessible(page)
    await page.getByRole('combobox', { name: 'Operation' }).fill('change')
    await page.getByRole('option', { name: 'PUT /orders/{id}: Change an order' }).click()
    await panel().getByText('Optional: add what you need.').waitFor()
    await panel().getByRole('button', { name: 'Replace the settings' }).click()
    await panel().getByText('Imported, except for').waitFor()
    await saved()
    expect((await draftOf(flow.id)).steps[0]).toEqual({
      id: 'ask',
      kind: 'http',
      method: 'PUT',
      url: 'https://shop.example.com/orders/{{ vars.id }}',
      body: { kind: 'json', value: { total: 1 } },
    })
    await panel().getByRole('button', { name: 'Close', exact: true }).first().click()

    await type('URL', 'https://shop.example.com/{{ webhook.body.cou')
    const offered = page.getByRole('option', { name: /coupon/ })
    await offered.getByText('text, in other samples').waitFor()
    await offered.click()
    await saved()
    expect((await draftOf(flow.id)).steps[0].url).toBe('https://shop.example.com/{{ webhook.body.coupon }}')
    await write('URL', 'https://shop.example.com/{{ webhook.body.cupon }}')
    await panel().getByText('did you mean webhook.body.coupon?').waitFor()
  })

  it('edits the YAML both ways, with faults at their line', async () => {
    const flow = await openFlow(documentOf('Text', [{ id: 'a', kind: 'wait', seconds: 1 }]), '?step=a&view=yaml')
    const yaml = page.getByRole('textbox', { name: 'The flow as YAML' })
    await yaml.getByText('seconds').waitFor()
    await write('Time', '7')
    await yaml.getByText('seconds: 7').waitFor()
    await yaml.fill('name: Text\ntrigger: { kind: webhook }\nsteps: [')
    await page.getByRole('alert').getByText('Line 3').waitFor()
    await yaml.fill('name: Typed\ntrigger: { kind: webhook }\nsteps:\n  - { id: a, kind: wait, seconds: 8 }\n')
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByText('Canvas', { exact: true }).click()
    await card('a').getByText('8 s').waitFor()
    await saved()
    expect(await draftOf(flow.id)).toEqual({ ...documentOf('Typed'), steps: [{ id: 'a', kind: 'wait', seconds: 8 }] })
  })
})

describe('the first minute', () => {
  it('waits for a test request, shows it as it came, and uses it in every field', async () => {
    const flow = await openFlow(documentOf('First'))
    await panel().getByText('Waiting for a test request…').waitFor()
    await panel().getByText(flow.webhook.id).first().waitFor()
    const post = (body: object) =>
      fetch(`${ui.url}/api/v1/webhooks/${flow.webhook.id}/test`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    await post({ first: HOSTILE })
    await panel().getByText('Test request received').waitFor()
    await panel().getByRole('tree').getByText('<img src=x').waitFor()
    await post({ second: 2 })
    await panel().getByRole('tree').getByText('second').waitFor()
    await panel().getByRole('button', { name: 'Use this sample' }).click()
    await panel().getByText('The sample in use').waitFor()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    await expectAccessible(page)
  })

  it('sends a sample made of what the flow reads', async () => {
    await openFlow(documentOf('Sent', [ask]), '?trigger=true')
    await panel().getByRole('button', { name: 'Send a sample' }).click()
    await panel().getByText('"article"', { exact: true }).waitFor()
    await panel().getByRole('button', { name: 'Send', exact: true }).click()
    await panel().getByText('Test request received').waitFor()
    await panel().getByRole('tree').getByText('article').waitFor()
  })
})

describe('testing', () => {
  it('tests a step against a server and shows its reply, whatever that holds', async () => {
    await openFlow(documentOf('Tested', [ask]), '?step=ask', page, [{ article: 'A-100' }])
    await panel().getByText('/prices/A-100').waitFor()
    await panel().getByRole('button', { name: 'Test step' }).click()
    await panel().getByText('Succeeded').waitFor()
    await card('ask')
      .getByText(/^200 · /)
      .waitFor()
    await panel().getByRole('tree').getByText('9.5').waitFor()
    await panel().getByRole('tree').getByText('{…}').first().click()
    await panel().getByRole('tree').getByText('<script>').waitFor()
    expect(await page.evaluate('window.hacked')).toBeUndefined()
    await write('URL', '{{ config.API_URL }}/missing')
    await panel().getByRole('button', { name: 'Test step' }).click()
    await panel().getByRole('alert').getByText('http_404').waitFor()
  })

  it('runs the draft, shows outcomes on the cards, and leads to the run', async () => {
    await openFlow(
      documentOf('Run', [
        { ...ask, url: '{{ config.API_URL }}/x' },
        { id: 'no', kind: 'fail', message: 'not today' },
      ]),
      '?step=ask',
    )
    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByText('Test run failed').waitFor()
    await page.getByText('not today').first().waitFor()
    await card('ask')
      .getByText(/^200 · /)
      .waitFor()
    await card('no').getByText('failed').waitFor()
    await page.getByRole('link', { name: 'See the run' }).click()
    await page.waitForURL('**/runs/run_*')
  })

  it('says which problems keep the flow from being tested', async () => {
    await openFlow(documentOf('Broken', [{ ...ask, url: '' }]), '?step=ask')
    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByText('One problem has to be fixed first.').click()
    await panel().getByText('1 problem to fix first').waitFor()
    await panel()
      .getByRole('button', { name: /Enter a URL/ })
      .click()
    await textbox('URL').waitFor()
  })
})

describe('publishing', () => {
  it('shows what changes, publishes it, and brings a version back', async () => {
    const { flow } = await ui.millrace.publish(documentOf('Live', [ask]))
    await page.goto(`/flows/${flow.id}?step=ask`)
    await page.getByText('Published v1').waitFor()
    await write('URL', '{{ config.API_URL }}/new')
    await page.getByText('Draft · 1 change').waitFor()
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await panel().getByText('Changed url').waitFor()
    await panel().getByText('{{ config.API_URL }}/new').waitFor()
    await expectAccessible(page)
    await panel().getByRole('button', { name: 'Publish version 2' }).click()
    await page.getByText('Published v2').waitFor()
    await panel().getByText('Version 2 is live.').waitFor()
    await panel()
      .getByRole('button', { name: /^Versions/ })
      .click()
    await panel().getByRole('button', { name: 'Restore' }).last().click()
    await page.getByText('Draft · 1 change').waitFor()
    expect((await draftOf(flow.id)).steps[0].url).toBe(ask.url)
  })
})

describe('undo and redo', () => {
  it('go back and forth through every kind of edit', async () => {
    const flow = await openFlow(
      documentOf('Undone', [ask, { id: 'use', kind: 'set', vars: { x: '{{ steps.ask.status }}' } }]),
      '?step=ask',
    )
    const before = await draftOf(flow.id)
    const name = page.getByRole('textbox', { name: 'Id of the step' })
    await name.fill('price')
    await name.press('Enter')
    await card('price').click()
    await page.keyboard.press('d')
    await card('price_2').waitFor()
    await page.keyboard.press('Backspace')
    await page.getByText('Deleted price_2').waitFor()
    await saved()
    expect((await draftOf(flow.id)).steps[1].vars.x).toBe('{{ steps.price.status }}')
    for (const label of ['Delete price_2', 'Duplicate price', 'Rename ask to price'])
      await page.getByRole('button', { name: `Undo: ${label}` }).click()
    await card('ask').waitFor()
    await saved()
    expect(await draftOf(flow.id)).toEqual(before)
    await card('ask').focus()
    await page.keyboard.press('ControlOrMeta+Shift+Z')
    await card('price').waitFor()
    await page.keyboard.press('ControlOrMeta+Z')
    await card('ask').waitFor()
  })
})

describe('without a mouse', () => {
  it('builds, moves, copies, deletes and tests steps', async () => {
    const flow = await openFlow(documentOf('Keys'))
    await card('trigger').focus()
    await page.keyboard.press('a')
    await expect.poll(() => focused('aria-label'), PATIENTLY).toBe('Which step?')
    await page.keyboard.type('branch')
    await page.keyboard.press('Enter')
    await card('branch').waitFor()
    await expect.poll(() => focused('data-card'), PATIENTLY).toBe('branch')
    await page.keyboard.press('a')
    await expect.poll(() => focused('aria-label'), PATIENTLY).toBe('Which step?')
    await page.keyboard.type('wait')
    await page.keyboard.press('Enter')
    await card('wait').waitFor()
    await expect.poll(() => focused('data-card'), PATIENTLY).toBe('wait')
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('Alt+ArrowRight')
    await page.keyboard.press('ControlOrMeta+C')
    await page.keyboard.press('ControlOrMeta+V')
    await card('wait_2').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await expect.poll(() => focused('aria-label'), PATIENTLY).toBe('Time')
    await page.keyboard.press('ControlOrMeta+A')
    await page.keyboard.type('9')
    await saved()
    expect((await draftOf(flow.id)).steps).toEqual([
      {
        id: 'branch',
        kind: 'branch',
        cases: [{ when: '', steps: [] }],
        otherwise: [
          { id: 'wait', kind: 'wait', seconds: 9 },
          { id: 'wait_2', kind: 'wait', seconds: 5 },
        ],
      },
    ])
    await card('wait_2').focus()
    await page.keyboard.press('?')
    await page.getByRole('dialog').getByText('Duplicate the step').waitFor()
    await page.keyboard.press('Escape')
  })

  it('has names for everything, and no trap', async () => {
    await openFlow(example('retry'), '?step=ask')
    await card('ask').waitFor()
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'dark' })
    await expectAccessible(page)
    await page.emulateMedia({ colorScheme: 'light' })
    await page.getByRole('button', { name: /^pause\s*, Wait,\s*5 s\s*, in case 1 of check$/ }).waitFor()
  })
})

describe('somebody else', () => {
  it('who saved meanwhile is not written over: their changes are shown, and one chooses', async () => {
    const flow = await openFlow(documentOf('Shared', [ask]), '?step=ask')
    await ui.millrace.api('PUT', `/flows/${flow.id}`, documentOf('Renamed by Bob', [ask]))
    await write('URL', 'https://mine.example')
    const bar = page.getByRole('alert').filter({ hasText: 'This flow was saved elsewhere' })
    await bar.getByText('1 change there, 1 change here').waitFor()
    expect((await draftOf(flow.id)).name).toBe('Renamed by Bob')
    await bar.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('Renamed by Bob').waitFor()
    await bar.getByRole('button', { name: 'Keep mine' }).click()
    await saved()
    await expect.poll(async () => (await draftOf(flow.id)).steps[0].url, PATIENTLY).toBe('https://mine.example')

    await ui.millrace.api('PUT', `/flows/${flow.id}`, documentOf('Bob again', [ask]))
    await write('URL', 'https://mine.example/2')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    await expect
      .poll(() => page.getByRole('textbox', { name: 'Name of the flow' }).inputValue(), PATIENTLY)
      .toBe('Bob again')
    await saved()
  })

  it('who may only look sees everything and can change nothing', async () => {
    const flow = await openFlow(documentOf('Watched', [ask]), '?step=ask')
    const { body } = await ui.millrace.api('POST', '/invitations', { role: 'viewer' })
    const visitor = await ui.visitor()
    const answer = await visitor.context().request.post('/api/auth/accept-invitation', {
      headers: { origin: ui.url },
      data: {
        code: new URL(body.url).hash.replace('#code=', ''),
        email: 'grace@example.com',
        name: 'Grace',
        password: 'otter violin marble dusk',
      },
    })
    expect(answer.status()).toBe(200)
    await visitor.goto(`/flows/${flow.id}?step=ask`)
    await visitor.getByText('Read only').waitFor()
    await textbox('URL', visitor).waitFor()
    expect(await textbox('URL', visitor).getAttribute('contenteditable')).toBe('false')
    expect(await visitor.getByRole('button', { name: 'Test flow' }).isDisabled()).toBe(true)
    await card('ask', visitor).focus()
    await visitor.keyboard.press('Backspace')
    await visitor.keyboard.press('a')
    await card('ask', visitor).waitFor()
    expect(await visitor.getByRole('combobox', { name: 'Which step?' }).count()).toBe(0)
  })
})

describe('leaving', () => {
  it('saves what was typed a moment before', async () => {
    const flow = await openFlow(documentOf('Left', [ask]), '?step=ask')
    await write('URL', 'https://late.example')
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Flows' }).click()
    await page.waitForURL('**/flows')
    expect((await draftOf(flow.id)).steps[0].url).toBe('https://late.example')
  })

  it('asks first where it could not be saved', async () => {
    const flow = await openFlow(documentOf('Kept', [ask]), '?step=ask')
    await page.route(`**/api/v1/flows/${flow.id}`, (route) =>
      route.request().method() === 'PUT' ? route.abort() : route.continue(),
    )
    await write('URL', 'https://lost.example')
    await page.getByText('The draft could not be saved').waitFor()
    const asked = new Promise<string>((resolve) => {
      page.once('dialog', (dialog) => {
        resolve(dialog.message())
        void dialog.dismiss()
      })
    })
    await page.getByRole('navigation', { name: 'Breadcrumbs' }).getByRole('link', { name: 'Flows' }).click()
    expect(await asked).toContain('not saved')
    await page.unrouteAll()
    await saved()
    expect((await draftOf(flow.id)).steps[0].url).toBe('https://lost.example')
  })
})

describe('secrets', () => {
  it('typed into a step are taken when they are complete, and never come back', async () => {
    const flow = await openFlow(documentOf('Secret', [{ ...ask, auth: { kind: 'bearer', token: '' } }]), '?step=ask')
    await tab(/^Auth/).click()
    await write('Token', 'hunter2-hunter2')
    await textbox('URL').click()
    await panel().getByText('Stored encrypted', { exact: true }).waitFor()
    await saved()
    expect((await draftOf(flow.id)).steps[0].auth.token).toMatch(/^sealed:/)
    expect(await page.content()).not.toContain('hunter2')
  })
})
