// Tests which code runs on the main thread, and that nobody can tell from what comes of it.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { CodeRequest } from '../engine/ports/sandbox.ts'
import { CodeRunner } from './code-runner.ts'
import { RUNS_AFTER_BLOWN } from './limits.ts'
import { QuickJs } from './quickjs/quickjs.ts'
import { type Options, testSandbox } from './sandbox.testkit.ts'
import { ShortCode } from './short-code.ts'
import { ShortRunner } from './short-runner.ts'
import { createSandbox } from './worker-pool.ts'

const elsewhere = testSandbox(1, 'the workers')
const here = testSandbox(1, 'the main thread')
const { onMainThread } = here

/** Returns how often the text was tried on the main thread. */
const triesOf = (code: string): number => onMainThread.mock.calls.filter(([request]) => request.code === code).length
const leftOf = (code: string): number =>
  onMainThread.mock.calls.filter(
    ([request], i) => request.code === code && onMainThread.mock.results[i]!.value === null,
  ).length

const outcome = (run: Promise<unknown>): Promise<unknown> =>
  run.catch(({ code, message, hint, logs }) => ({ code, message, hint, logs }))

describe('what comes of code is the same in a worker and on the main thread', () => {
  it.each<[what: string, code: string, options?: Options]>([
    ['a result', 'export default (input) => ({ sum: input.a + 1, at: [1, null, "é€😀"] })', { input: { a: 1 } }],
    ['lines of the console', 'export default () => { console.log("a", { b: 1 }); console.warn("c"); return 1 }'],
    ['a line of the console at the top', 'console.log("top")\nexport default () => 1'],
    ['no result', 'export default () => {}'],
    ['an exception', 'const f = () => {\n  throw new TypeError("bad")\n}\nexport default () => f()'],
    ['a missing name', 'export default () => {\n  return nothing.here\n}'],
    ['a stack', 'const f = () => new Error("e").stack\nexport default () => f()'],
    ['a stack of a promise', 'export default async () => { await null; return new Error("e").stack }'],
    ['a rejected promise that nothing awaits', 'export default () => { Promise.reject(new Error("lost")); return 1 }'],
    ['a promise that nothing settles', 'export default () => new Promise(() => {})'],
    ['no function', 'export default 5'],
    ['an exception at the top', 'throw new Error("top")\nexport default () => 1'],
    ['a circular result', 'export default () => { const a = []; a.push(a); return a }'],
    ['top-level await', 'const x = await Promise.resolve(4)\nexport default () => x'],
    ['jobs that the top leaves behind', 'let x = 0\nPromise.resolve().then(() => x++)\nexport default () => x'],
    ['endless recursion', 'const f = (n) => { try { return f(n + 1) } catch { return n } }\nexport default () => f(0)'],
    [
      'a host that is asked deep in a recursion',
      'const f = (n) => n ? f(n - 1) : crypto.createHash("md5").digest("hex")\nexport default () => f(800)',
    ],
    ['types', 'interface A { n: number }\nexport default (a: A): number => a.n', { input: { n: 2 } }],
    [
      'a digest of every text',
      'export default (input) => input.map((t) => crypto.createHmac("sha1", t).update(t).digest("base64"))',
      { input: ['', 'a\0b', '\ud800', '\ufeffbom', 'é'] },
    ],
    ['a large input', 'export default (input) => input.length', { input: 'x'.repeat(100_000) }],
    ['a large output', 'export default () => "x".repeat(100_000)'],
    ['much memory', 'export default () => new Uint8Array(30e6).length'],
    [
      'memory that it may not have',
      'export default () => { try { new Uint8Array(90e6) } catch (e) { return e.message } }',
    ],
    [
      'memory in the end',
      'export default () => { const all = []; for (;;) all.push(new Uint8Array(1e5)) }',
      { memoryMb: 4 },
    ],
    ['long work', 'export default () => { let s = 0; for (let i = 0; i < 1e6; i++) s += i; console.log(s); return s }'],
    [
      'long work in between',
      'let n = 0\nexport default () => { console.log("once"); for (let i = 0; i < 1e6; i++) n += i; console.log("twice"); return n }',
    ],
    ['the time', 'export default () => { for (;;); }', { timeoutMs: 100 }],
  ])('%s', async (_, code, options) => {
    expect(await outcome(here.result(code, options))).toEqual(await outcome(elsewhere.result(code, options)))
    expect(await outcome(here.result(code, options))).toEqual(await outcome(elsewhere.result(code, options)))
    const isLarge = JSON.stringify(options?.input ?? null).length > 16 << 10
    expect(triesOf(code) > 0).toBe(!isLarge)
  })

  it('does in each run what depends on the run', async () => {
    const code = `console.log('top')
const top = [crypto.randomUUID(), Math.random(), Date.now()]
export default () => [...top, crypto.randomUUID(), Math.random()]`
    const results = [
      await elsewhere.result(code),
      await here.result(code),
      await here.result(code),
      await here.result(code),
    ]
    expect(triesOf(code)).toBeGreaterThan(0)
    for (const { logs } of results) expect(logs).toEqual(['top'])
    const values = results.flatMap(({ output }) => (output as unknown[]).filter((_, i) => i !== 2))
    expect(new Set(values).size).toBe(values.length)
  })
})

describe('which code runs on the main thread', () => {
  // Short is what stays below the fuse, so that a busy machine makes no difference.
  const sandbox = createSandbox({ workers: 1, short: new ShortCode({ shortMs: 0.9 }) })
  const run = (code: string, input: unknown = null) =>
    sandbox.run({ code, input, timeoutMs: 5000, memoryBytes: 64 << 20, signal: null } satisfies CodeRequest)
  beforeAll(async () => {
    const code = 'export default () => 1'
    const before = triesOf(code)
    while (triesOf(code) === before) await run(code)
  })
  afterAll(() => sandbox.close())

  const doneHere = (code: string): number => triesOf(code) - leftOf(code)
  /** Runs it until the main thread does. */
  async function untilHere(code: string, input?: unknown): Promise<void> {
    for (const before = doneHere(code); doneHere(code) === before; ) await run(code, input)
  }

  it('takes a text whose recent runs were short, and leaves long ones to the workers', async () => {
    const short = 'export default (input) => input + 1'
    await untilHere(short, 1)
    expect((await run(short, 4)).output).toBe(5)
    const long = 'export default () => { let s = 0; for (let i = 0; i < 3e5; i++) s += i; return s }'
    for (let i = 0; i < 6; i++) await run(long)
    expect(triesOf(long)).toBe(0)
  })

  it('comes back ever more slowly after the fuse has blown', async () => {
    const code = 'export default (n) => { let s = 0; for (let i = 0; i < n; i++) s += i; console.log(n); return s }'
    let runsInWorkers = RUNS_AFTER_BLOWN
    for (let blown = 1; blown <= 3; blown++) {
      await untilHere(code, 1)
      const left = leftOf(code)
      expect(await run(code, 3e5)).toEqual({ output: 44999850000, logs: ['300000'] })
      expect(leftOf(code)).toBe(left + 1)
      // The run that started over in a worker is one of them.
      const tries = triesOf(code)
      for (let i = 1; i < runsInWorkers; i++) await run(code, 1)
      expect(triesOf(code)).toBe(tries)
      runsInWorkers *= 2
    }
  })

  it('lets other work be done between many runs', async () => {
    const code = 'export default (n) => { let s = 0; for (let i = 0; i < 800; i++) s += i; return n }'
    await untilHere(code, 0)
    let turns = 0
    let isDone = false
    const counting = (async () => {
      for (; !isDone; turns++) await nextTurn()
    })()
    const outputs = await Promise.all(Array.from({ length: 400 }, async (_, i) => (await run(code, i)).output))
    isDone = true
    await counting
    expect(outputs).toEqual(Array.from({ length: 400 }, (_, i) => i))
    expect(turns).toBeGreaterThan(3)
  })

  it('cancels runs that wait for their turn, and all when it is closed', async () => {
    const other = createSandbox({ workers: 1 })
    const code = 'export default (n) => { let s = 0; for (let i = 0; i < 900; i++) s += i; return n }'
    const start = (signal: AbortSignal | null) =>
      other.run({ code, input: 1, timeoutMs: 5000, memoryBytes: 64 << 20, signal }).then(
        () => 'done',
        (error) => error.code,
      )
    for (const before = triesOf(code); triesOf(code) < before + 1; ) await start(null)
    const cancelling = new AbortController()
    const runs = Array.from({ length: 200 }, () => start(cancelling.signal))
    cancelling.abort()
    const ends = await Promise.all(runs)
    expect(ends.at(-1)).toBe('cancelled')
    expect(ends.filter((end) => end !== 'done' && end !== 'cancelled')).toEqual([])
    const last = Array.from({ length: 200 }, () => start(null))
    await other.close()
    expect((await Promise.all(last)).at(-1)).toBe('cancelled')
  })
})

it('puts the memory right between two runs of the same text, and each run finds it untouched', async () => {
  const worker = await CodeRunner.create()
  const here = await ShortRunner.create(worker.compiled)
  const text = (step: number) => {
    const code = `let n = 0\nexport default () => { globalThis.kept = 1; return n += ${step} }`
    const request = { code, input: 'null', timeoutMs: 1000, memoryBytes: 1 << 24, wantsPrepared: true, turn: 0 }
    const { prepared } = worker.run(request)
    return () => (here.run(request, prepared!) as { output: string }).output
  }
  const [one, ten] = [text(1), text(10)]
  const restore = vi.spyOn(QuickJs.prototype, 'restore')
  const restored = (work: () => unknown): number => {
    restore.mockClear()
    work()
    return restore.mock.calls.length
  }
  expect(restored(() => expect(one()).toBe('1'))).toBe(1)
  // It ran once, so nothing says that it will run again.
  expect(restored(() => here.tidyUp())).toBe(0)
  expect(restored(() => expect(one()).toBe('1'))).toBe(1)
  expect(restored(() => here.tidyUp())).toBe(1)
  expect(restored(() => here.tidyUp())).toBe(0)
  expect(restored(() => expect(one()).toBe('1'))).toBe(0)
  expect(restored(() => here.tidyUp())).toBe(1)
  expect(restored(() => expect(ten()).toBe('10'))).toBe(1)
  expect(restored(() => expect(one()).toBe('1'))).toBe(1)
  restore.mockRestore()
})
