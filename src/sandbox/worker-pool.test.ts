import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { CodeError } from '../engine/ports/sandbox.ts'
import { testSandbox } from './sandbox.testkit.ts'
import { createSandbox } from './worker-pool.ts'

const { run, result, failure, sandbox } = testSandbox()

describe('running code', () => {
  it('calls the default export with the input and gives what it returns', async () => {
    expect(await run('(input) => ({ sum: input.a + input.b })', { input: { a: 1, b: 2 } })).toEqual({ sum: 3 })
    expect(await run('async (input) => (await Promise.all([1, 2].map(async (n) => n * input)))', { input: 2 })).toEqual(
      [2, 4],
    )
    expect(await run('function named(input) { return input ?? null }')).toBe(null)
  })

  it('keeps text of every kind intact in both directions', async () => {
    const input = ['é€😀', '\0', '\ud800', 'a\u2028b', '﻿bom', '"\\', '']
    expect(await run('(input) => input', { input })).toEqual(input)
    for (const text of [...input, '=', '=1', '[1]', 'a\0b'])
      expect(await run('(input) => [input, typeof input]', { input: text })).toEqual([text, 'string'])
    expect(await run(String.raw`() => ['é€😀', '\0', '\ud800', '\ufeffbom']`)).toEqual(['é€😀', '\0', '\ud800', '﻿bom'])
  })

  it('awaits top-level await and thenables', async () => {
    expect((await result('const x = await Promise.resolve(4)\nexport default () => x')).output).toBe(4)
    expect(await run('() => ({ then(resolve) { resolve(7) } })')).toBe(7)
    expect((await failure('export default async () => { await null; return 1n }')).message).toContain('BigInt')
    expect((await failure('const x = await 1\nexport default x')).message).toContain('function')
  })

  it('writes results as JSON does', async () => {
    expect(await run('() => undefined')).toBe(null)
    expect(await run('() => [NaN, Infinity, undefined, () => 1, new Date(0), -0]')).toEqual([
      null,
      null,
      null,
      null,
      '1970-01-01T00:00:00.000Z',
      0,
    ])
    expect(await run('() => ({ f() {}, u: undefined, m: new Map([[1, 2]]) })')).toEqual({ m: {} })
    expect(await run('() => Symbol("x")')).toBe(null)
  })

  it('strips TypeScript and keeps lines', async () => {
    const code = `interface Order { total: number }
type Id = string
export default (input: Order): number => {
  const seen = new Set<string>(['a'] as const)
  return input!.total + seen.size
}`
    expect((await result(code, { input: { total: 4 } })).output).toBe(5)
    const broken = await failure('type A = number\nexport default (x: A) => {\n  throw new Error("no")\n}')
    expect(broken.message).toBe('Error: no (line 3, column 13)')
  })

  it('offers crypto as global, import and require', async () => {
    const expected = createHmac('sha256', 'k').update('text').digest('hex')
    const call = `createHmac('sha256', 'k').update('text').digest('hex')`
    for (const code of [
      `import { createHmac } from 'node:crypto'\nexport default () => ${call}`,
      `import { createHmac } from 'crypto'\nexport default () => ${call}`,
      `import crypto from 'node:crypto'\nexport default () => crypto.${call}`,
      `import * as crypto from 'crypto'\nexport default () => crypto.${call}`,
      `const { createHmac } = require('crypto')\nexport default () => ${call}`,
      `export default () => require('node:crypto').${call}`,
      `export default async () => (await import('node:crypto')).${call}`,
      `export default () => crypto.${call}`,
    ])
      expect((await result(code)).output).toBe(expected)
  })

  it('verifies a signature as the specification shows it', async () => {
    const body = { order: { id: 7, note: 'naïve "quotes" 😀' } }
    const signature = `sha256=${createHmac('sha256', 'topsecret').update(JSON.stringify(body)).digest('hex')}`
    const code = `import { createHmac } from 'node:crypto'
export default (input) => {
  const expected = 'sha256=' + createHmac('sha256', input.secret).update(JSON.stringify(input.body)).digest('hex')
  if (expected !== input.signature) throw new Error('Invalid signature')
  return { verified: true }
}`
    expect((await result(code, { input: { body, signature, secret: 'topsecret' } })).output).toEqual({ verified: true })
    const refused = await failure(code, { input: { body, signature: 'sha256=00', secret: 'topsecret' } })
    expect(refused).toMatchObject({
      code: 'code_failed',
      message: expect.stringMatching(/^Error: Invalid signature \(line 4, /),
    })
  })

  it('keeps what is written to the console, also of code that fails', async () => {
    const written = await result(`export default () => {
  console.log('a', 1, { b: [2] }, null, undefined)
  console.warn('careful'); console.error(new Error('bad')); console.info('i'); console.debug(1n)
}`)
    expect(written.logs).toEqual([
      'a 1 {"b":[2]} null undefined',
      'warn: careful',
      expect.stringContaining('error: Error: bad'),
      'info: i',
      'debug: 1',
    ])
    expect((await failure('export default () => { console.log("before"); throw 1 }')).logs).toEqual(['before'])
  })

  it('cuts the log with a note', async () => {
    const many = await result('export default () => { for (let i = 0; i < 5000; i++) console.log(i) }')
    expect(many.logs).toHaveLength(1001)
    expect(many.logs.at(-1)).toContain('cut here')
    const long = await result('export default () => { console.log("x".repeat(1e6)); console.log("y") }')
    expect(long.logs).toHaveLength(2)
    expect(long.logs[0]).toHaveLength(65536)
  })

  it('gives each run its own random numbers', async () => {
    const both = await Promise.all([
      run('() => [Math.random(), crypto.randomUUID()]'),
      run('() => [Math.random(), crypto.randomUUID()]'),
    ])
    const [a, b] = both as [number, string][]
    expect(a![0]).not.toBe(b![0])
    expect(a![1]).not.toBe(b![1])
    expect(a![0]).toBeLessThan(1)
    const mean = (await run(
      '() => { let s = 0; for (let i = 0; i < 20000; i++) s += Math.random(); return s / 20000 }',
    )) as number
    expect(Math.abs(mean - 0.5)).toBeLessThan(0.03)
  })
})

describe('failing code', () => {
  it.each([
    ['export default () => {\n  throw new TypeError("no")\n}', 'TypeError: no (line 2, column 13)'],
    ['export default async () => {\n  await null\n  throw new Error("late")\n}', 'Error: late (line 3, column 13)'],
    ['export default () => Promise.reject(new Error("r"))', /^Error: r \(line 1/],
    ['throw new Error("top")\nexport default () => 1', /^Error: top \(line 1/],
    ['export default () => { throw "text" }', 'text'],
    ['export default () => { throw { a: 1 } }', '{"a":1}'],
    ['export default () => { throw null }', 'null'],
    ['export default () => {\n  return null.x\n}', /^TypeError: .*\(line 2, column 15/],
    ['export default () => {\n\n  return missing\n}', 'ReferenceError: missing is not defined (line 3, column 10)'],
    ['export default (\n 1 2', /^SyntaxError: .*\(line 2/],
    ['const a: number = 1\nexport default () => a +', /^SyntaxError: .*\(line 2/],
    [
      'export default () => { const e = new Error("x"); Object.defineProperty(e, "message", { get() { throw 1 } }); throw e }',
      'Error: the thrown value cannot be shown as text',
    ],
  ])('says what was thrown and where: %s', async (code, message) => {
    const error = await failure(code)
    expect(error).toMatchObject({ code: 'code_failed', hint: expect.stringMatching(/./) })
    if (typeof message === 'string') expect(error.message).toBe(message)
    else expect(error.message).toMatch(message)
  })

  it('asks for a default export with an example', async () => {
    expect(await failure('const a = 1')).toMatchObject({
      message: 'The code has no default export.',
      hint: expect.stringContaining('export default (input) =>'),
    })
    expect(await failure('export default 5')).toMatchObject({
      message: 'The default export is a number, not a function.',
    })
  })

  it('refuses every module but crypto', async () => {
    for (const code of [
      "import fs from 'node:fs'\nexport default () => 1",
      "import './prelude'\nexport default () => 1",
      "export default () => require('fs')",
      "export default () => import('child_process')",
      "import { spawn } from 'https://example.com/x.js'\nexport default () => 1",
    ]) {
      const error = await failure(code)
      expect(error).toMatchObject({ code: 'code_failed', hint: expect.stringContaining('no modules') })
    }
  })

  it('says why a value is no JSON', async () => {
    for (const body of ['1n', '(() => { const a = {}; a.a = a; return a })()'])
      expect(await failure(`export default () => ${body}`)).toMatchObject({
        message: expect.stringContaining('cannot be written as JSON'),
        hint: expect.stringContaining('BigInt'),
      })
  })

  it('explains TypeScript that cannot be stripped', async () => {
    const error = await failure('enum A { B }\nexport default () => A.B')
    expect(error).toMatchObject({
      message: expect.stringContaining('enum'),
      hint: expect.stringContaining('plain JavaScript'),
    })
    expect(error.message).toContain('line 1')
  })

  it('ends at once when nothing will settle the promise', async () => {
    const before = performance.now()
    expect(await failure('export default () => new Promise(() => {})', { timeoutMs: 20_000 })).toMatchObject({
      code: 'code_failed',
      message: expect.stringContaining('never finished'),
    })
    expect(performance.now() - before).toBeLessThan(5000)
  })

  it('bounds the output', async () => {
    expect(await run('() => "x".repeat(10 * 1024 * 1024 - 2).length')).toBe(10485758)
    expect(((await run('() => "x".repeat(10 * 1024 * 1024 - 2)')) as string).length).toBe(10485758)
    // Nothing here is about time, of which a busy machine takes more.
    for (const [body, word] of [
      ['"x".repeat(10 * 1024 * 1024 - 1)', '10 MiB'],
      ['Array(400000).fill([])', 'values'],
      ['Object.fromEntries(Array.from({ length: 60000 }, (_, i) => ["k" + i, 1]))', 'names'],
      ['JSON.parse("[".repeat(201) + "]".repeat(201))', 'deep'],
    ])
      expect((await failure(`export default () => ${body}`, { memoryMb: 256, timeoutMs: 20_000 })).message).toContain(
        word,
      )
  })
})

it('counts field names as they are, whatever an earlier output had', async () => {
  const one = createSandbox({ workers: 1 })
  const send = (body: string) =>
    one.run({
      code: `export default () => (${body})`,
      input: null,
      timeoutMs: 20_000,
      memoryBytes: 256 << 20,
      signal: null,
    })
  // Node's JSON.parse confuses a key with an earlier one of the same length that begins alike (nodejs/node#63785).
  await send("[{ q: 1, ['\\\\n'.repeat(6)]: 1, ['x' + '\\\\n'.repeat(6)]: 1 }, 'x'.repeat(70_000)]")
  const key = "'\\n'.repeat(6) + (100_000 + i)"
  const names = `Array.from({ length: 30_000 }, (_, i) => [{ q: 1, [${key}]: 1, ['x' + ${key}]: 1 }])`
  await expect(send(names)).rejects.toThrow('different field names')
  await one.close()
})

describe('the pool', () => {
  it('answers in order when there are more requests than workers', async () => {
    const ended: number[] = []
    await Promise.all(Array.from({ length: 50 }, (_, i) => run(`() => ${i}`).then((n) => ended.push(n as number))))
    expect(ended.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, i) => i))
  })

  it('cancels what runs and what waits, and goes on', async () => {
    const one = createSandbox({ workers: 1 })
    const abort = new AbortController()
    const send = (code: string, signal: AbortSignal | null) =>
      one.run({ code, input: null, timeoutMs: 20_000, memoryBytes: 64 << 20, signal })
    await send('export default () => 1', null)
    const running = send('export default () => { for (;;); }', abort.signal)
    const waiting = send('export default () => 2', abort.signal)
    const after = send('export default () => 3', null)
    setImmediate(() => abort.abort())
    await Promise.all([running, waiting].map((one) => expect(one).rejects.toMatchObject({ code: 'cancelled' })))
    expect((await after).output).toBe(3)
    await expect(send('export default () => 1', AbortSignal.abort())).rejects.toBeInstanceOf(CodeError)
    const last = expect(send('export default () => { for (;;); }', null)).rejects.toMatchObject({ code: 'cancelled' })
    await one.close()
    await last
    await expect(send('export default () => 1', null)).rejects.toMatchObject({ code: 'cancelled' })
  })

  it('ends a worker that has nothing to do, and starts another when it is needed', async () => {
    const ends: Promise<unknown>[] = []
    const note = (worker: Worker) => ends.push(once(worker, 'exit'))
    process.on('worker', note)
    const idle = createSandbox({ idleMs: 1 })
    const send = (n: number) =>
      idle.run({
        code: `export default () => ${n}`,
        input: null,
        timeoutMs: 20_000,
        memoryBytes: 64 << 20,
        signal: null,
      })
    for (const n of [1, 2]) {
      expect((await send(n)).output).toBe(n)
      await ends[n - 1]
      expect(ends).toHaveLength(n)
    }
    process.off('worker', note)
    await idle.close()
  })

  it('needs one worker for short code, and adds one when others would wait for long code', async () => {
    let started = 0
    const count = () => started++
    process.on('worker', count)
    const two = createSandbox({ workers: 2 })
    const send = (code: string) =>
      two.run({ code, input: null, timeoutMs: 60_000, memoryBytes: 64 << 20, signal: null })
    for (let i = 0; i < 20; i++) expect((await send(`export default () => ${i}`)).output).toBe(i)
    expect(started).toBe(1)
    const long = send('export default () => { const end = Date.now() + 4000; while (Date.now() < end); return "long" }')
    const ended: unknown[] = []
    const all = [long, ...[1, 2, 3].map((n) => send(`export default () => ${n}`))]
    await Promise.all(all.map((one) => one.then(({ output }) => ended.push(output))))
    expect(ended.at(-1)).toBe('long')
    expect(new Set(ended.slice(0, 3))).toEqual(new Set([1, 2, 3]))
    expect(started).toBe(2)
    process.off('worker', count)
    const after = Array.from({ length: 20 }, (_, n) => send(`export default () => ${n}`))
    expect((await Promise.all(after)).map(({ output }) => output)).toEqual(after.map((_, n) => n))
    await two.close()
  })

  it('gives each its own result, whatever happens to those around it', async () => {
    const pool = createSandbox({ workers: 2 })
    const kinds = [
      (n: number) => ({ code: `() => ${n}`, ends: String(n) }),
      (n: number) => ({ code: `() => { throw new Error('no ${n}') }`, ends: `Error: no ${n} (line 1` }),
      () => ({ code: '() => { for (;;); }', ends: 'The code ran longer', timeoutMs: 30 }),
      () => ({ code: '() => { for (;;); }', ends: 'The code was cancelled', cancelAfterMs: 20 }),
      () => ({ code: '() => "x".repeat(1 << 28).split("")', ends: 'The code needed more' }),
    ]
    const jobs = Array.from({ length: 60 }, (_, n) => {
      const kind = kinds[n % 7] ?? kinds[0]!
      const {
        code,
        ends,
        timeoutMs = 60_000,
        cancelAfterMs,
      } = { timeoutMs: undefined, cancelAfterMs: undefined, ...kind(n) }
      const signal = cancelAfterMs === undefined ? null : AbortSignal.timeout(cancelAfterMs * (n % 5))
      const ended = pool
        .run({ code: `export default ${code}`, input: null, timeoutMs, memoryBytes: 64 << 20, signal })
        .then(
          ({ output }) => String(output),
          (error: Error) => error.message,
        )
      return { ends, ended }
    })
    const endings = await Promise.all(jobs.map(({ ended }) => ended))
    expect(endings.map((text, n) => text.slice(0, jobs[n]!.ends.length))).toEqual(jobs.map(({ ends }) => ends))
    await pool.close()
  })

  it('refuses an input that is no JSON', async () => {
    await expect(
      sandbox.run({ code: 'export default () => 1', input: 1n, timeoutMs: 1000, memoryBytes: 1 << 26, signal: null }),
    ).rejects.toMatchObject({ code: 'code_failed' })
  })
})
