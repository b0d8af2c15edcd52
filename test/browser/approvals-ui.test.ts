// Tests what people see of runs that wait for somebody: the list of what waits for them, the page of the run, and the editor's forms.
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

/** What is edited is saved a moment later. */
const PATIENTLY = { timeout: 20_000 }
const SHOTS = process.env['SHOTS']

let ui: Ui
let page: Page

beforeAll(async () => {
  ui = await startUi()
  page = await ui.owner({ reducedMotion: 'reduce' })
})
afterAll(() => ui.stop())

/** Runs that would wait on, and be listed, after their test. */
const begun: string[] = []
afterEach(async () => {
  for (const id of begun.splice(0)) await ui.millrace.api('POST', `/runs/${id}/cancel`)
})

const approval = {
  title: 'Refund {{ webhook.body.amount }} EUR to Ada Byron?',
  text: 'Order **4711** came back. <b>Not bold</b>',
  answers: ['approve', 'reject', 'ask again'],
  fields: [
    { name: 'reason', label: 'Why', required: true },
    { name: 'sum', label: 'How much', type: 'number' },
    { name: 'told', label: 'Ada was told', type: 'boolean' },
  ],
  timeout: 172_800,
}
const callback = { timeout: 259_200, when: "{{ callback.body.state == 'done' }}" }

async function waiting(step: object): Promise<string> {
  const { post } = await ui.millrace.publish({
    name: 'Refunds',
    trigger: { kind: 'webhook' },
    steps: [
      { id: 'note', kind: 'set', vars: { at: '{{ callbacks.answer.url }}' } },
      { id: 'answer', kind: 'wait', ...step },
    ],
  })
  const { id } = (await post({ amount: 80 })).body
  begun.push(id)
  await ui.millrace.runEnded(id, ['waiting'])
  return id as string
}
const send = async (url: string, body: object): Promise<number> =>
  (
    await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  ).status
const callbackOf = async (id: string) => (await ui.millrace.api('GET', `/runs/${id}`)).body.callbacks[0]
const auditOf = async (action: string) =>
  (await ui.millrace.api('GET', '/audit')).body.items.filter((entry: { action: string }) => entry.action === action)
const card = (key: string) => page.locator(`[data-card="${key}"]`)
const timeline = () => page.getByRole('tree', { name: 'Timeline' })
const shot = async (name: string) => {
  if (SHOTS) await page.screenshot({ path: `${SHOTS}/${name}.png` })
}
async function inDark(name: string): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  // Some colors change gradually.
  await page.evaluate(`(async () => {
    do await new Promise(requestAnimationFrame)
    while (document.getAnimations().some(({ playState }) => playState === 'running'))
  })()`)
  await expectAccessible(page, 'color-contrast')
  await shot(`${name}-dark`)
  await page.emulateMedia({ colorScheme: 'light' })
}

describe('the list of what waits for people', () => {
  it('says that nothing does, and shows what begins to without being loaded again', async () => {
    await page.goto('/approvals')
    await page.getByText('Nothing waits for you').waitFor()
    await expectAccessible(page)
    await shot('list-empty')
    const id = await waiting({ approval })
    await page.getByRole('heading', { name: 'Refund 80 EUR to Ada Byron?' }).waitFor()
    await page.getByRole('link', { name: 'Waiting for you, 1 open' }).waitFor()
    await page.getByText('2 days left').waitFor()
    await page.getByText('<b>Not bold</b>').waitFor()
    expect(await page.locator('article b').count()).toBe(0)
    await expectAccessible(page)
    await shot('list')
    await inDark('list')
    await ui.millrace.api('POST', `/runs/${id}/cancel`)
    await page.getByText('Nothing waits for you').waitFor()
  })

  it('is answered by keyboard, and asks for what has to be filled in', async () => {
    const id = await waiting({ approval })
    await page.goto('/approvals')
    await page.getByRole('textbox', { name: 'Why' }).focus()
    for (let i = 0; i < 3; i++) await page.keyboard.press('Tab')
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('approve')
    await page.keyboard.press('Enter')
    await page.getByText('Please fill this in.').waitFor()
    await page.getByRole('textbox', { name: 'Why' }).focus()
    await page.keyboard.type('as agreed')
    await page.keyboard.press('Tab')
    await page.keyboard.type('79.5')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByText('Answered: reject').waitFor()
    await page.getByText('Nothing waits for you').waitFor()
    await page.getByRole('link', { name: 'Waiting for you', exact: true }).waitFor()
    expect((await ui.millrace.runEnded(id)).steps[1]!.output).toMatchObject({
      answer: 'reject',
      fields: { reason: 'as agreed', sum: 79.5, told: true },
      by: 'ada@example.com',
    })
  })

  it('says that somebody else was faster', async () => {
    const id = await waiting({ approval: { title: 'Ship it?' } })
    await page.goto('/approvals')
    await page.getByRole('button', { name: 'approve' }).waitFor()
    await page.route('**/api/v1/approvals?*', (route) => route.abort())
    await ui.millrace.api('POST', `/approvals/${(await callbackOf(id)).id}`, { answer: 'reject' })
    await page.getByRole('button', { name: 'approve' }).click()
    await page.getByText('The answer was not taken').waitFor()
    await page.unroute('**/api/v1/approvals?*')
    await ui.millrace.runEnded(id)
  })
})

describe('the page of a run that waits', () => {
  it('says for whom and how long, and takes the answer to an approval', async () => {
    const id = await waiting({ approval })
    await page.goto(`/runs/${id}?step=answer`)
    await timeline().getByText('waiting for an approval, 2 days left').waitFor()
    await card('answer').getByText('Waiting, 2 days left').waitFor()
    const note = page.getByRole('region', { name: 'Refund 80 EUR to Ada Byron?' })
    await note.getByText('Waiting for an approval').waitFor()
    await note.getByRole('textbox', { name: 'Why' }).fill('as agreed')
    await expectAccessible(page)
    await shot('run-approval')
    await inDark('run-approval')
    await note.getByRole('button', { name: 'ask again' }).click()
    await note.getByText('Answered by ada@example.com').waitFor()
    await shot('run-answered')
    expect((await ui.millrace.runEnded(id)).steps[1]!.output).toMatchObject({ answer: 'ask again' })
    expect(await auditOf('approval.answer')).toContainEqual(expect.objectContaining({ target: expect.anything() }))
  })

  it('shows the URL of a callback, gives it a new one, and answers it by hand', async () => {
    const id = await waiting({ callback })
    const { url } = await callbackOf(id)
    await send(url, { state: 'begun' })
    await page.goto(`/runs/${id}?step=answer`)
    const note = page.getByRole('region', { name: 'Callback' })
    await note.getByText('Came in, and did not count').waitFor()
    await note.getByText('3 days left').waitFor()
    await timeline().getByText('waiting for a callback, 3 days left').waitFor()
    await note.getByText(url).waitFor()
    await note.getByRole('button', { name: 'Regenerate URL' }).click()
    await page.getByRole('button', { name: 'Make a new URL' }).click()
    await note.getByText(url).waitFor({ state: 'detached' })
    await note.getByText((await callbackOf(id)).url).waitFor()
    expect(await send(url, {})).toBe(404)
    await note.getByRole('button', { name: 'Answer by hand' }).click()
    const body = note.getByRole('textbox', { name: 'Body of the answer' })
    await body.fill('{"state": ')
    await note.getByText('Not valid JSON yet.').waitFor()
    await body.fill('{"state": "by phone"}')
    await expectAccessible(page)
    await shot('run-callback')
    await note.getByRole('button', { name: 'Answer', exact: true }).click()
    await note.getByText('Answered by ada@example.com').waitFor()
    expect((await ui.millrace.runEnded(id)).steps[1]!.output).toMatchObject({ body: { state: 'by phone' } })
    expect([...(await auditOf('callback.regenerate')), ...(await auditOf('callback.answer'))]).toHaveLength(2)
  })

  it('shows what came before the run waits', async () => {
    const { post } = await ui.millrace.publish({
      name: 'Refunds',
      trigger: { kind: 'webhook' },
      steps: [
        { id: 'note', kind: 'set', vars: { at: '{{ callbacks.answer.url }}' } },
        { id: 'pause', kind: 'wait', seconds: 3600 },
        { id: 'answer', kind: 'wait', callback: {} },
      ],
    })
    const { id } = (await post({})).body
    await ui.millrace.runEnded(id, ['waiting'])
    expect(await send((await callbackOf(id)).url, { state: 'too soon' })).toBe(200)
    await page.goto(`/runs/${id}?step=answer`)
    const note = page.getByRole('region', { name: 'Callback' })
    await note.getByText('The run has not come to this step.').waitFor()
    await note.getByText('too soon').first().waitFor()
    await expectAccessible(page)
    await shot('run-early')
  })

  it('shows viewers neither the URL nor a way to answer', async () => {
    const id = await waiting({ approval })
    const { url } = await callbackOf(id)
    const invitation = await ui.millrace.api('POST', '/invitations', { role: 'viewer' })
    const viewer = await ui.visitor()
    await viewer.context().request.post('/api/auth/accept-invitation', {
      headers: { origin: ui.url },
      data: {
        code: invitation.body.url.split('#code=')[1],
        email: 'bob@example.com',
        name: 'Bob',
        password: 'heron lamp granite tide',
      },
    })
    await viewer.goto(`/runs/${id}?step=answer`)
    await viewer.getByText('You may read. Answering needs the role editor.').waitFor()
    expect(await viewer.getByRole('button', { name: 'approve' }).count()).toBe(0)
    expect(await viewer.getByRole('button', { name: 'Regenerate URL' }).count()).toBe(0)
    expect(await viewer.content()).not.toContain(url.split('/').at(-1))
  })
})

describe('the editor', () => {
  const draftOf = async (id: string) => (await ui.millrace.api('GET', `/flows/${id}`)).body.draft
  const ask = { id: 'ask', kind: 'fail', message: '' }

  it('makes a wait for an approval, shows its problems, and loses nothing of it', async () => {
    const { body: flow } = await ui.millrace.api('POST', '/flows', {
      name: 'Asks',
      trigger: { kind: 'webhook' },
      steps: [ask, { id: 'answer', kind: 'wait', seconds: 5 }],
    })
    await page.goto(`/flows/${flow.id}?step=answer`)
    await page.getByText('An approval', { exact: true }).click()
    await page.getByText('Enter a question').waitFor()
    await page.getByRole('textbox', { name: 'Question' }).fill('Ship it?')
    await page.getByRole('textbox', { name: 'Text', exact: true }).fill('It is **heavy**.')
    await page.getByText('Preview', { exact: true }).click()
    await page.locator('strong', { hasText: 'heavy' }).waitFor()
    await page.getByRole('button', { name: 'Add answer' }).click()
    await page.getByRole('textbox', { name: 'Text of answer 3' }).fill('reject')
    await page.getByText('"reject" is an answer already; each is listed once.').waitFor()
    await page.getByRole('textbox', { name: 'Text of answer 3' }).fill('later')
    await page.getByRole('button', { name: 'Add field' }).click()
    await page.getByRole('textbox', { name: 'Name of field 1' }).fill('weight')
    await page.getByRole('combobox', { name: 'Type of field 1' }).click()
    await page.getByRole('option', { name: 'Number' }).click()
    await page.getByRole('switch', { name: 'Has to be filled in' }).click()
    await page.getByText('users who may edit').click()
    await page.getByText('the run goes on').click()
    await page.getByRole('textbox', { name: 'At most' }).fill('2')
    await expectAccessible(page)
    await shot('editor-approval')
    const made = {
      id: 'answer',
      kind: 'wait',
      approval: {
        title: 'Ship it?',
        text: 'It is **heavy**.',
        answers: ['approve', 'reject', 'later'],
        fields: [{ name: 'weight', type: 'number', required: true }],
        who: 'users',
        onTimeout: 'continue',
        timeout: 172_800,
      },
    }
    await expect.poll(async () => (await draftOf(flow.id)).steps[1], PATIENTLY).toEqual(made)
    await card('answer').getByText('for an approval: Ship it?').waitFor()
    // The step before it can give the URL away.
    await page.goto(`/flows/${flow.id}?step=ask`)
    await page.getByRole('button', { name: 'Insert data into Message' }).click()
    await page.getByRole('textbox', { name: 'Search the data for Message' }).fill('callbacks')
    await page.locator('[data-path="callbacks.answer.url"]').click()
    await expect
      .poll(async () => (await draftOf(flow.id)).steps[0].message, PATIENTLY)
      .toBe('{{ callbacks.answer.url }}')
  })

  it('keeps every setting of a callback that it shows', async () => {
    const step = {
      id: 'answer',
      kind: 'wait',
      callback: {
        ...callback,
        onTimeout: 'fail',
        auth: { kind: 'header', name: 'X-Key', value: '{{ env.KEY }}' },
        accept: ['application/json', 'text/*'],
      },
    }
    const { body: flow } = await ui.millrace.api('POST', '/flows', {
      name: 'Calls',
      trigger: { kind: 'webhook' },
      steps: [step],
    })
    await page.goto(`/flows/${flow.id}?step=answer`)
    await page.getByRole('combobox', { name: 'Field in row 1 of Only when' }).waitFor()
    expect(await page.getByRole('combobox', { name: 'Who may call it' }).inputValue()).toBe('A header with a secret')
    await page.getByText('Known when a callback comes in').waitFor()
    await page.getByText('the run goes on').click()
    await expect
      .poll(async () => (await draftOf(flow.id)).steps[0], PATIENTLY)
      .toEqual({ ...step, callback: { ...step.callback, onTimeout: 'continue' } })
    await page.getByText('the step fails').click()
    await expect.poll(async () => (await draftOf(flow.id)).steps[0].callback.onTimeout, PATIENTLY).toBeUndefined()
    await expectAccessible(page)
    await shot('editor-callback')
  })
})
