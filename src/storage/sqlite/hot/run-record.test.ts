import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { HotWrite } from './hot-writes.ts'
import { readRecord, recordOf } from './run-record.ts'

const text = fc.string({ unit: 'binary', maxLength: 80 })
const values = fc.array(fc.oneof(text, fc.double({ noNaN: true, noDefaultInfinity: true }), fc.constant(null)))
const write = fc
  .tuple(fc.constantFrom('insertRun', 'updateRun'), values, fc.array(values))
  .map(([kind, first, steps]) => [[kind, first], ...steps.map((step) => ['putStep', step])] as unknown as HotWrite)
const counted = { flowId: 'flow_1', at: 1, counter: 'accepted', bucket: -1, code: '' } as const

it('reads what it has written', () => {
  fc.assert(
    fc.property(write, (one) => {
      const whole: HotWrite = [...one, ['count', counted]]
      const bytes = Buffer.from(recordOf(whole)!)
      // JSON knows no -0, and UTF-8 no half of a pair; SQLite gets neither.
      expect(readRecord(bytes.toString())).toEqual(JSON.parse(JSON.stringify(whole)))
    }),
  )
})

it('keeps the places of texts after one with half a surrogate pair', () => {
  const long = (part: string) => part.padEnd(60, part)
  const write: HotWrite = [['insertRun', [long('a\ud83d'), long('\ude00b'), 'c', long('d')]]]
  const [[, values]] = readRecord(Buffer.from(recordOf(write)!).toString()) as unknown as [[string, string[]]]
  expect(values.map((value) => value.length)).toEqual([60, 60, 1, 60])
  expect(values[3]).toBe(long('d'))
})

it('reads the records of former versions', () => {
  const former: HotWrite = [
    ['insertRun', ['run_1', 1, 'succeeded', null, `{"a":"${'line\n'.repeat(20)}"}`]],
    ['count', counted],
  ]
  expect(readRecord(JSON.stringify(former))).toEqual(former)
})

it('refuses what is not of one run alone, what JSON would change, and what is long', () => {
  expect(recordOf([['takeKey', ['flow_1', 'k', 'run_1', 1]]])).toBeNull()
  expect(
    recordOf([
      ['insertRun', ['run_1']],
      ['insertRun', ['run_2']],
    ]),
  ).toBeNull()
  expect(
    recordOf([
      ['updateRun', ['run_1']],
      ['updateRun', ['run_1']],
    ]),
  ).toBeNull()
  expect(recordOf([['insertRun', [1n]]])).toBeNull()
  expect(recordOf([['insertRun', ['x'.repeat(32_769)]]])).toBeNull()
  expect(recordOf([['insertRun', ['x'.repeat(32_768)]]])).toContain('[["insertRun",[[32768]]]]\nxxx')
})
