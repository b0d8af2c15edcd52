// Tests that code which attacks its sandbox fails its own step, without effect on the process and other requests.
import { describe, expect, it } from 'vitest'
import { PLACES, testSandbox } from './sandbox.testkit.ts'

/** The limit that is tested is another one. */
const AMPLE = { memoryMb: 256, timeoutMs: 60_000 }

/** Measures the longest work of the main thread between two turns, in CPU time, which other processes cannot lengthen. */
function watchMainThread() {
  const workedMs = () => {
    const { user, system } = process.threadCpuUsage()
    return (user + system) / 1000
  }
  let last = workedMs()
  let longest = 0
  const look = () => {
    const now = workedMs()
    longest = Math.max(longest, now - last)
    last = now
  }
  const timer = setInterval(look, 5)
  return () => {
    clearInterval(timer)
    look()
    return longest
  }
}

describe.each(PLACES)('in %s', (place) => {
  const { run, failure, result } = testSandbox(2, place)

  /** Runs the attack beside harmless requests and watches the main thread. */
  async function attack(code: string, options: { timeoutMs?: number; memoryMb?: number; input?: unknown } = {}) {
    await Promise.all([run('() => 1'), run('() => 1')])
    const longestTurn = watchMainThread()
    let attacking = true
    const bystanders = (async () => {
      let answered = 0
      while (attacking) {
        expect(await run('(input) => input + 1', { input: 1 })).toBe(2)
        answered++
      }
      return answered
    })()
    const began = performance.now()
    const error = await failure(code, { timeoutMs: 200, ...options })
    const tookMs = performance.now() - began
    attacking = false
    const answered = await bystanders
    return { error, tookMs, answered, lagMs: longestTurn() }
  }

  describe('time', () => {
    it.each([
      ['an infinite loop', 'export default () => { for (;;); }'],
      ['an infinite loop at the top level', 'for (;;);\nexport default () => 1'],
      [
        'a loop that catches everything',
        'export default () => { for (;;) try { for (;;); } catch {} finally { continue } }',
      ],
      [
        'endless microtasks',
        'export default () => { const again = () => Promise.resolve().then(again); return again() }',
      ],
      [
        'endless microtasks that the function does not wait for',
        'export default () => { const again = () => Promise.resolve().then(again); again(); return 1 }',
      ],
      ['endless await', 'export default async () => { for (;;) await null }'],
      ['endless queueMicrotask', 'export default () => new Promise(() => { const f = () => queueMicrotask(f); f() })'],
      ['a regular expression bomb', 'export default () => /^(a+)+$/.test("a".repeat(50) + "b")'],
      ['a nested regular expression', 'export default () => /(x+x+)+y/.exec("x".repeat(60))'],
      ['an endless getter of the result', 'export default () => ({ get x() { for (;;); } })'],
      ['an endless toJSON', 'export default () => ({ toJSON() { for (;;); } })'],
      ['an endless proxy', 'export default () => new Proxy({}, { ownKeys() { for (;;); } })'],
      ['an endless message', 'export default () => { throw { stack: "s", get message() { for (;;); } } }'],
      ['an endless comparison', 'export default () => [3, 1, 2].sort(() => { for (;;); })'],
      ['an endless generator', 'export default () => [...(function* () { for (;;) yield; })()].length', 512],
      [
        'much hashing',
        'export default () => { for (;;) crypto.createHash("sha512").update("x".repeat(1e5)).digest("hex") }',
      ],
      ['an endless console', 'export default () => { for (;;) console.log("x") }'],
    ])('ends %s', async (_, code, memoryMb = 64) => {
      const { error, tookMs, lagMs, answered } = await attack(code, { memoryMb })
      expect(error.code).toBe('code_timeout')
      expect(error.message).toContain('0.2 s')
      expect(tookMs).toBeGreaterThan(195)
      expect(tookMs).toBeLessThan(1500)
      expect(lagMs).toBeLessThan(100)
      expect(answered).toBeGreaterThan(0)
    })

    it.each([
      ['BigInt arithmetic', 'export default () => { let x = 3n ** 3000000n; for (;;) x = x * x % (x - 1n) }'],
      [
        'a native search',
        'export default () => { const a = "a".repeat(1e6); return (a + "b").repeat(8).lastIndexOf(a + "c") + a.repeat(20).split(a.slice(1) + "c").length }',
      ],
      [
        'a native sort',
        'export default () => { const a = new Array(4e6).fill(0).map((_, i) => "x" + (i * 7919) % 4e6); for (;;) a.reverse().sort() }',
      ],
    ])('ends code that QuickJS cannot interrupt, or it ends itself: %s', async (_, code) => {
      const { tookMs, lagMs } = await attack(`${code}\n;`, { memoryMb: 400 }).catch((error: Error) => {
        if (error.message.startsWith('expected a failure')) return { tookMs: 0, lagMs: 0 }
        throw error
      })
      expect(tookMs).toBeLessThan(3000)
      expect(lagMs).toBeLessThan(100)
      expect(await run('() => 1')).toBe(1)
    })
  })

  describe('memory', () => {
    it.each([
      ['2 GB in one piece', 'export default () => new Uint8Array(2 ** 31).length'],
      ['2 GB in a buffer', 'export default () => new ArrayBuffer(2 ** 31 - 1).byteLength'],
      ['a growing list', 'export default () => { const all = []; for (;;) all.push(new Array(1000).fill(1)) }'],
      ['a growing text', 'export default () => { let s = "ab"; for (;;) s = s.repeat(2) + Math.random() }'],
      ['many closures', 'export default () => { let f = () => 0; for (;;) { const g = f; f = () => g } }'],
      ['a growing map', 'export default () => { const m = new Map(); for (let i = 0; ; i++) m.set(i, String(i)) }'],
      ['a large result', 'export default () => { const s = "x".repeat(5e6); return [s, s, s, s, s, s, s, s, s, s] }'],
    ])('stops %s', async (_, code) => {
      const { error, lagMs } = await attack(code, { memoryMb: 16, timeoutMs: 15_000 })
      expect(['code_memory', 'code_failed']).toContain(error.code)
      expect(error.message).toMatch(/memory|invalid (array|string|ArrayBuffer) ?|length|too large/i)
      expect(lagMs).toBeLessThan(100)
      expect(await run('() => 1')).toBe(1)
    })

    it('ends jobs without number, for which QuickJS throws nothing', async () => {
      const { error, lagMs } = await attack('export default () => { for (;;) Promise.resolve().then(() => {}) }')
      expect(['code_memory', 'code_timeout']).toContain(error.code)
      expect(lagMs).toBeLessThan(100)
    })

    it('says code_memory and the limit', async () => {
      expect(
        await failure('export default () => { const all = []; for (;;) all.push(new Uint8Array(1e5)) }', {
          memoryMb: 8,
        }),
      ).toMatchObject({
        code: 'code_memory',
        message: 'The code needed more memory than its limit of 8 MB.',
      })
      expect(await run('() => new Uint8Array(6e6).length', { memoryMb: 8 })).toBe(6e6)
    })

    it('runs small code within 1 MB', async () => {
      expect(
        await run('(input) => crypto.createHash("md5").update(input).digest("hex")', { memoryMb: 1, input: 'x' }),
      ).toHaveLength(32)
    })
  })

  describe('depth', () => {
    it.each([
      ['plain recursion', 'const f = () => f(); f()'],
      ['recursion through native calls', 'const f = () => [1].map(f); f()'],
      ['nested JSON', 'JSON.parse("[".repeat(1e5))'],
      ['nested JSON to write', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a'],
      ['toString', 'const o = { toString() { return "" + o } }; return "" + o'],
      ['toJSON', 'const o = { toJSON() { return JSON.stringify(o) } }; return o'],
      ['getters', 'const o = { get x() { return this.x } }; return o.x'],
      ['a chain of proxies', 'let p = {}; for (let i = 0; i < 1e5; i++) p = new Proxy(p, {}); return p.x'],
      ['a proxy that is its own prototype', 'const p = new Proxy({}, { get: (t, k, r) => r[k] }); return p.x'],
      ['a comparator', 'const f = () => [2, 1].sort(f); f()'],
      ['a regular expression', 'return new RegExp("(".repeat(1e5) + ")".repeat(1e5)).test("")'],
      ['regular expression alternatives', 'return new RegExp("(?:a|".repeat(2e4) + "b" + ")".repeat(2e4)).test("ab")'],
      ['replace callbacks', 'const f = () => "a".replace(/a/, f); f()'],
      ['generated nesting', 'return eval("[".repeat(1e5) + "]".repeat(1e5))'],
      ['generated arrows', 'return Function("return " + "a=>".repeat(1e5) + "1")()'],
      ['bound functions', 'let f = () => 1; for (let i = 0; i < 1e5; i++) f = f.bind(null); return f()'],
      ['nested spreads', 'const f = (...a) => f(...a, ...a); f(1)'],
      ['generators', 'function* g() { yield* g() } return [...g()]'],
      ['async recursion', 'const f = async () => { await f() }; return f()'],
      ['constructors', 'class A { constructor() { new A() } } new A()'],
      ['instanceof', 'class A { static [Symbol.hasInstance](x) { return x instanceof A } } return 1 instanceof A'],
      ['structuredClone', 'let a = {}; for (let i = 0; i < 1e5; i++) a = { a }; return structuredClone(a)'],
      ['flat', 'let a = []; for (let i = 0; i < 1e5; i++) a = [a]; return a.flat(Infinity).length'],
      [
        'error causes',
        'let e = new Error("x"); for (let i = 0; i < 1e5; i++) e = new Error("y", { cause: e }); throw e',
      ],
    ])('survives %s', async (_, body) => {
      const outcome = await result(`export default () => { ${body} }`, { timeoutMs: 500, memoryMb: 64 }).then(
        () => 'done',
        (error: { code: string }) => error.code,
      )
      expect(['done', 'code_failed', 'code_memory', 'code_timeout']).toContain(outcome)
      expect(await Promise.all([run('() => 1'), run('() => 1')])).toEqual([1, 1])
    })

    it.each([
      ['parentheses', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`],
      ['arrows', (n: number) => `${'a=>'.repeat(n)}1`],
      ['types', (n: number) => `((x: ${'Array<'.repeat(n)}1${'>'.repeat(n)}) => 1)`],
      ['templates', (n: number) => `${'`${'.repeat(n)}1${'}`'.repeat(n)}`],
      ['signs', (n: number) => `${'!'.repeat(n)}1`],
      ['sums', (n: number) => `(1 as number)${'+1'.repeat(n)}`],
    ])('survives source nested in %s', async (_, source) => {
      for (const depth of [1000, 20_000]) {
        await result(`export default () => (${source(depth)})`).catch((error: { code: string }) =>
          expect(error.code).toBe('code_failed'),
        )
        expect(await run('(x: number): number => x', { input: 4 })).toBe(4)
      }
    })
  })

  describe('crossing', () => {
    it('finds no host object behind what the bridge gives', async () => {
      const probe = `() => {
        const reach = (f) => { try { return f.constructor('return typeof process + typeof require("fs")')() } catch (e) { return e.name } }
        const hmac = crypto.createHmac('sha256', 'k')
        return [crypto.createHmac, hmac.update, hmac.digest, console.log, URL, new URL('http://x/').searchParams.get, require, crypto.randomUUID, structuredClone, atob]
          .map((f) => [reach(f), Object.getPrototypeOf(f) === Function.prototype, f.constructor === Function])
      }`
      for (const [reached, proto, isFunction] of (await run(probe)) as unknown[][]) {
        expect(['Error', 'undefinedError']).toContain(reached)
        expect([proto, isFunction]).toEqual([true, true])
      }
      expect(
        await run(
          '() => { try { crypto.createHash("x") } catch (e) { return [e instanceof Error, e.constructor === Error, e.stack.includes("worker")] } }',
        ),
      ).toEqual([true, true, false])
      expect(
        await run(
          '() => { try { atob("*") } catch (e) { return [e instanceof Error, Object.getPrototypeOf(e.constructor.prototype) === Error.prototype || e.constructor === Error] } }',
        ),
      ).toEqual([true, true])
    })

    it('hands over plain data, whatever the code returns or throws', async () => {
      expect(await run('() => new Proxy({ a: 1 }, { get: (t, k) => k === "a" ? 2 : undefined })')).toEqual({ a: 2 })
      expect(await run('() => ({ toJSON: () => ({ constructor: 1, ["__proto__"]: { x: 1 } }) })')).toEqual(
        JSON.parse('{"constructor":1,"__proto__":{"x":1}}'),
      )
      expect(({} as { x?: number }).x).toBeUndefined()
      expect(await run('() => [new Error("e"), Promise.resolve(1), crypto]')).toEqual([{}, {}, {}])
      const odd = await failure(
        'export default () => { throw new Proxy(new Error("p"), { get(t, k) { return k === "message" ? { toString: () => "made up" } : t[k] } }) }',
      )
      expect(odd.message).toContain('made up')
      expect(
        (
          await failure(
            'export default () => { throw { name: "InternalError", message: "out of memory", stack: "code:1:1" } }',
          )
        ).code,
      ).toBe('code_memory')
    })

    it('passes no more than 16 MiB at once', async () => {
      for (const expression of [
        'crypto.createHash("md5").update("x".repeat(2e7)).digest("hex")',
        'crypto.createHash("md5").update(new Uint8Array(2e7)).digest("hex")',
        'new TextDecoder().decode(new Uint8Array(2e7))',
        'btoa("x".repeat(2e7))',
      ])
        expect((await failure(`export default () => ${expression}`, AMPLE)).message).toContain('16 MiB')
      expect((await failure('export default () => "x".repeat(2e7)', AMPLE)).message).toContain('10 MiB')
    })

    it('fails the step on a rejection, awaited or not', async () => {
      expect(
        (await failure('export default async () => { await Promise.all([1, Promise.reject(new Error("one"))]) }'))
          .message,
      ).toContain('Error: one')
      expect(
        (await failure('export default () => { Promise.reject(new Error("nobody")); return 1 }')).message,
      ).toContain('Error: nobody')
    })
  })
})
