import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { BadFrame, FRAME_BYTES, openFrames, type Range, sealedRange, sealedSize, sealFrames } from './frames.ts'

const SEALED = FRAME_BYTES + 16
const key = randomBytes(32)

async function* inParts(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function all(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const part of bytes) parts.push(part)
  return Buffer.concat(parts)
}

const seal = (plain: Uint8Array) => all(sealFrames(inParts(plain, 10_000), key))
const open = (sealed: Uint8Array, size: number, range: Range = { start: 0, end: size }) => {
  const { start, end } = sealedRange(size, range)
  return all(openFrames(inParts(sealed.subarray(start, end), 7_000), key, size, range))
}

describe('frames', () => {
  it.each([0, 1, FRAME_BYTES - 1, FRAME_BYTES, FRAME_BYTES + 1, 3 * FRAME_BYTES])(
    'give %i bytes back, whole and in parts',
    async (size) => {
      const plain = randomBytes(size)
      const sealed = await seal(plain)
      expect(sealed.length).toBe(sealedSize(size))
      expect((await open(sealed, size)).equals(plain)).toBe(true)
      for (const [start, end] of [
        [0, 1],
        [size >> 1, size],
        [FRAME_BYTES - 1, FRAME_BYTES + 1],
        [size, size],
      ] as const) {
        if (end > size) continue
        expect((await open(sealed, size, { start, end })).equals(plain.subarray(start, end))).toBe(true)
      }
    },
  )

  it('notice changed, swapped, missing and added bytes', async () => {
    const size = 2 * FRAME_BYTES + 100
    const sealed = await seal(randomBytes(size))
    const flipped = Buffer.from(sealed)
    flipped[SEALED + 5]! ^= 1
    const swapped = Buffer.concat([
      sealed.subarray(SEALED, 2 * SEALED),
      sealed.subarray(0, SEALED),
      sealed.subarray(2 * SEALED),
    ])
    for (const bad of [flipped, swapped, sealed.subarray(0, -1), sealed.subarray(0, 2 * SEALED), Buffer.alloc(0)])
      await expect(open(bad, size)).rejects.toThrow(BadFrame)
  })

  it('notice a length that was changed together with the bytes', async () => {
    const sealed = await seal(randomBytes(2 * FRAME_BYTES))
    await expect(open(sealed.subarray(0, SEALED), FRAME_BYTES)).rejects.toThrow(BadFrame)
  })
})
