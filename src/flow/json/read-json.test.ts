import { describe, expect, it, vi } from 'vitest'
import { measureInTurns, measureJson, SENDER_LIMITS } from './json-limits.ts'
import { ManyTurns } from './many-turns.testkit.ts'
import { parseJson } from './parse-json.ts'
import { readJson } from './read-json.ts'

const list = (item: string, count: number): string => `[${Array(count).fill(item).join(',')}]`
const nested = (open: string, close: string, depth: number): string => `${open.repeat(depth)}0${close.repeat(depth)}`

const TEXTS: Record<string, string> = {
  rows: list('{"a":1, "b":"x","c":[true,null]}', 20_000),
  'a row that is large': `{"rows":${list('{"a":1}', 30_000)}, "next" : null}`,
  'large lists within each other': `[0,[1,${list('[2]', 40_000)},3],{"a":{"b":${list('7', 90_000)}}},4]`,
  'a long object': `{${Array.from({ length: 30_000 }, (_, i) => `"k${i % 9_000}":${i}`).join(' ,\n')}}`,
  'deep lists': list(nested('[', ']', 190), 800),
  'deep objects': list(nested('{"a":', '}', 150), 800),
  'a long text': `["before",${JSON.stringify('x'.repeat(900_000))},"after"]`,
  'a long text with escapes': JSON.stringify({ a: '\n"\\é'.repeat(200_000), b: { c: ['\u0007'.repeat(150_000)] } }),
  'a long text with surrogates': `"${'\\ud83d\\ude00'.repeat(60_000)}"`,
  'a long name': `{"${'x'.repeat(400_000)}":1}`,
  'a long name with escapes': `{"${'\\n'.repeat(300_000)}":{"a":${list('1', 60_000)}}}`,
  'names that objects have': `{"__proto__":${list('1', 50_000)},"constructor":${list('"__proto__"', 9_000)},"__proto__":{"a":1}}`,
  'names with escapes': list('{"\\n":0,"\\u0061":1,"\\\\":2}', 9_000),
  'brackets in texts': list('"}]{[,:\\""', 20_000),
  spaces: ` \n[${' '.repeat(70_000)}1 ,\t${list('2', 50_000)} , {  } , [ ] ]\r\n `,
  'a number': ` ${'1'.repeat(100_000)} `,
  'nothing inside': `[${' '.repeat(100_000)}]`,
}

describe('a large text', () => {
  it.each(Object.entries(TEXTS))('is read as it is at once: %s', async (_of, text) => {
    const turns = new ManyTurns()
    expect(same(await readJson(text, turns), parseJson(text))).toBe(true)
    expect(turns.count).toBeGreaterThan(text.length / 40_000)
  })

  it.each(Object.entries(TEXTS))('is measured as it is at once: %s', async (_of, text) => {
    const turns = new ManyTurns()
    expect(await measureInTurns(text, SENDER_LIMITS, turns)).toEqual(measureJson(text, SENDER_LIMITS))
    expect(turns.count).toBeGreaterThan(0)
  })

  it.each([
    ['ends too early', `${list('{"a":1}', 20_000)}`.slice(0, -1)],
    ['ends twice', `${list('{"a":1}', 20_000)}]`],
    ['goes on', `${list('1', 80_000)} 2`],
    ['has two values', `${list('1', 80_000)},2`],
    ['ends otherwise than it began', `${list('1', 80_000).slice(0, -1)}}`],
    ['ends within a text', `["${'x'.repeat(400_000)}`],
    ['ends within an escape', `["${'\\n'.repeat(200_000)}\\`],
    ['has a wrong escape', `["${'\\n'.repeat(200_000)}\\x${'\\n'.repeat(200_000)}"]`],
    ['has a comma too many', `[${list('1', 80_000)},]`],
    ['has a comma too many at the start', `[,${list('1', 80_000)}]`],
    ['has a comma too few', `[${list('1', 80_000)}${list('1', 80_000)}]`],
    ['has a comma too few after a value', `[1 ${list('1', 80_000)}]`],
    ['has a comma too few before a value', `[${list('1', 80_000)} 1]`],
    ['has two commas', `[${list('1', 80_000)},,${list('1', 80_000)}]`],
    ['has a value without a name', `{${list('1', 80_000)}}`],
    ['has a name without a colon', `{"a" ${list('1', 80_000)}}`],
    ['has two names', `{"a":"b":${list('1', 80_000)}}`],
    ['has a name in a list', `["a":${list('1', 80_000)}]`],
    ['has a long text without a name', `{"a":1,"${'x'.repeat(400_000)}"}`],
    ['has a line break in a text', `["${'x'.repeat(300_000)}\n"]`],
    ['is nothing but commas', ','.repeat(100_000)],
    ['is blank', ' '.repeat(100_000)],
  ])('is refused if it %s', async (_what, text) => {
    expect(() => JSON.parse(text)).toThrow(SyntaxError)
    await expect(readJson(text, new ManyTurns())).rejects.toThrow(SyntaxError)
  })

  it('is searched for quotes and escapes once, however many there are', async () => {
    const text = `["${`${'x'.repeat(40)}\\n`.repeat(20_000)}","${`${'x'.repeat(40)}\\"`.repeat(20_000)}"]`
    const search = vi.spyOn(String.prototype, 'indexOf')
    let searched = 0
    try {
      measureJson(text, SENDER_LIMITS)
      await readJson(text)
      for (const [i, [char, from]] of search.mock.calls.entries()) {
        if (search.mock.contexts[i] !== text || typeof from !== 'number') continue
        const found = search.mock.results[i]!.value as number
        if (char === '"' || char === '\\') searched += (found === -1 ? text.length : found) - from
      }
    } finally {
      search.mockRestore()
    }
    expect(searched).toBeGreaterThan(text.length)
    expect(searched).toBeLessThan(5 * text.length)
  })

  it('is refused with the place of the fault', async () => {
    const before = `[${list('1', 80_000)},{"a":${list('{"b":2}', 20_000)}, `
    await expect(readJson(`${before}"c" 1}]`)).rejects.toThrow(`position ${before.length + 4}`)
  })

  it('is read as it is at once, whatever it is', async () => {
    const random = generator(20_261_118)
    let refused = 0
    for (let i = 0; i < 60; i++) {
      const text = randomText(random)
      const native = outcome(() => parseJson(text))
      const read = await readJson(text, new ManyTurns()).then(
        (value) => ({ value }),
        () => null,
      )
      if (native === null) refused++
      expect(read === null, text.slice(0, 300)).toBe(native === null)
      if (native) expect(same(read!.value, native.value), text.slice(0, 300)).toBe(true)
    }
    expect(refused).toBeGreaterThan(10)
  })
})

function outcome(read: () => unknown): { value: unknown } | null {
  try {
    return { value: read() }
  } catch {
    return null
  }
}

/** Whether both have the same fields in the same order; names with escapes make objects without a prototype. */
function same(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  const own = (of: object, name: string) => Object.getOwnPropertyDescriptor(of, name)?.value
  return (
    names.length === Object.keys(b).length &&
    Object.keys(b).every((name, i) => name === names[i] && same(own(a, name), own(b, name)))
  )
}

type Random = (below: number) => number

function generator(seed: number): Random {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

const PIECES = ['x', 'é', ' ', '{', '}', '[', ']', ',', ':', '\\"', '\\\\', '\\n', '\\u00e9']
const FAULTS = [',', '[', ']', '{', '}', '"', ':', 'x', '\\', ' ']

/** Returns a text of some 100,000 characters; two of five with a fault. */
function randomText(random: Random): string {
  const items = Array.from({ length: 60 + random(300) }, () => randomValue(random, 5))
  const text = random(2) ? `[${items.join(',')}]` : `{${items.map((item, i) => `"k${i % 20}": ${item}`).join(' , ')}}`
  if (random(5) > 1) return text
  const at = random(text.length + 1)
  return text.slice(0, at) + (random(2) ? FAULTS[random(FAULTS.length)]! : '') + text.slice(at + random(2))
}

function randomValue(random: Random, depth: number): string {
  const string = () => `"${Array.from({ length: random(60) }, () => PIECES[random(PIECES.length)]).join('')}"`
  const kind = random(depth > 0 ? 10 : 5)
  if (kind < 3) return string()
  if (kind < 5) return ['1', '-1.5e3', 'true', 'null', '1e400'][random(5)]!
  const count = random(20) || depth > 2 ? random(7) : 300
  const items = Array.from({ length: count }, () => randomValue(random, depth - 1 - random(3)))
  if (kind < 8) return `[${items.join(', ')}]`
  return `{${items.map((item) => `${random(3) ? string() : '"__proto__"'}:${item}`).join(',')}}`
}
