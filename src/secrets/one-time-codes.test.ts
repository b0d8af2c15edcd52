import { describe, expect, it } from 'vitest'
import { createOneTimeCodes } from './one-time-codes.ts'

const codes = createOneTimeCodes()
/** The secret of the test vectors of RFC 6238, appendix B: the text 12345678901234567890, in base32. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

describe('codes of an app', () => {
  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('are those of RFC 6238 at %s s', (seconds, code) => {
    expect(codes.stepOf(SECRET, code, seconds * 1000)).toBe(Math.floor(seconds / 30))
  })

  it('are taken one step before and after their time, and no further', () => {
    const step = Math.floor(1_111_111_109 / 30)
    const at = (steps: number) => codes.stepOf(SECRET, '081804', (1_111_111_109 + 30 * steps) * 1000)
    expect([at(-2), at(-1), at(0), at(1), at(2)]).toEqual([null, step, step, step, null])
  })

  it('are six digits, and nothing else is read', () => {
    for (const code of ['', '08180', '0818044', '08180x', ' 81804', '+81804'])
      expect(codes.stepOf(SECRET, code, 1_111_111_109_000)).toBeNull()
    expect(codes.stepOf('', '081804', 1_111_111_109_000)).toBeNull()
  })

  it('belong to a secret of 160 bits, which is another one each time', () => {
    const secrets = [codes.newSecret(), codes.newSecret()]
    expect(secrets[0]).not.toBe(secrets[1])
    expect(secrets[0]).toMatch(/^[A-Z2-7]{32}$/)
    expect(codes.url(SECRET, 'ada@example.com')).toBe(
      `otpauth://totp/Millrace:ada%40example.com?issuer=Millrace&secret=${SECRET}&algorithm=SHA1&digits=6&period=30`,
    )
  })
})
