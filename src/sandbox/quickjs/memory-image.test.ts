// Tests the engine's memory: after a run is undone, not a byte of its data is left.
import { expect, it } from 'vitest'
import { wideBounds } from './bounds.testkit.ts'
import { CappedMemory } from './capped-memory.ts'
import { GuestError, Interrupted } from './guest-error.ts'
import { compileQuickJs } from './instance.ts'
import { QuickJs } from './quickjs.ts'

const compiled = compileQuickJs()

async function started() {
  const memory = new CappedMemory()
  const host = {
    call: () => '',
    refuse: () => '',
    shouldInterrupt: () => performance.now() > host.endMs,
    bounds: wideBounds,
    endMs: Infinity,
  }
  const quickJs = await QuickJs.create(compiled, host, { memory })
  quickJs.start()
  const image = quickJs.save()
  quickJs.restore(image)
  return { quickJs, image, host, bytes: () => Buffer.from(memory.buffer) }
}

it('leaves no byte of an earlier run in memory', async () => {
  const { quickJs, image, bytes } = await started()
  expect(image.heap.length).toBeLessThan(1 << 20)
  const before = Buffer.from(bytes())
  for (const limit of [64 << 20, 8 << 20]) {
    quickJs.limitMemory(limit)
    quickJs.withholdMemory()
    const script = `globalThis.kept = Array.from({ length: 60000 }, (_, i) => 'canary-' + i)
      const deep = (n) => n && ('canary-' + deep(n - 1))
      deep(500)`
    quickJs.evaluate(script, 'x')
    expect(bytes().includes('canary-59999')).toBe(true)
    quickJs.restore(image)
    expect(bytes().includes('canary-')).toBe(false)
    expect(bytes().subarray(0, before.length).equals(before)).toBe(true)
  }
})

it('leaves no byte of a run that was stopped in the middle of native work, however deep in the stack', async () => {
  const { quickJs, image, host, bytes } = await started()
  const before = Buffer.from(bytes())
  for (const script of [
    'let x = 3n ** 100000n; for (;;) x = (x * x) % (3n ** 100000n + 1n)',
    'const deep = (n) => n ? [1].map(() => deep(n - 1)) : "canary".repeat(1e5).split("").sort(() => { for (;;); })\ndeep(150)',
    'const deep = (n) => n ? deep(n - 1) + "canary" : /^(a+)+$/.test("a".repeat(50) + "b")\ndeep(300)',
    'for (;;) JSON.stringify(JSON.parse("[" + "1,".repeat(1e5) + "1]"))',
  ]) {
    quickJs.limitMemory(64 << 20)
    host.endMs = performance.now() + 30
    let error: unknown
    try {
      quickJs.evaluate(script, 'x')
    } catch (thrown) {
      error = thrown
    }
    // QuickJS may be the first to ask.
    expect(error instanceof Interrupted || (error instanceof GuestError && error.words.message === 'interrupted')).toBe(
      true,
    )
    host.endMs = Number.POSITIVE_INFINITY
    quickJs.restore(image)
    expect(bytes().subarray(0, before.length).equals(before)).toBe(true)
    expect(
      bytes()
        .subarray(before.length)
        .some((byte) => byte !== 0),
    ).toBe(false)
    quickJs.evaluate('if (40 + 2 !== 42) throw new Error("broken")', 'x')
    quickJs.restore(image)
  }
})
