// Codes for people who have lost their app: 80 random bits each, of which a digest is kept.
import { randomBytes } from 'node:crypto'
import { digestOf } from '../secret-code.ts'

const COUNT = 10
const BYTES = 10
/** Crockford's base 32: no letter in it is taken for a digit. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz'

export const newRecoveryCodes = (): string[] => Array.from({ length: COUNT }, newCode)

function newCode(): string {
  let bits = BigInt(`0x${randomBytes(BYTES).toString('hex')}`)
  let text = ''
  for (let i = 0; i < (BYTES * 8) / 5; i++) {
    text += ALPHABET[Number(bits % 32n)]
    bits /= 32n
  }
  return text.match(/.{4}/g)!.join('-')
}

/** Returns a code as it is compared: spaces, hyphens and letters that look like digits do not matter. */
export const plainCode = (given: string): string =>
  given.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1')

/** A digest without slow hashing: 80 random bits cannot be guessed. It is another one for each user. */
export const recoveryDigest = (userId: string, code: string): string => digestOf(`${userId} ${plainCode(code)}`)
