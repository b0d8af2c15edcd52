import { afterAll, describe, expect, it } from 'vitest'
import { createSandbox } from '../sandbox/worker-pool.ts'
import { code } from './code.ts'

const sandbox = createSandbox({ workers: 1 })
afterAll(() => sandbox.close())

async function run(settings: { code: string; input?: unknown; timeout?: number; memory?: number }) {
  const lines: string[] = []
  const context = {
    settings,
    sandbox,
    log: (line: string) => lines.push(line),
    signal: () => new AbortController().signal,
  }
  return { outcome: await code.run(context as never), lines }
}

describe('the code step', () => {
  it('gives the returned value as its output and its console to the run', async () => {
    expect(
      await run({
        code: 'export default (input) => { console.log("seen"); return { id: input.id, t: "{{ x }}" } }',
        input: { id: 4 },
      }),
    ).toEqual({
      outcome: { type: 'done', output: { id: 4, t: '{{ x }}' }, trouble: undefined },
      lines: ['seen'],
    })
    expect((await run({ code: 'export default (input) => input' })).outcome).toMatchObject({ output: null })
  })

  it('fails with the code, message and hint of the sandbox', async () => {
    const thrown = await run({ code: 'export default () => {\n  console.log("a")\n  throw new Error("no")\n}' })
    expect(thrown).toMatchObject({
      outcome: { type: 'failed', error: { code: 'code_failed', message: 'Error: no (line 3, column 13)' } },
      lines: ['a'],
    })
    const unawaited = 'export default () => {\n  Promise.reject(new Error("lost"))\n  return 1\n}'
    expect((await run({ code: unawaited })).outcome).toMatchObject({
      type: 'failed',
      error: { code: 'code_failed', message: expect.stringMatching(/nothing awaited it: Error: lost \(line 2/) },
    })
    expect((await run({ code: 'export default () => { for (;;); }', timeout: 0.1 })).outcome).toMatchObject({
      error: { code: 'code_timeout' },
    })
    expect((await run({ code: 'export default () => new Uint8Array(4e6).length', memory: 2 })).outcome).toMatchObject({
      error: { code: 'code_memory' },
    })
  })
})

describe('checking code before it runs', () => {
  const issues = (text: string) =>
    code.check!({ code: text }, () => true).map(({ path, code, message }) => `${path} ${code} ${message}`)

  it.each([
    'export default (input) => input',
    'const f = () => 1\nexport { f as default }',
    'import crypto from "node:crypto"\nexport default async function () { await 0 }',
    'export default (input: { a: number }) => input.a',
    'export default (input): number => input',
    'interface A { b: string }\nexport default () => 1',
    'type A = string\nexport default () => 1',
    'export default (input) => (input as any).x',
    'export default (input) => input!.x',
    'const m = new Map<string, number>()\nexport default () => m.size',
    'const f = <T>(x: T) => x\nexport default f',
    'function f<T>(x) { return x }\nexport default f',
    'export default (a?, b?: string) => a',
    'class A { private x = 1 }\nexport default () => new A()',
    'class A implements B { readonly y = 1 }\nexport default () => new A()',
    'import type { X } from "y"\nexport default () => 1',
    'const x = <any>1\nexport default () => x',
    'let x!: number\nexport default () => x',
    'export default (input) => input satisfies object',
    'enum A { B }\nexport default () => A.B',
    'declare const y: number\nexport default () => y',
    'abstract class A {}\nexport default () => 1',
    'export default ({ a }: { a: string }) => a',
    'export default (input) => foo<string>(input)',
  ])('lets pass: %s', (text) => expect(issues(text)).toEqual([]))

  it.each([
    ['export default (input) => {\n  return input +\n}', 'code: Unexpected token (line 3, column 1)'],
    ['export default () => "open', 'code: Unterminated string constant (line 1, column 22)'],
    ['export default () => { return (1 }', 'line 1'],
    ['const a = 1', 'no default export'],
  ])('reports: %s', (text, message) => {
    expect(issues(text)).toEqual([expect.stringContaining(message)])
    expect(issues(text)[0]).toMatch(/^\/code code_syntax /)
  })

  it('survives deep nesting', () => {
    for (const opening of ['(', '[', '!', 'a=>', 'x?'])
      expect(issues(`export default ${opening.repeat(50_000)}`)).toEqual([expect.stringContaining('nested too deeply')])
  })

  it('says nothing of a code that is no text', () => expect(code.check!({ code: 5 }, () => true)).toEqual([]))
})
