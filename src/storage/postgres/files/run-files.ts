// Lets runs use files, inside the transaction that stores the runs.
import type { NewRun } from '../../../engine/ports/run-journal.ts'
import { filesGone } from '../../rows/files/files-gone.ts'
import type { HotPool } from '../database.ts'

/** In the order of their ids, as every statement does that locks several. Deleting a file waits for this transaction. */
const HOLD = `select id from file where id = any($1::text[]) and state = 'stored' order by id for share`
/** Only files that are there: a deleted one must not seem to be used. */
const USE = `insert into file_use (owner, file_id) select given.owner, file.id
  from unnest($1::text[], $2::text[]) as given(owner, id) join file on file.id = given.id and file.state = 'stored'
  order by 1, 2 on conflict do nothing`

/** Keeps the files until the transaction ends. Throws if one of them is not there. */
export async function holdFiles(query: HotPool['query'], files: readonly string[]): Promise<void> {
  const wanted = [...new Set(files)]
  const held = await query<{ id: string }>({ name: 'hold-files', text: HOLD, values: [wanted] })
  if (held.length < wanted.length) throw filesGone()
}

/** Lets runs use files that are held. */
export async function useFiles(query: HotPool['query'], runs: readonly Pick<NewRun, 'id' | 'files'>[]): Promise<void> {
  const uses = runs.flatMap(({ id, files = [] }) => files.map((file) => ({ id, file })))
  if (uses.length === 0) return
  const values = [uses.map(({ id }) => id), uses.map(({ file }) => file)]
  await query({ name: 'use-files', text: USE, values })
}
