import { describe, expect, it } from 'vitest'
import { fail, get, runOf, set, useEngine, world } from '../world.testkit.ts'

useEngine()

const parallel = (branches: Record<string, object[]>, more: object = {}) => ({
  id: 'p',
  kind: 'parallel',
  branches: Object.entries(branches).map(([name, steps]) => ({ name, steps })),
  ...more,
})
const hangs = (...ids: string[]) => {
  world.answer = ({ url }) => (ids.some((id) => url.endsWith(`/${id}`)) ? 'hang' : 200)
}
const wait = (id: string, seconds: number) => ({ id, kind: 'wait', seconds })

describe('a parallel step', () => {
  it('runs its branches at the same time, and later steps see the results of all', async () => {
    const run = await runOf([
      set('before', { x: 1 }),
      parallel({
        a: [get('a1'), get('a2', { url: 'https://x.test/a2?{{ steps.before.x }}{{ steps.a1.status }}' })],
        b: [get('b1'), set('b2', { fromB: '{{ steps.b1.status }}' })],
        c: [],
      }),
      set('after', { seen: '{{ steps.a2.status + steps.b2.fromB }}', result: '{{ steps.p }}' }),
    ])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.urls().slice(0, 2)).toEqual(['https://x.test/a1', 'https://x.test/b1'])
    expect(world.urls()[2]).toBe('https://x.test/a2?1200')
    expect((await run.step('after'))!.output).toEqual({
      seen: 400,
      result: { finished: ['a', 'b', 'c'], errors: [] },
    })
    expect((await run.statuses()).toSorted()).toEqual([
      'after succeeded',
      'before succeeded',
      'p succeeded',
      'p/a1 succeeded',
      'p/a2 succeeded',
      'p/b1 succeeded',
      'p/b2 succeeded',
    ])
  })

  it('shows a branch nothing of the others', async () => {
    const run = await runOf([
      parallel({ a: [set('a1', { a: 1 })], b: [get('b1'), set('b2', { seen: "{{ steps.a1 ?? 'nothing' }}" })] }),
    ])
    await run.advance()
    expect((await run.step('p/b2'))!.output).toEqual({ seen: 'nothing' })
  })

  it('cancels the other branches when one fails: requests in flight, and waits', async () => {
    hangs('slow')
    const run = await runOf([
      parallel({
        a: [get('slow'), get('never')],
        b: [wait('w', 60), get('never2')],
        c: [get('c1'), fail('bad')],
      }),
      get('after'),
    ])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.run())!.error).toMatchObject({ code: 'failed', step: 'bad' })
    expect(world.urls()).toEqual(['https://x.test/slow', 'https://x.test/c1'])
    expect(world.sent[0]!.signal!.aborted).toBe(true)
    expect((await run.statuses()).toSorted()).toEqual([
      'p failed',
      'p/bad failed',
      'p/c1 succeeded',
      'p/slow cancelled',
      'p/w cancelled',
    ])
    expect((await run.step('p'))!.output).toMatchObject({ finished: [], errors: [{ branch: 'c' }] })
  })

  it('runs all branches to their end with onError: continue, and lists the errors', async () => {
    const run = await runOf([
      parallel({ a: [fail('bad')], b: [get('b1'), get('b2')], c: [fail('worse')] }, { onError: 'continue' }),
      get('after'),
    ])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect((await run.step('p'))!.output).toMatchObject({
      finished: ['b'],
      errors: [
        { branch: 'a', error: { code: 'failed', step: 'bad' } },
        { branch: 'c', error: { code: 'failed', step: 'worse' } },
      ],
    })
    expect(world.urls()).toHaveLength(3)
  })

  it('ends the run at a stop in a branch, and cancels the others', async () => {
    hangs('slow')
    const run = await runOf([parallel({ a: [get('slow')], b: [get('b1'), { id: 's', kind: 'stop' }] }), get('after')])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await run.status()).toBe('succeeded')
    expect((await run.statuses()).toSorted()).toEqual([
      'p succeeded',
      'p/b1 succeeded',
      'p/s succeeded',
      'p/slow cancelled',
    ])
  })

  it('starts all branches again at a retry', async () => {
    let bad = true
    world.answer = ({ url }) => (url.endsWith('/b1') && bad ? 500 : 200)
    const run = await runOf([
      parallel(
        { a: [get('a1')], b: [get('b0'), get('b1', { retry: { attempts: 1 } })] },
        { retry: { attempts: 2, delay: 5 } },
      ),
    ])
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: world.time + 5000 })
    world.time += 5000
    bad = false
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(await run.status()).toBe('succeeded')
    expect(world.urls().filter((url) => url.endsWith('/a1'))).toHaveLength(2)
    expect(await run.step('p#2/b1')).toMatchObject({ status: 'succeeded' })
  })

  it('goes through rounds of a loop, and holds loops', async () => {
    const run = await runOf([
      {
        id: 'l',
        kind: 'loop',
        each: [1, 2],
        concurrency: 2,
        steps: [
          parallel({
            a: [set('a1', { a: '{{ loop.item }}' })],
            b: [{ id: 'inner', kind: 'loop', each: [1, 2, 3], concurrency: 3, steps: [get('r')], collect: 1 }],
          }),
        ],
        collect: '{{ steps.a1.a + steps.inner.count }}',
      },
    ])
    await run.advance()
    expect((await run.step('l'))!.output).toMatchObject({ results: [4, 5] })
    expect(world.sent).toHaveLength(6)
  })

  it('cancels the loops and the parallel steps inside a branch', async () => {
    hangs('slow', 'deep')
    const run = await runOf([
      parallel({
        a: [{ id: 'l', kind: 'loop', each: [1, 2, 3], concurrency: 2, steps: [get('slow')] }],
        b: [
          {
            id: 'q',
            kind: 'parallel',
            branches: [
              { name: 'x', steps: [get('deep')] },
              { name: 'y', steps: [] },
            ],
          },
        ],
        c: [get('c1'), get('c2'), get('c3'), fail('bad')],
      }),
    ])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.run())!.error).toMatchObject({ step: 'bad' })
    expect(world.urls().filter((url) => url.endsWith('/slow'))).toHaveLength(2)
    const unfinished = (await run.statuses()).filter((status) => /running|waiting/.test(status))
    expect(unfinished).toEqual([])
    expect(await run.step('p/l')).toMatchObject({ status: 'cancelled' })
    expect(await run.step('p/q/deep')).toMatchObject({ status: 'cancelled' })
  })
})

describe('a parallel step that ends with the first', () => {
  it('takes the first branch that succeeds, and cancels the others', async () => {
    hangs('slow')
    const run = await runOf([
      parallel({ a: [get('slow')], b: [fail('bad')], c: [get('c1'), get('c2')] }, { finish: 'first' }),
      get('after'),
    ])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect((await run.step('p'))!.output).toMatchObject({
      finished: ['c'],
      errors: [{ branch: 'b', error: { step: 'bad' } }],
    })
    expect(await run.step('p/slow')).toMatchObject({ status: 'cancelled' })
  })

  it('fails if every branch fails', async () => {
    const run = await runOf([parallel({ a: [fail('bad')], b: [fail('worse')] }, { finish: 'first' }), get('after')])
    await run.advance()
    expect((await run.run())!.error).toMatchObject({ code: 'failed', step: 'bad' })
    expect(world.sent).toEqual([])
  })
})

describe('a parallel step that waits', () => {
  it('parks the run when every branch waits, until the first may go on', async () => {
    const run = await runOf([parallel({ a: [wait('w1', 60), get('a1')], b: [wait('w2', 30), get('b1')] })])
    const start = world.time
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: start + 30_000 })
    expect(await run.status()).toBe('waiting')
    // Whether the first waits in the process or parks once more depends on how fast the other is.
    for (let resumeAt = start + 30_000; resumeAt > 0; ) {
      world.time = Math.max(world.time, resumeAt)
      const advanced = await run.advance()
      resumeAt = advanced.state === 'parked' ? advanced.resumeAt! : 0
    }
    expect(await run.status()).toBe('succeeded')
    expect(world.urls()).toEqual(['https://x.test/b1', 'https://x.test/a1'])
    expect((await run.step('p'))!.output).toEqual({ finished: ['a', 'b'], errors: [] })
  })
})

describe('a parallel step after a crash', () => {
  it('repeats only what was in flight, and sees all results after it', async () => {
    hangs('b2')
    const run = await runOf([
      parallel({ a: [get('a1'), get('a2')], b: [get('b1'), get('b2')] }),
      set('after', { seen: '{{ steps.a1.status + steps.a2.status + steps.b1.status + steps.b2.status }}' }),
    ])
    expect(await run.crashAfter(4)).toEqual({ state: 'interrupted' })
    world.answer = () => 200
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(
      world
        .urls()
        .map((url) => url.slice(-2))
        .toSorted(),
    ).toEqual(['a1', 'a2', 'b1', 'b2', 'b2'])
    expect((await run.step('after'))!.output).toEqual({ seen: 800 })
    expect((await run.step('p'))!.output).toEqual({ finished: ['a', 'b'], errors: [] })
  })

  it('remembers a branch that has failed, and sends nothing more', async () => {
    hangs('b2')
    const run = await runOf([
      parallel({ a: [get('a1'), fail('bad')], b: [get('b1'), get('b2')] }, { onError: 'continue' }),
    ])
    expect(await run.crashAfter(3)).toEqual({ state: 'interrupted' })
    world.answer = () => 200
    await run.advance()
    expect((await run.step('p'))!.output).toMatchObject({ finished: ['b'], errors: [{ branch: 'a' }] })
    expect(world.urls().filter((url) => url.endsWith('/a1'))).toHaveLength(1)
  })

  it('shows what the rounds of a `while` inside a case of a branch step have left', async () => {
    const pages = { id: 'l', kind: 'loop', while: '{{ loop.index < 2 }}', steps: [get('page')] }
    hangs('slow')
    const run = await runOf([
      { id: 'b', kind: 'branch', cases: [{ when: true, steps: [pages] }] },
      get('slow'),
      set('after', { seen: '{{ steps.page.status }}' }),
    ])
    await run.crashAfter(3)
    world.answer = () => 200
    await run.advance()
    expect((await run.step('after'))?.output).toEqual({ seen: 200 })
  })

  it('shows what the rounds of a `while` inside a branch have left', async () => {
    const pages = { id: 'l', kind: 'loop', while: '{{ loop.index < 2 }}', steps: [get('page')] }
    hangs('slow')
    const run = await runOf([
      parallel({ a: [pages], b: [get('b1'), get('b2'), get('b3'), get('slow')] }),
      set('after', { seen: '{{ steps.page.status }}' }),
    ])
    await run.crashAfter(6)
    world.answer = () => 200
    await run.advance()
    expect((await run.step('after'))?.output).toEqual({ seen: 200 })
  })
})
