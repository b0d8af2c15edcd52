// Runs that wait for callbacks: early, late, twice, filtered, in rounds and branches, with authentication and a limit.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGate } from '../harness/gate.ts'
import { answerOf, type Millrace, startMillrace, TOKEN } from '../harness/millrace.ts'

let millrace: Millrace
let gate: Awaited<ReturnType<typeof startGate>>

beforeAll(async () => {
  millrace = await startMillrace({ MILLRACE_ENV_PRINT_SECRET: 'print-secret-0123456789' })
  gate = await startGate()
})
afterAll(async () => {
  await millrace.stop()
  await gate.close()
})

const webhook = { kind: 'webhook' }
const waiting = (callback: object = {}) => ({ id: 'printed', kind: 'wait', callback })
const ask = () => ({
  id: 'ask',
  kind: 'http',
  method: 'POST',
  url: gate.url,
  body: { kind: 'json', value: { callback: '{{ callbacks.printed.url }}' } },
})
/** The base URL names another host than the one that the tests listen on. */
const here = (url: string) => millrace.url + new URL(url).pathname

async function send(url: string, body: unknown, headers: Record<string, string> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return answerOf(
    await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: text }),
  )
}

async function started(steps: object[], more: object = {}) {
  const { flow, post } = await millrace.publish({ name: 'Print', trigger: webhook, steps, ...more })
  return { flow, id: (await post({ file: 'a.pdf' })).body.id as string }
}

/** The URL that the outside system got. */
async function askedWith(): Promise<string> {
  const { body } = await gate.letOne()
  return here(JSON.parse(body).callback)
}

const callbacksOf = async (id: string, token = TOKEN) =>
  (await millrace.api('GET', `/runs/${id}`, undefined, { authorization: `Bearer ${token}` })).body.callbacks

async function parked(id: string): Promise<string> {
  await millrace.runEnded(id, ['waiting'])
  return here((await callbacksOf(id)).find(({ state }: { state: string }) => state === 'open').url)
}

const inboxOf = async (flowId: string) =>
  ((await millrace.api('GET', `/flows/${flowId}/deliveries`)).body.items as { outcome: string }[])
    .map(({ outcome }) => outcome)
    .toReversed()

describe('a callback', () => {
  it('is what the run goes on with, and later ones are told so', async () => {
    const { flow, id } = await started([
      ask(),
      waiting(),
      { id: 'after', kind: 'set', vars: { x: '{{ steps.printed.body.n }}' } },
    ])
    const url = await askedWith()
    expect(url).toMatch(/\/api\/v1\/callbacks\/mrc_[\w-]{32}$/)
    await millrace.runEnded(id, ['waiting'])
    expect(await send(`${url}?page=2`, { n: 7 }, { 'x-sent-by': 'shop' })).toMatchObject({
      status: 200,
      body: { status: 'success', message: 'Callback received', id },
    })
    const run = await millrace.runEnded(id)
    expect(run).toMatchObject({ status: 'succeeded', vars: { x: 7 } })
    expect(run.steps[1]!.output).toEqual({
      body: { n: 7 },
      headers: expect.objectContaining({ 'x-sent-by': 'shop' }),
      query: { page: '2' },
      rawBody: '{"n":7}',
      receivedAt: expect.stringMatching(/Z$/),
      timedOut: false,
    })
    expect(await send(url, { n: 7 })).toMatchObject({ status: 200, body: { message: 'Already answered', id } })
    expect(await send(url, { n: 8 })).toMatchObject({ status: 410, body: { code: 'callback_closed' } })
    expect(await inboxOf(flow.id)).toEqual(['accepted', 'callback', 'repeated', 'rejected'])
  })

  it('that comes before the run waits is kept and taken; of two, the first that the condition takes', async () => {
    const when = "{{ callback.body.state == 'done' && callback.body.of == steps.ask.body.job }}"
    const { flow, id } = await started([ask(), waiting({ when })])
    await gate.count(gate.received.length === 0 ? 1 : gate.received.length)
    while (gate.held() === 0) await gate.count(gate.received.length + 1)
    const url = here(JSON.parse(gate.received.at(-1)!.body).callback)
    for (const body of [{ state: 'busy' }, { state: 'done', of: 5 }, { state: 'done', of: 5, late: true }])
      expect((await send(url, body)).body).toMatchObject({ message: 'Callback received', id })
    expect((await send(url, { state: 'busy' })).body.message).toBe('Already answered')
    const [{ state, early }] = await callbacksOf(id)
    expect([state, early.map(({ rawBody }: { rawBody: string }) => rawBody)[0]]).toEqual(['early', '{"state":"busy"}'])
    await gate.letOne({ job: 5 })
    const run = await millrace.runEnded(id)
    expect(run.steps[1]!.output).toMatchObject({ body: { state: 'done', of: 5 }, rawBody: '{"state":"done","of":5}' })
    expect(await inboxOf(flow.id)).toEqual(['accepted', 'early', 'early', 'early', 'repeated'])
  })

  it('that the condition does not take is noted, and the run waits on', async () => {
    const { flow, id } = await started([
      { id: 'job', kind: 'set', vars: { job: 9 } },
      waiting({ when: '{{ callback.body.of == vars.job }}' }),
    ])
    const url = await parked(id)
    expect(await send(url, { of: 8 })).toMatchObject({ status: 200, body: { message: 'Callback noted', id } })
    expect(await send(url, {})).toMatchObject({ status: 200, body: { message: 'Callback noted' } })
    expect((await millrace.run(id)).status).toBe('waiting')
    expect(await send(url, { of: 9 })).toMatchObject({ body: { message: 'Callback received' } })
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
    expect(await inboxOf(flow.id)).toEqual(['accepted', 'filtered', 'filtered', 'callback'])
  })

  it('that nobody sends fails the step, or lets the run go on without', async () => {
    const failing = await started([waiting({ timeout: 1 })])
    const going = await started([waiting({ timeout: 1, onTimeout: 'continue' })])
    const url = await parked(going.id)
    expect(await millrace.runEnded(failing.id)).toMatchObject({ status: 'failed', error: { code: 'callback_timeout' } })
    expect((await millrace.runEnded(going.id)).steps[0]!.output).toEqual({
      body: null,
      headers: null,
      query: null,
      rawBody: null,
      receivedAt: null,
      timedOut: true,
    })
    expect(await send(url, {})).toMatchObject({ status: 410, body: { code: 'callback_closed' } })
  })

  it('for a cancelled run is too late, but one that was acknowledged stays visible', async () => {
    const cancelled = await started([waiting()])
    const url = await parked(cancelled.id)
    await millrace.api('POST', `/runs/${cancelled.id}/cancel`)
    expect((await send(url, { n: 1 })).status).toBe(410)

    const { id } = await started([waiting(), { id: 'pause', kind: 'wait', seconds: 60 }])
    const other = await parked(id)
    expect((await send(other, { n: 2 })).status).toBe(200)
    await millrace.api('POST', `/runs/${id}/cancel`)
    expect((await send(other, { n: 2 })).body.message).toBe('Already answered')
    expect(await callbacksOf(id)).toMatchObject([{ state: 'answered', answer: { body: { n: 2 } } }])
  })

  it('gets the checks of a webhook, in their order', async () => {
    const secret = '{{ env.PRINT_SECRET }}'
    const auth = { kind: 'signature', scheme: 'github', secret }
    const { flow, id } = await started([waiting({ auth })])
    const url = await parked(id)
    const signature = (body: string) =>
      `sha256=${createHmac('sha256', 'print-secret-0123456789').update(body).digest('hex')}`
    expect((await fetch(url)).status).toBe(405)
    expect((await fetch(url, { method: 'DELETE' })).status).toBe(405)
    expect(await send(url, '{}', { 'content-type': 'text/plain' })).toMatchObject({ status: 400 })
    expect(await send(url, '{}')).toMatchObject({ status: 401, body: { code: 'unauthorized' } })
    expect(await send(url, '{', { 'x-hub-signature-256': signature('{') })).toMatchObject({ status: 400 })
    const large = JSON.stringify('x'.repeat(11_000_000))
    expect(await send(url, large)).toMatchObject({ status: 413 })
    expect(await send(url, '{}', { 'x-hub-signature-256': signature('{}') })).toMatchObject({ status: 200 })
    await millrace.runEnded(id)
    expect(await inboxOf(flow.id)).toEqual(['accepted', ...Array(6).fill('rejected'), 'callback'])
  })

  it('at an unknown or malformed URL is not found, whatever is asked', async () => {
    for (const token of ['', 'x', `mrc_${'a'.repeat(32)}`, '%00', 'a/b', 'x'.repeat(2000)]) {
      const url = `${millrace.url}/api/v1/callbacks/${token}`
      expect(await send(url, {})).toMatchObject({ status: 404, body: { code: 'callback_not_found' } })
      expect((await fetch(url)).status).toBe(404)
    }
  })

  it('a thousand times at once is taken once', async () => {
    const { id } = await started([waiting()])
    const url = await parked(id)
    const replies: Awaited<ReturnType<typeof send>>[] = []
    // A hundred at a time: a slow machine would not write the heads of a thousand before they count as too late.
    const lane = async () => {
      for (let i = 0; i < 10; i++) replies.push(await send(url, { n: 1 }))
    }
    await Promise.all(Array.from({ length: 100 }, lane))
    const counts: Record<string, number> = {}
    for (const { status, body } of replies)
      counts[`${status} ${body.message}`] = (counts[`${status} ${body.message}`] ?? 0) + 1
    expect(counts).toEqual({ '200 Callback received': 1, '200 Already answered': 999 })
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
  }, 30_000)
})

describe('callbacks in nested steps', () => {
  it('have a URL per round, and each round goes on with its own', async () => {
    const { id } = await started([
      {
        id: 'all',
        kind: 'loop',
        each: [1, 2, 3],
        concurrency: 3,
        steps: [
          { id: 'note', kind: 'set', vars: { url: '{{ callbacks.printed.url }}' } },
          waiting({ when: '{{ callback.body.of == loop.item }}' }),
        ],
        collect: '{{ steps.printed.body.n }}',
      },
    ])
    await millrace.runEnded(id, ['waiting'])
    const callbacks = await callbacksOf(id)
    expect(callbacks.map(({ step }: { step: string }) => step)).toEqual([
      'all[0]/printed',
      'all[1]/printed',
      'all[2]/printed',
    ])
    for (const [i, { url }] of callbacks.entries()) {
      expect((await send(here(url), { of: 0 })).body.message).toBe('Callback noted')
      expect((await send(here(url), { of: i + 1, n: i * 10 })).body.message).toBe('Callback received')
    }
    expect((await millrace.runEnded(id)).steps.find(({ path }) => path === 'all')!.output).toMatchObject({
      results: [0, 10, 20],
    })
  })

  it('race a time in a parallel step, and the one that loses is closed', async () => {
    const race = (seconds: number) => ({
      id: 'race',
      kind: 'parallel',
      finish: 'first',
      branches: [
        { name: 'answer', steps: [waiting()] },
        { name: 'time', steps: [{ id: 'pause', kind: 'wait', seconds }] },
      ],
    })
    const hold = { id: 'hold', kind: 'http', method: 'GET', url: gate.url }
    const late = await started([race(0.3), hold])
    const url = await parked(late.id)
    while (gate.held() === 0) await gate.count(gate.received.length + 1)
    expect((await send(url, {})).status).toBe(410)
    await gate.letOne()
    expect(await millrace.runEnded(late.id)).toMatchObject({ status: 'succeeded' })

    const early = await started([race(600)])
    expect((await send(await parked(early.id), { ok: true })).status).toBe(200)
    const run = await millrace.runEnded(early.id)
    expect(run.steps.find(({ path }) => path === 'race')!.output).toMatchObject({ finished: ['answer'] })
  })

  it('are taken while another branch keeps the run busy', async () => {
    const hold = (id: string) => ({
      id,
      kind: 'http',
      method: 'POST',
      url: gate.url,
      body: { kind: 'text', value: id },
    })
    const { id } = await started([
      {
        id: 'both',
        kind: 'parallel',
        branches: [
          { name: 'answer', steps: [waiting(), hold('after')] },
          { name: 'busy', steps: [hold('busy')] },
        ],
      },
    ])
    await expect.poll(async () => (await callbacksOf(id))?.[0]?.state).toBe('open')
    const [{ url }] = await callbacksOf(id)
    expect((await send(here(url), {})).body.message).toBe('Callback received')
    while (gate.held() < 2) await gate.count(gate.received.length + 1)
    expect([(await gate.letOne()).body, (await gate.letOne()).body]).toEqual(['busy', 'after'])
    expect((await millrace.runEnded(id)).status).toBe('succeeded')
  })

  it('are waited for by what is done when a run has failed', async () => {
    const { id } = await started([{ id: 'fail', kind: 'fail', message: 'no' }], { onFailure: [waiting()] })
    await millrace.runEnded(id)
    await expect
      .poll(async () => (await callbacksOf(id))?.[0])
      .toMatchObject({ step: 'onFailure/printed', state: 'open' })
    const answered = await millrace.api('POST', `/runs/${id}/callbacks/onFailure%2Fprinted/answer`, { body: 5 })
    expect(answered.status).toBe(200)
    await expect
      .poll(async () => (await millrace.run(id)).onFailure)
      .toMatchObject({
        status: 'succeeded',
        steps: [{ output: { body: 5 } }],
      })
  })

  it('are waited for by a called flow, whose caller goes on with the result', async () => {
    const child = await millrace.publish({
      name: 'Child',
      trigger: { kind: 'call' },
      steps: [waiting(), { id: 'answer', kind: 'respond', body: '{{ steps.printed.body }}' }],
    })
    const { id } = await started([{ id: 'call', kind: 'call', flow: child.flow.id }])
    await millrace.runEnded(id, ['waiting'])
    const [called] = (await millrace.run(id)).children
    await send(await parked(called!.run), { n: 3 })
    expect((await millrace.runEnded(id)).steps[0]!.output).toEqual({ n: 3 })
  })
})

describe('a run that waits for a callback', () => {
  it('gives its place back, and takes it again in the order of the answers', async () => {
    const hold = {
      id: 'hold',
      kind: 'http',
      method: 'POST',
      url: gate.url,
      body: { kind: 'text', value: '{{ run.id }}' },
    }
    const { post } = await millrace.publish({
      name: 'One at a time',
      trigger: { kind: 'webhook', concurrency: 1 },
      steps: [waiting(), hold],
    })
    const first = (await post({})).body.id
    const firstUrl = await parked(first)
    const second = (await post({})).body.id
    const secondUrl = await parked(second)
    const third = (await post({})).body.id
    await parked(third)
    await send(secondUrl, {})
    expect((await gate.letOne()).body).toBe(second)
    await send(firstUrl, {})
    expect((await gate.letOne()).body).toBe(first)
    await millrace.runEnded(first)
  })

  it('gets a new URL when asked to, and can be answered by hand', async () => {
    const { id } = await started([waiting({ when: '{{ false }}' })])
    const old = await parked(id)
    const renewed = await millrace.api('POST', `/runs/${id}/callbacks/printed/regenerate`)
    expect(renewed.status).toBe(200)
    expect((await send(old, {})).status).toBe(404)
    expect((await send(here(renewed.body.url), {})).body.message).toBe('Callback noted')
    const answered = await millrace.api('POST', `/runs/${id}/callbacks/printed/answer`, { body: { by: 'hand' } })
    expect(answered).toMatchObject({ status: 200, body: { run: id, step: 'printed' } })
    expect((await millrace.runEnded(id)).steps[0]!.output).toMatchObject({ body: { by: 'hand' }, timedOut: false })
    expect((await millrace.api('POST', `/runs/${id}/callbacks/printed/answer`, { body: 1 })).status).toBe(409)
    expect((await millrace.api('POST', `/runs/${id}/callbacks/printed/regenerate`)).status).toBe(409)
    expect((await millrace.api('POST', `/runs/${id}/callbacks/other/answer`, { body: 1 })).status).toBe(404)
    const { items } = (await millrace.api('GET', '/audit')).body
    expect(items.map(({ action }: { action: string }) => action)).toEqual(
      expect.arrayContaining(['callback.answer', 'callback.regenerate']),
    )
  })

  it('shows its URL to nobody who may only read, and stores it sealed', async () => {
    const { id } = await started([
      { id: 'note', kind: 'set', vars: { url: 'see {{ callbacks.printed.url }}' } },
      waiting(),
      { ...ask(), id: 'again', body: { kind: 'text', value: '{{ vars.url }}' } },
    ])
    const url = await parked(id)
    const token = new URL(url).pathname.split('/').at(-1)!
    const viewer = (await millrace.api('POST', '/tokens', { name: 'viewer', scope: 'read' })).body.token
    const seen = await millrace.api('GET', `/runs/${id}`, undefined, { authorization: `Bearer ${viewer}` })
    expect(JSON.stringify(seen.body)).not.toContain(token)
    expect(seen.body.steps[0].output.url).toMatch(/callbacks\/\[secret\]$/)
    expect(await callbacksOf(id, viewer)).toMatchObject([{ state: 'open', step: 'printed' }])
    await send(url, {})
    // The run itself goes on with the true URL.
    expect((await gate.letOne()).body).toContain(token)
    const run = await millrace.runEnded(id)
    expect(JSON.stringify(run.steps)).not.toContain(token)
    expect(millrace.log()).not.toContain(token)
  })

  it('replies with the URL, and a replay has another', async () => {
    const { post } = await millrace.publish({
      name: 'Reply',
      trigger: { kind: 'webhook', response: { mode: 'finished' } },
      steps: [{ id: 'reply', kind: 'respond', body: { answerAt: '{{ callbacks.printed.url }}' } }, waiting()],
    })
    const { answerAt } = (await post({})).body
    expect(answerAt).toMatch(/\/api\/v1\/callbacks\/mrc_/)
    const { body } = await send(here(answerAt), {})
    await millrace.runEnded(body.id)
    const replay = (await millrace.api('POST', `/runs/${body.id}/replay`, {})).body
    expect(await parked(replay.id)).not.toBe(here(answerAt))
  })

  it('gives its URL away in the reply that is sent at once, also to who sends the same again', async () => {
    const response = { status: 201, body: { answer_to: '{{ callbacks.printed.url }}', run: '{{ run.id }}' } }
    const { post } = await millrace.publish({
      name: 'Print later',
      trigger: { kind: 'webhook', response, dedupe: { key: '{{ webhook.body.file }}' } },
      steps: [
        { id: 'large', kind: 'branch', cases: [{ when: '{{ true }}', steps: [waiting()] }] },
        { id: 'after', kind: 'set', vars: { x: '{{ steps.printed.body.n }}' } },
      ],
    })
    const first = await post({ file: 'a.pdf' })
    expect(first).toMatchObject({ status: 201, body: { answer_to: expect.stringContaining('/callbacks/mrc_') } })
    expect((await post({ file: 'a.pdf' })).body).toEqual(first.body)
    expect((await post({ file: 'b.pdf' })).body.answer_to).not.toBe(first.body.answer_to)
    expect((await send(here(first.body.answer_to), { n: 7 })).status).toBe(200)
    expect((await millrace.runEnded(first.body.run)).status).toBe('succeeded')
  })

  it('does not give away the URL of a round, or of what comes after a failure', async () => {
    const validated = async (document: object) =>
      (await millrace.api('POST', '/flows/validate', { name: 'x', trigger: { kind: 'webhook' }, ...document })).body
    const trigger = { kind: 'webhook', response: { body: '{{ callbacks.printed.url }}' } }
    const loop = { id: 'each', kind: 'loop', each: '{{ webhook.body.items }}', steps: [waiting()] }
    expect(await validated({ trigger, steps: [loop] })).toMatchObject({
      issues: [{ path: '/trigger/response/body', message: expect.stringContaining('loop "each"') }],
    })
    expect(await validated({ trigger, steps: [], onFailure: [waiting()] })).toMatchObject({
      issues: [{ path: '/trigger/response/body', message: expect.stringContaining('onFailure') }],
    })
  })
})

// Tens of megabytes are sealed and stored.
describe('what comes early in large', { timeout: 60_000 }, () => {
  it('is refused once 32 MB wait, and is not read to be shown', async () => {
    const { id } = await started([ask(), waiting({ when: '{{ callback.body.done }}' })])
    while (gate.held() === 0) await gate.count(gate.received.length + 1)
    const url = here(JSON.parse(gate.received.at(-1)!.body).callback)
    const text = 'x'.repeat(9_000_000)
    const sent: number[] = []
    for (let n = 0; n < 8 && sent.at(-1) !== 503; n++) sent.push((await send(url, { n, text })).status)
    expect(sent.slice(0, 2)).toEqual([200, 200])
    expect(sent.at(-1)).toBe(503)
    const [callback] = await callbacksOf(id)
    expect(callback).toMatchObject({ state: 'early', omitted: ['early'] })
    expect(callback).not.toHaveProperty('early')
    await gate.letOne({ job: 5 })
    await send(await parked(id), { done: true })
    const { steps } = await millrace.runEnded(id)
    expect(steps[1]!.output).toMatchObject({ body: { done: true } })
  })

  it('is left out of the run that took it, whose step has it', async () => {
    const { id } = await started([waiting()])
    expect((await send(await parked(id), { text: 'y'.repeat(300_000) })).status).toBe(200)
    const { steps } = await millrace.runEnded(id)
    expect(steps[0]).toMatchObject({ omitted: ['output'] })
    const [callback] = await callbacksOf(id)
    expect(callback).toMatchObject({ state: 'answered', omitted: ['answer'] })
    expect(callback).not.toHaveProperty('answer')
  })
})
