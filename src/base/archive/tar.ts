// Writes and reads tar archives (POSIX ustar, sizes beyond 8 GiB as GNU tar writes them): of plain files only, one after the other.

const BLOCK = 512
const LARGEST_OCTAL = 8 * 1024 ** 3 - 1
const MAGIC = 'ustar\0'
const MAGIC_AT = 257

export interface TarEntry {
  name: string
  size: number
  bytes: AsyncIterable<Uint8Array>
}

/** Thrown where bytes are not a whole archive. */
export class BadArchive extends Error {}

const padding = (size: number): number => (BLOCK - (size % BLOCK)) % BLOCK

/** Returns the length of an archive of files of these sizes. */
export const tarLength = (sizes: readonly number[]): number =>
  sizes.reduce((sum, size) => sum + BLOCK + size + padding(size), 2 * BLOCK)

function header(name: string, size: number): Buffer {
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0, 100)
  block.write('0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  if (size > LARGEST_OCTAL) {
    block[124] = 0x80
    block.writeBigUInt64BE(BigInt(size), 128)
  } else block.write(`${size.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  block.write('        ', 148)
  block.write('0', 156)
  block.write(`${MAGIC}00`, MAGIC_AT)
  block.write(`${checksum(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

/** The sum of the header's bytes, with blanks in place of the sum itself. */
const checksum = (block: Buffer): number => block.reduce((sum, byte, i) => sum + (i >= 148 && i < 156 ? 0x20 : byte), 0)

/** Expects names of at most 100 bytes. */
export async function* writeTar(entries: Iterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for (const { name, size, bytes } of entries) {
    yield header(name, size)
    let written = 0
    for await (const chunk of bytes) {
      written += chunk.length
      yield chunk
    }
    if (written !== size) throw new BadArchive(`${name} has changed while it was read`)
    yield Buffer.alloc(padding(size))
  }
  yield Buffer.alloc(2 * BLOCK)
}

/** Returns whether a file that begins like this is an archive. */
export const isTar = (start: Uint8Array): boolean =>
  Buffer.from(start).toString('latin1', MAGIC_AT, MAGIC_AT + 5) === MAGIC.slice(0, 5)

/** Each entry must be read to its end before the next one. */
export async function* readTar(archive: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new Reader(archive)
  for (;;) {
    const block = await reader.block()
    if (block.every((byte) => byte === 0)) return
    const sum = Number.parseInt(block.toString('latin1', 148, 156), 8)
    if (!isTar(block) || checksum(block) !== sum) throw new BadArchive('it is damaged')
    const name = block.toString('latin1', 0, 100).replace(/\0.*$/s, '')
    const size =
      block[124]! & 0x80 ? Number(block.readBigUInt64BE(128)) : Number.parseInt(block.toString('latin1', 124, 136), 8)
    if (!Number.isSafeInteger(size)) throw new BadArchive('it is damaged')
    yield { name, size, bytes: reader.take(size) }
    for await (const _ of reader.take(padding(size)));
  }
}

class Reader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #chunk: Uint8Array = new Uint8Array()

  constructor(bytes: AsyncIterable<Uint8Array>) {
    this.#chunks = bytes[Symbol.asyncIterator]()
  }

  async *take(size: number): AsyncGenerator<Uint8Array> {
    for (let left = size; left > 0; ) {
      if (this.#chunk.length === 0) {
        const { done, value } = await this.#chunks.next()
        if (done) throw new BadArchive('it ends too early')
        this.#chunk = value
        continue
      }
      const taken = this.#chunk.subarray(0, left)
      this.#chunk = this.#chunk.subarray(taken.length)
      left -= taken.length
      yield taken
    }
  }

  async block(): Promise<Buffer> {
    const parts: Uint8Array[] = []
    for await (const part of this.take(BLOCK)) parts.push(part)
    return Buffer.concat(parts)
  }
}
