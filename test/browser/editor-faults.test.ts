// Tests of the editor against what tripped people up: fields that begin wrong, results that say too little, warnings that hide.
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../harness/upstream.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let page: Page
let upstream: Upstream

const PATIENTLY = { timeout: 40_000 }

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    const status = Number(/\/status\/(\d+)/.exec(url)?.[1] ?? 200)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ path: url }))
  })
  ui = await startUi({ MILLRACE_ENV_API_URL: upstream.url })
  page = await ui.owner()
})
afterAll(async () => {
  await ui.stop()
  await upstream.close()
})

const documentOf = (steps: object[] = [], trigger: object = {}) => ({
  name: 'Tried',
  trigger: { kind: 'webhook', ...trigger },
  steps,
})
const ask = { id: 'ask', kind: 'http', method: 'GET', url: '{{ env.API_URL }}/x' }
const waitStep = (id: string, seconds = 1) => ({ id, kind: 'wait', seconds })

async function openFlow(document: object, search = ''): Promise<string> {
  const { body } = await ui.millrace.api('POST', '/flows', document)
  await page.goto(`/flows/${body.id}${search}`)
  await page.getByRole('textbox', { name: 'Name of the flow' }).waitFor()
  return body.id
}

const card = (id: string) => page.locator(`[data-card="${id}"]`)
const panel = () => page.locator('[data-panel]')
const textbox = (name: string) => panel().getByRole('textbox', { name, exact: true })
const tab = (name: RegExp) => panel().getByRole('tab', { name })
const button = (name: string | RegExp) => panel().getByRole('button', { name })
const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft
const saved = () => page.getByRole('status').getByText('Saved', { exact: true }).waitFor()

async function add(kind: string): Promise<void> {
  await page.locator('[data-insert="/steps:0"]').click()
  await page.getByRole('combobox', { name: 'Which step?' }).waitFor()
  await page.getByRole('option', { name: new RegExp(`^${kind}`) }).click()
}

async function write(name: string, text: string): Promise<void> {
  await textbox(name).click()
  await page.keyboard.press('ControlOrMeta+A')
  await page.keyboard.insertText(text)
}

describe('fields of a new step', () => {
  it('begin empty: the list of a loop, and the value of a variable', async () => {
    const flow = await openFlow(documentOf())
    await add('Loop')
    await textbox('List').click()
    await page.keyboard.insertText('{{ [1, 2] }}')
    await expect.poll(async () => (await draftOf(flow)).steps[0]?.each, PATIENTLY).toBe('{{ [1, 2] }}')
    expect(await panel().getByText('Not valid JSON yet').count()).toBe(0)

    await add('Set variables')
    await button('Add variable').click()
    await textbox('Value of name_1').click()
    await page.keyboard.insertText('{{ webhook.body.n }}')
    await expect
      .poll(async () => (await draftOf(flow)).steps[0]?.vars, PATIENTLY)
      .toEqual({ name_1: '{{ webhook.body.n }}' })
  })
})

describe('undoing', () => {
  it('a deletion by key takes the notice away, which would do it twice', async () => {
    const flow = await openFlow(documentOf([waitStep('a'), waitStep('b')]), '?step=b')
    await card('b').focus()
    await page.keyboard.press('Delete')
    const notice = page.getByText('Deleted b')
    await notice.waitFor()
    await page.keyboard.press('ControlOrMeta+Z')
    await card('b').waitFor()
    // It goes by itself too, a few seconds later.
    expect(await notice.count()).toBe(0)
    await saved()
    expect((await draftOf(flow)).steps.map(({ id }: { id: string }) => id)).toEqual(['a', 'b'])
  })
})

describe('testing a loop', () => {
  const loop = (url: string, more: object = {}) => ({
    id: 'all',
    kind: 'loop',
    each: '{{ [0, 1, 2, 3, 4, 5, 6] }}',
    steps: [{ ...ask, url }],
    ...more,
  })

  it('alone runs as many of its first rounds as one chooses', async () => {
    await openFlow(documentOf([loop('{{ env.API_URL }}/rounds/{{ loop.item }}')]), '?step=all')
    const rounds = () => upstream.received.filter(({ url }) => url.includes('/rounds/')).length
    await button('Test step').click()
    await panel().getByText('first 3 of 7').waitFor()
    expect(rounds()).toBe(3)
    await card('ask').getByText('200').waitFor()
    await panel().getByLabel('Rounds to test').fill('5')
    await button('Test step').click()
    await panel().getByText('first 5 of 7').waitFor()
    expect(rounds()).toBe(8)
    await expectAccessible(page)
  })

  it('with the flow says how many rounds failed, and does not look fine', async () => {
    const url = '{{ env.API_URL }}/status/{{ loop.index < 2 ? 500 : 200 }}'
    const calm = { ...ask, id: 'calm', url: '{{ env.API_URL }}/status/503', failOnError: false }
    await openFlow(documentOf([loop(url, { onError: 'continue' }), calm]), '?step=all')
    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByText('Test run succeeded').waitFor()
    const dot = (id: string) => card(id).locator('[data-tone]')
    await card('all').getByText('2 of 7 failed').waitFor()
    expect(await dot('all').getAttribute('data-tone')).toBe('wait')
    await card('ask').getByText('2 of 7 failed').waitFor()
    expect(await dot('ask').getAttribute('data-tone')).toBe('bad')
    await card('calm')
      .getByText(/^503 · /)
      .waitFor()
    expect(await dot('calm').getAttribute('data-tone')).toBe('wait')
  })
})

describe('how long something took', () => {
  it('is written in one way', async () => {
    await openFlow(documentOf([waitStep('pause', 1.2)]), '?step=pause')
    await page.getByRole('button', { name: 'Test flow' }).click()
    await page.getByText('Test run waiting').waitFor()
    expect(await page.getByText('0 ms').count()).toBe(0)
    await page.getByText('Test run succeeded').waitFor()
    await expect.poll(() => card('pause').locator('[data-tone]').textContent(), PATIENTLY).toMatch(/^1\.\d s$/)
  })
})

describe('what the caller gets', () => {
  const respond = (id: string, body: string) => ({ id, kind: 'respond', status: 201, body })
  const waiting = { response: { mode: 'finished' } }

  it('is what a respond step answers', async () => {
    await openFlow(documentOf([respond('reply', 'from the step')], waiting), '?trigger=true')
    await button(/^What the caller gets/).click()
    await panel().getByText('The caller gets, from the step reply').waitFor()
    await panel().getByText('from the step', { exact: true }).waitFor()
    expect(await panel().getByText('Webhook received').count()).toBe(0)
  })

  it('is what it says where the run comes by no respond step', async () => {
    const way = { id: 'way', kind: 'branch', cases: [{ when: '{{ true }}', steps: [respond('maybe', 'perhaps')] }] }
    await openFlow(documentOf([way], waiting), '?trigger=true')
    await button(/^What the caller gets/).click()
    await panel().getByText('Where the step maybe runs, the caller gets').waitFor()
    await panel().getByText('Otherwise the caller gets').waitFor()
  })

  it('is warned of once where nobody waits for it', async () => {
    await openFlow(documentOf([respond('reply', 'x')]), '?step=reply')
    await card('reply').getByText('warnings').waitFor({ state: 'attached' })
    expect(
      await panel()
        .getByText(/^Nobody waits for this reply/)
        .count(),
    ).toBe(1)
  })
})

describe('warnings', () => {
  it('mark the tab and the section that they are in', async () => {
    const header = { name: 'X', value: '{{ env.NOWHERE }}' }
    const auth = { kind: 'header', name: 'X-Key', value: 'typed in' }
    await openFlow(documentOf([{ ...ask, headers: [header] }], { auth }), '?step=ask')
    await tab(/^Headers \(1\).*warning/).waitFor()
    expect(await tab(/^Query$/).count()).toBe(1)
    await page.goto(`${page.url().split('?')[0]}?trigger=true`)
    await button(/^Who may call it/).click()
    await button(/^Who may call it.*warning/).waitFor()
  })

  it('mark the steps that no run reaches', async () => {
    await openFlow(documentOf([{ id: 'end', kind: 'stop' }, waitStep('never')]), '?step=never')
    await panel().getByText('No run gets here: "end" always ends the run.').waitFor()
    await card('never').getByText('warnings').waitFor({ state: 'attached' })
  })

  it('leave out what has no use: a step that ends the run is not asked what happens if it fails', async () => {
    await openFlow(documentOf([{ id: 'end', kind: 'stop' }]), '?step=end')
    await panel()
      .getByText(/This step has no settings\./)
      .waitFor()
    expect(await button(/^If it fails/).count()).toBe(0)
  })
})

describe('the result of a test', () => {
  it('stays when the step is renamed, also after a reload', async () => {
    await openFlow(documentOf([ask]), '?step=ask')
    await button('Test step').click()
    await card('ask').getByText(/^200/).waitFor()
    const name = page.getByRole('textbox', { name: 'Id of the step' })
    await name.fill('price')
    await name.press('Enter')
    await card('price').getByText(/^200/).waitFor()
    await saved()
    await page.reload()
    await card('price').getByText(/^200/).waitFor()
    expect(await card('price').getByText('edited since').count()).toBe(0)
  })

  it('is marked as old once the step is edited', async () => {
    await openFlow(documentOf([ask]), '?step=ask')
    await button('Test step').click()
    await card('ask').getByText(/^200/).waitFor()
    await write('URL', '{{ env.API_URL }}/other')
    await panel().getByText('Edited since this result').waitFor()
    await card('ask').getByText('edited since').waitFor({ state: 'attached' })
    await button('Test step').click()
    await panel().getByText('Edited since this result').waitFor({ state: 'detached' })
  })

  it('shows what code wrote to the console', async () => {
    const code = 'export default () => {\n  console.log("seen", 7)\n  return 1\n}'
    await openFlow(documentOf([{ id: 'work', kind: 'code', code }]), '?step=work')
    await button('Test step').click()
    await tab(/^Logs \(1\)/).click()
    await panel().getByText('seen 7').waitFor()
  })
})

describe('what cannot be taken', () => {
  it('as an id stays, and says why', async () => {
    const flow = await openFlow(documentOf([waitStep('a'), waitStep('b')]), '?step=a')
    const name = page.getByRole('textbox', { name: 'Id of the step' })
    await name.fill('7up')
    await name.press('Enter')
    await panel().getByRole('alert').getByText('Use small letters').waitFor()
    expect(await name.inputValue()).toBe('7up')
    await name.fill('b')
    await name.press('Enter')
    await panel().getByRole('alert').getByText('b is the id of another step. The id is still a.').waitFor()
    await expectAccessible(page)
    await name.press('Escape')
    await panel().getByRole('alert').waitFor({ state: 'hidden' })
    expect((await draftOf(flow)).steps[0].id).toBe('a')
  })

  it('as YAML is not called saved, and is there again after a look at the canvas', async () => {
    await openFlow(documentOf([waitStep('a')]), '?view=yaml')
    const yaml = page.getByRole('textbox', { name: 'The flow as YAML' })
    await yaml.getByText('seconds').waitFor()
    await yaml.fill('name: Tried\ntrigger: { kind: webhook }\nsteps: [')
    await page.getByText('Not saved: fault in line 3 of the YAML').waitFor()
    await page.getByText('Canvas', { exact: true }).click()
    await card('a').waitFor()
    await page.getByText('Not saved: fault in line 3 of the YAML').waitFor()
    await page.getByText('YAML', { exact: true }).click()
    await yaml.getByText('steps: [').waitFor()
    await page.getByRole('alert').getByText('Line 3').waitFor()
    await yaml.fill('name: Tried\ntrigger: { kind: webhook }\nsteps: []\n')
    await saved()
  })
})
