import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Databases, query, startDatabases } from '../../../test/harness/postgres.ts'
import { arrays, type Columns, unnest } from './arrays.ts'

const COLUMNS = { t: 'text', i: 'int', b: 'bigint', y: 'bytea' } as const satisfies Columns
const TEXT = `select t, i, b::text, y from ${unnest('given', COLUMNS)}`

let databases: Databases
let url: string
beforeAll(async () => {
  databases = await startDatabases()
  url = await databases.create()
})
afterAll(() => databases.stop())

describe('rows as arrays', () => {
  it('arrive as they were sent', async () => {
    const rows = [
      { t: '', i: 0, b: 0, y: Buffer.alloc(0) },
      { t: '{"a", \\ NULL}', i: -1, b: -1, y: Buffer.from([0, 255, 92]) },
      { t: null, i: null, b: null, y: null },
      { t: 'ÄÖ 漢字 😀', i: 2 ** 31 - 1, b: Number.MAX_SAFE_INTEGER, y: new Uint8Array([1, 2, 3]).subarray(1) },
      { t: 7, i: -(2 ** 31), b: Number.MIN_SAFE_INTEGER, y: Buffer.alloc(100_000, 7) },
      { t: 'x'.repeat(10_000), i: undefined, b: 2 ** 32, y: null },
      { t: '\ud800', i: 1, b: 1_763_400_000_000, y: null },
    ]
    const expected = rows.map(({ t, i, b, y }) => ({
      t: t === '\ud800' ? '\ufffd' : t === null ? null : String(t),
      i: i ?? null,
      b: b === null ? null : String(b),
      y: y === null ? null : Buffer.from(y),
    }))
    expect(await query(url, TEXT, arrays(COLUMNS, rows))).toEqual(expected)
  })

  it('may be none', async () => {
    expect(await query(url, TEXT, arrays(COLUMNS, []))).toEqual([])
  })

  it.each([
    ['t', true],
    ['t', { a: 1 }],
    ['i', '1234'],
    ['b', 1.5],
    ['y', 'text'],
  ])('are of the types that their columns have: %s is not %j', (column, value) => {
    const row = { t: null, i: null, b: null, y: null, [column]: value }
    expect(() => arrays(COLUMNS, [row])).toThrow(TypeError)
  })

  it('that do not fit into a number of the database are refused', () => {
    expect(() => arrays({ i: 'int' }, [{ i: 2 ** 31 }])).toThrow(RangeError)
  })
})
