// The ten thousand most common passwords of at least ten characters, as sorted digests: 60 kB, without the words themselves.
// docs/decisions/034-second-factors-and-common-passwords.md says where they come from.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { packageFile } from '../base/package-files.ts'

/** Shorter ones are refused for their length. */
export const SHORTEST_COMMON = 10
/** One password in 28 billion is taken for a common one by mistake. */
const BYTES = 6

let digests: Buffer | null = null

export const commonDigest = (password: string): Buffer =>
  createHash('sha256').update(password).digest().subarray(0, BYTES)

/** Returns whether the password is one of the most common, in whatever case it is written. */
export function isCommonPassword(password: string): boolean {
  // Read when it is first needed: few processes ever take a new password.
  digests ??= readFileSync(packageFile('src/secrets/common-passwords.bin'))
  const wanted = commonDigest(password.normalize('NFKC').toLowerCase())
  let [low, high] = [0, digests.length / BYTES]
  while (low < high) {
    const middle = (low + high) >>> 1
    const order = wanted.compare(digests, middle * BYTES, (middle + 1) * BYTES)
    if (order === 0) return true
    if (order < 0) high = middle
    else low = middle + 1
  }
  return false
}
