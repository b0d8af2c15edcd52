// Keeps files in the database, in rows of a quarter of a megabyte. Each is written and read in a transaction of its own, so that a
// slow upload or download holds no database session.
import type { FilePlace } from '../../files/place.ts'
import type { HotPool } from '../database.ts'

const CHUNK_BYTES = 262_144

const PUT = 'insert into file_chunk (file_id, number, bytes) values ($1, $2, $3)'
/** A part of one chunk: positions count from 1. */
const GET =
  'select substring(bytes from $3::int for $4::int) as bytes from file_chunk where file_id = $1 and number = $2'
/** The rows of a large file go a few at a time. */
const REMOVE = `delete from file_chunk where file_id = $1 and number in
  (select number from file_chunk where file_id = $1 order by number limit 64) returning number`

export function createChunkPlace(pool: Pick<HotPool, 'query'>): FilePlace {
  return {
    name: 'database',

    async put(id, frames) {
      let number = 0
      const write = (bytes: Uint8Array) => pool.query({ text: PUT, values: [id, number++, bytes] })
      for await (const chunk of chunksOf(frames)) await write(chunk)
    },

    async *get(id, { start, end }) {
      for (let at = start; at < end; ) {
        const number = Math.floor(at / CHUNK_BYTES)
        const from = at - number * CHUNK_BYTES
        const length = Math.min(CHUNK_BYTES - from, end - at)
        const [row] = await pool.query<{ bytes: Buffer }>({ text: GET, values: [id, number, from + 1, length] })
        if (!row || row.bytes.length === 0) return
        at += row.bytes.length
        yield row.bytes
        if (row.bytes.length < length) return
      }
    },

    async remove(id) {
      while ((await pool.query({ text: REMOVE, values: [id] })).length > 0);
    },

    fault: async () => null,
  }
}

/** Returns the same bytes in parts that are all full but the last. */
async function* chunksOf(frames: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let chunk = Buffer.allocUnsafe(CHUNK_BYTES)
  let filled = 0
  for await (const frame of frames)
    for (let used = 0; used < frame.length; ) {
      const taken = frame.subarray(used, used + CHUNK_BYTES - filled)
      chunk.set(taken, filled)
      filled += taken.length
      used += taken.length
      if (filled < CHUNK_BYTES) continue
      yield chunk
      chunk = Buffer.allocUnsafe(CHUNK_BYTES)
      filled = 0
    }
  if (filled > 0) yield chunk.subarray(0, filled)
}
