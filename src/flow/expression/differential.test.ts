/** Tests that the subset means what JavaScript means: random expressions give the same here and in a real engine. */
import fc from 'fast-check'
import { newQuickJSWASMModuleFromVariant, type QuickJSContext } from 'quickjs-emscripten-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { parseTemplate } from './parse-template.ts'
import { type Data, RandomExpression } from './random-expression.testkit.ts'
import { renderValue } from './render.ts'
import { sampleBindings } from './sample-bindings.testkit.ts'
import { ExpressionError } from './values/errors.ts'

const FAILED = 'failed'
const RUNS = 4_000
const DEPTH = 4
// The seed is fixed, so that a failure can be repeated; change it to search further.
const SEED = 20_260_304

let engine: QuickJSContext

beforeAll(async () => {
  const quickjs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-ng-wasmfile-release-sync'))
  engine = quickjs.newContext()
  // Results of `undefined` and NaN are errors here, and JSON would lose them there.
  engine
    .evalCode(`globalThis.checked = (value) => {
      if (value === undefined || (typeof value === 'number' && !Number.isFinite(value))) throw new Error('no value')
      if (typeof value === 'object' && value !== null) Object.values(value).forEach(checked)
      return value
    }`)
    .dispose()
})

afterAll(() => engine.dispose())

function inJavaScript(source: string, data: Data): string {
  const code = `(() => { const vars = JSON.parse(${JSON.stringify(JSON.stringify(data))}); return JSON.stringify(checked(${source})) })()`
  const result = engine.evalCode(code)
  if (result.error) {
    const error = engine.dump(result.error) as { name: string; message: string }
    result.error.dispose()
    expect(error.name, `${error.message}: ${source}`).not.toBe('SyntaxError')
    return FAILED
  }
  const text = engine.getString(result.value)
  result.value.dispose()
  return text
}

function inMillrace(source: string, data: Data): string {
  try {
    return JSON.stringify(renderValue(parseTemplate(`{{ ${source} }}`), sampleBindings({ vars: data })))
  } catch (error) {
    if (error instanceof ExpressionError) return FAILED
    throw error
  }
}

// Uses letters whose case and normal forms are the same in every version of Unicode; no `$`, which differs in `replace`.
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'A', 'Z', ' ', ',', '-', '1', '0', '.', 'é', 'ß', '😀', '%', '"'),
  maxLength: 8,
})
const number = fc.oneof(
  fc.integer({ min: -1000, max: 1000 }),
  fc.integer(),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
)
const data: fc.Arbitrary<Data> = fc.record({
  n: number,
  s: text,
  t: text,
  b: fc.boolean(),
  nil: fc.constant(null),
  nums: fc.array(number, { maxLength: 5 }),
  strs: fc.array(text, { maxLength: 5 }),
  rows: fc.array(
    fc.record(
      { id: number, name: text, tags: fc.array(text, { maxLength: 2 }), price: number },
      { requiredKeys: ['id', 'name', 'tags'] },
    ),
    { maxLength: 4 },
  ),
  map: fc.dictionary(fc.oneof(text, fc.constantFrom('a', '2', '10', 'toString')), number, { maxKeys: 4 }),
})

describe('random expressions', () => {
  it('give the same result as in QuickJS, or fail in both', () => {
    let failed = 0
    fc.assert(
      fc.property(data, fc.gen(), (vars, draw) => {
        const random = new RandomExpression((count) => draw(fc.nat, { max: count - 1 }))
        const source = random.any(DEPTH)
        const expected = inJavaScript(source, vars)
        if (expected === FAILED) failed++
        expect(inMillrace(source, vars), source).toBe(expected)
      }),
      { numRuns: RUNS, seed: SEED },
    )
    expect(failed).toBeLessThan(RUNS / 3)
  }, 120_000)
})
