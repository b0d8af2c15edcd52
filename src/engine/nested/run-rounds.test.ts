import { describe, expect, it } from 'vitest'
import { fail, get, runOf, set, useEngine, world } from '../world.testkit.ts'

useEngine()

const loop = (settings: object) => ({ id: 'l', kind: 'loop', ...settings })
const send = (more: object = {}) => get('send', { url: 'https://x.test/{{ loop.item }}', ...more })

describe('a loop over a list', () => {
  it('runs a round for each item, in order, and collects', async () => {
    const run = await runOf(
      [
        loop({
          each: '{{ webhook.body.items }}',
          steps: [send(), set('v', { last: '{{ loop.item }}' })],
          collect: {
            item: '{{ loop.item }}',
            at: '{{ loop.index }} of {{ loop.count }}',
            status: '{{ steps.send.status }}',
          },
        }),
        set('after', { results: '{{ steps.l.results }}', last: '{{ vars.last }}' }),
      ],
      {},
      { items: ['a', 'b'] },
    )
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.urls()).toEqual(['https://x.test/a', 'https://x.test/b'])
    expect((await run.step('l'))!.output).toEqual({
      count: 2,
      results: [
        { item: 'a', at: '0 of 2', status: 200 },
        { item: 'b', at: '1 of 2', status: 200 },
      ],
      errors: [],
    })
    expect((await run.step('after'))!.output).toMatchObject({ last: 'b' })
    expect(await run.statuses()).toEqual([
      'l succeeded',
      'l[0]/send succeeded',
      'l[0]/v succeeded',
      'l[1]/send succeeded',
      'l[1]/v succeeded',
      'after succeeded',
    ])
  })

  it('does nothing for an empty list and fails for what is no list', async () => {
    const empty = await runOf([loop({ each: [], steps: [send()] })])
    await empty.advance()
    expect((await empty.step('l'))!.output).toEqual({ count: 0, results: [], errors: [] })
    const none = await runOf([loop({ each: '{{ webhook.body }}', steps: [send()] })])
    await none.advance()
    expect((await none.run())!.error).toMatchObject({ code: 'expression_failed', step: 'l' })
  })

  it('runs as many rounds at once as it may, and keeps the results in the order of the items', async () => {
    const run = await runOf([
      loop({
        each: [5, 4, 3, 2, 1, 0],
        concurrency: 3,
        steps: [send(), get('again')],
        collect: '{{ loop.item * 10 }}',
      }),
    ])
    await run.advance()
    expect((await run.step('l'))!.output).toEqual({ count: 6, results: [50, 40, 30, 20, 10, 0], errors: [] })
    // The first steps of all three items were sent before any second step.
    expect(world.urls().slice(0, 3).toSorted()).toEqual(['https://x.test/3', 'https://x.test/4', 'https://x.test/5'])
  })

  it('fails with the first round that fails, and begins no more', async () => {
    world.answer = (request) => (request.url.endsWith('b') ? 500 : 200)
    const run = await runOf([loop({ each: ['a', 'b', 'c'], steps: [send()] }), get('never')])
    await run.advance()
    expect((await run.run())!.error).toMatchObject({ code: 'http_500', step: 'send' })
    expect(world.urls()).toEqual(['https://x.test/a', 'https://x.test/b'])
  })

  it('goes on to the next item with onError: continue, and lists the errors', async () => {
    world.answer = (request) => (request.url.endsWith('b') ? 500 : 200)
    const run = await runOf([
      loop({ each: ['a', 'b', 'c'], steps: [send()], collect: '{{ loop.item }}', onError: 'continue', concurrency: 2 }),
    ])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect((await run.step('l'))!.output).toMatchObject({
      count: 3,
      results: ['a', null, 'c'],
      errors: [{ index: 1, item: 'b', error: { code: 'http_500', step: 'send' } }],
    })
  })

  it('lets a round see its own results and those outside, and nobody else its own', async () => {
    const run = await runOf([
      set('before', { x: 7 }),
      loop({
        each: [1, 2],
        steps: [set('mine', { n: '{{ loop.item + steps.before.x }}' }), set('seen', { n: '{{ steps.mine.n }}' })],
        collect: '{{ steps.seen.n }}',
      }),
      set('after', { gone: "{{ steps.mine ?? 'gone' }}", results: '{{ steps.l.results }}' }),
    ])
    await run.advance()
    expect((await run.step('after'))!.output).toEqual({ gone: 'gone', results: [8, 9] })
  })

  it('nests, with outer loops by name', async () => {
    const run = await runOf([
      {
        id: 'outer',
        kind: 'loop',
        each: ['a', 'b'],
        steps: [loop({ each: [1, 2], steps: [], collect: '{{ loops.outer.item }}{{ loop.item }}{{ loops.l.index }}' })],
        collect: '{{ steps.l.results }}',
      },
    ])
    await run.advance()
    expect((await run.step('outer'))!.output).toMatchObject({
      results: [
        ['a10', 'a21'],
        ['b10', 'b21'],
      ],
    })
  })

  it('ends the whole run at a stop inside', async () => {
    const run = await runOf([loop({ each: [1, 2, 3], steps: [send(), { id: 's', kind: 'stop' }] }), get('never')])
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect(world.sent).toHaveLength(1)
    expect((await run.steps()).every((step) => step.status === 'succeeded')).toBe(true)
  })
})

describe('a loop while a condition holds', () => {
  it('asks before each round and sees what the previous one left', async () => {
    const run = await runOf([
      loop({
        while: '{{ loop.index == 0 || steps.page.body.n < 3 }}',
        steps: [get('page', { url: 'https://x.test/?page={{ (steps.page?.body.n ?? 0) + 1 }}' })],
        collect: '{{ steps.page.body.n }}',
      }),
      set('after', { last: '{{ steps.page.body.n }}', all: '{{ steps.l.results }}' }),
    ])
    await run.advance()
    expect(world.urls()).toEqual(['https://x.test/?page=1', 'https://x.test/?page=2', 'https://x.test/?page=3'])
    expect((await run.step('after'))!.output).toEqual({ last: 3, all: [1, 2, 3] })
  })

  it('runs as many rounds as max says, then fails', async () => {
    const run = await runOf([loop({ while: true, max: 5, steps: [get('page')] })])
    await run.advance()
    expect((await run.run())!.error).toMatchObject({ code: 'loop_limit', step: 'l' })
    expect(world.sent).toHaveLength(5)
    const exact = await runOf([loop({ while: '{{ loop.index < 5 }}', max: 5, steps: [] })])
    await exact.advance()
    expect(await exact.status()).toBe('succeeded')
  })

  it('takes a condition that comes out missing as false', async () => {
    const run = await runOf([loop({ while: '{{ webhook.body.more }}', steps: [] })])
    await run.advance()
    expect((await run.step('l'))!.output).toEqual({ count: 0, results: [], errors: [] })
  })
})

describe('a loop that is taken up again', () => {
  it('sends no journalled item twice', async () => {
    world.answer = () => (world.sent.length === 4 ? 'hang' : 200)
    const run = await runOf([
      loop({
        each: [0, 1, 2, 3, 4],
        steps: [send(), set('v', { ['x']: '{{ loop.item }}' })],
        collect: '{{ steps.send.body.n }}',
      }),
      set('after', { all: '{{ steps.l.results }}', x: '{{ vars.x }}' }),
    ])
    expect(await run.crashAfter(4)).toEqual({ state: 'interrupted' })
    world.answer = () => 200
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.urls().map((url) => url.at(-1))).toEqual(['0', '1', '2', '3', '3', '4'])
    expect((await run.step('after'))!.output).toEqual({ all: [1, 2, 3, 5, 6], x: 4 })
  })

  it('sends at most as many again as were in flight', async () => {
    world.answer = (request) => (['3', '4', '5'].includes(request.url.at(-1)!) ? 'hang' : 200)
    const run = await runOf([
      loop({ each: [0, 1, 2, 3, 4, 5, 6, 7], concurrency: 3, steps: [send()], collect: '{{ loop.item }}' }),
    ])
    await run.crashAfter(6)
    world.answer = () => 200
    await run.advance()
    const counts = [0, 1, 2, 3, 4, 5, 6, 7].map((n) => world.urls().filter((url) => url.endsWith(String(n))).length)
    expect(counts).toEqual([1, 1, 1, 2, 2, 2, 1, 1])
    expect((await run.step('l'))!.output).toMatchObject({ results: [0, 1, 2, 3, 4, 5, 6, 7] })
  })

  it('takes up a half-done round where it stood', async () => {
    world.answer = (request) => (request.url.endsWith('/second') && world.sent.length === 4 ? 'hang' : 200)
    const run = await runOf([loop({ each: ['a', 'b'], steps: [send(), get('second')] })])
    await run.crashAfter(4)
    world.answer = () => 200
    await run.advance()
    expect(world.urls().map((url) => url.split('/').at(-1))).toEqual(['a', 'second', 'b', 'second', 'second'])
  })

  it('goes on with a while where it stood, and with what the last round left', async () => {
    world.answer = () => (world.sent.length === 3 ? 'hang' : 200)
    const run = await runOf([
      loop({
        while: '{{ loop.index == 0 || steps.page.body.n < 6 }}',
        steps: [get('page', { url: 'https://x.test/{{ steps.page?.body.n ?? 0 }}' })],
        collect: '{{ steps.page.body.n }}',
      }),
      get('hangs'),
      set('after', { last: '{{ steps.page.body.n }}' }),
    ])
    await run.crashAfter(3)
    world.answer = (request) => (request.url.endsWith('hangs') ? 'hang' : 200)
    await run.crashAfter(7)
    world.answer = () => 200
    await run.advance()
    expect(world.urls().map((url) => url.split('/').at(-1))).toEqual(['0', '1', '2', '2', '4', '5', 'hangs', 'hangs'])
    expect((await run.step('l'))!.output).toMatchObject({ results: [1, 2, 4, 5, 6] })
    expect((await run.step('after'))!.output).toEqual({ last: 6 })
  })

  it('does all of it anew in another attempt of the loop', async () => {
    world.answer = () => (world.sent.length === 2 ? 500 : 200)
    const run = await runOf([loop({ each: ['a', 'b'], steps: [send()], retry: { attempts: 2 } })])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect(world.urls().map((url) => url.at(-1))).toEqual(['a', 'b', 'a', 'b'])
  })
})

describe('waiting inside a loop', () => {
  it('parks the run when every lane waits, and does no round twice', async () => {
    const run = await runOf([
      loop({ each: [1, 2], concurrency: 2, steps: [send(), { id: 'w', kind: 'wait', seconds: 60 }, get('then')] }),
    ])
    const parked = await run.advance()
    expect(parked).toEqual({ state: 'parked', resumeAt: world.time + 60_000 })
    expect(world.sent).toHaveLength(2)
    world.time += 60_000
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect(world.urls().filter((url) => url.endsWith('then'))).toHaveLength(2)
    expect(world.sent).toHaveLength(4)
  })

  it('wakes a lane in this process while another works, and keeps what its round had done', async () => {
    world.answer = (request) => (request.url.endsWith('slow') ? 'hang' : 200)
    const run = await runOf([
      loop({
        each: ['slow', 'quick'],
        concurrency: 2,
        steps: [
          send(),
          {
            id: 'b',
            kind: 'branch',
            cases: [{ when: true, steps: [{ id: 'w', kind: 'wait', seconds: 60 }, get('then')] }],
          },
        ],
      }),
    ])
    const walk = await run.walk()
    const advancing = walk.advance()
    await world.requests(3)
    expect(
      world
        .urls()
        .map((url) => url.split('/').at(-1)!)
        .toSorted(),
    ).toEqual(['quick', 'slow', 'then'])
    walk.interrupt()
    await advancing
  })

  it('retries a step inside a round without doing the round again', async () => {
    world.answer = (request) =>
      request.url.endsWith('flaky') && world.urls().filter((url) => url.endsWith('flaky')).length === 1 ? 503 : 200
    const run = await runOf([
      loop({ each: ['a'], steps: [send(), get('flaky', { retry: { attempts: 2, delay: 5 } })] }),
    ])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    await run.advance()
    expect(world.urls().map((url) => url.split('/').at(-1))).toEqual(['a', 'flaky', 'flaky'])
    expect(await run.status()).toBe('succeeded')
  })
})

describe('a wait', () => {
  it('parks the run and goes on with its output, without doing anything twice', async () => {
    const run = await runOf([
      get('a'),
      { id: 'w', kind: 'wait', seconds: 5 },
      set('after', { until: '{{ steps.w.until }}' }),
    ])
    const began = world.time
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: began + 5000 })
    expect(await run.statuses()).toEqual(['a succeeded', 'w waiting'])
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: began + 5000 })
    world.time += 5000
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.step('after'))!.output).toEqual({ until: new Date(began + 5000).toISOString() })
    expect((await run.step('w'))!).toMatchObject({ status: 'succeeded', attempt: 1, resumeAt: null })
    expect(world.sent).toHaveLength(1)
  })

  it('takes a time, and does not wait for one that has passed', async () => {
    const until = new Date(world.time + 3_600_000).toISOString()
    const run = await runOf([{ id: 'w', kind: 'wait', until: '{{ webhook.body.until }}' }], {}, { until })
    expect(await run.advance()).toEqual({ state: 'parked', resumeAt: Date.parse(until) })
    const past = await runOf([{ id: 'w', kind: 'wait', until: '1970-01-01T00:00:00Z' }])
    expect(await past.advance()).toEqual({ state: 'finished' })
    const wrong = await runOf([{ id: 'w', kind: 'wait', until: '{{ webhook.body.until }}' }], {}, { until: 'tomorrow' })
    await wrong.advance()
    expect((await wrong.run())!.error).toMatchObject({ code: 'expression_failed', step: 'w' })
  })
})

describe('the store', () => {
  const store = (id: string, settings: object) => ({ id, kind: 'store', ...settings })
  let flows = 0
  const outputs = async (steps: object[], flowId = `flow_store_${flows++}`) => {
    const run = await runOf(steps, {}, { id: 'evt_1' }, flowId)
    await run.advance()
    return (await run.steps()).map((step) => step.output ?? step.error)
  }

  it('gets, sets, adds, deletes and counts', async () => {
    expect(
      await outputs([
        store('a', { op: 'get', key: 'k' }),
        store('b', { op: 'set', key: 'k', value: { n: '{{ webhook.body.id }}' } }),
        store('c', { op: 'get', key: 'k' }),
        store('d', { op: 'add', key: 'k', value: 1 }),
        store('e', { op: 'delete', key: 'k' }),
        store('f', { op: 'delete', key: 'k' }),
        store('g', { op: 'add', key: '{{ webhook.body.id }}', value: 2 }),
        store('h', { op: 'increment', key: 'count' }),
        store('i', { op: 'increment', key: 'count', value: 2.5 }),
      ]),
    ).toEqual([
      { value: null },
      { value: { n: 'evt_1' } },
      { value: { n: 'evt_1' } },
      { added: false, value: { n: 'evt_1' } },
      { deleted: true },
      { deleted: false },
      { added: true, value: 2 },
      { value: 1 },
      { value: 3.5 },
    ])
  })

  it('fails where it should count what is no number', async () => {
    const results = await outputs([
      store('a', { op: 'set', key: 'k', value: 'text' }),
      store('b', { op: 'increment', key: 'k', onError: 'continue' }),
    ])
    expect(results[1]).toMatchObject({ code: 'expression_failed' })
  })

  it('forgets a key after its time', async () => {
    const flowId = `flow_ttl_${flows++}`
    await outputs([store('a', { op: 'set', key: 'k', value: 1, ttl: 10 })], flowId)
    world.time += 9_999
    expect(await outputs([store('a', { op: 'get', key: 'k' })], flowId)).toEqual([{ value: 1 }])
    world.time += 1
    expect(await outputs([store('a', { op: 'add', key: 'k', value: 2 })], flowId)).toEqual([{ added: true, value: 2 }])
  })

  it('adds a key once among many runs at once, and counts exactly', async () => {
    const flowId = `flow_many_${flows++}`
    const steps = [
      store('once', { op: 'add', key: 'k', value: '{{ run.id }}' }),
      store('count', { op: 'increment', key: 'n' }),
    ]
    const runs = await Promise.all(Array.from({ length: 30 }, () => runOf(steps, {}, {}, flowId)))
    await Promise.all(runs.map((run) => run.advance()))
    const results = await Promise.all(runs.map(async (run) => (await run.steps()).map((step) => step.output)))
    expect(results.filter(([once]) => (once as { added: boolean }).added)).toHaveLength(1)
    expect(results.map(([, count]) => (count as { value: number }).value).toSorted((a, b) => a - b)).toEqual(
      Array.from({ length: 30 }, (_, i) => i + 1),
    )
  })

  it('is not done again when the run is taken up again', async () => {
    world.answer = () => 'hang'
    const run = await runOf(
      [store('once', { op: 'add', key: 'k', value: 1 }), get('a'), set('after', { added: '{{ steps.once.added }}' })],
      {},
      {},
      `flow_again_${flows++}`,
    )
    await run.crashAfter(1)
    world.answer = () => 200
    await run.advance()
    expect((await run.step('after'))!.output).toEqual({ added: true })
  })
})

describe('what a long loop keeps', () => {
  it('writes the outcomes of ten thousand rounds in parts, and lets others in between', {
    timeout: 60_000,
  }, async () => {
    const run = await runOf(
      [loop({ each: '{{ webhook.body }}', steps: [set('v', { n: '{{ loop.item }}' })] })],
      {},
      Array.from({ length: 10_000 }, (_, i) => i),
    )
    let turns = 0
    const count = setInterval(() => turns++, 1)
    await run.advance()
    clearInterval(count)
    expect(turns).toBeGreaterThan(20)
    expect((await run.step('l'))!.output).toMatchObject({ count: 10_000 })
    expect((await run.run())!.status).toBe('succeeded')
  })

  it('is cancelled in the middle', async () => {
    const run = await runOf(
      [loop({ each: '{{ webhook.body }}', steps: [set('v', { n: 1 })] })],
      {},
      Array.from({ length: 100_000 }, () => 0),
    )
    const walk = await run.walk()
    const advancing = walk.advance()
    await new Promise((resolve) => setTimeout(resolve, 50))
    await run.cancel()
    walk.cancel()
    expect(await advancing).toEqual({ state: 'lost' })
    expect(await run.status()).toBe('cancelled')
  })
})

it('fails a run at a fail step inside a loop', async () => {
  const run = await runOf([loop({ each: [1], steps: [fail('f')] })])
  await run.advance()
  expect((await run.run())!.error).toMatchObject({ code: 'failed', step: 'f' })
})

describe('variables in a run that is taken up again', () => {
  const sum = (items: number[], more: object = {}) =>
    loop({ each: items, steps: [set('add', { total: '{{ vars.total + loop.item }}' })], ...more })

  it('are what the last set left, not what an earlier one had', async () => {
    world.answer = () => (world.sent.length === 1 ? 503 : 200)
    const run = await runOf([
      set('init', { total: 0 }),
      sum([1, 2, 3]),
      get('tell', { url: 'https://x.test/total-{{ vars.total }}', retry: { attempts: 2 } }),
      set('after', { seen: '{{ vars.total }}' }),
    ])
    const { resumeAt } = (await run.advance()) as { resumeAt: number }
    world.time = resumeAt
    await run.advance()
    expect(world.urls()).toEqual(['https://x.test/total-6', 'https://x.test/total-6'])
    expect((await run.step('after'))!.output).toEqual({ seen: 6 })
  })

  it('count on through waits inside the rounds, and through a crash', async () => {
    const run = await runOf([
      set('init', { total: 0 }),
      loop({
        each: [1, 2, 3],
        steps: [{ id: 'w', kind: 'wait', seconds: 5 }, set('add', { total: '{{ vars.total + loop.item }}' })],
      }),
      get('hangs'),
      set('after', { total: '{{ vars.total }}' }),
    ])
    for (let i = 0; i < 3; i++) {
      const { resumeAt } = (await run.advance()) as { resumeAt: number }
      world.time = resumeAt
    }
    world.answer = () => 'hang'
    await run.crashAfter(1)
    world.answer = () => 200
    await run.advance()
    expect((await run.step('after'))!.output).toEqual({ total: 6 })
  })
})

describe('what a loop keeps when it is cut off', () => {
  it('sends nothing again that had its reply when the process was told to stop', async () => {
    world.answer = (request) => (request.url.endsWith('b') ? 'hang' : 200)
    const run = await runOf([loop({ each: ['a', 'b'], concurrency: 2, steps: [send()] })])
    expect(await run.crashAfter(2)).toEqual({ state: 'interrupted' })
    world.answer = () => 200
    await run.advance()
    expect(
      world
        .urls()
        .map((url) => url.at(-1))
        .filter((item) => item === 'a'),
    ).toHaveLength(1)
  })

  it('shows a while what a step left in an early round', async () => {
    world.answer = () => (world.sent.length === 3 ? 'hang' : 200)
    const run = await runOf([
      loop({
        while: '{{ loop.index < 3 }}',
        steps: [
          {
            id: 'first',
            kind: 'branch',
            cases: [{ when: '{{ loop.index == 0 }}', steps: [set('once', { mark: 'x' })] }],
          },
          get('call', { url: 'https://x.test/{{ steps.once.mark }}' }),
        ],
      }),
    ])
    await run.crashAfter(3)
    world.answer = () => 200
    await run.advance()
    expect(await run.status()).toBe('succeeded')
    expect(world.urls()).toEqual(Array.from({ length: 4 }, () => 'https://x.test/x'))
  })

  it('fails at once where one round failed while another waits', async () => {
    world.answer = (request) => (request.url.endsWith('b') ? 500 : 200)
    const run = await runOf([
      loop({
        each: ['a', 'b'],
        concurrency: 2,
        steps: [
          {
            id: 'w',
            kind: 'branch',
            cases: [{ when: "{{ loop.item == 'a' }}", steps: [{ id: 'long', kind: 'wait', seconds: 86400 }] }],
          },
          send(),
        ],
      }),
    ])
    expect(await run.advance()).toEqual({ state: 'finished' })
    expect((await run.run())!.error).toMatchObject({ code: 'http_500' })
  })
})
