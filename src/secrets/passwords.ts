// Hashes passwords with scrypt, a few at a time: the hashes share Node's thread pool with name look-ups and files.
import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto'
import type { Passwords } from '../operations/ports/access.ts'
import { isCommonPassword } from './common-passwords.ts'

interface Cost {
  N: number
  r: number
  p: number
}

/** One of the settings that OWASP's password storage guide considers equal: 16 MiB each, and time by `p`. */
const COST: Cost = { N: 2 ** 14, r: 8, p: 5 }
const KEY_BYTES = 32
const AT_ONCE = 2

/** `cost`: tests, which hash hundreds, give a low one. */
export function createPasswords(cost = COST): Passwords {
  const unknown = { cost, salt: randomBytes(16), key: randomBytes(KEY_BYTES) }
  const oneOfFew = createGate(AT_ONCE)
  const derive = (password: string, salt: Buffer, { N, r, p }: Cost, bytes: number): Promise<Buffer> => {
    const options: ScryptOptions = { N, r, p, maxmem: 256 * N * r }
    // The same password may be typed in several forms of Unicode.
    const text = password.normalize('NFKC')
    return oneOfFew(
      () =>
        new Promise((resolve, reject) =>
          scrypt(text, salt, bytes, options, (error, key) => (error ? reject(error) : resolve(key))),
        ),
    )
  }
  return {
    isCommon: isCommonPassword,

    async hash(password) {
      const salt = randomBytes(16)
      return format(cost, salt, await derive(password, salt, cost, KEY_BYTES))
    },

    async match(password, hash) {
      const stored = hash === null ? unknown : parse(hash)
      const derived = await derive(password, stored.salt, stored.cost, stored.key.length)
      return timingSafeEqual(derived, stored.key) && hash !== null
    },
  }
}

/** Returns `scrypt$<N>$<r>$<p>$<salt>$<key>`: a hash keeps its cost when the cost of new ones is raised. */
function format({ N, r, p }: Cost, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

function parse(hash: string): { cost: Cost; salt: Buffer; key: Buffer } {
  const [kind, N, r, p, salt, key] = hash.split('$')
  if (kind !== 'scrypt' || !key) throw new Error('a password hash in the database cannot be read')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  return { cost, salt: Buffer.from(salt!, 'base64url'), key: Buffer.from(key, 'base64url') }
}

function createGate(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve))
    else running++
    try {
      return await work()
    } finally {
      // The next waiter gets the place; without one the place is free.
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
