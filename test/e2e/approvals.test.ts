// Approvals: the page that asks, who may answer, what an answer has to be, and the API.
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { callCli } from '../harness/cli.ts'
import { answerOf, type Millrace, startMillrace, TOKEN } from '../harness/millrace.ts'

let millrace: Millrace
beforeAll(async () => {
  millrace = await startMillrace()
})
afterAll(() => millrace.stop())

const here = (url: string) => millrace.url + new URL(url).pathname

async function asked(approval: object, body: unknown = {}) {
  const { flow, post } = await millrace.publish({
    name: 'Refund <flow>',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'approval', kind: 'wait', approval }],
  })
  const { id } = (await post(body)).body
  await millrace.runEnded(id, ['waiting'])
  const [callback] = (await millrace.api('GET', `/runs/${id}`)).body.callbacks
  return { flow, run: id as string, id: callback.id as string, url: here(callback.url) }
}

const form = async (url: string, fields: Record<string, string>) =>
  answerOf(await fetch(url, { method: 'POST', body: new URLSearchParams(fields) }))
const json = async (url: string, body: unknown) =>
  answerOf(
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  )

describe('the page of an approval', () => {
  it('asks, is not cached or framed, and decides nothing by being looked at', async () => {
    const { run, url } = await asked(
      { title: 'Refund {{ webhook.body.amount }}?', text: '**Order** 7' },
      { amount: 80 },
    )
    for (const method of ['GET', 'HEAD', 'GET']) {
      const page = await fetch(url, { method })
      expect(page.status).toBe(200)
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('content-security-policy')).toMatch(/default-src 'none'.*frame-ancestors 'none'/)
    }
    const { body } = await answerOf(await fetch(url))
    expect(body).toContain('<h1>Refund 80?</h1>')
    expect(body).toContain('<strong>Order</strong> 7')
    expect(body).not.toContain('<script')
    expect((await millrace.run(run)).status).toBe('waiting')
    expect((await form(url, { answer: 'approve' })).body).toContain('Answered: <strong>approve</strong>')
    expect((await millrace.runEnded(run)).steps[0]!.output).toEqual({
      answer: 'approve',
      fields: {},
      by: 'link',
      at: expect.stringMatching(/Z$/),
      timedOut: false,
    })
    const [entry] = (await millrace.api('GET', '/audit?limit=1')).body.items
    expect(entry).toMatchObject({
      action: 'approval.answer',
      actor: 'link',
      actorId: null,
      target: { kind: 'run', id: run },
      details: { answer: 'approve' },
    })
    const afterwards = (await answerOf(await fetch(url))).body
    expect(afterwards).toMatch(
      /Answered: <strong>approve<\/strong>, <time datetime="[^"]+">\d{4}-\d\d-\d\d, \d\d:\d\d UTC/,
    )
    expect(await form(url, { answer: 'approve' })).toMatchObject({ status: 200 })
    expect(await form(url, { answer: 'reject' })).toMatchObject({ status: 410 })
  })

  it('shows HTML and scripts in titles, texts, answers and the flow as text', async () => {
    const evil = '<script>alert(1)</script><img src=x onerror=alert(1)>'
    const text = `${evil}\n\n[x](javascript:alert(1)) [y](https://ok.example.com/"onclick="x)\n\n# <b>h</b>\n\n- \`<i>\``
    const { url } = await asked({ title: evil, text, answers: ['<b>yes</b>', '"no"'] })
    const { body } = await answerOf(await fetch(url))
    expect(body).not.toMatch(/<script|<img|<b>|<i>|href="javascript|"onclick/)
    expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
    expect((await form(url, { answer: '<b>yes</b>' })).body).toContain('<strong>&lt;b&gt;yes&lt;/b&gt;</strong>')
  })

  it('says that it is not yet open, and reloads, before the run is there', async () => {
    const { post } = await millrace.publish({
      name: 'Later',
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
      steps: [
        { id: 'reply', kind: 'respond', body: { url: '{{ callbacks.approval.url }}' } },
        { id: 'rest', kind: 'wait', seconds: 600 },
        { id: 'approval', kind: 'wait', approval: { title: 'Go?' } },
      ],
    })
    const { url } = (await post({})).body
    const { body } = await answerOf(await fetch(here(url)))
    expect(body).toContain('Not yet open')
    expect(body).toContain('http-equiv="refresh"')
    expect(await json(here(url), { answer: 'maybe' })).toMatchObject({ status: 400 })
    expect(await json(here(url), { answer: 'approve' })).toMatchObject({ status: 200 })
  })

  it('asks to sign in where only users may answer', async () => {
    const { run, url, id } = await asked({ title: 'Secret question', who: 'users' })
    const { body } = await answerOf(await fetch(url))
    expect(body).toContain('Sign in to answer')
    expect(body).not.toContain('Secret question')
    expect(await json(url, { answer: 'approve' })).toMatchObject({ status: 401 })
    expect(await form(url, { answer: 'approve' })).toMatchObject({ status: 401 })
    expect((await millrace.run(run)).status).toBe('waiting')
    expect(await millrace.api('POST', `/approvals/${id}`, { answer: 'approve' })).toMatchObject({ status: 200 })
    expect((await millrace.runEnded(run)).steps[0]!.output).toMatchObject({ answer: 'approve', by: 'admin token' })
  })
})

describe('an answer', () => {
  const fields = [
    { name: 'reason', label: 'Why', required: true },
    { name: 'amount', type: 'number' },
    { name: 'told', type: 'boolean' },
  ]

  it('has to be one that is offered, with the fields that are needed', async () => {
    const { run, url } = await asked({ title: 'Go?', answers: ['yes', 'no', 'later'], fields })
    expect(await json(url, { answer: 'maybe' })).toMatchObject({
      status: 400,
      body: { code: 'bad_request', message: 'The answer must be one of yes, no, later.' },
    })
    expect(await json(url, { answer: 'yes' })).toMatchObject({ status: 400, body: { message: /Why is missing/ } })
    expect(await json(url, { answer: 'yes', fields: { reason: 'x', other: 1 } })).toMatchObject({ status: 400 })
    expect(await json(url, { answer: 'yes', fields: { reason: 'x', amount: 'much' } })).toMatchObject({ status: 400 })
    expect(await json(url, [1])).toMatchObject({ status: 400 })
    const missing = await form(url, { answer: 'yes' })
    expect(missing).toMatchObject({ status: 400 })
    expect(missing.body).toMatch(/role="alert">Why is missing/)
    expect(
      (await form(url, { answer: 'yes', 'field.reason': 'late', 'field.amount': '7.5', 'field.told': 'true' })).status,
    ).toBe(200)
    expect((await millrace.runEnded(run)).steps[0]!.output).toMatchObject({
      answer: 'yes',
      fields: { reason: 'late', amount: 7.5, told: true },
    })
  })

  it('is given by the API to what is listed, once', async () => {
    const { run, id, flow } = await asked({ title: 'Go?', text: 'now', fields, timeout: 60 })
    const { items } = (await millrace.api('GET', '/approvals')).body
    expect(items.find((item: { id: string }) => item.id === id)).toEqual({
      id,
      run,
      step: 'approval',
      flow: { id: flow.id, name: 'Refund <flow>' },
      title: 'Go?',
      text: 'now',
      answers: ['approve', 'reject'],
      fields: [
        { name: 'reason', label: 'Why', type: 'text', required: true },
        { name: 'amount', label: 'amount', type: 'number', required: false },
        { name: 'told', label: 'told', type: 'boolean', required: false },
      ],
      who: 'link',
      createdAt: expect.stringMatching(/Z$/),
      expiresAt: expect.stringMatching(/Z$/),
    })
    const answer = (body: unknown, headers = {}) => millrace.api('POST', `/approvals/${id}`, body, headers)
    const viewer = (await millrace.api('POST', '/tokens', { name: 'viewer', scope: 'read' })).body.token
    expect((await answer({ answer: 'approve' }, { authorization: `Bearer ${viewer}` })).status).toBe(403)
    expect((await answer({ answer: 'approve' })).status).toBe(400)
    expect(await answer({ answer: 'approve', fields: { reason: 'ok' } })).toMatchObject({
      status: 200,
      body: { id, run, answer: 'approve' },
    })
    expect(await answer({ answer: 'approve', fields: { reason: 'ok' } })).toMatchObject({
      status: 409,
      body: { code: 'callback_closed' },
    })
    await millrace.runEnded(run)
    const listed = (await millrace.api('GET', '/approvals')).body.items
    expect(listed.some((item: { id: string }) => item.id === id)).toBe(false)
  })
})

describe('the command line', () => {
  it('lists approvals and answers them, and the metrics count both', async () => {
    const { run, id } = await asked(
      { title: 'Send {{ webhook.body.n }}?', fields: [{ name: 'n', type: 'number' }] },
      { n: 3 },
    )
    const env = { MILLRACE_BASE_URL: millrace.url, MILLRACE_ADMIN_TOKEN: TOKEN }
    const listed = await callCli(['approvals', 'list'], { env })
    expect(listed.stdout).toContain('Send 3?')
    const metrics = async () =>
      (await fetch(`${millrace.url}/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })).text()
    const answered = async () =>
      Number(/millrace_callbacks_ended_total\{end="answered"\} (\d+)/.exec(await metrics())![1])
    const before = await answered()
    expect(await metrics()).toMatch(/millrace_callbacks_open [1-9]/)
    expect((await callCli(['approvals', 'answer', id, 'maybe'], { env })).exit).not.toBe(0)
    const done = await callCli(['approvals', 'answer', id, 'approve', '--field', 'n=7'], { env })
    expect(done).toMatchObject({ exit: 0, stdout: expect.stringContaining('Answered approve') })
    expect((await millrace.runEnded(run)).steps[0]!.output).toMatchObject({ answer: 'approve', fields: { n: 7 } })
    expect(await answered()).toBe(before + 1)
  })
})

describe('publishing', () => {
  const problems = async (steps: object[]) =>
    (await millrace.api('POST', '/flows/validate', { name: 'F', trigger: { kind: 'webhook' }, steps })).body.issues.map(
      ({ path, code }: { path: string; code: string }) => `${path} ${code}`,
    )
  const wait = (more: object) => ({ id: 'w', kind: 'wait', ...more })
  const set = (id: string) => ({ id, kind: 'set', vars: { [id]: '{{ callbacks.w.url }}' } })

  it('finds what is wrong with a wait, each with its place', async () => {
    expect(await problems([wait({})])).toEqual(['/steps/0/seconds missing'])
    expect(await problems([wait({ seconds: 1, callback: {} })])).toEqual(['/steps/0/callback conflicting'])
    expect(await problems([wait({ callback: { timeout: 0, accept: ['x'], onTimeout: 'never' } })])).toEqual([
      '/steps/0/callback/timeout out_of_range',
      '/steps/0/callback/onTimeout unknown_value',
      '/steps/0/callback/accept/0 invalid_format',
    ])
    const auth = { kind: 'header', name: 'a b', value: '{{ webhook.body }}' }
    expect(await problems([wait({ callback: { auth } })])).toEqual([
      '/steps/0/callback/auth/value unknown_reference',
      '/steps/0/callback/auth/name invalid_header',
    ])
    const fields = [{ name: 'a' }, { name: 'a' }]
    expect(await problems([wait({ approval: { title: 'x', answers: ['a', 'a'], fields } })])).toEqual([
      '/steps/0/approval/answers/1 duplicate_name',
      '/steps/0/approval/fields/1/name duplicate_name',
    ])
    expect(await problems([wait({ approval: { title: '{{ env.X }}' } })])).toEqual([
      '/steps/0/approval/title secret_in_reply',
    ])
  })

  it('knows where a URL can be read', async () => {
    const loop = (steps: object[]) => ({ id: 'l', kind: 'loop', each: [1], steps })
    const beside = (...lists: object[][]) => ({
      id: 'p',
      kind: 'parallel',
      branches: lists.map((steps, i) => ({ name: `b${i}`, steps })),
    })
    const waiting = wait({ callback: {} })
    expect(await problems([set('a'), waiting])).toEqual([])
    expect(await problems([loop([set('a'), waiting])])).toEqual([])
    expect(await problems([beside([waiting], [set('a')])])).toEqual([])
    expect(await problems([waiting, set('a')])).toEqual(['/steps/1/vars/a step_not_run_yet'])
    expect(await problems([set('a'), loop([waiting])])).toEqual(['/steps/0/vars/a step_not_run_yet'])
    expect(await problems([set('a'), wait({ seconds: 1 })])).toEqual(['/steps/0/vars/a unknown_step'])
    expect(await problems([{ id: 'a', kind: 'set', vars: { x: '{{ callback.body }}' } }])).toEqual([
      '/steps/0/vars/x unknown_reference',
    ])
  })
})

it('lists what is asked because a run failed as a part of that run', async () => {
  const { post } = await millrace.publish({
    name: 'Fails',
    trigger: { kind: 'webhook' },
    steps: [{ id: 'oops', kind: 'fail', message: 'no' }],
    onFailure: [{ id: 'ask', kind: 'wait', approval: { title: 'Try again?' } }],
  })
  const { id } = (await post({})).body
  const open = async () =>
    (await millrace.api('GET', '/approvals')).body.items.find(({ title }: { title: string }) => title === 'Try again?')
  const approval = await vi.waitUntil(open, { timeout: 15_000 })
  expect(approval).toMatchObject({ run: id, step: 'onFailure/ask' })
  const { text, answers, fields, who } = approval
  const shown = async () => (await millrace.api('GET', `/runs/${id}`)).body.callbacks[0]
  expect((await shown()).asks).toEqual({ text, answers, fields, who })
  expect((await millrace.api('POST', `/approvals/${approval.id}`, { answer: 'approve' })).body.run).toBe(id)
  expect(await shown()).toMatchObject({ step: 'onFailure/ask', state: 'answered', answeredBy: expect.any(String) })
  expect(await shown()).not.toHaveProperty('asks')
})
