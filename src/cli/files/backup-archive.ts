// Reads a backup: the database alone, or an archive of it and the files beside it.
import { closeSync, createReadStream, createWriteStream, fsyncSync, mkdirSync, openSync, readSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { BadArchive, isTar, readTar } from '../../base/archive/tar.ts'
import { DATABASE_FILE } from '../../base/data-folder.ts'

/** Names that Millrace gives files in the data folder: an archive can write nowhere else. */
const FILE_NAME = /^files\/\w\/\w\/blob_\w{1,60}$/

export function isArchive(file: string): boolean {
  const start = Buffer.alloc(512)
  const handle = openSync(file, 'r')
  try {
    readSync(handle, start, 0, start.length, 0)
  } finally {
    closeSync(handle)
  }
  return isTar(start)
}

export interface Unpacked {
  files: number
  bytes: number
}

/** Writes the database of an archive to `database`, and its files into `folder`; null: they are only read to their ends. */
export async function unpack(archive: string, database: string, folder: string | null): Promise<Unpacked> {
  const unpacked: Unpacked = { files: 0, bytes: 0 }
  const folders = new Set<string>()
  let hasDatabase = false
  for await (const { name, size, bytes } of readTar(createReadStream(archive))) {
    if (name === DATABASE_FILE && !hasDatabase) {
      hasDatabase = true
      await write(bytes, database)
      continue
    }
    if (!FILE_NAME.test(name)) throw new BadArchive(`it holds ${JSON.stringify(name.slice(0, 100))}`)
    unpacked.files++
    unpacked.bytes += size
    if (folder === null) for await (const _ of bytes);
    else {
      const path = join(folder, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      await write(bytes, path)
      for (let parent = dirname(path); parent !== folder; parent = dirname(parent)) folders.add(parent)
    }
  }
  if (!hasDatabase) throw new BadArchive('it holds no database')
  for (const each of folders) syncFolder(each)
  return unpacked
}

const write = (bytes: AsyncIterable<Uint8Array>, path: string): Promise<void> =>
  pipeline(Readable.from(bytes, { objectMode: false }), createWriteStream(path, { mode: 0o600, flush: true }))

export function syncFolder(folder: string): void {
  const directory = openSync(folder, 'r')
  fsyncSync(directory)
  closeSync(directory)
}
