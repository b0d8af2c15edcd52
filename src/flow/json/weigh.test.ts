import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { LoopTurns } from '../../base/waiting.ts'
import { weigh, weighInTurns } from './weigh.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Returns the bytes of what is alive. One collection leaves some garbage to the next, such as the code of regular expressions. */
function alive(): number {
  for (let last = Number.POSITIVE_INFINITY; ; ) {
    collectGarbage()
    const used = process.memoryUsage().heapUsed
    if (used >= last) return used
    last = used
  }
}

/** Returns the bytes of the heap that a parsed text takes. */
function taken(text: string): number {
  const kept: unknown[] = []
  const before = alive()
  for (let i = 0; i < 50; i++) kept.push(JSON.parse(text))
  return (alive() - before) / kept.length
}

const repeated = (part: string): string => `[${part.repeat(Math.floor(60_000 / part.length))}0]`
const item = (n: number) => ({
  sku: `SKU-${n}`,
  name: `A thing with a name, ${n}`,
  quantity: 2,
  price: 10.5,
  tags: ['a', 'new'],
})

it.each([
  ['an order', JSON.stringify({ items: Array.from({ length: 600 }, (_, n) => item(n)) })],
  ['text', JSON.stringify('x'.repeat(60_000))],
  ['short texts', repeated('"abcdefghijklmno",')],
  ['numbers', repeated('1.5,')],
  ['empty objects', repeated('{},')],
  ['empty lists', repeated('[],')],
  ['lists within lists', repeated(`${'['.repeat(190)}${']'.repeat(190)},`)],
  ['objects within objects', repeated(`${'{"a":'.repeat(190)}1${'}'.repeat(190)},`)],
  ['names that are small numbers', repeated('{"34":0},')],
  ['names that are numbers', repeated('{"1000":0},')],
])('says about what %s take', async (_of, text) => {
  const bytes = await weighInTurns(JSON.parse(text), new LoopTurns())
  expect(weigh(JSON.parse(text), Number.POSITIVE_INFINITY)).toBe(bytes)
  const share = bytes / taken(text)
  expect(share).toBeGreaterThan(0.7)
  expect(share).toBeLessThan(3)
})

it('counts no further than it has to, and goes as deep as there is anything', async () => {
  let reached = 0
  const counting = Array.from({ length: 1_000 }, () => ({
    get a() {
      reached++
      return 'x'.repeat(100)
    },
  }))
  expect(weigh(counting, 20_000)).toBeGreaterThan(20_000)
  expect(reached).toBeLessThan(200)
  let deep: unknown[] = []
  for (let i = 1; i < 200_000; i++) deep = [deep]
  expect(await weighInTurns(deep, new LoopTurns())).toBe(200_000 * 64)
})
