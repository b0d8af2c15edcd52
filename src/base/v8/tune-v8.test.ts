import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const FLAG = '--max-semi-space-size=8'
const PRELUDE = `import { growHeapFor, optimizeEarly, tuneV8, withoutHurry } from '${pathToFileURL(join(import.meta.dirname, 'tune-v8.ts')).href}'
tuneV8()`
const root = join(import.meta.dirname, '../../..')
const folder = mkdtempSync(join(tmpdir(), 'millrace-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Returns what a script says that is run with these flags of V8. */
function said(source: string, ...flags: string[]): string {
  const script = join(folder, 'script.mjs')
  writeFileSync(script, source)
  return execFileSync(process.execPath, [...flags, script], { encoding: 'utf8', maxBuffer: 64 << 20 })
}

describe('the flag for a small young generation', () => {
  it.each([
    ['package.json', /"start": "(.*)"/],
    ['Dockerfile', /^CMD (.*)$/m],
    ['deploy/millrace.service', /^ExecStart=(.*)$/m],
    ['src/cli/pinned-node.ts', /SMALL_YOUNG_GENERATION = (.*)/],
  ])('is set by %s', (file, start) => {
    expect(start.exec(readFileSync(join(root, file), 'utf8'))![1]).toContain(FLAG)
  })

  it('leaves threads the room that they are given', () => {
    const difference = said(
      `${PRELUDE}
import { Worker } from 'node:worker_threads'
const code = 'require("node:worker_threads").parentPort.postMessage(require("node:v8").getHeapStatistics().heap_size_limit)'
const limit = (young) => new Promise((resolve) =>
  new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: young } }).once('message', resolve))
console.log(await limit(24) - await limit(6))`,
      FLAG,
    )
    expect(Number(difference)).toBeGreaterThan(10 << 20)
  })
})

describe('objects of a kind that has lived long', () => {
  /** Makes objects that outlive young collections, and returns what V8 decided about the line that makes them. */
  function decisions(prelude: string): string[] {
    const lines = said(
      `${prelude}
const kept = []
const make = (i) => ({ i, list: [i, i + 1] })
for (let i = 0; i < 1e6; i++) {
  kept.push(make(i))
  if (kept.length > 400_000) kept.splice(0, 200_000)
}`,
      '--max-semi-space-size=2',
      '--trace-pretenuring-statistics',
    )
    return lines.split('\n').filter((line) => line.includes('=> maybe tenure'))
  }

  it('are made among the young all the same', () => {
    expect(decisions('').length).toBeGreaterThan(0)
    expect(decisions(PRELUDE)).toEqual([])
  })
})

describe('old objects', () => {
  /** Returns how often they are collected. */
  function collections(prelude: string): number {
    const lines = said(
      `${prelude}
const kept = []
for (let i = 0; i < 4e6; i++) {
  kept.push({ i })
  if (kept.length > 800_000) kept.splice(0, 400_000)
}`,
      '--max-semi-space-size=2',
      '--trace-gc',
    )
    return lines.split('\n').filter((line) => line.includes('Mark-Compact')).length
  }

  it('are collected less often in a crowd', () => {
    const usual = collections(PRELUDE)
    const inACrowd = collections(`${PRELUDE}\ngrowHeapFor(true)`)
    expect(inACrowd).toBeLessThan(usual * 0.7)
    expect(collections(`${PRELUDE}\ngrowHeapFor(true)\ngrowHeapFor(false)`)).toBeGreaterThan(inACrowd)
  })
})

describe('a function that is called often', () => {
  /** Returns which compilers optimize it. */
  function compilers(prelude: string): string[] {
    const lines = said(
      `${prelude}
import { setImmediate as nextTurn } from 'node:timers/promises'
let sum = 0
function often(text) {
  for (let i = 0; i < text.length; i++) sum += text.charCodeAt(i) % 7
}
for (let i = 0; i < 300; i++) {
  often('a text')
  if (i % 100 === 0) await nextTurn()
}`,
      '--trace-opt',
    )
    const found = lines.matchAll(/^\[marking .*<JSFunction often .*for optimization to (\w+)/gm)
    return [...new Set(Array.from(found, ([, target]) => target!))]
  }

  it('is optimized for good at once', () => {
    expect(compilers('')).toContain('MAGLEV')
    expect(compilers(`${PRELUDE}\noptimizeEarly()`)).toEqual(['TURBOFAN_JS'])
  })

  it('is left alone while the service starts', () => {
    expect(compilers(PRELUDE)).toEqual([])
  })

  it('is left alone while the service loads what hardly runs again, but not after that', () => {
    expect(compilers(`${PRELUDE}\noptimizeEarly()\nvoid withoutHurry(() => new Promise(() => {}))`)).toEqual([])
    expect(compilers(`${PRELUDE}\noptimizeEarly()\nawait withoutHurry(async () => {})`)).toEqual(['TURBOFAN_JS'])
  })
})
