// Tests the engine's memory: after a run is undone, not a byte of its data is left.
import { expect, it } from 'vitest'
import { CappedMemory } from './capped-memory.ts'
import { QuickJs } from './quickjs.ts'
import { compileQuickJs } from './rejection-hook.ts'

it('leaves no byte of an earlier run in memory', async () => {
  const memory = new CappedMemory()
  const host = { call: () => '', refuse: () => '', shouldInterrupt: () => false }
  const quickJs = await QuickJs.create(compileQuickJs(), host, memory)
  const bytes = () => Buffer.from(memory.buffer)
  quickJs.start()
  const image = quickJs.save()
  expect(image.heap.length).toBeLessThan(1 << 20)
  quickJs.restore(image)
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
