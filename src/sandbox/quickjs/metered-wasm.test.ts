// Tests the meter: the host is asked within all the work that QuickJS does by itself, without asking.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { wideBounds } from './bounds.testkit.ts'
import { Interrupted } from './guest-error.ts'
import { compileQuickJs } from './instance.ts'
import { metered } from './metered-wasm.ts'
import { QuickJs } from './quickjs.ts'

const compiled = compileQuickJs()

describe('the meter', () => {
  const work: [what: string, prepare: string, work: string][] = [
    ['to multiply', 'x = (1n << 300000n) - 1n', 'x * x'],
    ['to divide', 'x = (1n << 900000n) - 1n; y = (1n << 450000n) - 1n', 'x / y'],
    ['to write a huge number', 'x = (1n << 300000n) - 1n', 'x.toString()'],
    ['to read a huge number', 'x = "9".repeat(1e5)', 'BigInt(x)'],
    ['to sort', 'x = Array.from({ length: 30000 }, (_, i) => (i * 7919) % 30011)', 'x.sort()'],
    ['to sort numbers', 'x = new Float64Array(1e5).map((_, i) => -i)', 'x.sort()'],
    ['to search text', 'x = "a".repeat(3e5); y = "a".repeat(1e5) + "b"', 'x.indexOf(y)'],
    ['to search a list', 'x = new Array(1e6).fill(0)', 'x.indexOf(1)'],
    ['to fill', 'x = new Uint8Array(1e6)', 'x.fill(1); x.fill(2); x.fill(3); x.fill(4)'],
    ['to copy', 'x = new Uint8Array(1e6)', 'x.slice(); x.slice(); x.slice(); x.slice()'],
    ['to repeat', 'x = "abc"', 'x.repeat(3e6)'],
    ['to compare', 'x = "a".repeat(3e6); y = "a".repeat(3e6)', 'x === y'],
    ['to parse', 'x = "[" + "1,".repeat(1e5) + "1]"', 'JSON.parse(x)'],
    ['to write JSON', 'x = new Array(1e5).fill(1)', 'JSON.stringify(x)'],
    ['to try a pattern', 'x = "a".repeat(5e5)', '/b/.test(x)'],
    ['to normalize', 'x = "\\u1e9b\\u0323".repeat(2e4)', 'x.normalize("NFKD")'],
    ['to compile', 'x = "1+".repeat(5e4) + "1"', 'eval(x)'],
    ['to free', 'x = null; for (let i = 0; i < 1e5; i++) x = { x }', 'x = null'],
  ]
  it.each(work)('asks the host while QuickJS has %s', async (_, prepare, expression) => {
    let looks = Number.NEGATIVE_INFINITY
    const quickJs = await QuickJs.create(compiled, {
      call: () => '',
      refuse: () => '',
      shouldInterrupt: () => ++looks > 2,
      bounds: wideBounds,
    })
    quickJs.start()
    quickJs.evaluate(`var x, y; ${prepare}; 0`, 'x')
    looks = 0
    expect(() => quickJs.evaluate(expression, 'x')).toThrow(Interrupted)
  })

  it('refuses what it does not know', () => {
    const file = new URL(import.meta.resolve('@jitl/quickjs-ng-wasmfile-release-sync/wasm'))
    const wasm = Uint8Array.from(readFileSync(file))
    // The first function begins after the heads of its section and itself; 0xfd is the prefix of vector instructions.
    const strange = wasm.slice()
    const code = strange.findIndex((byte, at) => byte === 0x10 && at > strange.length / 4)
    strange[code] = 0xfd
    expect(() => metered(strange)).toThrow(/instruction 253/)
    expect(() => metered(wasm.slice(0, 8))).toThrow(/section/)
  })
})
