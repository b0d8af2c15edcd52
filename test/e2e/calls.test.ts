// Flows that call flows: results, failures, depth, cancelling, and what publishing checks.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startGate } from '../harness/gate.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'

let millrace: Millrace
let gate: Awaited<ReturnType<typeof startGate>>

beforeAll(async () => {
  millrace = await startMillrace()
  gate = await startGate()
})
afterAll(async () => {
  await millrace.stop()
  await gate.close()
})

const respond = (body: unknown) => ({ id: 'answer', kind: 'respond', body })
const callable = (steps: object[], more: object = {}) => ({ name: 'Child', trigger: { kind: 'call' }, steps, ...more })
const caller = (steps: object[], more: object = {}) => ({
  name: 'Parent',
  trigger: { kind: 'webhook' },
  steps,
  ...more,
})
const call = (flow: string, more: object = {}) => ({ id: 'bill', kind: 'call', flow, ...more })

async function runOf(document: object, body: unknown = {}) {
  const { post } = await millrace.publish(document)
  return millrace.runEnded((await post(body)).body.id)
}

describe('a call step', () => {
  it('waits for the called run and gets the body of its respond step', async () => {
    const child = await millrace.publish(callable([respond({ invoice: '{{ input.order }}-1' })]))
    const run = await runOf(caller([call(child.flow.id, { input: { order: '{{ webhook.body.id }}' } })]), { id: 'A7' })
    expect(run).toMatchObject({ status: 'succeeded', steps: [{ id: 'bill', output: { invoice: 'A7-1' } }] })
    expect(run.children).toEqual([
      { run: expect.stringMatching(/^run_/), step: 'bill', flow: child.flow.id, status: 'succeeded' },
    ])
    const called = await millrace.run(run.children[0]!.run)
    expect(called).toMatchObject({
      trigger: { kind: 'call' },
      parent: { run: run.id, step: 'bill' },
      webhook: null,
      input: { order: 'A7' },
    })
  })

  it('gets the variables if no step responds', async () => {
    const child = await millrace.publish(callable([{ id: 'sum', kind: 'set', vars: { total: '{{ input * 2 }}' } }]))
    const run = await runOf(caller([call(child.flow.id, { input: '{{ webhook.body.n }}' })]), { n: 21 })
    expect(run.steps[0]).toMatchObject({ output: { total: 42 } })
  })

  it('continues at once without wait, with the id of the run', async () => {
    const child = await millrace.publish(callable([]))
    const run = await runOf(caller([call(child.flow.id, { wait: false })]))
    expect(run.steps[0]!.output).toEqual({ run: run.children[0]!.run })
    expect((await millrace.runEnded(run.children[0]!.run)).status).toBe('succeeded')
  })

  it('fails as the called run failed, and says where', async () => {
    const child = await millrace.publish(callable([{ id: 'oops', kind: 'fail', message: 'no such order' }]))
    const run = await runOf(caller([call(child.flow.id)]))
    expect(run).toMatchObject({
      status: 'failed',
      error: {
        code: 'failed',
        message: 'no such order',
        step: 'bill',
        child: { run: run.children[0]!.run, step: 'oops' },
      },
    })
  })

  it('calls again for each attempt, and goes on after onError: continue', async () => {
    const child = await millrace.publish(callable([{ id: 'oops', kind: 'fail', message: 'never' }]))
    const step = call(child.flow.id, { retry: { attempts: 3, delay: 0 }, onError: 'continue' })
    const run = await runOf(caller([step, { id: 'after', kind: 'set', vars: { code: '{{ steps.bill.error.code }}' } }]))
    expect(run).toMatchObject({ status: 'succeeded', vars: { code: 'failed' } })
    expect(run.children).toHaveLength(3)
  })

  it('calls from the rounds of a loop, several at once', async () => {
    const child = await millrace.publish(callable([respond('{{ input * 10 }}')]))
    const run = await runOf(
      caller([
        {
          id: 'all',
          kind: 'loop',
          each: '{{ webhook.body }}',
          concurrency: 3,
          steps: [call(child.flow.id, { input: '{{ loop.item }}' })],
          collect: '{{ steps.bill }}',
        },
      ]),
      [1, 2, 3, 4, 5, 6, 7],
    )
    expect(run.status).toBe('succeeded')
    expect(run.steps.find(({ id }) => id === 'all')!.output).toMatchObject({ results: [10, 20, 30, 40, 50, 60, 70] })
    expect(run.children).toHaveLength(7)
  })

  it('keeps the run waiting, and cancels the called run with it', async () => {
    const child = await millrace.publish(callable([{ id: 'hang', kind: 'http', method: 'GET', url: gate.url }]))
    const { post } = await millrace.publish(caller([call(child.flow.id)]))
    const { id } = (await post({})).body
    const waiting = await millrace.runEnded(id, ['waiting'])
    const [called] = waiting.children
    await millrace.api('POST', `/runs/${id}/cancel`)
    expect((await millrace.run(called!.run)).status).toBe('cancelled')
    expect((await millrace.run(id)).status).toBe('cancelled')
  })

  it('fails when the called run is cancelled', async () => {
    const child = await millrace.publish(callable([{ id: 'hang', kind: 'http', method: 'GET', url: gate.url }]))
    const { post } = await millrace.publish(caller([call(child.flow.id)]))
    const { id } = (await post({})).body
    const [called] = (await millrace.runEnded(id, ['waiting'])).children
    await millrace.api('POST', `/runs/${called!.run}/cancel`)
    expect(await millrace.runEnded(id)).toMatchObject({ status: 'failed', error: { code: 'cancelled' } })
  })

  it('ends calls that go more than 10 deep', async () => {
    const flow = await millrace.publish(callable([], { slug: 'endless' }))
    await millrace.api('PUT', `/flows/${flow.flow.id}`, callable([call('endless')], { slug: 'endless' }))
    const { body } = await millrace.api('POST', `/flows/${flow.flow.id}/publish`)
    expect(body.warnings).toMatchObject([{ path: '/steps/0/flow', code: 'call_cycle' }])
    const run = await runOf(caller([call('endless')]))
    expect(run).toMatchObject({ status: 'failed', error: { code: 'loop_detected' } })
  })
})

describe('publishing', () => {
  const issuesOf = async (document: object) => {
    const { body } = await millrace.api('POST', '/flows/validate', document)
    return body.issues.map(({ path, code }: { path: string; code: string }) => `${path} ${code}`)
  }

  it('refuses calls of flows that cannot be called', async () => {
    const draft = (await millrace.api('POST', '/flows', callable([], { slug: 'still-a-draft' }))).body
    const hook = await millrace.publish(caller([]))
    expect(await issuesOf(caller([call('nowhere')]))).toEqual(['/steps/0/flow unknown_flow'])
    expect(await issuesOf(caller([call(draft.id)]))).toEqual(['/steps/0/flow not_callable'])
    expect(await issuesOf(caller([call(hook.flow.id)]))).toEqual(['/steps/0/flow not_callable'])
  })

  it('checks a literal input against the schema of the called flow', async () => {
    const trigger = { kind: 'call', input: { type: 'object', required: ['order'] } }
    const child = await millrace.publish({ ...callable([]), trigger })
    expect(await issuesOf(caller([call(child.flow.id, { input: {} })]))).toEqual(['/steps/0/input/order invalid_input'])
    expect(await issuesOf(caller([call(child.flow.id, { input: { order: 1 } })]))).toEqual([])
  })

  it('stores the id of a slug, so that a new slug breaks no published flow', async () => {
    const child = await millrace.publish(callable([respond(1)], { slug: 'old-name' }))
    const parent = await millrace.publish(caller([call('old-name')]))
    await millrace.api('PUT', `/flows/${child.flow.id}`, callable([respond(1)], { slug: 'new-name' }))
    const { body } = await parent.post({})
    expect((await millrace.runEnded(body.id)).status).toBe('succeeded')
    expect((await millrace.api('GET', '/flows/new-name')).body.id).toBe(child.flow.id)
    expect((await millrace.api('GET', '/flows/old-name')).status).toBe(404)
  })

  it('keeps a flow published as long as others call it', async () => {
    const child = await millrace.publish(callable([]))
    const parent = await millrace.publish(caller([call(child.flow.id)]))
    for (const [method, path] of [
      ['POST', `/flows/${child.flow.id}/unpublish`],
      ['DELETE', `/flows/${child.flow.id}`],
    ] as const) {
      const refused = await millrace.api(method, path)
      expect(refused).toMatchObject({ status: 409, body: { code: 'flow_in_use' } })
      expect(refused.body.issues).toHaveLength(1)
    }
    await millrace.api('POST', `/flows/${parent.flow.id}/unpublish`)
    expect((await millrace.api('POST', `/flows/${child.flow.id}/unpublish`)).status).toBe(200)
  })

  it('refuses a slug that another flow has', async () => {
    await millrace.api('POST', '/flows', callable([], { slug: 'taken' }))
    expect(await millrace.api('POST', '/flows', callable([], { slug: 'taken' }))).toMatchObject({
      status: 409,
      body: { code: 'slug_taken' },
    })
  })
})

describe('POST /flows/:id/runs', () => {
  it('starts a run, and with wait answers with its result', async () => {
    const { flow } = await millrace.publish(callable([respond('{{ input }}')], { slug: 'echo' }))
    expect(await millrace.api('POST', '/flows/echo/runs?wait=20', { input: [1] })).toMatchObject({
      status: 200,
      body: { status: 'succeeded', result: [1] },
    })
    const started = await millrace.api('POST', `/flows/${flow.id}/runs`, {})
    expect(started).toMatchObject({ status: 202, body: { id: expect.stringMatching(/^run_/) } })
    expect((await millrace.runEnded(started.body.id)).status).toBe('succeeded')
  })

  it('answers with the error of a failed run, and 202 if the run takes longer', async () => {
    const failing = await millrace.publish(callable([{ id: 'oops', kind: 'fail', message: 'no' }]))
    expect(await millrace.api('POST', `/flows/${failing.flow.id}/runs?wait=20`, {})).toMatchObject({
      status: 200,
      body: { status: 'failed', error: { code: 'failed', message: 'no', step: 'oops' } },
    })
    const slow = await millrace.publish(callable([{ id: 'hang', kind: 'wait', seconds: 60 }]))
    const late = await millrace.api('POST', `/flows/${slow.flow.id}/runs?wait=0.05`, {})
    expect(late.status).toBe(202)
    await millrace.api('POST', `/runs/${late.body.id}/cancel`)
  })

  it('gives the same run for the same Idempotency-Key, and refuses another input', async () => {
    const { flow } = await millrace.publish(callable([]))
    const start = (input: unknown) =>
      millrace.api('POST', `/flows/${flow.id}/runs`, { input }, { 'idempotency-key': 'order-7' })
    const first = await start({ a: 1 })
    expect((await start({ a: 1 })).body.id).toBe(first.body.id)
    expect(await start({ a: 2 })).toMatchObject({ status: 422, body: { code: 'idempotency_mismatch' } })
  })

  it('refuses inputs that do not fit, drafts, and flows with another trigger', async () => {
    const trigger = {
      kind: 'call',
      input: { type: 'object', required: ['order'], properties: { n: { type: 'integer' } } },
    }
    const strict = await millrace.publish({ ...callable([]), trigger })
    const refused = await millrace.api('POST', `/flows/${strict.flow.id}/runs`, { input: { n: 'x' } })
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    expect(refused.body.issues.map(({ path }: { path: string }) => path)).toEqual(['/order', '/n'])
    const draft = (await millrace.api('POST', '/flows', callable([]))).body
    expect((await millrace.api('POST', `/flows/${draft.id}/runs`, {})).body.code).toBe('not_published')
    const hook = await millrace.publish(caller([]))
    expect((await millrace.api('POST', `/flows/${hook.flow.id}/runs`, {})).body.code).toBe('wrong_trigger')
    const large = await millrace.api('POST', `/flows/${strict.flow.id}/runs`, { input: 'x'.repeat(5 * 1024 * 1024) })
    expect(large.status).toBe(413)
  })
})

describe('a test of a flow', () => {
  const inTest = (id: string, body: object) => millrace.api('POST', `/flows/${id}/test`, body)

  it('is given the input of a called flow, which must fit, and nothing of another trigger', async () => {
    const trigger = { kind: 'call', input: { type: 'object', required: ['order'] } }
    const steps = [{ id: 'v', kind: 'set', vars: { order: '{{ input.order }}' } }]
    const { body: flow } = await millrace.api('POST', '/flows', { ...callable(steps), trigger })
    const run = await millrace.runEnded((await inTest(flow.id, { input: { order: 'A7' } })).body.id)
    expect(run).toMatchObject({ status: 'succeeded', test: true, input: { order: 'A7' } })
    expect(await inTest(flow.id, { input: {} })).toMatchObject({ status: 400, body: { code: 'invalid_input' } })
    const step = `/flows/${flow.id}/steps/v/test`
    expect((await millrace.api('POST', step, { input: { order: 'A8' } })).body.output).toEqual({ order: 'A8' })
    for (const wrong of [{ webhook: { body: 1 } }, { schedule: { missed: 1 } }]) {
      const [name] = Object.keys(wrong)
      const message = `The trigger of this flow is given "input" in a test, not "${name}".`
      for (const refused of [await inTest(flow.id, wrong), await millrace.api('POST', step, wrong)])
        expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_request', message } })
    }
    const hook = (await millrace.api('POST', '/flows', caller([]))).body
    expect(await inTest(hook.id, { input: 1 })).toMatchObject({ status: 400, body: { code: 'invalid_request' } })
  })

  it('calls other flows for real, as test runs of their live versions', async () => {
    const child = await millrace.publish(callable([respond({ twice: '{{ input * 2 }}' })]))
    const failing = await millrace.publish(callable([{ id: 'oops', kind: 'fail', message: 'no' }]))
    const steps = [
      call(child.flow.id, { input: 21 }),
      { ...call(child.flow.id, { input: 1, wait: false }), id: 'go' },
      { ...call(failing.flow.id), id: 'no' },
    ]
    const { body: flow } = await millrace.api('POST', '/flows', caller(steps))
    const test = async (id: string) => (await millrace.api('POST', `/flows/${flow.id}/steps/${id}/test`, {})).body
    expect(await test('bill')).toMatchObject({ status: 'succeeded', output: { twice: 42 } })
    const { output } = await test('go')
    expect(await millrace.runEnded(output.run)).toMatchObject({ status: 'succeeded', test: true, parent: null })
    expect(await test('no')).toMatchObject({
      status: 'failed',
      error: { code: 'failed', message: 'no', child: { run: expect.stringMatching(/^run_/), step: 'oops' } },
    })
    const whole = await millrace.runEnded((await inTest(flow.id, {})).body.id)
    expect(whole).toMatchObject({ status: 'failed', steps: [{ output: { twice: 42 } }, {}, { status: 'failed' }] })
    expect(await millrace.run(whole.children[0]!.run)).toMatchObject({ test: true, version: 1 })
  })
})
