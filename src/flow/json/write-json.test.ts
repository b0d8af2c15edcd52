import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BareObject } from '../../base/bare-object.ts'
import { ManyTurns } from './many-turns.testkit.ts'
import { weigh } from './weigh.ts'
import { writeJson } from './write-json.ts'

const repeated = <T>(item: T, count: number): T[] => Array.from({ length: count }, () => item)

function nested(depth: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 0
  for (let i = 0; i < depth; i++) value = wrap(value)
  return value
}

const bare = (fields: object): object => Object.assign(new BareObject(), fields)

/** Shows nothing of itself. */
class Handle {
  steps = repeated('x'.repeat(100), 9_000)
  toJSON(): undefined {
    return undefined
  }
}

const VALUES: Record<string, unknown> = {
  numbers: repeated(1.5, 90_000),
  rows: repeated({ a: 1, b: 'x', c: true, d: null }, 20_000),
  'rows without prototypes': repeated(bare({ a: 1, b: undefined, __proto__: 2 }), 20_000),
  'lists in lists': repeated(
    nested(150, (inner) => [inner]),
    500,
  ),
  'objects in objects': repeated(
    nested(150, (inner) => ({ a: 0, '34': inner })),
    300,
  ),
  'many fields': Object.fromEntries(Array.from({ length: 9_000 }, (_, i) => [`k${i}\n"`, `v${i}`])),
  'a long text': { before: 1, text: 'x"\\\n'.repeat(200_000), after: [] },
  'a long text of pairs': `x${'😀'.repeat(100_000)}`,
  'a long text with halves': `${'x'.repeat(32_767)}\ud83d${'\ud83d'.repeat(70_000)}\ude00`,
  'texts of every length': Array.from({ length: 600 }, (_, i) => 'é'.repeat(i)),
  'what JSON has no word for': [
    ...repeated([undefined, Number.NaN, Infinity, -0], 9_000),
    undefined,
    { a: undefined, b: [undefined] },
  ],
  'names that objects have': [
    ...repeated(0, 40_000),
    JSON.parse('{"__proto__":{"constructor":[{}]},"toJSON":"x","hasOwnProperty":{"a":{}}}'),
  ],
  handles: { list: repeated({ cases: [{ when: 1, steps: new Handle() }] }, 3_000), steps: new Handle() },
  nothing: [[], {}, '', [[[]]], [{}], { a: {} }, ...repeated(null, 9_000)],
}

describe('large data', () => {
  it.each(Object.entries(VALUES))('is written as JSON.stringify writes it: %s', async (_of, value) => {
    const turns = new ManyTurns()
    const text = await writeJson(value, turns)
    expect(text === JSON.stringify(value)).toBe(true)
    expect(turns.count).toBeGreaterThan(text.length / 300_000)
  })

  it('is written as JSON.stringify writes it, whatever it is', async () => {
    const part = fc.jsonValue({ maxDepth: 4 })
    await fc.assert(
      fc.asyncProperty(fc.array(part), fc.nat(3_000), part, async (list, count, other) => {
        const value = [other, list, { a: repeated(other, count), b: list }, ...list]
        expect((await writeJson(value, new ManyTurns())) === JSON.stringify(value)).toBe(true)
      }),
      { numRuns: 60 },
    )
  })
})

it('counts nothing of a handle', () => {
  expect(weigh({ steps: new Handle() }, Infinity)).toBeLessThan(200)
})
