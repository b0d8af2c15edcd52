// HMAC by RFC 2104, out of two hashes that give text. Node's own gives bytes out of an object of its own: making and collecting both
// takes twice as long as the hashes of a usual event do.
import { type BinaryToTextEncoding, createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { HmacAlgorithm } from './algorithm-names.ts'

const BLOCK_BYTES: Readonly<Record<HmacAlgorithm, number>> = { sha1: 64, sha256: 64, sha512: 128 }
const DIGEST_BYTES: Readonly<Record<HmacAlgorithm, number>> = { sha1: 20, sha256: 32, sha512: 64 }

interface Pads {
  inner: Buffer
  /** With room for the inner hash behind it. */
  outer: Buffer
}

/** Small messages are put together here: nothing waits between writing and hashing them. */
const DESK = Buffer.alloc(16_384)

export class HmacKey {
  readonly #bytes: Uint8Array
  readonly #pads: Partial<Record<HmacAlgorithm, Pads>> = {}

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Returns the HMAC of the parts, one after the other. */
  of(algorithm: HmacAlgorithm, parts: readonly (Uint8Array | string)[], encoding: 'hex' | 'base64'): string {
    this.#pads[algorithm] ??= padsOf(algorithm, this.#bytes)
    const { inner, outer } = this.#pads[algorithm]
    outer.write(hash(algorithm, joined(inner, parts), 'binary'), BLOCK_BYTES[algorithm], 'latin1')
    return hash(algorithm, outer, encoding)
  }

  /** Begins an HMAC of what is too large to be had at once. */
  begin(algorithm: HmacAlgorithm, encoding: 'hex' | 'base64'): RunningHmac {
    const hmac = createHmac(algorithm, this.#bytes)
    return {
      update(part) {
        if (typeof part === 'string') hmac.update(part, 'latin1')
        else hmac.update(part)
      },
      end: () => hmac.digest(encoding),
    }
  }
}

/** An HMAC of parts that come one by one. */
export interface RunningHmac {
  update(part: Uint8Array | string): void
  end(): string
}

function padsOf(algorithm: HmacAlgorithm, bytes: Uint8Array): Pads {
  const size = BLOCK_BYTES[algorithm]
  const key = bytes.length > size ? hash(algorithm, bytes, 'buffer') : bytes
  const inner = Buffer.alloc(size, 0x36)
  const outer = Buffer.alloc(size + DIGEST_BYTES[algorithm], 0x5c)
  for (const [i, byte] of key.entries()) {
    inner[i]! ^= byte
    outer[i]! ^= byte
  }
  return { inner, outer }
}

/** Texts are Latin-1, as headers are. */
function joined(first: Buffer, parts: readonly (Uint8Array | string)[]): Buffer {
  let size = first.length
  for (const part of parts) size += part.length
  const whole = size > DESK.length ? Buffer.allocUnsafe(size) : DESK.subarray(0, size)
  whole.set(first)
  let at = first.length
  for (const part of parts) {
    if (typeof part === 'string') whole.write(part, at, 'latin1')
    else whole.set(part, at)
    at += part.length
  }
  return whole
}

/** The outer pad and the inner hash behind it, for a key that is used once. */
const OUTER = Buffer.alloc(BLOCK_BYTES.sha512 + DIGEST_BYTES.sha512)
/** UTF-8 takes so many bytes for a UTF-16 unit at most. */
const MOST_BYTES_A_CHAR = 3

/** Returns the HMAC of the parts with a key that is not used again. Texts are UTF-8. */
export function hmacOnce(
  algorithm: HmacAlgorithm,
  key: Uint8Array | string,
  parts: readonly (Uint8Array | string)[],
  encoding: BinaryToTextEncoding | 'buffer',
): string | Buffer {
  const size = BLOCK_BYTES[algorithm]
  if (mostBytes(key) > size || size + parts.reduce((sum, part) => sum + mostBytes(part), 0) > DESK.length) {
    const hmac = createHmac(algorithm, key)
    for (const part of parts) hmac.update(part)
    return encoding === 'buffer' ? hmac.digest() : hmac.digest(encoding)
  }
  DESK.fill(0x36, 0, size)
  OUTER.fill(0x5c, 0, size)
  const keyEnd = placed(key, size)
  for (let i = 0; i < keyEnd - size; i++) {
    DESK[i]! ^= DESK[size + i]!
    OUTER[i]! ^= DESK[size + i]!
  }
  let end = size
  for (const part of parts) end = placed(part, end)
  OUTER.write(hash(algorithm, DESK.subarray(0, end), 'binary'), size, 'latin1')
  return hash(algorithm, OUTER.subarray(0, size + DIGEST_BYTES[algorithm]), encoding)
}

const mostBytes = (part: Uint8Array | string): number =>
  typeof part === 'string' ? part.length * MOST_BYTES_A_CHAR : part.length

/** Puts a part on the desk; returns where it ends. */
function placed(part: Uint8Array | string, at: number): number {
  if (typeof part === 'string') return at + DESK.write(part, at)
  DESK.set(part, at)
  return at + part.length
}

const MOST_CHARS = 128
const [ONE, OTHER] = [Buffer.alloc(MOST_CHARS), Buffer.alloc(MOST_CHARS)]

/** Compares in constant time. Only the length of the expected text, one of at most 128 characters of ASCII, is public. */
export function isSameText(given: string, expected: string): boolean {
  const { length } = expected
  if (given.length !== length) return false
  ONE.write(given, 'latin1')
  OTHER.write(expected, 'latin1')
  // Characters beyond Latin-1 are cut to a byte, which may then be the expected one.
  return timingSafeEqual(ONE.subarray(0, length), OTHER.subarray(0, length)) && given === expected
}
