// The file of the run log: records of runs that are acknowledged and not yet in the database. A record says to which process and
// generation it belongs, so that what is left of earlier ones is not taken for it.
import { closeSync, fdatasyncSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncToDisk } from '../../../base/data-folder.ts'

/** The file has two halves: while the runs of one are put into the database, the other takes new ones. */
const HALF_BYTES = 512 * 1024
/** The length of the text, its checksum with what follows, the salt of the process, the generation and the place in it. */
const HEADER_BYTES = 20
const CHECKED_FROM = 8
/** UTF-8 takes so many bytes for a UTF-16 unit at most. */
const MOST_BYTES_A_CHAR = 3

export interface LogRecord {
  generation: number
  text: string
}

export class RunLogFile {
  readonly #path: string
  readonly #fd: number
  readonly #salt: number
  readonly #buffer = Buffer.allocUnsafe(HALF_BYTES)
  #generation = 0
  #place = 0
  #end = 0

  private constructor(path: string, salt: number) {
    this.#path = path
    this.#fd = openSync(path, 'r+')
    this.#salt = salt
  }

  /** Makes the file with all of its blocks: a sync then has nothing to write but the record. */
  static async create(path: string, salt: number): Promise<RunLogFile> {
    await writeFile(path, Buffer.alloc(2 * HALF_BYTES), { mode: 0o600 })
    await syncToDisk(path)
    await syncToDisk(dirname(path))
    return new RunLogFile(path, salt)
  }

  /** Begins a generation, in the half of the one before the last. */
  begin(generation: number): void {
    this.#generation = generation
    this.#place = 0
    this.#end = startOf(generation)
  }

  /** Writes records to the disk together, and returns false if there is no room for all of them. */
  append(texts: readonly string[]): boolean {
    let left = startOf(this.#generation) + HALF_BYTES - this.#end
    for (const text of texts) left -= HEADER_BYTES + text.length * MOST_BYTES_A_CHAR
    if (left < 0) return false
    let length = 0
    let place = this.#place
    for (const text of texts) length += this.#put(text, length, place++)
    try {
      if (writeSync(this.#fd, this.#buffer, 0, length, this.#end) < length) throw new Error('no room')
      fdatasyncSync(this.#fd)
    } catch (error) {
      this.#forget(this.#end)
      throw error
    }
    this.#end += length
    this.#place = place
    return true
  }

  /** Returns the length of the record that it makes in the buffer. */
  #put(text: string, at: number, place: number): number {
    const length = this.#buffer.write(text, at + HEADER_BYTES)
    const record = this.#buffer.subarray(at, at + HEADER_BYTES + length)
    record.writeUInt32LE(length, 0)
    record.writeUInt32LE(this.#salt, 8)
    record.writeUInt32LE(this.#generation, 12)
    record.writeUInt32LE(place, 16)
    record.writeUInt32LE(crc32(record.subarray(CHECKED_FROM)), 4)
    return record.length
  }

  /** Makes a record one that does not count, and all after it, as well as the disk allows: nobody is told that their runs are stored. */
  #forget(at: number): void {
    try {
      writeSync(this.#fd, Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, at)
    } catch {}
  }

  /** `remove`: its records are not needed any more. */
  close(remove: boolean): void {
    closeSync(this.#fd)
    if (remove) removeLog(this.#path)
  }
}

const startOf = (generation: number): number => (generation % 2) * HALF_BYTES

/** Returns the records of a process that came after a generation, in their order. */
export function recordsAfter(path: string, salt: number, generation: number): LogRecord[] {
  let bytes: Buffer
  try {
    bytes = readFileSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  return [0, HALF_BYTES]
    .flatMap((start) => recordsOf(bytes.subarray(start, start + HALF_BYTES), salt))
    .filter((record) => record.generation > generation)
    .toSorted((a, b) => a.generation - b.generation)
}

/** Returns the records of a half, up to one that was not written to its end, or is left from an earlier generation. */
function recordsOf(half: Buffer, salt: number): LogRecord[] {
  const records: LogRecord[] = []
  for (let at = 0; at + HEADER_BYTES <= half.length; ) {
    const length = half.readUInt32LE(at)
    const generation = half.readUInt32LE(at + 12)
    const end = at + HEADER_BYTES + length
    if (end > half.length || half.readUInt32LE(at + 8) !== salt || half.readUInt32LE(at + 16) !== records.length) break
    if (half.readUInt32LE(at + 4) !== crc32(half.subarray(at + CHECKED_FROM, end))) break
    if (records.length && records[0]!.generation !== generation) break
    records.push({ generation, text: half.toString('utf8', at + HEADER_BYTES, end) })
    at = end
  }
  return records
}

export const removeLog = (path: string): void => rmSync(path, { force: true })
