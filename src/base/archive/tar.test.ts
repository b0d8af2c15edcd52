import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { BadArchive, isTar, readTar, tarLength, writeTar } from './tar.ts'

async function* of(...chunks: Uint8Array[]) {
  yield* chunks
}

const FILES = [
  { name: 'millrace.db', content: Buffer.alloc(1_000, 'a') },
  { name: 'files/0/1/blob_empty', content: Buffer.alloc(0) },
  { name: 'files/0/1/blob_even', content: Buffer.alloc(1024, 'b') },
]

async function archive(): Promise<Buffer> {
  const parts: Uint8Array[] = []
  const entries = FILES.map(({ name, content }) => ({ name, size: content.length, bytes: of(content) }))
  for await (const part of writeTar(entries)) parts.push(part)
  return Buffer.concat(parts)
}

async function read(bytes: Buffer) {
  const found = []
  // In parts that fit nothing.
  const chunks = Array.from({ length: Math.ceil(bytes.length / 700) }, (_, i) => bytes.subarray(i * 700, i * 700 + 700))
  for await (const { name, bytes: content } of readTar(of(...chunks))) {
    const parts: Uint8Array[] = []
    for await (const part of content) parts.push(part)
    found.push({ name, content: Buffer.concat(parts) })
  }
  return found
}

it('writes what it reads, and what tar reads', async () => {
  const bytes = await archive()
  expect(bytes).toHaveLength(tarLength(FILES.map(({ content }) => content.length)))
  expect(isTar(bytes)).toBe(true)
  expect(await read(bytes)).toEqual(FILES)
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tar-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'x.tar'), bytes)
  execFileSync('tar', ['-xf', 'x.tar'], { cwd: folder })
  for (const { name, content } of FILES) expect(readFileSync(join(folder, name)).equals(content)).toBe(true)
})

it('refuses an archive that is cut off or changed', async () => {
  const bytes = await archive()
  await expect(read(bytes.subarray(0, 1_200))).rejects.toThrow(BadArchive)
  const changed = Buffer.from(bytes)
  changed[130]! ^= 1
  await expect(read(changed)).rejects.toThrow(BadArchive)
})

it('refuses to write a file that is not as long as it was', async () => {
  const write = async () => {
    for await (const _ of writeTar([{ name: 'x', size: 5, bytes: of(Buffer.alloc(4)) }]));
  }
  await expect(write()).rejects.toThrow(BadArchive)
})
