// Encrypts the bytes of a file in frames, so that any part of it can be read alone. Each frame is authenticated with its number and
// with whether it is the last: frames that are changed, swapped, cut off or appended are noticed.
import { createCipheriv, createDecipheriv } from 'node:crypto'
import { countStreamed } from './young-memory.ts'

export const FRAME_BYTES = 65_536
const TAG_BYTES = 16
const SEALED_BYTES = FRAME_BYTES + TAG_BYTES
const ALGORITHM = 'aes-256-gcm'
const LAST = Buffer.from([1])
const NOT_LAST = Buffer.from([0])

/** Thrown where stored bytes are not those that were written. */
export class BadFrame extends Error {}

/** The number of the frame is unique under the key, which belongs to one file and encrypts each frame once. */
function nonceOf(number: number): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUInt32BE(number, 8)
  return nonce
}

function sealFrame(key: Uint8Array, number: number, isLast: boolean, plain: Uint8Array): Buffer {
  const cipher = createCipheriv(ALGORITHM, key, nonceOf(number)).setAAD(isLast ? LAST : NOT_LAST)
  return Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()])
}

function openFrame(key: Uint8Array, number: number, isLast: boolean, sealed: Uint8Array): Buffer {
  const split = sealed.length - TAG_BYTES
  const decipher = createDecipheriv(ALGORITHM, key, nonceOf(number), { authTagLength: TAG_BYTES })
    .setAAD(isLast ? LAST : NOT_LAST)
    .setAuthTag(sealed.subarray(split))
  try {
    const plain = decipher.update(sealed.subarray(0, split))
    decipher.final()
    return plain
  } catch {
    throw new BadFrame(`its frame ${number} was changed`)
  }
}

/**
 * Cuts bytes into parts of `size`; the last part may be smaller, and is the only one if there are no bytes. A part is valid until the
 * next one is asked for: a new buffer for each would be most of the memory that a file takes.
 */
async function* cut(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<{ part: Buffer; isLast: boolean }> {
  const part = Buffer.allocUnsafe(size)
  let filled = 0
  for await (const chunk of bytes) {
    countStreamed(chunk.length)
    for (let used = 0; used < chunk.length; ) {
      // A full part waits for the next byte: before that it may be the last.
      if (filled === size) {
        yield { part, isLast: false }
        filled = 0
      }
      const taken = chunk.subarray(used, used + size - filled)
      part.set(taken, filled)
      filled += taken.length
      used += taken.length
    }
  }
  yield { part: part.subarray(0, filled), isLast: true }
}

export async function* sealFrames(bytes: AsyncIterable<Uint8Array>, key: Uint8Array): AsyncGenerator<Buffer> {
  let number = 0
  for await (const { part, isLast } of cut(bytes, FRAME_BYTES)) yield sealFrame(key, number++, isLast, part)
}

const framesOf = (size: number): number => Math.max(1, Math.ceil(size / FRAME_BYTES))

/** A part without bytes at the end of the file reads the last frame. */
const firstFrame = (size: number, start: number): number =>
  Math.min(Math.floor(start / FRAME_BYTES), framesOf(size) - 1)

/** Returns how many bytes a file of this size takes when it is encrypted. */
export const sealedSize = (size: number): number => size + framesOf(size) * TAG_BYTES

export interface Range {
  start: number
  /** The position after the last byte. */
  end: number
}

/** Returns the part of the encrypted bytes that is needed to read a part of the file. */
export function sealedRange(size: number, { start, end }: Range): Range {
  const first = firstFrame(size, start)
  const after = Math.max(first + 1, Math.ceil(end / FRAME_BYTES))
  return { start: first * SEALED_BYTES, end: Math.min(after * SEALED_BYTES, sealedSize(size)) }
}

/** Decrypts a part of a file from the encrypted bytes of `sealedRange`. Throws BadFrame. */
export async function* openFrames(
  sealed: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  size: number,
  { start, end }: Range,
): AsyncGenerator<Buffer> {
  const wanted = sealedRange(size, { start, end })
  let number = firstFrame(size, start)
  let left = wanted.end - wanted.start
  for await (const { part } of cut(sealed, SEALED_BYTES)) {
    if (part.length !== Math.min(left, SEALED_BYTES)) break
    left -= part.length
    const plain = openFrame(key, number, number === framesOf(size) - 1, part)
    const from = number * FRAME_BYTES
    number++
    const shown = plain.subarray(Math.max(0, start - from), Math.max(0, end - from))
    if (shown.length) yield shown
    if (left === 0) return
  }
  throw new BadFrame('its length is not what it was')
}
