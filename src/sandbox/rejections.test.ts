// Tests that a promise that is rejected while nothing awaits it fails its step, as it would end a process of Node.
import { describe, expect, it } from 'vitest'
import { hookRejections } from './quickjs/table-functions.ts'
import { testSandbox } from './sandbox.testkit.ts'

const { run, result, failure } = testSandbox(1)

const inFunction = (body: string) => `export default async (input) => {\n${body}\n}`

describe('fails the step', () => {
  it.each([
    ['a bare rejection', "Promise.reject(new Error('x'))\nreturn 1", 'Error: x (line 2, column 20)'],
    [
      'an async function that throws and is not awaited',
      "const save = async () => {\n  throw new Error('x')\n}\nsave()\nreturn 1",
      'Error: x (line 3, column 13)',
    ],
    [
      'one that throws after the function has returned',
      "const save = async () => {\n  for (let i = 0; i < 20; i++) await null\n  throw new TypeError('late')\n}\nsave()\nreturn 1",
      'TypeError: late (line 4, column 13)',
    ],
    ['a rejection with a value that is no error', "Promise.reject('text')", 'text'],
    ['a chain without a catch', "Promise.reject('a').then(() => 1)", 'a'],
    ['a catch that throws', "Promise.reject('a').catch(() => { throw 'b' })", 'b'],
    ['a finally', "Promise.reject('a').finally(() => 1)", 'a'],
    ['a promise that was thrown away', "new Promise((_, reject) => queueMicrotask(() => reject('a')))", 'a'],
    ['a Promise.all that is not awaited', "Promise.all([1, Promise.reject('a')])", 'a'],
    ['the first of several', "Promise.reject('a'); Promise.reject('b')", 'a'],
    ['what is rejected while the code waits for ever', "return new Promise(() => { Promise.reject('a') })", 'a'],
    [
      'a promise whose address an earlier, handled one had',
      "for (let i = 0; i < 100; i++) await Promise.reject(0).catch(() => 1)\nPromise.reject('a')",
      'a',
    ],
  ])('for %s', async (_, body, reason) => {
    expect(await failure(inFunction(body))).toMatchObject({
      code: 'code_failed',
      message: `A promise was rejected and nothing awaited it: ${reason}`,
      hint: expect.stringContaining('await'),
    })
  })

  it('at the top level of the code too', async () => {
    expect((await failure("Promise.reject('top')\nexport default () => 1")).message).toContain(
      'nothing awaited it: top',
    )
  })

  it('and keeps what the code wrote to its console', async () => {
    const code = inFunction("Promise.resolve().then(() => { console.log('seen'); throw 'x' })\nreturn 1")
    expect(await failure(code)).toMatchObject({ message: expect.stringContaining('nothing awaited'), logs: ['seen'] })
  })

  it('reports a returned or awaited rejection as the error it is, once', async () => {
    for (const body of ["return Promise.reject(new Error('x'))", "await Promise.reject(new Error('x'))"])
      expect((await failure(inFunction(body))).message).toMatch(/^Error: x \(line 2, column \d+\)$/)
    const both = "Promise.reject(new Error('first'))\nthrow new Error('thrown')"
    expect((await failure(inFunction(both))).message).toMatch(/^Error: thrown \(line 3/)
  })
})

describe('lets pass what is handled before nothing is left to do', () => {
  it.each([
    ['at once', "return Promise.reject('a').catch((error) => error)", 'a'],
    ['by try and catch', "try { await Promise.reject('a') } catch (error) { return error }", 'a'],
    [
      'later in the same turn',
      "const p = Promise.reject('a'); const q = 1; return p.then(null, (error) => error)",
      'a',
    ],
    [
      'after other jobs',
      "const p = Promise.reject('a'); for (let i = 0; i < 9; i++) await null; return p.catch((e) => e)",
      'a',
    ],
    [
      'after the function has returned',
      "const p = Promise.reject('a'); Promise.resolve().then(() => 0).then(() => p.catch(() => {})); return 5",
      5,
    ],
    ['in Promise.all', "return Promise.all([1, Promise.reject('a'), Promise.reject('b')]).catch((e) => e)", 'a'],
    ['in Promise.allSettled', "return (await Promise.allSettled([Promise.reject('a')]))[0].reason", 'a'],
    ['in Promise.race', "return Promise.race([Promise.reject('a'), Promise.reject('b')]).catch((e) => e)", 'a'],
    ['in Promise.any', "return Promise.any([Promise.reject('a'), 2])", 2],
    ['in for await', "try { for await (const x of [Promise.reject('a')]) return x } catch (e) { return e }", 'a'],
    [
      'in an async generator',
      "async function* g() { yield 1; throw 'a' }\nconst all = []; try { for await (const x of g()) all.push(x) } catch (e) { all.push(e) }\nreturn all",
      [1, 'a'],
    ],
    ['of an import that fails', "return import('nowhere').catch(() => 'none')", 'none'],
    [
      'ten thousand times',
      'const all = Array.from({ length: 1e4 }, async (_, i) => { throw i }); return (await Promise.allSettled(all)).length',
      10000,
    ],
  ])('%s', async (_, body, output) => {
    expect((await result(inFunction(body))).output).toEqual(output)
  })
})

describe('from one run to the next', () => {
  it('forgets the rejections of the run before', async () => {
    const code = inFunction("if (input) Promise.reject('a')\nreturn 1")
    for (let i = 0; i < 3; i++) {
      expect((await failure(code, { input: true })).message).toContain('nothing awaited it: a')
      expect((await result(code, { input: false })).output).toBe(1)
      expect(await run('() => 2')).toBe(2)
    }
    await failure(inFunction("Promise.reject('a'); for (;;);"), { timeoutMs: 100 })
    expect(await run('() => 2')).toBe(2)
  })

  it('still notices them after an engine that grew was replaced', async () => {
    expect(await run('() => new Uint8Array(100e6).length', { memoryMb: 128 })).toBe(100e6)
    expect((await failure(inFunction("Promise.reject('a')"))).message).toContain('nothing awaited it: a')
  })

  it.each([
    [64, 'code_memory', 'more memory'],
    [512, 'code_failed', 'nothing awaited it: 1,000,000 promises'],
  ])('ends a run that rejects without end, with %s MB', { timeout: 120_000 }, async (memoryMb, code, message) => {
    const endless = 'export default () => { for (;;) Promise.reject(1) }'
    const error = await failure(endless, { memoryMb, timeoutMs: 100_000 })
    expect(error).toMatchObject({ code, message: expect.stringContaining(message) })
    expect(await run('() => 1')).toBe(1)
  })
})

it('refuses a build of QuickJS whose runtime has another layout', () => {
  expect(() => hookRejections(new ArrayBuffer(1024), 64, 1)).toThrow('lays its runtime out differently')
})
