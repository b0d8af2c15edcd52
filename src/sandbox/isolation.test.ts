// Tests that a run leaves nothing to the next, of the same text or another. One worker, so that all runs share an engine.
import { describe, expect, it } from 'vitest'
import { PLACES, testSandbox } from './sandbox.testkit.ts'

describe.each(PLACES)('isolation between runs in %s', (place) => {
  const { result, run, failure } = testSandbox(1, place)

  it.each([
    ['module variables', 'let n = 0\nexport default () => ++n', 1],
    ['a variable set by top-level await', 'let n = await 0\nexport default () => ++n', 1],
    ['globals', 'export default () => (globalThis.n = (globalThis.n ?? 0) + 1)', 1],
    [
      'Object.prototype',
      'export default () => { const was = ({}).x ?? null; Object.prototype.x = 1; return was }',
      null,
    ],
    [
      'Array.prototype',
      'export default () => { const was = [].map.name; Array.prototype.map = function evil() {}; return was }',
      'map',
    ],
    [
      'Promise.prototype.then',
      'export default async () => { const was = Promise.prototype.then.x ?? null; Promise.prototype.then.x = 1; return was }',
      null,
    ],
    [
      'String.prototype.toJSON',
      'export default () => { const was = "a".toJSON === undefined; String.prototype.toJSON = () => "evil"; return was }',
      true,
    ],
    [
      'crypto',
      'export default () => { const was = crypto.randomUUID() === "x"; crypto.randomUUID = () => "x"; return was }',
      false,
    ],
    ['console', 'export default () => { const was = typeof console.log; console.log = 1; return was }', 'function'],
    [
      'JSON',
      'export default () => { const was = JSON.stringify.name; JSON.stringify = () => "1"; JSON.parse = null; return was }',
      'stringify',
    ],
    [
      'deleted globals',
      'export default () => { const was = typeof URL; delete globalThis.URL; delete globalThis.crypto; return was }',
      'function',
    ],
    [
      'frozen intrinsics',
      'export default () => { const was = Object.isFrozen(Math); Object.freeze(Math); Object.preventExtensions(globalThis); return was }',
      false,
    ],
    [
      'registered symbols',
      'export default () => { const s = Symbol.for("k"); const was = Math[s] ?? null; Math[s] = 1; return was }',
      null,
    ],
    [
      'the crypto module',
      'import * as c from "node:crypto"\nexport default () => { const was = c.default.x ?? null; c.default.x = 1; return was }',
      null,
    ],
    [
      'functions of the bridge',
      'export default () => { const f = crypto.createHmac; const was = [f.x ?? null, (() => 1).y ?? null]; f.x = 1; Object.getPrototypeOf(f).y = 1; return was }',
      [null, null],
    ],
    ['RegExp state', 'export default () => { const was = RegExp.$1 ?? ""; /(.)/.exec("z"); return was }', ''],
    [
      'private kept objects',
      'export default (input) => { const was = input.list.length; input.list.push(1); return was }',
      0,
    ],
  ])('%s', async (_, code, expected) => {
    const options = { input: { list: [] } }
    for (let i = 0; i < 3; i++) expect((await result(code, options)).output).toEqual(expected)
    expect((await result(`${code}\n// another text`, options)).output).toEqual(expected)
    expect(
      await run(
        '() => [[1].map((x) => x + 1), JSON.parse(JSON.stringify({ a: "b" })), typeof crypto.createHmac, typeof URL, ({}).x ?? null]',
      ),
    ).toEqual([[2], { a: 'b' }, 'function', 'function', null])
  })

  it('finishes the promise jobs of a run with it, and takes none to the next', async () => {
    const leaving = (rounds: string) => `export default () => {
  const later = (n) => Promise.resolve().then(() => { globalThis.leak = n; console.log(n); return n < ${rounds} && later(n + 1) })
  later(1)
  return typeof globalThis.leak
}`
    const after = 'export default async () => { for (let i = 0; i < 50; i++) await null; return globalThis.leak ?? 0 }'
    for (let i = 0; i < 3; i++) {
      expect(await result(leaving('3'))).toEqual({ output: 'undefined', logs: ['1', '2', '3'] })
      expect(await result(after)).toEqual({ output: 0, logs: [] })
      expect((await failure(leaving('Infinity'), { timeoutMs: 100 })).code).toBe('code_timeout')
      expect(await result(after)).toEqual({ output: 0, logs: [] })
    }
  })

  it('starts clean after a run that failed, timed out or ran out of memory', async () => {
    for (const body of [
      'throw 1',
      'for (;;);',
      'for (const all = [];;) all.push(new Array(1000).fill(7))',
      'const f = () => f(); f()',
    ]) {
      const code = `Object.prototype.dirt = 1\nglobalThis.dirt = 2\nexport default () => { ${body} }`
      await failure(code, { timeoutMs: 200, memoryMb: 4 })
      expect(await run('() => [({}).dirt ?? null, globalThis.dirt ?? null]')).toEqual([null, null])
    }
  })

  it('does not let one text stand for another', async () => {
    const texts = Array.from({ length: 150 }, (_, i) => `export default () => ${i}`)
    for (const round of [1, 2])
      for (const [i, text] of texts.entries()) expect([round, (await result(text)).output]).toEqual([round, i])
  })

  it('lets a script that breaks what runs it harm itself only', async () => {
    for (const code of [
      'JSON.stringify = () => { throw 1 }; export default () => 5',
      'Promise.prototype.then = null; export default async () => 5',
      'Object.defineProperty(Object.prototype, "then", { get() { throw new Error("then") }, configurable: true }); export default () => 5',
      'Array.prototype[Symbol.iterator] = null; export default () => [5]',
      'Function.prototype.call = Function.prototype.apply = null; export default () => 5',
      'Error.prototype.name = { toString() { throw 1 } }; export default () => { throw new Error("x") }',
      'Object.prototype.serialising = true; Array.isArray = () => { throw 2 }; export default () => console.log(1)',
    ]) {
      await result(code, { timeoutMs: 500 }).catch(() => {})
      expect(await run('() => 1')).toBe(1)
    }
  })
})
