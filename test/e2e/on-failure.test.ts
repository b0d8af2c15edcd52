// What is done because a run failed: steps of the flow, another flow, or the failure flow of the instance.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { handledRun } from '../harness/handled-run.ts'
import { type Millrace, startMillrace } from '../harness/millrace.ts'
import { startUpstream, type Upstream } from '../harness/upstream.ts'

let millrace: Millrace
let upstream: Upstream

beforeAll(async () => {
  millrace = await startMillrace()
  upstream = await startUpstream()
})
afterAll(async () => {
  await millrace.stop()
  await upstream.close()
})

const oops = { id: 'oops', kind: 'fail', message: 'no such order' }
const failing = (onFailure: unknown, more: object = {}) => ({
  name: 'Orders',
  trigger: { kind: 'webhook' },
  steps: [{ id: 'note', kind: 'set', vars: { order: '{{ webhook.body.id }}' } }, oops],
  ...(onFailure !== undefined && { onFailure }),
  ...more,
})
const teller = (steps: object[] = [{ id: 'got', kind: 'set', vars: { told: '{{ input }}' } }], slug?: string) => ({
  name: 'Tell the team',
  ...(slug && { slug }),
  trigger: { kind: 'call' },
  steps,
})

async function failed(document: object, body: unknown = { id: 'A7' }) {
  const { post, flow } = await millrace.publish(document)
  return { flow, id: (await post(body)).body.id as string }
}

describe('onFailure with steps', () => {
  it('runs after the run has failed, and reads why and what the run had', async () => {
    const step = {
      id: 'tell',
      kind: 'http',
      method: 'POST',
      url: `${upstream.url}/tell`,
      body: {
        kind: 'json',
        value:
          '{{ {error: error.code, at: failed.step, of: failed.run, order: vars.order, body: webhook.body, noted: steps.note.order} }}',
      },
    }
    const { id, flow } = await failed(
      failing([step, { id: 'set', kind: 'set', vars: { told: '{{ steps.tell.status }}' } }]),
    )
    const run = await handledRun(millrace, id)
    expect(run).toMatchObject({ status: 'failed', error: { code: 'failed', step: 'oops' }, vars: { order: 'A7' } })
    expect(run.onFailure).toMatchObject({
      status: 'succeeded',
      error: null,
      steps: [{ path: 'onFailure/tell' }, { path: 'onFailure/set', output: { told: 200 } }],
    })
    expect(JSON.parse(upstream.received.at(-1)!.body)).toEqual({
      error: 'failed',
      at: 'oops',
      of: id,
      order: 'A7',
      body: { id: 'A7' },
      noted: 'A7',
    })
    // The handler is a part of the run: it is in no list and no count, and cannot be read or cancelled as a run.
    const { items } = (await millrace.api('GET', `/runs?flow=${flow.id}`)).body
    expect(items.map((one: { id: string }) => one.id)).toEqual([id])
    expect((await millrace.api('GET', `/runs/${id}_failure`)).status).toBe(404)
    expect((await millrace.api('POST', `/runs/${id}_failure/cancel`)).status).toBe(404)
    const part = await millrace.api('GET', `/runs/${id}/steps/part?path=onFailure/set&part=output`)
    expect(part.body).toEqual({ told: 200 })
  })

  it('can be tested step by step, with an example of an error', async () => {
    const step = { id: 'tell', kind: 'set', vars: { text: '{{ error.code }} {{ error.status }} {{ failed.step }}' } }
    const { body: flow } = await millrace.api('POST', '/flows', failing([step]))
    const tested = await millrace.api('POST', `/flows/${flow.id}/steps/tell/test`, { webhook: { body: {} } })
    expect(tested.body).toMatchObject({ status: 'succeeded', output: { text: 'http_500 500 note' } })
  })

  it('answers the caller at once, before the handler ends', async () => {
    const wait = { id: 'wait', kind: 'wait', seconds: 3600 }
    const document = failing([wait], { trigger: { kind: 'webhook', response: { mode: 'finished' } } })
    const { post } = await millrace.publish(document)
    const answer = await post({})
    expect(answer.status).toBe(500)
    const run = await millrace.runEnded(answer.body.id ?? answer.headers.get('x-run-id'))
    expect(run).toMatchObject({ status: 'failed' })
    expect(run.finishedAt).not.toBeNull()
  })

  it('records its own failure and does not recurse', async () => {
    const { id } = await failed(failing([{ id: 'worse', kind: 'fail', message: 'and this failed too' }]))
    const run = await handledRun(millrace, id)
    expect(run.error).toMatchObject({ step: 'oops' })
    expect(run.onFailure).toMatchObject({ status: 'failed', error: { step: 'worse', message: 'and this failed too' } })
  })

  it('does nothing for a run that succeeds, is cancelled or is a test', async () => {
    const tell = [{ id: 'tell', kind: 'set', vars: { told: true } }]
    const waits = { name: 'Waits', trigger: { kind: 'webhook' }, onFailure: tell }
    const { post, flow } = await millrace.publish({ ...waits, steps: [{ id: 'long', kind: 'wait', seconds: 3600 }] })
    const { id } = (await post({})).body
    await millrace.runEnded(id, ['waiting'])
    await millrace.api('POST', `/runs/${id}/cancel`)
    expect((await millrace.run(id)).onFailure).toBeNull()
    const draft = failing(tell)
    await millrace.api('PUT', `/flows/${flow.id}`, draft)
    const test = (await millrace.api('POST', `/flows/${flow.id}/test`, { webhook: { body: {} } })).body
    const ended = await millrace.runEnded(test.id)
    expect(ended).toMatchObject({ status: 'failed', test: true, onFailure: null })
  })

  it('is checked like other steps, with its own roots', async () => {
    const issuesOf = async (document: object) => (await millrace.api('POST', '/flows/validate', document)).body.issues
    expect(await issuesOf(failing([{ id: 'note', kind: 'set', vars: { a: '{{ loop.item }}' } }]))).toMatchObject([
      { path: '/onFailure/0/id', code: 'duplicate_id' },
      { path: '/onFailure/0/vars/a', code: 'unknown_reference' },
    ])
    const early = {
      name: 'E',
      trigger: { kind: 'webhook' },
      steps: [{ id: 'a', kind: 'set', vars: { x: '{{ failed.run }}' } }],
    }
    expect(await issuesOf(early)).toMatchObject([{ path: '/steps/0/vars/x', code: 'unknown_reference' }])
    expect(await issuesOf(failing({ flow: '' }))).toMatchObject([{ path: '/onFailure/flow' }])
    expect(await issuesOf(failing('x'))).toMatchObject([{ path: '/onFailure', code: 'wrong_type' }])
  })
})

describe('onFailure with a flow', () => {
  it('calls the flow with the error, the run, the flow and what the run began with', async () => {
    const called = await millrace.publish(teller(undefined, 'tell-the-team'))
    const { id, flow } = await failed(failing({ flow: 'tell-the-team' }, { slug: 'orders' }))
    const run = await handledRun(millrace, id)
    expect(run.onFailure).toMatchObject({ status: 'succeeded', steps: [{ path: 'onFailure/flow', kind: 'call' }] })
    expect(run.children).toMatchObject([{ step: 'onFailure/flow', flow: called.flow.id, status: 'succeeded' }])
    const told = await millrace.run(run.children[0]!.run)
    expect(told).toMatchObject({
      parent: { run: id, step: 'onFailure/flow' },
      trigger: { kind: 'call' },
      input: {
        error: { code: 'failed', message: 'no such order', step: 'oops' },
        run: id,
        flow: { id: flow.id, name: 'Orders', slug: 'orders' },
        webhook: { body: { id: 'A7' } },
      },
    })
    // A flow that is called when runs fail stays published, as any flow that is called.
    const refused = await millrace.api('POST', `/flows/${called.flow.id}/unpublish`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'flow_in_use' } })
  })

  it('takes over the failure of the called run, which is not handled itself', async () => {
    const inner = await millrace.publish(teller([{ id: 'inner', kind: 'fail', message: 'nobody there' }]))
    const document = teller([{ id: 'ask', kind: 'call', flow: inner.flow.id }])
    const called = await millrace.publish({ ...document, onFailure: [{ id: 'again', kind: 'set', vars: { a: 1 } }] })
    const { id } = await failed(failing({ flow: called.flow.id }))
    const run = await handledRun(millrace, id)
    expect(run.onFailure).toMatchObject({ status: 'failed', error: { message: 'nobody there', step: 'flow' } })
    const child = await millrace.run(run.children[0]!.run)
    expect(child).toMatchObject({ status: 'failed', onFailure: null })
    expect(await millrace.run(child.children[0]!.run)).toMatchObject({ status: 'failed', onFailure: null })
    // Only the failed run itself belongs to a group.
    for (const { flow } of [called, inner])
      expect((await millrace.api('GET', `/failures?flow=${flow.id}`)).body.items).toEqual([])
  })

  it('hides the secrets of the failed flow from the called one', async () => {
    await millrace.api('POST', '/connections', {
      name: 'vendor',
      kind: 'bearer',
      fields: { token: 'tok-verysecret-1234' },
    })
    const called = await millrace.publish(teller())
    const steps = [{ id: 'oops', kind: 'fail', message: 'refused {{ connections.vendor.token }}' }]
    const { id } = await failed(failing({ flow: called.flow.id }, { steps }))
    const run = await handledRun(millrace, id)
    const told = await millrace.run(run.children[0]!.run)
    expect(JSON.stringify(told)).not.toContain('verysecret')
    expect((told.input as { error: { message: string } }).error.message).toMatch(/^refused /)
  })
})

describe('the failure flow', () => {
  it('is called for flows without onFailure, and cannot be unpublished meanwhile', async () => {
    const called = await millrace.publish(teller(undefined, 'default-teller'))
    const path = '/settings/failure-flow'
    expect((await millrace.api('GET', path)).body).toEqual({ flow: null })
    expect((await millrace.api('PUT', path, { flow: 'nobody' })).status).toBe(400)
    const set = await millrace.api('PUT', path, { flow: 'default-teller' })
    expect(set.body).toEqual({ flow: { id: called.flow.id, name: 'Tell the team', slug: 'default-teller' } })
    const { id } = await failed(failing(undefined))
    const run = await handledRun(millrace, id)
    expect(run.onFailure.status).toBe('succeeded')
    expect(run.children).toMatchObject([{ flow: called.flow.id }])
    const refused = await millrace.api('DELETE', `/flows/${called.flow.id}`)
    expect(refused).toMatchObject({ status: 409, body: { code: 'flow_in_use' } })
    await millrace.api('PUT', path, { flow: null })
    const after = await failed(failing(undefined))
    expect(await millrace.runEnded(after.id)).toMatchObject({ status: 'failed', onFailure: null })
  })
})
