import { describe, expect, it, vi } from 'vitest'
import type { StepDocument } from '../flow/document.ts'
import { fail, get, runOf, set, useEngine, world } from './world.testkit.ts'

useEngine()

describe('a walk', () => {
  it('hands results on and evaluates all of a set before it sets any', async () => {
    const run = await runOf([
      get('a'),
      set('one', { x: '{{ steps.a.body.n }}', y: 2 }),
      set('swap', { x: '{{ vars.y }}', y: '{{ vars.x }}' }),
    ])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.steps()).at(-1)!.output).toEqual({ x: 2, y: 1 })
  })

  it('writes large data as JSON in parts, and small data at once', async () => {
    const rows = Array.from({ length: 20_000 }, (_, n) => ({ n, text: `row ${n}` }))
    const run = await runOf([set('a', { rows: '{{ webhook.body.rows }}' }), set('b', { n: 1 })], {}, { rows })
    const stringify = vi.spyOn(JSON, 'stringify')
    await run.advance()
    const written = stringify.mock.results.map(({ value }) => String(value))
    stringify.mockRestore()
    expect(written.filter((text) => text.length > 100_000)).toEqual([])
    expect(written).toContain('{"n":1}')
    expect((await run.steps()).map(({ output }) => output)).toEqual([{ rows }, { n: 1 }])
  })

  it('fails the run at a failing step, which keeps its reply', async () => {
    world.answer = () => 404
    const run = await runOf([get('a'), get('b')])
    await run.advance()
    expect(await run.run()).toMatchObject({ status: 'failed', error: { code: 'http_404', step: 'a', status: 404 } })
    expect((await run.steps())[0]).toMatchObject({
      status: 'failed',
      output: { status: 404 },
      error: { code: 'http_404' },
    })
    expect(world.sent).toHaveLength(1)
  })

  it('goes on after a failure with onError: continue, and later steps see the error and the reply', async () => {
    world.answer = () => 404
    const run = await runOf([
      get('a', { onError: 'continue' }),
      set('b', { code: '{{ steps.a.error.code }}', status: '{{ steps.a.status }}' }),
    ])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect((await run.steps())[1]!.output).toEqual({ code: 'http_404', status: 404 })
  })

  it('fails a step whose template needs what is missing, by name', async () => {
    const run = await runOf([set('a', { x: '{{ webhook.body.usr }}' })])
    await run.advance()
    const { error } = (await run.run())!
    expect(error).toMatchObject({ code: 'missing_value', step: 'a' })
    expect(error!.message).toContain('webhook.body.usr is missing')
  })

  it('ends a run as succeeded at stop, also inside a branch', async () => {
    const run = await runOf([
      { id: 'b', kind: 'branch', cases: [{ when: true, steps: [{ id: 's', kind: 'stop' }] }] } as never,
      get('never'),
    ])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect(world.sent).toEqual([])
  })

  it('takes the first case that holds and evaluates no further ones', async () => {
    const run = await runOf(
      [
        {
          id: 'b',
          kind: 'branch',
          cases: [
            { when: '{{ webhook.body.no }}', steps: [set('x', {})] },
            { when: '{{ webhook.body.n > 1 }}', steps: [set('y', {})] },
            { when: '{{ webhook.body.no > 1 }}', steps: [set('z', {})] },
          ],
        } as never,
      ],
      {},
      { n: 2 },
    )
    await run.advance()
    expect(await run.statuses()).toEqual(['b succeeded', 'b/y succeeded'])
  })

  it('lets a branch with onError: continue catch what fails inside it', async () => {
    const run = await runOf([
      { id: 'b', kind: 'branch', onError: 'continue', cases: [{ when: true, steps: [fail('f')] }] } as never,
      set('after', { code: '{{ steps.b.error.code }}', step: '{{ steps.f.error.message }}' }),
    ])
    await run.advance()
    expect(await run.statuses()).toEqual(['b failed', 'b/f failed', 'after succeeded'])
    expect((await run.steps()).at(-1)!.output).toEqual({ code: 'failed', step: 'no luck' })
  })
})

describe('taking a run up again', () => {
  it('never runs a journalled step again', async () => {
    world.answer = (request) => (request.url.endsWith('/b') ? 'hang' : 200)
    const run = await runOf([get('a'), get('b'), set('c', { a: '{{ steps.a.body.n }}' })])
    const first = await run.walk()
    const interrupted = first.advance()
    while (world.sent.length < 2) await new Promise((resolve) => setImmediate(resolve))
    first.interrupt()
    expect(await interrupted).toEqual({ state: 'interrupted' })
    expect(await run.statuses()).toEqual(['a succeeded'])

    world.answer = () => 200
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.sent.map((request) => request.url)).toEqual([
      'https://x.test/a',
      'https://x.test/b',
      'https://x.test/b',
    ])
    expect((await run.steps()).at(-1)!.output).toEqual({ a: 1 })
  })

  it('keeps a decision that was made, although its condition would come out otherwise', async () => {
    world.answer = () => 'hang'
    const run = await runOf([
      {
        id: 'b',
        kind: 'branch',
        cases: [{ when: "{{ now() < '1970-01-01T00:30:00Z' }}", steps: [get('early')] }],
        otherwise: [get('late')],
      } as never,
      set('after', { s: '{{ steps.early.status }}' }),
    ])
    const first = await run.walk()
    const interrupted = first.advance()
    while (world.sent.length < 1) await new Promise((resolve) => setImmediate(resolve))
    first.interrupt()
    await interrupted
    world.time += 3_600_000
    world.answer = () => 200
    await run.advance()
    world.time -= 3_600_000
    expect(world.sent.map((request) => request.url)).toEqual(['https://x.test/early', 'https://x.test/early'])
    expect((await run.steps()).at(-1)!.output).toEqual({ s: 200 })
  })

  it('brings back what nested steps left, once the branch around them is done', async () => {
    world.answer = (request) => (request.url.endsWith('/later') ? 'hang' : 200)
    const run = await runOf([
      { id: 'b', kind: 'branch', cases: [{ when: true, steps: [get('inner'), set('v', { k: 7 })] }] } as never,
      get('later'),
      set('after', { s: '{{ steps.inner.status }}', k: '{{ vars.k }}' }),
    ])
    const first = await run.walk()
    const interrupted = first.advance()
    while (world.sent.length < 2) await new Promise((resolve) => setImmediate(resolve))
    first.interrupt()
    await interrupted
    world.answer = () => 200
    await run.advance()
    expect((await run.steps()).at(-1)!.output).toEqual({ s: 200, k: 7 })
    expect(world.sent.filter((request) => request.url.endsWith('/inner'))).toHaveLength(1)
  })

  it('fails as outcome_unknown, in place of a second send, with onInterrupt: fail', async () => {
    world.answer = () => 'hang'
    const run = await runOf([get('a', { onInterrupt: 'fail' })])
    const first = await run.walk()
    const interrupted = first.advance()
    while (world.sent.length < 1) await new Promise((resolve) => setImmediate(resolve))
    expect(await run.statuses()).toEqual(['a running'])
    first.interrupt()
    await interrupted
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.sent).toHaveLength(1)
    expect((await run.run())!.error).toMatchObject({ code: 'outcome_unknown', step: 'a' })
  })

  it('gives a resend the same uuid and idempotency key', async () => {
    world.answer = () => 'hang'
    const run = await runOf([get('a', { url: 'https://x.test/{{ uuid() }}', idempotencyKey: true })])
    const first = await run.walk()
    const interrupted = first.advance()
    while (world.sent.length < 1) await new Promise((resolve) => setImmediate(resolve))
    first.interrupt()
    await interrupted
    world.answer = () => 200
    await run.advance()
    expect(world.sent[1]!.url).toBe(world.sent[0]!.url)
    const key = world.sent[1]!.headers.find((header) => header.name === 'Idempotency-Key')
    expect(key?.value).toBe(`${run.id}:a`)
  })
})

describe('retry', () => {
  it('sends the same uuid with each attempt, and another in the next step', async () => {
    world.answer = () => (world.sent.length < 2 ? 503 : 200)
    const url = 'https://x.test/{{ uuid() }}'
    const run = await runOf([get('a', { url, retry: { attempts: 2, delay: 2 } }), get('b', { url })])
    await run.advance()
    world.time += 2000
    expect(await run.advance()).toEqual({ state: 'finished' })
    const [first, second, third] = world.sent.map((request) => request.url)
    expect(second).toBe(first)
    expect(third).not.toBe(first)
  })

  it('parks the run until the next attempt and gives up after the last', async () => {
    world.answer = () => 503
    const run = await runOf([get('a', { retry: { attempts: 3, delay: 2 } })])
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: world.time + 2000 })
    expect(await run.run()).toMatchObject({ status: 'waiting' })
    expect((await run.steps())[0]).toMatchObject({
      status: 'waiting',
      attempt: 1,
      resumeAt: world.time + 2000,
      error: { code: 'http_5xx' },
    })
    // The run is taken up too early: nothing is sent.
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: world.time + 2000 })
    expect(world.sent).toHaveLength(1)
    world.time += 2000
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: world.time + 4000 })
    world.time += 4000
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.sent).toHaveLength(3)
    expect(await run.run()).toMatchObject({ status: 'failed', error: { code: 'http_5xx' } })
    expect((await run.steps())[0]).toMatchObject({ attempt: 3, status: 'failed' })
  })

  it('goes on as soon as an attempt succeeds', async () => {
    world.answer = () => (world.sent.length === 1 ? 'reset' : 200)
    const run = await runOf([get('a', { retry: {} }), set('b', { s: '{{ steps.a.status }}' })])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.steps()).at(-1)!.output).toEqual({ s: 200 })
  })

  it('counts a 503 also where failOnError is false, and takes it as the result in the end', async () => {
    world.answer = () => 503
    const run = await runOf([get('a', { failOnError: false, retry: { attempts: 2 } })])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await run.status()).toBe('succeeded')
    expect(world.sent).toHaveLength(2)
  })

  it('does a branch anew, with a new decision and its steps run again', async () => {
    world.answer = () => (world.sent.length === 1 ? 500 : 200)
    const run = await runOf([
      {
        id: 'b',
        kind: 'branch',
        retry: { attempts: 2 },
        cases: [{ when: true, steps: [set('v', { n: 1 }), get('a')] }],
      } as never,
      set('after', { s: '{{ steps.a.status }}' }),
    ])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.sent).toHaveLength(2)
    expect(await run.status()).toBe('succeeded')
    expect((await run.steps()).at(-1)!.output).toEqual({ s: 200 })
  })
})

describe('a run that is cancelled', () => {
  it('ends its request at once and changes nothing more', async () => {
    world.answer = () => 'hang'
    const run = await runOf([get('a'), get('b')])
    const walk = await run.walk()
    const advancing = walk.advance()
    while (world.sent.length < 1) await new Promise((resolve) => setImmediate(resolve))
    await run.cancel()
    walk.cancel()
    expect(await advancing).toEqual({ state: 'lost' })
    expect(await run.status()).toBe('cancelled')
    expect(world.sent).toHaveLength(1)
  })
})

describe('replies', () => {
  it('answers once, after the journal has it', async () => {
    const respond: StepDocument = { id: 'r', kind: 'respond', status: 201, body: { n: '{{ webhook.body.n }}' } }
    const run = await runOf([respond, { ...respond, id: 'r2' }], { response: { mode: 'finished' } }, { n: 5 })
    await run.advance()
    expect(world.replies).toEqual([[run.id, { status: 201, headers: [], body: { n: 5 } }]])
  })

  it('answers a failed run with the configured error', async () => {
    const run = await runOf([fail('f')], {
      response: { mode: 'finished', error: { status: 418, body: { why: '{{ error.message }} at {{ error.step }}' } } },
    })
    await run.advance()
    expect(world.replies).toEqual([[run.id, { status: 418, headers: [], body: { why: 'no luck at f' } }]])
  })

  it('sends nothing once another process has the run, and asks before each request that leaves', async () => {
    const asked: boolean[] = []
    world.holds = async () => asked.push(asked.length === 0) === 1
    const { advance, status, statuses } = await runOf([get('a'), get('b')])
    expect(await advance()).toEqual({ state: 'lost' })
    expect(world.urls()).toEqual(['https://x.test/a'])
    expect(asked).toHaveLength(2)
    expect(await status()).toBe('running')
    expect(await statuses()).toEqual(['a succeeded'])
  })
})

describe('a run that begins before its start is durable', () => {
  it('sends nothing until it is, and nothing at all if it cannot be', async () => {
    for (const isStored of [true, false]) {
      const run = await runOf([get('a')])
      const walk = await run.walk()
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      walk.run.claim.stored = promise
      const advancing = walk.advance()
      await new Promise((next) => setImmediate(next))
      expect(world.sent).toHaveLength(0)
      if (isStored) resolve()
      else reject(new Error('the disk is full'))
      expect(await advancing).toEqual({ state: isStored ? 'finished' : 'lost' })
      expect(world.sent.splice(0)).toHaveLength(isStored ? 1 : 0)
    }
  })
})
