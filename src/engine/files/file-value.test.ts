import { describe, expect, it } from 'vitest'
import { dispositionName, fileName, fileType, isFileValue } from './file-value.ts'

describe('the name of a file', () => {
  it.each([
    ['invoice.pdf', 'invoice.pdf'],
    ['../../etc/passwd', 'passwd'],
    ['C:\\Users\\ada\\invoice.pdf', 'invoice.pdf'],
    ['/', null],
    ['..', null],
    ['a/..', null],
    ['a\r\nX-Injected: 1.pdf', 'aX-Injected: 1.pdf'],
    ['a\0b\u0085c\u2028.pdf', 'abc.pdf'],
    ['invoice\u202efdp.exe', 'invoicefdp.exe'],
    ['  Rechnung Nr. 7.pdf ', 'Rechnung Nr. 7.pdf'],
    ['発票.pdf', '発票.pdf'],
    ['\ud800.pdf', '\ufffd.pdf'],
    ['', null],
  ])('of %j is %j', (given, expected) => {
    expect(fileName(given)).toBe(expected)
  })

  it('has at most 255 bytes, and keeps its end', () => {
    const name = fileName(`${'ä'.repeat(1_000_000)}.pdf`)!
    expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
    expect(name).toMatch(/^ä+\.pdf$/)
  })
})

describe('a Content-Disposition', () => {
  it.each([
    ['attachment; filename="a b.pdf"', 'a b.pdf'],
    ['attachment; filename=a.pdf', 'a.pdf'],
    ['attachment; filename="a\\"b.pdf"', 'a"b.pdf'],
    [`attachment; filename="a.pdf"; filename*=UTF-8''%E7%99%BC.pdf`, '發.pdf'],
    [`attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpasswd`, 'passwd'],
    [`attachment; filename*=UTF-8''%FF; filename="b.pdf"`, 'b.pdf'],
    [Buffer.from('inline; filename="ü.pdf"').toString('latin1'), 'ü.pdf'],
    ['inline', null],
    [null, null],
  ])('%j names %j', (header, expected) => {
    expect(dispositionName(header)).toBe(expected)
  })
})

describe('the type of a file', () => {
  it.each([
    ['Image/PNG', 'image/png'],
    ['text/csv; header=present; charset="Windows-1252"', 'text/csv; charset=windows-1252'],
    ['text/html\r\nX: 1', 'application/octet-stream'],
    ['<script>', 'application/octet-stream'],
    [undefined, 'application/octet-stream'],
  ])('of %j is %j', (given, expected) => {
    expect(fileType(given)).toBe(expected)
  })
})

it('knows a value that is a file', () => {
  expect(isFileValue({ file: 'blob_01abc' })).toBe(true)
  for (const other of [
    null,
    'blob_01abc',
    { file: 'x' },
    { file: 1 },
    [{ file: 'blob_1' }],
    Object.create({ file: 'blob_1' }),
  ])
    expect(isFileValue(other)).toBe(false)
})
